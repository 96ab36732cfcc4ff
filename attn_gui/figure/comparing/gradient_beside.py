"""Figures of a gradient: of the chosen cell or of its row, by what is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.differentiation import gradient_of
from attn_gui.figure.comparing.beside import Beside
from attn_gui.figure.comparing.states import GRADIENT
from attn_gui.figure.pages.differentials.differentiated import Differentiated, differentiated, sum_name
from attn_gui.figure.products.operands import stage_plane
from attn_gui.figure.text.words import Words


@dataclass(frozen=True)
class SumPlace:
    """The place of a sum: a cell of a stage as it is shown, and what is summed, a key of `differentiated.OF`."""

    stage: str
    batch: int
    head: int
    row: int
    column: int
    of: str

    def found(self, evaluation: Evaluation) -> Differentiated:
        """The sum in an evaluation."""
        plane = stage_plane(evaluation, self.stage, self.batch, self.head)
        return differentiated(plane, self.row, self.column, self.of)


@dataclass(frozen=True)
class GradientBeside(Beside):
    """A gradient in the place of the numbers that are drawn; `before` is not asked."""

    place: SumPlace | None = None
    mode: str = GRADIENT

    def __post_init__(self) -> None:
        if self.place is None:
            raise ValueError("A gradient is of a cell.")

    def faced(self, now: Evaluation, stage: str) -> Evaluation:
        """The gradient by every stage."""
        assert self.place is not None
        found = self.place.found(now)
        return gradient_of(now, self.place.stage, found.box, found.weights)

    def titled(self, words: Words) -> list[str]:
        """Words of a title about the sum."""
        assert self.place is not None
        return [words.gradient.format(sum_name(self.place.stage, self.place.row, self.place.column, self.place.of))]
