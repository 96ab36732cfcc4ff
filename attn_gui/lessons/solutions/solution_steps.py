"""Steps of a worked solution: which cells are reckoned, in which order. Imports engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from attn_gui.engine.analysis.explanation import Explanation
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.graph.expressions import Cell
from attn_gui.engine.graph.nodes import COMPUTED
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.problem import Problem
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError

from .given_matrices import Given, given_matrices

MOST_EQUATIONS = 400
"""Some thirty pages."""
MOST_COLUMNS, MOST_ROWS = 14, 40
"""Of a matrix that is written out on a page."""
TOO_MANY = QT_TRANSLATE_NOOP(
    "Sentences",
    "A worked solution would have more than {most} equations, which nobody reads; choose a cell, or a smaller problem.",
)
TOO_WIDE = QT_TRANSLATE_NOOP(
    "Sentences",
    "A worked solution writes matrices of up to {most} columns, {name} has {got}; choose a cell, or a smaller problem.",
)
TOO_HIGH = QT_TRANSLATE_NOOP(
    "Sentences",
    "A worked solution writes matrices of up to {most} rows, {name} has {got}; choose a cell, or a smaller problem.",
)
NO_ITEM = QT_TRANSLATE_NOOP("Sentences", "There is no batch item {got}; the problem has {count}, counted from 0.")


@dataclass(frozen=True)
class Step:
    """A stage of one head, None where heads share it: its numbers, where they are written out, and cells reckoned."""

    stage: str
    head: int | None
    values: Array | None
    cells: tuple[Explanation, ...]


@dataclass(frozen=True)
class Solution:
    """The steps to a cell, or those of a whole item; `given` are the matrices that they begin with."""

    evaluation: Evaluation
    item: int
    steps: tuple[Step, ...]
    given: tuple[Given, ...] = ()
    asked: Explanation | None = None

    @property
    def problem(self) -> Problem:
        """The problem that is solved."""
        return self.evaluation.problem


def solution_of_cell(evaluation: Evaluation, stage: str, index: Sequence[int]) -> Solution:
    """The steps from the numbers of the problem to one cell; `index` has one integer per axis, batch included.

    Raises FormatError, one sentence, where they are too many to be read, StageError and PlaceError for no cell.
    """
    asked = Explanation(evaluation, stage, index)
    found: dict[tuple[str, tuple[int, ...]], Explanation] = {(stage, asked.index): asked}
    waiting = [asked]
    while waiting:
        explanation = waiting.pop()
        for cell in explanation.sources:
            key = cell.name, cell.index
            if key not in found and (further := explanation.expand(cell)) is not None:
                found[key] = further
                waiting.append(further)
                _check_count(len(found) // 2)  # at least every second one has an equation
    steps = []
    for name in _names(evaluation):
        own = sorted((each for each in found.values() if each.stage == name), key=lambda each: each.index)
        steps += [Step(name, head, None, cells) for head, cells in _by_head(own)]
    _check_count(sum(len(step.cells) for step in steps))
    return Solution(evaluation, asked.index[0], tuple(steps), asked=asked)


def solution_of_all(evaluation: Evaluation, item: int = 0) -> Solution:
    """Every cell of every step of one item. Raises FormatError, one sentence, where that is too much to be read."""
    problem = evaluation.problem
    if not 0 <= item < problem.batch_size:
        raise FormatError(NO_ITEM, got=item, count=problem.batch_size)
    given = tuple(given_matrices(evaluation, item))
    for name, _, array in given:
        _check_size(name, array)
    _check_count(MOST_EQUATIONS + 1 if is_long(problem) else _cells(evaluation) // 4)
    steps: list[Step] = []
    for name in _names(evaluation):
        steps += _steps_of(evaluation, name, item)
        _check_count(sum(len(step.cells) for step in steps))
    if len(steps) > 1 and _is_copy(
        steps[-1], steps[-2]
    ):  # of a single head, that nothing reads: else its letter has to be there
        steps.pop()
    return Solution(evaluation, item, tuple(steps), given)


def _is_copy(own: Step, before: Step) -> bool:
    """Whether a step only repeats the numbers of the one before, as the joining of a single head does."""
    mine, last = own.values, before.values
    return not own.cells and mine is not None and last is not None and np.array_equal(mine, last, equal_nan=True)


def _steps_of(evaluation: Evaluation, name: str, item: int) -> Iterator[Step]:
    node = evaluation.node(name)
    if node.stage.alias:
        return
    cells = evaluation.box(name, tuple(slice(0, size) for size in node.shape))[item]
    for head in range(len(cells)) if node.stage.per_head else (None,):
        values = cells if head is None else cells[head]
        _check_size(name, values)
        places = product(*map(range, values.shape))
        index = (item,) if head is None else (item, head)
        explained = (Explanation(evaluation, name, (*index, *place)) for place in places)
        yield Step(name, head, values, tuple(filter(_is_told, explained)))


def _names(evaluation: Evaluation) -> list[str]:
    """The stages in order, each that is changed by hand behind itself as it was computed."""
    return [node.name for node in evaluation.nodes if not node.stage.hidden or node.name.startswith(COMPUTED)]


def has_equation(cell: Explanation) -> bool:
    """Whether a cell is made of something that has a letter, which one that is given or set by hand is not."""
    made_of = cell.expression
    by_hand = isinstance(made_of, Cell) and Intervention.position_of(made_of.name) is not None
    return bool(cell.numbers_latex) or (" = " in cell.symbols_latex and not by_hand)


def _is_told(cell: Explanation) -> bool:
    """Whether something is to be said of a cell that its matrix does not show: what is reckoned, or changed by hand."""
    return bool(cell.numbers_latex or cell.by_hand)


def _by_head(cells: Sequence[Explanation]) -> Iterator[tuple[int | None, tuple[Explanation, ...]]]:
    """Those that are told, by the head that they belong to."""
    heads: dict[int | None, list[Explanation]] = {}
    for each in cells:
        if has_equation(each) or each.by_hand:
            heads.setdefault(each.index[1] if len(each.index) == 4 else None, []).append(each)
    for head, own in heads.items():
        yield head, tuple(own)


def _cells(evaluation: Evaluation) -> int:
    """Count of the cells of one item; not every one has an equation."""
    return sum(int(np.prod(evaluation.shape(name)[1:])) for name in evaluation.stages)


def _check_count(count: int) -> None:
    if count > MOST_EQUATIONS:
        raise FormatError(TOO_MANY, most=MOST_EQUATIONS)


def _check_size(name: str, array: Array) -> None:
    if array.shape[-1] > MOST_COLUMNS:
        raise FormatError(TOO_WIDE, name=name, got=array.shape[-1], most=MOST_COLUMNS)
    if array.ndim > 1 and array.shape[-2] > MOST_ROWS:
        raise FormatError(TOO_HIGH, name=name, got=array.shape[-2], most=MOST_ROWS)
