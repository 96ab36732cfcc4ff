"""Worksheets and covered cells as numbers: levels, which cells, a wrong number to find, what would give one away."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import StageError
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Blank, Evaluation, Place
from attn_gui.engine.evaluation.proxies import EvaluationProxy
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.fields import DIRECT, MATRICES
from attn_gui.engine.grading import Verdict, grade, grade_root, is_same, number_at
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.mistakes import MISTAKES, Mistake
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE
from attn_gui.formats.file_messages import FormatError
from attn_gui.languages import N_
from attn_gui.lessons.lesson import LessonQuestion
from attn_gui.lessons.live_numbers import NumberSource, cell_index

TASK = N_(
    "Worksheets",
    "Fill in the boxes, to two decimals; go on with these rounded numbers, and round nothing in between. Rows and "
    "columns count from 0. Use a calculator; show every step.",
)
USUAL_LEVEL = "steps"

PROJECTED = DIRECT  # the stages that a problem with projections begins with
LARGEST, LARGEST_FACTOR = 2, 1
"""Magnitudes of whole numbers that can be reckoned with by hand, and whose softmax is not all 0 and 1; the second of X
and the matrices that it is multiplied by."""
MOST_CELLS = 4_000  # of the maps of a problem on paper
DRAWS, DRAWN_CELLS = 200, 4_000
"""So often numbers are drawn for a sheet until none of them is trivial, of larger maps up to so many cells in all; then
the best ones are taken."""
SURE, EVEN = 0.97, 0.02  # a weight above the one, or so near to ½, takes no reckoning
DECIMALS = 2  # of every box of a sheet, and of what is computed from it
CLEARLY = 0.05  # a wrong number differs by so much from the right one, of numbers beyond 1 by this share
TOO_LARGE = N_("{file} is too large for a worksheet: {got} cells of the maps; expected at most {expected}.")
TOO_MANY = N_("There are only {got} cells to leave out; {expected} were asked for.")
NOTHING_ASKED = N_("A worksheet of this level has nothing to leave out of this problem.")
STEP_MISSING = N_(
    "A worksheet has no steps for rotary positions, norms of Q and K, or a norm before the projections: without them "
    "the numbers on the sheet would not follow from each other.",
)


class WorksheetLevel(NamedTuple):
    """How much of a worksheet the student has to compute: words, and the stages that are asked for.

    `with_slip`: all numbers are printed, one of them is wrong, and that one is asked for.
    """

    label: str
    task: str
    asks: Callable[[Stage], bool]
    with_slip: bool = False


LEVELS: Mapping[str, WorksheetLevel] = MappingProxyType(
    {
        "fill": WorksheetLevel(N_("Worksheets", "Fill the weights"), TASK, lambda stage: stage.shares),
        "steps": WorksheetLevel(N_("Worksheets", "All steps"), TASK, lambda stage: True),
        "mistake": WorksheetLevel(
            N_("Worksheets", "Find the mistake"),
            N_(
                "Worksheets",
                "One number in the tables on the right is wrong. Find it, correct it, and say what went wrong. Rows "
                "and columns count from 0.",
            ),
            lambda stage: True,
            with_slip=True,
        ),
    }
)
"""By the words of the command line."""


# --- worksheets -----------------------------------------------------------------------------------
class Bounds(NamedTuple):
    """Limits and default of a whole number that can be asked for."""

    least: int
    most: int
    usual: int


SHEETS, SEED, BLANKS = Bounds(1, 200, 20), Bounds(0, 10**9, 1), Bounds(1, 500, 6)
"""Of the sheets of a class, of the seed of their numbers, of the cells that an exercise leaves out."""


class WrongNumber(NamedTuple):
    """A wrong number on a sheet: its place, its value, and the usual mistake that gives it."""

    at: Blank
    number: float
    mistake: Mistake


class Worksheet(NamedTuple):
    """One sheet of a class, counted from 1: a problem with its own numbers.

    `given` are stages printed before the `steps`, each of which is a stage, or several with the same numbers where the
    mask is open. `blanks` are the cells asked for. `worked` has the numbers on paper: each stage is computed from
    rounded ones; `evaluation` rounds nothing.
    """

    number: int
    seed: int
    level: WorksheetLevel
    evaluation: Evaluation
    given: tuple[tuple[str, ...], ...]
    steps: tuple[tuple[str, ...], ...]
    blanks: frozenset[Blank]
    worked: Evaluation
    slip: WrongNumber | None = None

    @property
    def spread(self) -> dict[str, int]:
        """By how many units in the last digit work without rounding may differ, for each step: at least 1."""
        found = {}
        for *_, stage in self.steps:
            open_cells = _may_be_left_out(self.evaluation, stage)[:1]
            whole = indices.whole(self.evaluation.shape(stage))
            exact, worked = (rounded(each.box(stage, whole)[:1][open_cells]) for each in (self.evaluation, self.worked))
            found[stage] = max(1, round(float(np.abs(exact - worked).max(initial=0.0)) * 10**DECIMALS))
        return found


def worksheets(
    problem: Problem,
    count: int,
    seed: int,
    level: str = USUAL_LEVEL,
    *,
    projections: bool = True,
    draws: int = DRAWS,
) -> Iterator[Worksheet]:
    """Yield `count` worksheets of a level, each with its own numbers; the same seed gives the same sheets.

    Without `projections` computed Q, K and V are given. Raises FormatError where the problem is too large for paper, or
    has nothing that the level asks for.
    """
    size = int(np.prod(problem.map_shape))
    if size > MOST_CELLS:
        raise FormatError(TOO_LARGE, got=f"{size:,}", expected=f"{MOST_CELLS:,}")
    for number in range(1, count + 1):
        evaluation = _well_drawn(problem, seed + number - 1, draws)
        yield _worksheet(number, seed + number - 1, LEVELS[level], evaluation, projections=projections)


def _worksheet(
    number: int, seed: int, level: WorksheetLevel, evaluation: Evaluation, *, projections: bool
) -> Worksheet:
    projected = PROJECTED if evaluation.problem.projected else ()
    shown = _merged(evaluation, (*projected, *usual_stages(evaluation)))
    first = 0 if projections else len(projected)
    asked = [place for place, names in enumerate(shown) if place >= first and level.asks(STAGE[names[-1]])]
    given, steps = (shown[: asked[0]], shown[asked[0] : asked[-1] + 1]) if asked else (shown, ())
    blanks = frozenset(blank for names in steps for blank in _left_out(evaluation, names[-1]))
    if not blanks:
        raise FormatError(NOTHING_ASKED)
    _check_steps(evaluation, shown, steps)
    worked = _worked(evaluation.problem, shown)
    if not level.with_slip:
        return Worksheet(number, seed, level, evaluation, given, steps, blanks, worked)
    slip = _slip(evaluation, [names[-1] for names in steps], seed)
    return Worksheet(number, seed, level, evaluation, given, steps, frozenset([slip.at]), worked, slip)


def _check_steps(evaluation: Evaluation, shown: Sequence[tuple[str, ...]], steps: Sequence[tuple[str, ...]]) -> None:
    """Raise FormatError where a step reads a stage that is on no sheet."""
    there = {name for names in shown for name in names} | set(DIRECT)
    read = {ref.name for names in steps for name in names for ref in evaluation.node(name).inputs}
    if any(name in evaluation.stages for name in read - there):
        raise FormatError(STEP_MISSING)


def rounded(numbers: Array) -> Array:
    """Return numbers as written into boxes: rounded to two decimals, halves away from 0, as schools do."""
    unit = 10**DECIMALS
    return np.asarray(np.copysign(np.floor(np.abs(numbers) * unit + 0.5 + 1e-9) / unit, numbers))


def _worked(
    problem: Problem, shown: Iterable[Sequence[str]], evaluated: Callable[[Problem], Evaluation] = evaluation_of
) -> Evaluation:
    """Return an evaluation in which each stage shown on paper is rounded before later ones read it."""
    found, records = evaluated(problem), list[dict[str, object]]()
    for first, *_ in shown:  # the others of the same numbers follow from it, with what the mask closes
        if first in found.stages:  # a mistake may leave one out
            values = rounded(found.box(first, indices.whole(found.shape(first))))
            records.append({"kind": "set", "stage": first, "values": values})
            found = evaluated(problem.replace(interventions=records))
    return found


def mistaken_numbers(sheet: Worksheet, at: Blank) -> Iterator[tuple[Mistake, float]]:
    """Yield what usual mistakes give at a cell of a sheet to those who go on with the rounded numbers, as it says."""
    problem, shown = sheet.evaluation.problem, (*sheet.given, *sheet.steps)
    before = list(takewhile(lambda names: at.stage not in names, shown))
    for mistake in MISTAKES.values():
        if mistake.brief and mistake.applies(problem):
            worked = _worked(problem, before, mistake.made_in)
            if at.stage in worked.stages:
                yield mistake, number_at(worked, at.stage, at.index)


def _merged(evaluation: Evaluation, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the stages in groups, several together where they have the same numbers at open cells."""
    found: list[tuple[str, ...]] = []
    for name in names:
        if found and _repeats(evaluation, found[-1][-1], name):
            found[-1] = (*found[-1], name)
        else:
            found.append((name,))
    return tuple(found)


def _repeats(evaluation: Evaluation, before: str, name: str) -> bool:
    """Return whether a stage has the numbers of the one before it, or −∞."""
    stage = evaluation.node(name).stage
    if not stage.square or stage.shares or evaluation.shape(name) != evaluation.shape(before):
        return False
    old, new = (evaluation.box(stage, indices.whole(evaluation.shape(stage))) for stage in (before, name))
    return bool(((old == new) | np.isneginf(new)).all())


def _left_out(evaluation: Evaluation, stage: str) -> Iterator[Blank]:
    """Yield the cells of the first batch item that take some computing."""
    for index in np.argwhere(_may_be_left_out(evaluation, stage)[:1]):
        yield Blank(stage, tuple(map(int, index)))


def usual_stages(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the stages that are computed by hand, from the scores to the results of the heads."""
    square = (name for name in evaluation.stages if evaluation.node(name).stage.square)
    return (*square, *([evaluation.mixed] if evaluation.problem.mixes else []))


def _slip(evaluation: Evaluation, stages: Sequence[str], seed: int) -> WrongNumber:
    """Return a wrong number, drawn by a seed, in the step where its mistake is made."""
    found = [slips for mistake in MISTAKES.values() if (slips := _slips(evaluation, stages, mistake))]
    if not found:
        raise FormatError(NOTHING_ASKED)
    draw = np.random.default_rng([seed, 1])
    of_one = found[int(draw.integers(len(found)))]
    return of_one[int(draw.integers(len(of_one)))]


def _slips(evaluation: Evaluation, stages: Sequence[str], mistake: Mistake) -> list[WrongNumber]:
    """Return the clearly wrong numbers that a mistake gives in the first stage that it changes; none where these give
    themselves away, for in a later stage they would not follow from the right ones that are printed before."""
    if not mistake.brief or not mistake.applies(evaluation.problem):
        return []
    made = mistake.made_in(evaluation.problem)
    for stage in stages:
        if stage not in made.stages or made.shape(stage) != evaluation.shape(stage):
            continue
        right, wrong = (each.box(stage, indices.whole(each.shape(stage))) for each in (evaluation, made))
        with np.errstate(invalid="ignore"):
            gap = np.where(np.isfinite(right) & np.isfinite(wrong), np.abs(wrong - right), 0.0)
        if (gap > 0.5 / 10**DECIMALS).any():
            clear = gap > CLEARLY * np.maximum(1.0, np.abs(right))
            clear &= _may_be_believed(wrong, right, shares=STAGE[stage].shares)
            left_out = (at for at in _left_out(evaluation, stage) if clear[at.index])
            return [WrongNumber(at, float(wrong[at.index]), mistake) for at in left_out]
    return []


def _may_be_believed(wrong: Array, right: Array, *, shares: bool) -> Array:
    """Return flags: wrong numbers that are not obvious, as a weight above 1 would be where a softmax gives it."""
    if shares and ((right >= 0) & (right <= 1)).all():
        return np.asarray((wrong > 1 - SURE) & (wrong < SURE))
    finite = right[np.isfinite(right)]
    return np.asarray((wrong == np.rint(wrong)) | (finite != np.rint(finite)).any())


def _well_drawn(problem: Problem, seed: int, draws: int) -> Evaluation:
    """Return a problem with new numbers, none of them trivial if any draw has such."""
    best, fewest = renumbered(problem, seed), math.inf
    for attempt in range(min(draws, DRAWN_CELLS // int(np.prod(problem.map_shape)))):
        drawn = renumbered(problem, seed, attempt)
        trivial = _trivial(DenseEvaluation(drawn, keep=0), fewest)  # of which weights and values alone are read
        if trivial < fewest:
            best, fewest = drawn, trivial
        if not trivial:
            break
    return evaluation_of(best)


def _trivial(evaluation: Evaluation, fewest: float) -> int:
    """Return how much needs no computing: columns of V with a 0 or all equal, equal rows of V, weights near 1 or ½.

    Weights, which take most computing, are left out where V has no fewer than `fewest`.
    """
    found = 0
    if evaluation.problem.mixes and evaluation.problem.m > 1:
        value = evaluation.fetch("value", indices.whole(evaluation.shape("value")))[0]
        found += int(((value == 0).any(axis=0) | (value == value[0]).all(axis=0)).sum())
        found += len(value) - len(np.unique(value, axis=0))
    if evaluation.logits is not None and found < fewest:
        weights, logits = (
            evaluation.box(name, indices.whole(evaluation.shape(name)))[0]
            for name in (evaluation.weights, evaluation.logits)
        )
        free = np.isfinite(logits) & (np.isfinite(logits).sum(axis=-1, keepdims=True) > 1)
        found += int((free & ((weights > SURE) | (np.abs(weights - 0.5) < EVEN))).sum())
    return found


def renumbered(problem: Problem, seed: int, attempt: int = 0) -> Problem:
    """Return the problem with other matrices of small whole numbers; masks, heads, options and given weights stay.

    Another `attempt` gives other numbers. Interventions that set numbers go, since nothing on paper tells of them.
    """
    fresh, largest = {}, LARGEST_FACTOR if problem.projected else LARGEST
    for name, array in problem.arrays().items():
        if name in MATRICES and not (name in STAGE and STAGE[name].shares):
            draw = np.random.default_rng([seed, attempt, zlib.crc32(name.encode())])
            fresh[name] = draw.integers(-largest, largest + 1, size=array.shape).astype(np.float64)
    return problem.replace(**fresh, interventions=())


def random_blanks(evaluation: Evaluation, stages: Sequence[str], count: int, seed: int) -> frozenset[Blank]:
    """Return `count` cells of these stages, drawn by a seed: computed and open ones that are numbers."""
    shapes, open_cells = [], []
    for stage in stages:
        if stage not in evaluation.stages:
            raise StageError(errors.NO_STAGE, stage=repr(stage), choices=evaluation.stages)
        shapes.append(evaluation.shape(stage))
        open_cells.append(np.flatnonzero(_may_be_left_out(evaluation, stage)))
    begins = np.cumsum([0, *(cells.size for cells in open_cells)])
    if count > begins[-1]:
        raise FormatError(TOO_MANY, got=f"{int(begins[-1]):,}", expected=f"{count:,}")
    found = []
    for place in np.random.default_rng(seed).choice(begins[-1], size=count, replace=False):
        which = int(np.searchsorted(begins, place, side="right")) - 1
        cell = open_cells[which][place - begins[which]]
        found.append(Blank(stages[which], tuple(map(int, np.unravel_index(cell, shapes[which])))))
    return frozenset(found)


def _may_be_left_out(evaluation: Evaluation, stage: str) -> Array:
    """Return booleans: cells of a stage with something to compute, a finite number that is not behind a mask."""
    shape = evaluation.shape(stage)
    if stage in evaluation.problem.arrays():
        return np.zeros(shape, bool)
    finite = np.isfinite(evaluation.box(stage, indices.whole(shape)))
    if not STAGE[stage].shares or evaluation.logits is None:
        return finite
    return finite & ~np.isneginf(evaluation.box(evaluation.logits, indices.whole(shape)))


# --- covered cells --------------------------------------------------------------------------------
class CoveredEvaluation(EvaluationProxy):
    """An evaluation with NaN in place of blanks, and of the same numbers in other stages.

    A head's result is also in the joined heads, a scaled score also behind a mask that leaves it open: such copies are
    left out together.
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
        """Return the numbers of a box, those left out as NaN; of the mask booleans, the open cells."""
        found, left_out = self.of.fetch(name, box), self.left_out(name, box)
        if not left_out:
            return found
        found = found.copy()
        for index in left_out:
            found[tuple(k - cut.start for k, cut in zip(index, box, strict=True))] = np.nan
        return found

    def left_out_as(self, stage: str, index: tuple[int, ...]) -> Place | None:
        blank = self._cells.get(stage, {}).get(index)
        return None if blank is None else (blank.stage, blank.index)

    def left_out(self, stage: str, box: Box) -> list[tuple[int, ...]]:
        cells = self._cells.get(stage, {})
        return [at for at in cells if all(cut.start <= k < cut.stop for k, cut in zip(at, box, strict=True))]

    def gives_away(self, stage: str, index: tuple[int, ...]) -> bool:
        """Return whether explaining a cell may show a left-out number: its own, its row's, its sources'."""
        if stage in self._given:
            return False
        shown = indices.cell(index)
        if STAGE[stage].shares:
            shown = (*shown[:-1], slice(0, self.shape(stage)[-1]))
        if self.left_out(stage, shown):
            return True
        made_of = self.of.backward({stage: [shown]})
        return any(self.left_out(name, box) for name in self._cells for box in made_of.boxes(name))


def covering(evaluation: Evaluation, blanks: Collection[Blank]) -> Evaluation:
    """Return an evaluation without the cells that are left out; itself if there are none."""
    return CoveredEvaluation(evaluation, blanks) if blanks else evaluation


def _copies(of: Evaluation, blank: Blank) -> list[tuple[str, tuple[int, ...]]]:
    """Return the cells, as (stage, index), that equal this one and are computed from it alone, or it from them."""
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


def verdict_on(question: LessonQuestion, number_source: NumberSource, number: float) -> Verdict:
    """Return the verdict on a number; for one cell of a stage with the usual mistake that gives it.

    Raises ExpressionError where the present problem does not have what is asked for.
    """
    assert question.answer is not None
    cell = question.answer.cell
    if cell is not None:
        evaluation = number_source.evaluation
        return grade(evaluation, cell[0], cell_index(evaluation, *cell), number, question.tolerance)
    expected = question.answer.number(number_source)
    if question.answer.root:
        return grade_root(number, expected, question.tolerance)
    return Verdict(number, expected, right=is_same(number, expected, question.tolerance))
