"""Tables of a worksheet: matrices with a label a row and column, cells that are left out, and the keys to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from attn_gui.document.number_text import shown
from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.nodes import symbol
from attn_gui.engine.scores import SCORES
from attn_gui.engine.sentences import spelled
from attn_gui.engine.stages import STAGE
from attn_gui.figure.pages.ink import Ink
from attn_gui.lessons.exercises import Covered, Worksheet
from attn_gui.lessons.lesson import written
from attn_gui.lessons.solutions import given_matrices, given_numbers

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
    for name, head, values in given_matrices(sheet.evaluation, 0):
        yield _table(symbol(name) + _of_head(head, ink), values, write=_given)
    if sheet.evaluation.problem.projected:
        for name in ("query", "key", "value"):
            yield from _stage(sheet, name, ink)
    for name in sheet.stages:
        yield from _stage(sheet, name, ink)


def facts_of(sheet: Worksheet, ink: Ink) -> str:
    """Facts that a pupil needs besides: the score, unless it is the dot product, and the numbers that are given."""
    problem, score = sheet.evaluation.problem, SCORES[sheet.evaluation.problem.score]
    facts = [f"{symbol(name)} = {spelled(value)}" for name, value in given_numbers(problem).items()]
    if not score.dot:
        facts.insert(0, f"{symbol(sheet.evaluation.scores)}: {ink.translate('Scores', score.label)}")
    return "    ".join(facts)


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
        more = _of_head(head if len(values) > 1 else None, ink)
        left = frozenset((at[2], at[3]) for at in left_out if at[:2] == (0, head))
        yield _table(title + more, matrix, left)


def _of_head(head: int | None, ink: Ink) -> str:
    return "" if head is None else f"  {ink.words.head.format(head)}"


def _given(value: float) -> str:
    return written(round(value, DECIMALS + 1))  # one decimal more than is asked for


def _number(value: float) -> str:
    return shown(value, 0 if value.is_integer() else DECIMALS)


def _table(
    title: str,
    values: Array,
    left: frozenset[tuple[int, int]] = frozenset(),
    write: Callable[[float], str] = _number,
) -> Table:
    rows, columns = values.shape
    cells = tuple(tuple(map(write, row)) for row in values.tolist())
    return Table(title, tuple(map(str, range(rows))), tuple(map(str, range(columns))), cells, left)
