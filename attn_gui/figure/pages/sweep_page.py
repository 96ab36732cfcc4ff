"""Page of a sweep: one number of the problem runs between two values; a reading of a row as a curve, and the maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.sweep import (
    ROW_READINGS,
    Quantity,
    Row,
    quantities_of,
    quantity_of_cell,
    sweep,
    values_between,
)
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.figure.display import Allowed, Values
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Amount, Choice, Slide
from attn_gui.figure.pages.knobs import Values as Chosen
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.sweep_layout import SweepLayout, Swept, value_text
from attn_gui.figure.text.page_words import page_words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.rows import stage_labels

STEPS, MOST_STEPS = 25, 200
WHOLE_MAP = 1 << 16
"""Cells of a map up to which all of it is shown, not the rows round the chosen query alone."""
ROWS_ROUND = 32
"""Rows before and after that one."""
SIDE = 64
"""Blocks of a small map at most, by side."""

PARTS = {
    "all": page_words(QT_TRANSLATE_NOOP("Pages", "curve and maps")),
    "curve": page_words(QT_TRANSLATE_NOOP("Pages", "the curve alone")),
    "strip": page_words(QT_TRANSLATE_NOOP("Pages", "the maps alone")),
}


def _quantities(aim: Aim) -> Mapping[str, Quantity]:
    cell = None if aim.cell is None else quantity_of_cell(aim.problem, aim.stage, aim.place, aim.value)
    return quantities_of(aim.problem, cell)


def _quantity(aim: Aim, values: Chosen) -> Quantity:
    return _quantities(aim)[values["quantity"]]


def _steps(aim: Aim, values: Chosen) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return values_between(_quantity(aim, values), values["low"], values["high"], values["steps"])


def _can_be(aim: Aim, values: Chosen, value: float) -> bool:
    return _quantity(aim, values).fits(aim.problem, value)


def _end(place: int) -> Amount:
    """The knob of the first value (0) or of the last (1)."""
    key, caption = (
        ("low", QT_TRANSLATE_NOOP("Pages", "from")) if place == 0 else ("high", QT_TRANSLATE_NOOP("Pages", "to"))
    )
    return Amount(key, caption, lambda aim, values: _quantity(aim, values).span(aim.problem)[place], _can_be)


class SweepPage(PageKind[Swept]):
    """Moves a number of the problem, which itself stays as it is."""

    name = "sweep"
    title = QT_TRANSLATE_NOOP("Pages", "Sweep")
    roles = (Role.SCORE,)
    words = "vary parameter scan slider range animate temperature scale d_k 扫描 变化 参数 滑块 温度 缩放 动画"
    frames = QT_TRANSLATE_NOOP("Pages", "Sweep, a picture for each value")
    knobs = (
        Choice(
            "quantity",
            QT_TRANSLATE_NOOP("Pages", "what runs"),
            lambda aim, values: {key: quantity.words for key, quantity in _quantities(aim).items()},
        ),
        _end(0),
        _end(1),
        Amount(
            "steps",
            QT_TRANSLATE_NOOP("Pages", "values"),
            lambda aim, values: STEPS,
            lambda aim, values, value: 2 <= value <= MOST_STEPS,
            whole=True,
        ),
        Choice(
            "reading",
            QT_TRANSLATE_NOOP("Pages", "what is read"),
            lambda aim, values: {key: page_words(reading.title) for key, reading in ROW_READINGS.items()},
        ),
        Choice("part", QT_TRANSLATE_NOOP("Pages", "shown"), lambda aim, values: PARTS),
        Slide(
            "place",
            QT_TRANSLATE_NOOP("Pages", "value"),
            lambda aim, values: len(_steps(aim, values)) - 1,
            lambda aim, values, place: value_text(_steps(aim, values), place),
        ),
    )

    def is_quick(self, aim: Aim) -> bool:
        return False

    def turned(self, content: Swept, before: Chosen, after: Chosen) -> Swept | None:
        if {key: value for key, value in before.items() if key not in ("place", "part")} != {
            key: value for key, value in after.items() if key not in ("place", "part")
        }:
            return None
        return replace(content, place=after["place"], part=after["part"])

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Swept:
        problem, knobs = evaluation.problem, aim.knobs
        quantity, reading = _quantities(aim)[knobs["quantity"]], ROW_READINGS[knobs["reading"]]
        row = Row(aim.batch, aim.head, aim.query(evaluation) or 0, aim.key(evaluation) or 0)
        values = _steps(aim, knobs)

        def look(changed: Evaluation, at: Row) -> tuple[float, Values, Allowed | None]:
            return reading.read(changed, at), *_map(changed, at)

        found = sweep(problem, quantity, values.tolist(), row, look, tell)
        tokens = None if quantity.seeded else stage_labels(evaluation, evaluation.weights)[0]
        first = quantity.put(problem, float(values[0]))
        return Swept(
            quantity=quantity.words,
            reading=reading.title,
            unit=reading.unit,
            values=values,
            readings=np.array([number for number, _, _ in found]),
            maps=tuple((cells, allowed) for _, cells, allowed in found),
            keys=first.m,
            now=quantity.now(problem),
            place=knobs["place"],
            part=knobs["part"],
            row=quantity.row(first, row),
            token=tokens[row.query] if tokens else "",
            heads=first.num_heads,
        )

    def plan(self, content: Swept, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return SweepLayout(content, ink, width, height).drawing()


def _map(evaluation: Evaluation, row: Row) -> tuple[Values, Allowed | None]:
    """The weights of the head, small: all rows, or those round the chosen one where there are many."""
    problem = evaluation.problem
    rows = slice(0, problem.n)
    if problem.n * problem.m > WHOLE_MAP:
        rows = slice(max(0, row.query - ROWS_ROUND), min(problem.n, row.query + ROWS_ROUND + 1))
    cells = evaluation.block(evaluation.weights, row.batch, row.head, rows, slice(0, problem.m))
    allowed = evaluation.allowed(row.batch, row.head, rows, slice(0, problem.m))
    return pool(cells, allowed, min(SIDE, len(cells)), min(SIDE, problem.m))
