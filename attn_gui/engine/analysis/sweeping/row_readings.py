"""Readings of one row of a map, a number each; a new one is one class and its entry in ROW_READINGS."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from attn_gui.engine.analysis.sensitivity import gradient_before
from attn_gui.engine.analysis.sweeping.quantities import Row
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.metrics import row_entropy
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.powers import length, leveled
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class RowReading(ABC):
    """One number of a row: its words (context "Pages"), its unit, and how it is read."""

    title: str
    unit = ""

    @abstractmethod
    def read(self, evaluation: Evaluation, row: Row) -> float:
        """The number; NaN where there is none."""


class Entropy(RowReading):
    """−Σ a log a of the weights."""

    title = QT_TRANSLATE_NOOP("Pages", "entropy of the row")
    unit = QT_TRANSLATE_NOOP("Pages", "nats")

    def read(self, evaluation: Evaluation, row: Row) -> float:
        return float(row_entropy(weights(evaluation, row)))


class OneWeight(RowReading):
    """The weight of one key."""

    title = QT_TRANSLATE_NOOP("Pages", "the chosen weight")

    def read(self, evaluation: Evaluation, row: Row) -> float:
        return float(weights(evaluation, row)[row.key])


class LargestWeight(RowReading):
    """The largest weight."""

    title = QT_TRANSLATE_NOOP("Pages", "the largest weight")

    def read(self, evaluation: Evaluation, row: Row) -> float:
        return float(weights(evaluation, row).max())


class OutputNorm(RowReading):
    """‖o‖ of the head's output."""

    title = QT_TRANSLATE_NOOP("Pages", "norm of the head's output")

    def read(self, evaluation: Evaluation, row: Row) -> float:
        mixed = _row(evaluation, evaluation.mixed, row)
        return length(mixed)


class ScoreVariance(RowReading):
    """The variance of the scores of all open keys, as the score function gives them: over m, not m − 1."""

    title = QT_TRANSLATE_NOOP("Pages", "variance of the scores")

    def read(self, evaluation: Evaluation, row: Row) -> float:
        return _variance(_row(evaluation, evaluation.scores, row), evaluation, row)


class LogitVariance(RowReading):
    """The variance of what the softmax takes, over the open keys: after scale, softcap and biases."""

    title = QT_TRANSLATE_NOOP("Pages", "variance of what the softmax takes")

    def read(self, evaluation: Evaluation, row: Row) -> float:
        return _variance(_row(evaluation, str(evaluation.logits), row), evaluation, row)


class Saturation(RowReading):
    """‖diag(a) − aaᵀ‖, the Jacobian of the softmax at temperature 1 (Frobenius): 0 lets no gradient through."""

    title = QT_TRANSLATE_NOOP("Pages", "saturation ‖diag(a) − aaᵀ‖")

    def read(self, evaluation: Evaluation, row: Row) -> float:
        return jacobian_norm(weights(evaluation, row))


class QueryGradient(RowReading):
    """‖∂a/∂q‖: how much one weight moves with its query, by the chain that the problem has between the two."""

    title = QT_TRANSLATE_NOOP("Pages", "gradient of the chosen weight, ‖∂a/∂q‖")

    def read(self, evaluation: Evaluation, row: Row) -> float:
        box = indices.cell((row.batch, row.head, row.query, row.key))
        pieces = gradient_before(evaluation, evaluation.weights, box, np.ones((1, 1, 1, 1)), "query")
        with np.errstate(all="ignore"):
            return length(np.array([length(piece) for _, piece in pieces]))


ROW_READINGS: Mapping[str, RowReading] = MappingProxyType(
    {
        "entropy": Entropy(),
        "weight": OneWeight(),
        "largest": LargestWeight(),
        "norm": OutputNorm(),
        "score_variance": ScoreVariance(),
        "logit_variance": LogitVariance(),
        "saturation": Saturation(),
        "gradient": QueryGradient(),
    }
)
"""The readings by their keys."""


def weights(evaluation: Evaluation, row: Row) -> Array:
    """The weights of a row, one for each key."""
    return _row(evaluation, evaluation.weights, row)


def variance(numbers: Array) -> float:
    """The variance of numbers, over their count; NaN of none."""
    if not len(numbers):
        return float("nan")
    with np.errstate(all="ignore"):
        level, exponent = leveled(numbers, 0)  # less the first of them: equal ones have none, however large
        return float(np.ldexp(np.var(level - level[0]), 2 * exponent)[0])


def jacobian_norm(shares: Array) -> float:
    """‖diag(a) − aaᵀ‖ by its square, Σ a²(1 − a)² + Σ a²(Σ b² − a²): no m × m matrix is made, nothing cancels.

    Weights that were set by hand may be far beyond 1: they are squared over the largest of them.
    """
    top = max(1.0, float(np.abs(shares).max(initial=0.0)))
    with np.errstate(all="ignore"):
        level = shares / top
        squares = level**2
        others = squares.sum() - squares
        largest = int(squares.argmax())
        others[largest] = np.delete(squares, largest).sum()
        return float(np.sqrt((squares * ((1 - shares) / top) ** 2).sum() + (squares * others).sum()) * top * top)


def _row(evaluation: Evaluation, name: str, row: Row) -> Array:
    """One row of a stage, as float64."""
    width = evaluation.shape(name)[-1]
    place = tuple(slice(at, at + 1) for at in (row.batch, row.head, row.query))
    with np.errstate(all="ignore"):
        return np.array(evaluation.fetch(name, (*place, slice(0, width)))[0, 0, 0], dtype=np.float64)


def _variance(scores: Array, evaluation: Evaluation, row: Row) -> float:
    opened = evaluation.allowed(row.batch, row.head, slice(row.query, row.query + 1), slice(0, len(scores)))
    return variance(scores if opened is None else scores[opened[0]])
