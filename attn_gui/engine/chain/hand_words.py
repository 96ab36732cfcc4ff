"""Interventions in words: which cells of which heads, and what is done to them."""

from __future__ import annotations

from collections.abc import Callable

from attn_gui.engine.chain.symbols import symbol
from attn_gui.engine.problem.errors import Note
from attn_gui.engine.problem.fields import Fields
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.stages import STAGE

WHOLE = "·"  # an axis that is taken whole
OF_HEAD = QT_TRANSLATE_NOOP("Interventions", "{cells} of head {head}")
OF_HEADS = QT_TRANSLATE_NOOP("Interventions", "{cells} of heads {first} … {last}")
OF_ALL = QT_TRANSLATE_NOOP("Interventions", "{cells} of all heads")
OF_ITEM = QT_TRANSLATE_NOOP("Interventions", "{cells} in item {item}")
OF_ITEMS = QT_TRANSLATE_NOOP("Interventions", "{cells} in items {first} … {last}")

Place = int | tuple[int, int] | None


def phrase(problem: Fields, record: Intervention, letter: Callable[[str], str] = symbol) -> Note:
    """`A[10, 13] of head 3 set to 0.9`: an intervention of a problem; `letter` names a stage."""
    return record.told(cells_phrase(problem, record, letter))


def cells_phrase(problem: Fields, record: Intervention, letter: Callable[[str], str] = symbol) -> object:
    """`A[10, 13] of head 3`: heads and items are named where the problem has several."""
    axes = STAGE[record.stage].axes
    *outer, rows, columns = (record.at.get(axis) for axis in axes)
    lines = ", ".join((_span(rows), _span(columns)))
    cells: object = letter(record.stage)
    if (rows, columns) != (None, None):
        cells = f"{cells}[{lines}]"
    if len(outer) > 1 and problem.num_heads > 1:
        cells = _heads(cells, outer[1])
    return _items(cells, outer[0]) if problem.batch_size > 1 else cells


def _heads(cells: object, heads: Place) -> Note:
    if heads is None:
        return Note(OF_ALL, {"cells": cells})
    if isinstance(heads, int):
        return Note(OF_HEAD, {"cells": cells, "head": heads})
    return Note(OF_HEADS, {"cells": cells, "first": heads[0], "last": heads[1] - 1})


def _items(cells: object, items: Place) -> object:
    if items is None:
        return cells
    if isinstance(items, int):
        return Note(OF_ITEM, {"cells": cells, "item": items})
    return Note(OF_ITEMS, {"cells": cells, "first": items[0], "last": items[1] - 1})


def _span(place: Place) -> str:
    if place is None:
        return WHOLE
    return str(place) if isinstance(place, int) else f"{place[0]} … {place[1] - 1}"
