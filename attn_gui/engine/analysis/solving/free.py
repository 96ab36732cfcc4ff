"""Targets of a weight with the odds among the other keys free, where logits are linear in what changes.

The log-odds of a weight, z_j − log Σ e^(z_i) over the others, are concave in the row. So a weight is raised by one
shortest change, and its largest value, if there is one, proves itself: there the key is a mean of the others.
"""

from __future__ import annotations

import math

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.powers import length, lengths
from attn_gui.engine.scores import verdicts
from attn_gui.engine.scores.verdicts import Reason

from . import BIAS
from .shortest import shortest

EPS = float(np.finfo(float).eps)
STARTS = 4  # other keys towards which a weight is tried to be lowered
ASCENT, FLAT = 200, 1e-7


class LogOdds:
    """Gap of one open key's log-odds to their target, as the logits grow by `vectors` · change / temperature.

    `logits` (keys,), over the temperature already; `vectors` (keys, d), None where the change is one of the logits.
    """

    def __init__(
        self, logits: Array, vectors: Array | None, temperature: float, key: int, target: float, length: float
    ) -> None:
        self._logits, self._vectors, self._temperature, self._key = logits, vectors, temperature, key
        self._others = np.arange(len(logits)) != key
        self.target = math.log(target) - math.log1p(-target)
        self.enough = 64 * EPS * max(1.0, abs(self.target), float(np.abs(logits).max()))
        self.length = max(1.0, length)
        self.zero = np.zeros(len(logits) if vectors is None else vectors.shape[1])

    over = False  # it costs next to nothing

    def gap(self, change: Array) -> float:
        return self.target - self.value(change)

    def value(self, change: Array) -> float:
        logits = self._at(change)
        others = logits[self._others]
        row_max = float(others.max())
        return float(logits[self._key]) - row_max - math.log(float(np.exp(others - row_max).sum()))

    def slope(self, change: Array) -> Array:
        weights = -self.weights(change)
        weights[self._key] = 1.0
        return np.asarray(weights if self._vectors is None else weights @ self._vectors) / self._temperature

    def weights(self, change: Array) -> Array:
        """The weights that the others would have among themselves; 0 for the key."""
        logits = self._at(change)
        powers = np.where(self._others, np.exp(logits - logits[self._others].max()), 0.0)
        return np.asarray(powers / powers.sum())

    def _at(self, change: Array) -> Array:
        grown = change if self._vectors is None else self._vectors @ change
        return np.asarray(self._logits + grown / self._temperature)

    # --- where to begin, and where it ends -------------------------------------------------------
    def starts(self) -> list[Array]:
        """Starts: no change; for a weight that is to fall, also the ways towards the nearest keys that could gain."""
        found = [self.zero]
        if self.gap(self.zero) >= 0:
            return found
        need = np.where(self._others, -self.target - (self._logits - self._logits[self._key]), np.inf)
        need = need * self._temperature
        apart = self._apart()
        with np.errstate(all="ignore"):
            way = np.where(apart > 0, np.maximum(need, 0.0) / apart, np.inf)
        for other in np.argsort(way)[:STARTS]:
            if np.isfinite(way[other]):
                found.append(self._towards(int(other)) * (way[other] / apart[other]))
        return found

    def _apart(self) -> Array:
        if self._vectors is None:
            return np.full(len(self._logits), math.sqrt(2))
        return np.asarray(lengths(self._vectors - self._vectors[self._key], 1)[:, 0])

    def _towards(self, other: int) -> Array:
        if self._vectors is not None:
            return np.asarray(self._vectors[other] - self._vectors[self._key])
        way = np.zeros(len(self._logits))
        way[other], way[self._key] = 1.0, -1.0
        return way

    def highest(self) -> tuple[Array, bool]:
        """The change with the largest value, and whether it is proved to be: Newton on a concave function."""
        assert self._vectors is not None
        change, damping = self.zero, 1e-9
        size = float(np.abs(self._vectors).max()) or 1.0
        for _ in range(ASCENT):
            slope, weights = self.slope(change), self.weights(change)
            if float(np.abs(slope).max()) * self._temperature <= FLAT * size:
                return change, True
            spread = self._vectors - weights @ self._vectors
            curve = (spread * weights[:, None]).T @ spread / self._temperature**2
            curve[np.diag_indices_from(curve)] += damping * size**2
            step = np.linalg.solve(curve, slope)
            if self.value(change + step) > self.value(change):
                change, damping = change + step, max(damping / 4, 1e-12)
            else:
                damping *= 10
        return change, False


def free_change(question: LogOdds, by: str, key: int) -> tuple[Array, int, Reason | None]:
    """(change, steps, reason): the reason only where the target is not reached; then the change is the nearest."""
    tried = [shortest(question, start) for start in question.starts()]
    good = [one for one in tried if one[2] <= question.enough]
    if good:
        change, steps, _ = min(good, key=lambda one: length(one[0]))
        return change, steps, None
    change, steps, left = min(tried, key=lambda one: one[2])
    if by == BIAS or question.gap(question.zero) < 0:
        return change, steps, Reason(verdicts.STUCK, steps=steps, residual=left)
    highest, proved = question.highest()
    most = math.exp(-np.logaddexp(0.0, -question.value(highest)))  # 0 for a key far below the others, as by a bias
    if proved and question.gap(highest) > question.enough:
        return highest, steps, Reason(verdicts.HULL, key=key, by=by, most=most)
    return change, steps, Reason(verdicts.STUCK, steps=steps, residual=left)
