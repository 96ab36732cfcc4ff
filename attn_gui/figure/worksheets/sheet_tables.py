"""Tables of a worksheet: matrices with a label a row and column, cells that are left out, and the keys to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attn_gui.document.number_text import shown
from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.symbols import symbol
from attn_gui.engine.problem.fields import MATRICES
from attn_gui.engine.stages import STAGE
from attn_gui.figure.pages.ink import Ink
from attn_gui.lessons.worksheets import Worksheet

DECIMALS = 2


@dataclass(frozen=True)
class Table:
    """One matrix on paper: `cells` are texts, `left` the places that are left out of it."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    left: frozenset[tuple[int, int]] = frozenset()


def tables_of(sheet: Worksheet, ink: Ink) -> Iterator[Table]:
    """The given matrices, then every stage, head by head; of a batch the first item."""
    problem = sheet.evaluation.problem
    for name, array in problem.arrays().items():
        if name in MATRICES:
            yield _table(symbol(name), array[0] if array.ndim == 3 else np.atleast_2d(array))
    if problem.projected:
        for name in ("query", "key", "value"):
            yield from _stage(sheet, name, ink)
    for name in sheet.stages:
        yield from _stage(sheet, name, ink)


def _stage(sheet: Worksheet, name: str, ink: Ink) -> Iterator[Table]:
    evaluation = sheet.evaluation
    stage, shape = STAGE[name], evaluation.shape(name)
    values = evaluation.box(name, tuple(slice(0, size) for size in shape))[0]
    called = stage.called.zh if ink.lang == "zh" else stage.called.en
    title = f"{stage.symbol}  {called}"
    if values.ndim == 2:
        left = {blank.index[1:] for blank in sheet.blanks if blank.stage == name}
        yield _table(title, values, frozenset((row, column) for row, column in left))
        return
    for head, matrix in enumerate(values):
        more = f"  {ink.words.head.format(head)}" if len(values) > 1 else ""
        left = {blank.index[2:] for blank in sheet.blanks if blank.stage == name and blank.index[1] == head}
        yield _table(title + more, matrix, frozenset((row, column) for row, column in left))


def _table(title: str, values: Array, left: frozenset[tuple[int, int]] = frozenset()) -> Table:
    rows, columns = values.shape
    cells = tuple(tuple(_number(value) for value in row) for row in values.tolist())
    return Table(title, tuple(map(str, range(rows))), tuple(map(str, range(columns))), cells, left)


def _number(value: float) -> str:
    return shown(value, 0 if value.is_integer() else DECIMALS)
