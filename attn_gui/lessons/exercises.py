"""Exercises: worksheets, cells that are left for the student, and verdicts on typed answers."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from attn_gui.engine import sentences
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import StageError
from attn_gui.engine.evaluation.evaluation import Evaluation, Place
from attn_gui.engine.evaluation.proxies import EvaluationProxy
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.fields import MATRICES
from attn_gui.engine.graph import indices
from attn_gui.engine.mistakes.grading import Verdict, grade, grade_root, is_same
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE
from attn_gui.formats.file_sentences import FormatError
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.lessons.lesson import LessonQuestion
from attn_gui.lessons.live_numbers import NumberSource, cell_index

# --- worksheets -----------------------------------------------------------------------------------


class Bounds(NamedTuple):
    """Limits of a whole number that is asked for, and the one that is taken unless another is given."""

    least: int
    most: int
    usual: int


SHEETS, SEED, BLANKS = Bounds(1, 200, 20), Bounds(0, 10**9, 1), Bounds(1, 500, 8)
"""Of the sheets of a class, of the seed of their numbers, of the cells that are left out of each."""
LOWEST, HIGHEST = -1, 2
"""Whole numbers that can be reckoned with by hand, and whose softmax is not all 0 and 1."""
MOST_CELLS = 4_000  # of the maps of a problem on paper
TOO_LARGE = QT_TRANSLATE_NOOP(
    "Sentences", "{file} is too large for a worksheet: {got} cells of the maps; expected at most {expected}."
)
TOO_MANY = QT_TRANSLATE_NOOP("Sentences", "There are only {got} cells to leave out; {expected} were asked for.")


@dataclass(frozen=True)
class Blank:
    """A cell that is left out; `index` has the batch first.

    `follows`: it is left out since it is computed from another one, together with all that is computed from it.
    """

    stage: str
    index: tuple[int, ...]
    follows: bool = field(default=False, compare=False)

    @property
    def box(self) -> Box:
        """The box of the one cell."""
        return indices.cell(self.index)


class Worksheet(NamedTuple):
    """One sheet of a class, counted from 1; `stages` are on it, `blanks` are left out of them."""

    number: int
    evaluation: Evaluation
    stages: tuple[str, ...]
    blanks: frozenset[Blank]


def worksheets(problem: Problem, count: int, seed: int, stages: Sequence[str], blanks: int) -> Iterator[Worksheet]:
    """`count` worksheets, each with numbers and blanks of its own; the same seed gives the same sheets.

    `stages` are those that cells are left out of; none: those from the scores to the heads' results.
    Raises FormatError where the problem is too large for paper or has too few cells, StageError for no stage.
    """
    size = int(np.prod(problem.map_shape))
    if size > MOST_CELLS:
        raise FormatError(TOO_LARGE, got=size, expected=MOST_CELLS)
    for number in range(1, count + 1):
        evaluation = evaluation_of(renumbered(problem, seed + number - 1))
        shown = usual_stages(evaluation)
        yield Worksheet(
            number,
            evaluation,
            (*shown, *(stage for stage in stages if stage not in shown)),
            random_blanks(evaluation, stages or shown, blanks, seed + number - 1, items=1),
        )


def usual_stages(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the stages that are computed by hand: from the scores to the results of the heads."""
    square = (name for name in evaluation.stages if evaluation.node(name).stage.square)
    return (*square, *([evaluation.mixed] if evaluation.problem.mixes else []))


def renumbered(problem: Problem, seed: int) -> Problem:
    """Return the problem with other matrices of small whole numbers; masks, heads, options and given weights stay.

    Numbers that were changed by hand do not: nobody could reckon with them on paper, where nothing says so.
    """
    fresh = {}
    for name, array in problem.arrays().items():
        if name in MATRICES and not (name in STAGE and STAGE[name].shares):
            draw = np.random.default_rng([seed, zlib.crc32(name.encode())])
            fresh[name] = draw.integers(LOWEST, HIGHEST + 1, size=array.shape).astype(np.float64)
    return problem.replace(**fresh, interventions=())


def random_blanks(
    evaluation: Evaluation, stages: Sequence[str], count: int, seed: int, items: int | None = None
) -> frozenset[Blank]:
    """`count` cells of these stages, drawn by a seed; none that is given, that the mask closes, or that is no number.

    `items`: of so many first items of the batch, as on paper, where there is one.
    """
    shapes, open_cells = [], []
    for stage in stages:
        if stage not in evaluation.stages:
            raise StageError(sentences.NO_STAGE, stage=repr(stage), choices=evaluation.stages)
        shapes.append(evaluation.shape(stage))
        open_cells.append(np.flatnonzero(_may_be_left_out(evaluation, stage)[:items]))
    begins = np.cumsum([0, *(cells.size for cells in open_cells)])
    if count > begins[-1]:
        raise FormatError(TOO_MANY, got=int(begins[-1]), expected=count)
    found = []
    for place in np.random.default_rng(seed).choice(begins[-1], size=count, replace=False):
        which = int(np.searchsorted(begins, place, side="right")) - 1
        cell = open_cells[which][place - begins[which]]
        found.append(Blank(stages[which], tuple(map(int, np.unravel_index(cell, shapes[which])))))
    return frozenset(found)


def _may_be_left_out(evaluation: Evaluation, stage: str) -> Array:
    """Return flags of the cells of a stage that there is something to reckon for."""
    shape = evaluation.shape(stage)
    if stage in evaluation.problem.arrays():
        return np.zeros(shape, bool)
    finite = np.isfinite(evaluation.box(stage, indices.whole(shape)))
    if not STAGE[stage].shares or evaluation.logits is None:
        return finite
    return finite & ~np.isneginf(evaluation.box(evaluation.logits, indices.whole(shape)))


# --- covered cells --------------------------------------------------------------------------------
# Evaluation with cells left out, for an exercise: nothing that reads it can give them away.


class Covered(EvaluationProxy):
    """The numbers of an evaluation, NaN in place of blanks and of the same numbers under another name.

    A head's result stands in the joined heads too, a scaled score behind a mask that leaves it open: of such copies
    each is left out with the other.
    """

    covers = True

    def __init__(self, of: Evaluation, blanks: Collection[Blank]) -> None:
        super().__init__(of)
        self._cells: dict[str, dict[tuple[int, ...], Blank]] = {}  # of each stage, for which blank a cell stands
        self._given = of.problem.arrays().keys()  # Q, K and V that are not computed have nothing to leave out
        blanks = [blank for blank in blanks if blank.stage not in self._given]
        for blank in blanks:
            for stage, index in () if blank.follows else _copies(of, blank):
                self._cells.setdefault(stage, {}).setdefault(index, blank)
        for blank in blanks:
            self._cells.setdefault(blank.stage, {})[blank.index] = blank

    def fetch(self, name: str, box: Box) -> Array:
        """Return the numbers of a box with those left out as NaN; of the mask, which cells are open."""
        found, left_out = self.of.fetch(name, box), self.left_out(name, box)
        if not left_out:
            return found
        found = found.copy()
        for index in left_out:
            found[tuple(k - cut.start for k, cut in zip(index, box, strict=True))] = np.nan
        return found

    def left_out_as(self, stage: str, index: tuple[int, ...]) -> Place | None:
        """Return the blank of which a cell has the number; None where it has none of one."""
        blank = self._cells.get(stage, {}).get(index)
        return None if blank is None else (blank.stage, blank.index)

    def left_out(self, stage: str, box: Box) -> list[tuple[int, ...]]:
        """Return the cells of a box that are left out."""
        cells = self._cells.get(stage, {})
        return [at for at in cells if all(cut.start <= k < cut.stop for k, cut in zip(at, box, strict=True))]

    def gives_away(self, stage: str, index: tuple[int, ...]) -> bool:
        """Return whether the explanation of a cell may name a number that is left out: of its row, or of what made
        it."""
        row = (*indices.cell(index[:-1]), slice(0, self.shape(stage)[-1]))
        if stage in self._given:
            return False
        if self.left_out(stage, row):
            return True
        made_of = self.of.backward({stage: [row]})
        return any(self.left_out(name, box) for name in self._cells for box in made_of.boxes(name))


def _copies(of: Evaluation, blank: Blank) -> list[tuple[str, tuple[int, ...]]]:
    """Return the cells of other stages that are made of this cell alone, or it of them, and are equal to it."""
    number, given = of.fetch(blank.stage, blank.box).reshape(()), of.problem.arrays()
    here = {blank.stage: [blank.box]}
    ways, found = ((of.forward(here), of.backward), (of.backward(here), of.forward)), []
    for way, back in ways:
        for stage in of.stages:
            boxes = way.boxes(stage) if stage != blank.stage and stage not in given else []
            if len(boxes) != 1 or indices.count(boxes[0]) != 1 or of.fetch(stage, boxes[0]).reshape(()) != number:
                continue
            if list(back({stage: boxes}).boxes(blank.stage)) == [blank.box]:
                found.append((stage, tuple(cut.start for cut in boxes[0])))
    return found


# --- answers --------------------------------------------------------------------------------------
# Verdicts on the number that was typed as the answer to a question.


def verdict_on(question: LessonQuestion, ground: NumberSource, number: float) -> Verdict:
    """Return the verdict on a number; of one cell of a stage with the usual mistake that gives it.

    Raises ExpressionError where the present problem does not have what is asked for.
    """
    assert question.answer is not None
    cell = question.answer.cell
    if cell is not None:
        evaluation = ground.evaluation
        return grade(evaluation, cell[0], cell_index(evaluation, *cell), number, question.tolerance)
    expected = question.answer.number(ground)
    if question.answer.root:
        return grade_root(number, expected, question.tolerance)
    return Verdict(number, expected, right=is_same(number, expected, question.tolerance))
