"""Tables of a worksheet: matrices with a label a row and column, cells that are left out, and the keys to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attn_gui.document.number_text import shown
from attn_gui.engine.arrays import Array, item_of
from attn_gui.engine.chain.symbols import symbol
from attn_gui.engine.problem.fields import MATRICES
from attn_gui.engine.stages import STAGE
from attn_gui.figure.pages.ink import Ink
from attn_gui.lessons.covered_evaluation import Covered
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
            yield _table(symbol(name), np.atleast_2d(item_of(array, 0)))
    if problem.projected:
        for name in ("query", "key", "value"):
            yield from _stage(sheet, name, ink)
    for name in sheet.stages:
        yield from _stage(sheet, name, ink)


def _stage(sheet: Worksheet, name: str, ink: Ink) -> Iterator[Table]:
    evaluation, covered = sheet.evaluation, Covered(sheet.evaluation, sheet.blanks)
    stage, shape = STAGE[name], evaluation.shape(name)
    values = evaluation.box(name, tuple(slice(0, size) for size in shape))[0]
    called = stage.called.zh if ink.lang == "zh" else stage.called.en
    title = f"{stage.symbol}  {called}"
    left_out = covered.left_out(name, tuple(slice(0, size) for size in shape))
    if values.ndim == 2:
        yield _table(title, values, frozenset((at[1], at[2]) for at in left_out if at[0] == 0))
        return
    for head, matrix in enumerate(values):
        more = f"  {ink.words.head.format(head)}" if len(values) > 1 else ""
        left = frozenset((at[2], at[3]) for at in left_out if at[:2] == (0, head))
        yield _table(title + more, matrix, left)


def _table(title: str, values: Array, left: frozenset[tuple[int, int]] = frozenset()) -> Table:
    rows, columns = values.shape
    cells = tuple(tuple(_number(value) for value in row) for row in values.tolist())
    return Table(title, tuple(map(str, range(rows))), tuple(map(str, range(columns))), cells, left)


def _number(value: float) -> str:
    return shown(value, 0 if value.is_integer() else DECIMALS)
