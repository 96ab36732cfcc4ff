"""Mistakes in the softmax, which makes shares of the scores."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.stage import Input, Role
from attn_gui.engine.normalizers import Softmax
from attn_gui.engine.problem import Problem
from attn_gui.languages import QT_TRANSLATE_NOOP

from .mistake import OfSoftmax


class ColumnShares(Softmax):
    """Scores of each column as shares of one."""

    along = "i"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        return np.swapaxes(super().forward(np.swapaxes(logits, -1, -2), temperature, None), -1, -2)


class DownColumns(OfSoftmax):
    """Columns add up to 1 instead of rows."""

    key = "softmax_down_columns"
    instead = Role.WEIGHT, ColumnShares
    brief = QT_TRANSLATE_NOOP("Mistakes", "normalized by column")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The softmax went down the columns: each row, the keys of one query, has to add up to 1."
    )

    def applies(self, problem: Problem) -> bool:
        return super().applies(problem) and max(problem.n, problem.m) > 1


class UndividedExponentials(Softmax):
    """e to the scores."""

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        return np.exp(logits if temperature is None else logits / temperature)


class NotDivided(OfSoftmax):
    """The denominator Z is left out."""

    key = "not_divided_by_z"
    instead = Role.WEIGHT, UndividedExponentials
    brief = QT_TRANSLATE_NOOP("Mistakes", "not divided by the sum")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "These are the powers of e alone: each has to be divided by Z, the sum of its row."
    )


class ScoreProportions(Softmax):
    """Open scores over the sum of their row."""

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        scores = np.where(np.isneginf(logits), 0.0, logits if temperature is None else logits / temperature)
        closed = np.isneginf(logits).all(axis=-1, keepdims=True)  # no sum is divided by there
        return np.where(closed, 0.0, scores / scores.sum(axis=-1, keepdims=True))


class PlainShares(OfSoftmax):
    """The exponential is forgotten."""

    key = "no_exponential"
    instead = Role.WEIGHT, ScoreProportions
    brief = QT_TRANSLATE_NOOP("Mistakes", "no exponential")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scores were divided by their own sum: the softmax takes e to each score first."
    )


class UnshiftedSoftmax(Softmax):
    """e^s over the sum of the row, as it is written: beyond e^709 there is no number, and ∞/∞ is none either."""

    def forward(self, *inputs: Input) -> Array:
        logits, scalar, sink = inputs
        assert logits is not None
        temperature = 1.0 if scalar is None else scalar
        powers = np.exp(logits / temperature)
        total = powers.sum(axis=-1, keepdims=True)
        closed = np.isneginf(logits).all(axis=-1, keepdims=True)  # no maximum could be taken off there
        return np.where(closed, 0.0, powers / (total if sink is None else total + np.exp(sink / temperature)))


class OverflowingSoftmax(OfSoftmax):
    """Large scores overflow, and far below 0 every power vanishes."""

    key = "maximum_not_taken_off"
    instead = Role.WEIGHT, UnshiftedSoftmax
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "e to a very large score overflows (and to a very small one vanishes): take the row's largest score off first, "
        "the shares stay the same.",
    )


class ScoresAsWeights(Softmax):
    """The scores themselves, those of closed keys left out."""

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        return np.where(np.isneginf(logits), 0.0, logits if temperature is None else logits / temperature)


class NoSoftmax(OfSoftmax):
    """A score is given, or taken, for a weight."""

    key = "no_softmax"
    instead = Role.WEIGHT, ScoresAsWeights
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scores were taken as they are: the softmax makes each row of them weights that add up to 1."
    )


class DropoutScaled(Softmax):
    """Weights as dropout leaves those that it keeps: larger by 1 / (1 − p)."""

    p = 0.1

    def forward(self, *inputs: Input) -> Array:
        return np.asarray(super().forward(*inputs) / (1 - self.p))


class DropoutOn(OfSoftmax):
    """Dropout is left on, with the rate of the first Transformer."""

    key = "dropout_on"
    instead = Role.WEIGHT, DropoutScaled
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "This is 1/0.9 of the right number: dropout (p = 0.1) was left on, which enlarges what it keeps."
    )
