"""Targets reached by probing the evaluation, cell by cell written and read: for changes no score is linear in."""

from __future__ import annotations

import math

import numpy as np

from attn_gui.engine.analysis.sensitivity import gradient
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.hand_node import ByHand
from attn_gui.engine.graph.indices import cell
from attn_gui.engine.graph.powers import length
from attn_gui.engine.stages import STAGE

from .answer import Ask
from .row import Row
from .systems import centered

MOST = 60  # steps towards several targets at once
HALVINGS = 30


class Stopped(Exception):
    """The search was canceled."""


class Probed:
    """Gap of one cell of a stage to its target, as the cells that are asked about change.

    A weight counts by log-odds, but for one changed by hand: it may be no share of what the softmax reads.
    """

    def __init__(self, ask: Ask, stage: str, target: float) -> None:
        evaluation, cells, box, index = ask.evaluation, ask.cells, ask.box, ask.place
        self._evaluation, self._cells, self._box, self._stage, self._index = evaluation, cells, box, stage, index
        self._cancelled, self._looks = ask.cancelled, 0
        self._old = np.array(cells.array[box], float)
        self._odds = STAGE[stage].shares and not isinstance(evaluation.node(stage), ByHand)
        self._target = math.log(target) - math.log1p(-target) if self._odds else target
        self.enough = 16 * float(np.finfo(evaluation.problem.dtype).eps) * max(1.0, abs(self._target))
        self.length = max(1.0, length(self._old[np.isfinite(self._old)]))
        self.zero = np.zeros(self._old.shape)

    def allow(self, looks: int) -> None:
        self._looks = looks

    @property
    def over(self) -> bool:
        return self._looks <= 0

    def gap(self, change: Array) -> float:
        if self._cancelled():
            raise Stopped
        self._looks -= 1
        self._cells.write(self._evaluation, self._box, self._old + change)
        with np.errstate(all="ignore"):
            return self._target - (self._log_odds() if self._odds else self._value())

    def slope(self, change: Array) -> Array:
        self._looks -= 1  # it takes as long
        with np.errstate(all="ignore"):
            if not self._odds:
                return self._pulled(self._stage, cell(self._index), np.ones((1,) * len(self._index)))
            row, box = self._row, (*cell(self._index[:3]), slice(0, self._evaluation.problem.m))
            weights = -self._weights()
            weights[self._index[3]] = 1.0
            return self._pulled(row.softmax_reads, box, weights[None, None, None] / self._temperature)

    def _pulled(self, stage: str, box: Box, weights: Array) -> Array:
        return gradient(self._evaluation, stage, box, weights, self._cells.field)[self._box]

    def _value(self) -> float:
        return float(self._evaluation.fetch(self._stage, cell(self._index)).item())

    @property
    def _row(self) -> Row:
        return Row(self._evaluation, *self._index[:3])

    @property
    def _temperature(self) -> float:
        return self._evaluation.problem.temperature or 1.0

    def _log_odds(self) -> float:
        logits = self._row.logits / self._temperature
        others = np.append(np.delete(logits, self._index[3]), self._sink)
        row_max = float(others.max())
        return float(logits[self._index[3]]) - row_max - math.log(float(np.exp(others - row_max).sum()))

    def _weights(self) -> Array:
        logits = self._row.logits / self._temperature
        logits[self._index[3]] = -np.inf
        top = max(float(logits.max()), self._sink)
        powers = np.exp(logits - top)
        return np.asarray(powers / (powers.sum() + math.exp(self._sink - top)))

    @property
    def _sink(self) -> float:
        """The sink of the head over the temperature; −∞ where there is none."""
        sink = self._evaluation.problem.sink
        return -math.inf if sink is None else float(sink[self._index[1]]) / self._temperature


class KeptOdds:
    """Several targets at once: one cell of a row, while the odds among the other open keys stay."""

    def __init__(self, ask: Ask, step: float) -> None:
        self._ask, self._row, self._key = ask, ask.row, ask.key
        self._together = ask.of_weight
        self._stage = self._row.softmax_reads if self._together else ask.stage
        self._open, self._before = self._row.open, self._row.logits
        self._asked = float(self._row.read(self._stage)[self._key]) + step

    def solve(self) -> int:
        """Solve and count the steps: Gauss–Newton, the shortest change at each (Nocedal, Wright, 2006, §10.3)."""
        change, left = np.zeros(self._ask.old.shape), self._off()
        for count in range(MOST):
            if length(left) <= 1e-13 * max(1.0, abs(self._asked)):
                return count
            slopes = self._slopes()
            aim = np.linalg.lstsq(slopes, slopes @ change.ravel() - left, rcond=1e-12)[0].reshape(change.shape)
            share = 1.0
            for _ in range(HALVINGS):
                now = self._tried(change + share * (aim - change))
                if length(now) < length(left):
                    break
                share /= 2
            else:
                self._tried(change)
                return count
            change, left = change + share * (aim - change), now
        return MOST

    def _tried(self, change: Array) -> Array:
        self._ask.change(change)
        return self._off()

    def _off(self) -> Array:
        """The amount by which each demand is missed: the rows of `_slopes`."""
        moved = self._row.logits - self._before
        own = float(self._row.read(self._stage)[self._key]) - self._asked
        if not self._together:
            return np.append(centered(moved[self._others]), own)
        moved[self._key] = own
        return centered(moved[self._open])

    def _slopes(self) -> Array:
        logits = self._row.softmax_reads
        rows = [self._slope(logits, int(key)) for key in np.flatnonzero(self._open if self._together else self._others)]
        if self._together:
            return centered(np.array(rows))
        others = [centered(np.array(rows))] if rows else []
        return np.concatenate([*others, self._slope(self._stage, self._key)[None]])

    @property
    def _others(self) -> Array:
        return np.asarray(self._open & (np.arange(len(self._open)) != self._key))

    def _slope(self, stage: str, key: int) -> Array:
        place = cell((self._row.item, self._row.head, self._row.query, key))
        slopes = gradient(self._ask.evaluation, stage, place, np.ones((1, 1, 1, 1)), self._ask.cells.field)
        return slopes[self._ask.box].ravel()
