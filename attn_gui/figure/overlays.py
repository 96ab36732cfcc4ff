"""Figures of two states or a gradient: what they read; which sum a gradient is of (cell, row, ½ ‖row‖²), its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attn_gui.engine import Evaluation, Plane
from attn_gui.engine.analysis.sensitivity import Gradient
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import StageError
from attn_gui.engine.evaluation.proxies import BeforeState, Difference
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.languages import N_, page_words
from attn_gui.modes import BEFORE, BOTH, DIFFERENCE, GRADIENT, NOW, SIDE_BY_SIDE, STATES

if TYPE_CHECKING:
    from attn_gui.figure.heatmap import FigureWords

# --- two states: the one before, the difference, or both side by side under one color bar ---------
Before = Callable[[Evaluation], Evaluation]
"""The evaluation before, by the one now: what is ready made is made of that."""


@dataclass(frozen=True)
class ComparedState:
    """A state beside the one that is drawn: what of the two is shown, and what they are called, before and now.

    Raises ValueError for a mode that is none.
    """

    before: Before
    mode: str = SIDE_BY_SIDE
    names: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        if self.mode not in STATES:
            raise ValueError(f"{self.mode!r} is not one of {', '.join(STATES)}.")

    def evaluation_drawn(self, now: Evaluation, stage: str) -> Evaluation:
        """Return the evaluation that a figure reads: the state before, or the difference, which holds both.

        Raises ValueError with a sentence where a stage cannot be compared.
        """
        if self.mode == NOW:
            return now
        difference = Difference(self.before(now), now)
        try:
            difference.pair(stage)
        except StageError as error:
            raise ValueError(str(error)) from error
        return BeforeState(difference) if self.mode == BEFORE else difference

    def titled(self, words: FigureWords) -> list[str]:
        """Return words of a title about the states; those of the language stand where they have no names."""
        before, now = (own or other for own, other in zip(self.names, words.states, strict=True))
        return {BEFORE: [before], DIFFERENCE: [f"{now} − {before}"]}.get(self.mode, [])

    def planes(
        self, evaluation: Evaluation, planes: Sequence[Plane], titles: Sequence[str], names: tuple[str, str]
    ) -> tuple[list[Plane], list[str]]:
        """Return the maps of a figure and their titles: side by side each stands twice, before and now."""
        if self.mode not in BOTH:
            return list(planes), list(titles)
        called = [own or other for own, other in zip(self.names, names, strict=True)]
        found = [
            (Plane(side, stage, plane.batch, plane.head), " · ".join(filter(None, (title, name))))
            for plane, title in zip(planes, titles, strict=True)
            for (side, stage), name in zip(evaluation.sides(plane.stage), called, strict=True)
        ]
        return [plane for plane, _ in found], [title for _, title in found]


# --- a gradient: the sums of cells that can be differentiated -------------------------------------
CELL, SUM, WEIGHTED = "cell", "sum", "weighted"
OF = {
    CELL: page_words(N_("Pages", "the chosen cell")),
    SUM: page_words(N_("Pages", "the sum of its row")),
    WEIGHTED: page_words(N_("Pages", "its row, weighted by itself")),
}


class DifferentiatedSum(NamedTuple):
    """Σ weights · stage over a box of it, its name and its value; `½ Σ O²` has the gradient of Σ O · dO."""

    box: Box
    weights: Array
    name: str
    value: float


def sum_name(stage: str, row: int, column: int, of: str) -> str:
    """Return the name of such a sum in symbols: `O[0, 1]`, `Σ O[0, ·]`, `½ Σ O[0, ·]²`."""
    names = {CELL: "{}[{}, {}]", SUM: "Σ {}[{}, ·]", WEIGHTED: "½ Σ {}[{}, ·]²"}
    return names[of].format(symbol(stage), row, column)


def differentiated(plane: Plane, row: int, column: int, of: str) -> DifferentiatedSum:
    """Return the sum that `of` (a key of OF) makes of a cell of a stage, as it is shown, or of the row that it
    stands in."""
    if of == CELL:
        box, half = indices.cell(plane.index(row, column)), 1.0
    else:
        first, last = plane.index(row, 0), plane.index(row, plane.shape[1] - 1)
        box, half = tuple(slice(low, high + 1) for low, high in zip(first, last, strict=True)), 0.5
    numbers = plane.evaluation.fetch(plane.stage, box).astype(np.float64)
    weights = np.where(np.isfinite(numbers), numbers, 0.0) if of == WEIGHTED else np.ones(numbers.shape)
    with np.errstate(all="ignore"):
        value = float(np.where(weights == 0, 0.0, weights * numbers).sum())
    name = sum_name(plane.stage, row, plane.column_numbers[column], of)
    return DifferentiatedSum(box, weights, name, value * half if of == WEIGHTED else value)


@dataclass(frozen=True)
class SumPlace:
    """The place of a sum: a cell of a stage as it is shown, and what is summed, a key of `OF`."""

    stage: str
    batch: int
    head: int
    row: int
    column: int
    of: str

    def found(self, evaluation: Evaluation) -> DifferentiatedSum:
        """Return the sum in an evaluation."""
        plane = stage_plane(evaluation, self.stage, self.batch, self.head)
        return differentiated(plane, self.row, self.column, self.of)


@dataclass(frozen=True)
class ComparedGradient(ComparedState):
    """A gradient in the place of the numbers that are drawn; `before` is not asked."""

    place: SumPlace | None = None
    mode: str = GRADIENT

    def __post_init__(self) -> None:
        if self.place is None:
            raise ValueError("A gradient is of a cell.")

    def evaluation_drawn(self, now: Evaluation, stage: str) -> Evaluation:
        """Return the gradient by every stage."""
        assert self.place is not None
        found = self.place.found(now)
        return Gradient(now, self.place.stage, found.box, found.weights)

    def titled(self, words: FigureWords) -> list[str]:
        """Return words of a title about the sum."""
        assert self.place is not None
        return [words.gradient.format(sum_name(self.place.stage, self.place.row, self.place.column, self.place.of))]
