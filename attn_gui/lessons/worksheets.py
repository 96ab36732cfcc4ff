"""Worksheets: problems of one form with other numbers, and cells that are left for the student."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attn_gui.engine import sentences
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import StageError
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.fields import MATRICES
from attn_gui.engine.graph import indices
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError


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
    """A cell that is left out; `index` has the batch first."""

    stage: str
    index: tuple[int, ...]

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
    """The stages that are computed by hand: from the scores to the results of the heads."""
    square = (name for name in evaluation.stages if evaluation.node(name).stage.square)
    return (*square, *([evaluation.mixed] if evaluation.problem.mixes else []))


def renumbered(problem: Problem, seed: int) -> Problem:
    """The problem with other matrices of small whole numbers; masks, heads, options and given weights stay.

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
    """Flags of the cells of a stage that there is something to reckon for."""
    shape = evaluation.shape(stage)
    if stage in evaluation.problem.arrays():
        return np.zeros(shape, bool)
    finite = np.isfinite(evaluation.box(stage, indices.whole(shape)))
    if not STAGE[stage].shares or evaluation.logits is None:
        return finite
    return finite & ~np.isneginf(evaluation.box(evaluation.logits, indices.whole(shape)))
