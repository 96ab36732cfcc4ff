"""Whether a typed answer is right (tolerance, rounding either way), or which usual mistake gives it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from attn_gui.engine.evaluation.evaluation import Evaluation, Place
from attn_gui.engine.graph import indices
from attn_gui.engine.mistakes import MISTAKES, Mistake

TOLERANCE = 0.005  # half of the second decimal; of numbers beyond 1 the same share
MOST_COLUMNS, MOST_ROWS = 64, 64  # cells of a row that an answer is looked for in; and rows of a map
ROUNDING = 1 + 1e-4
"""So much wider a tolerance is: 0.13 for 0.125 is off by half of the second decimal, in binary by a little more."""


@dataclass(frozen=True)
class Verdict:
    """`expected` is the right number; `mistakes` are those that give the answer, closest first.

    `place` is the cell of another stage, or of the same row, whose number the answer is.
    """

    answer: float
    expected: float
    right: bool
    mistakes: tuple[Mistake, ...] = ()
    place: Place | None = None


def grade(
    evaluation: Evaluation, stage: str, index: tuple[int, ...], answer: float, tolerance: float = TOLERANCE
) -> Verdict:
    """Return the verdict on an answer to one cell of a stage; `index` has the batch first.

    Two numbers are equal if they differ by at most `tolerance` · max(1, |number|). A right answer is right even if a
    usual mistake gives it, too; a mistake is named only where it changes the cell.
    """
    expected = number_at(evaluation, stage, index)
    if is_same(answer, expected, tolerance):
        return Verdict(answer, expected, right=True)
    found = _wrong(answer, expected, mistaken(evaluation, stage, index), tolerance)
    return replace(found, place=_place_of(evaluation, stage, index, answer, tolerance))


def _place_of(
    evaluation: Evaluation, stage: str, index: tuple[int, ...], answer: float, tolerance: float
) -> Place | None:
    """Return the cell whose number an answer is: of the same pair in an earlier stage, the latest first.

    Else another of its row, else another of the stage or of the one before.
    """
    alike, before = _layout(evaluation, stage), evaluation.stages[: evaluation.stages.index(stage)]
    earlier = [name for name in reversed(before) if _layout(evaluation, name) == alike]
    row = [(*index[:-1], column) for column in range(min(evaluation.shape(stage)[-1], MOST_COLUMNS))]
    places = [(name, index) for name in earlier]
    places += [(name, at) for name in (stage, *earlier) for at in row if at != index]
    others = (line for line in range(min(evaluation.shape(stage)[-2], MOST_ROWS)) if line != index[-2])
    rows = [(*at[:-2], line, at[-1]) for line in others for at in row]
    places += [(name, at) for name in (stage, *earlier[:1]) for at in rows]
    if not math.isfinite(answer):
        return None
    return next((place for place in places if is_same(answer, number_at(evaluation, *place), tolerance)), None)


def _layout(evaluation: Evaluation, stage: str) -> tuple[object, object]:
    return evaluation.axes(stage), evaluation.shape(stage)


def grade_root(answer: float, root: float, tolerance: float = TOLERANCE) -> Verdict:
    """Return the verdict on an answer to a root, such as √d_k."""
    if is_same(answer, root, tolerance):
        return Verdict(answer, root, right=True)
    numbers = ((mistake, mistake.of_root(root)) for mistake in MISTAKES.values())
    return _wrong(answer, root, ((mistake, number) for mistake, number in numbers if number is not None), tolerance)


def _wrong(answer: float, expected: float, numbers: Iterable[tuple[Mistake, float]], tolerance: float) -> Verdict:
    """Return the verdict that names the mistakes which give an answer."""
    close = [(_gap(answer, number), mistake) for mistake, number in numbers if is_same(answer, number, tolerance)]
    close.sort(key=lambda pair: pair[0])
    return Verdict(answer, expected, right=False, mistakes=tuple(mistake for _, mistake in close))


def mistaken(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> list[tuple[Mistake, float]]:
    """Return (mistake, number) pairs for a cell, of the usual mistakes that can be made there."""
    problem, found = evaluation.problem, []
    for mistake in MISTAKES.values():
        if mistake.applies(problem):
            made = mistake.made_in(problem)
            if stage in made.stages:
                found.append((mistake, number_at(made, stage, index)))
    return found


def number_at(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> float:
    """Return one number of a stage. Raises StageError or PlaceError where there is none."""
    return float(evaluation.box(stage, indices.cell(index)).reshape(()))


def is_same(answer: float, number: float, tolerance: float) -> bool:
    """Return whether two numbers are the same within a tolerance, as `grade` takes it."""
    return _gap(answer, number) <= tolerance * ROUNDING * max(1.0, abs(number) if math.isfinite(number) else 1.0)


def _gap(answer: float, number: float) -> float:
    """Return the difference of two numbers: 0 for two NaN, and for equal infinities."""
    if answer == number or (math.isnan(answer) and math.isnan(number)):
        return 0.0
    gap = abs(answer - number)
    return gap if math.isfinite(gap) else math.inf
