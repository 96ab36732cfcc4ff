"""Softmax over the keys of each query.

The row's maximum is taken off first, so no finite score overflows. A row with no allowed key is all zero. A score of
+∞ or NaN makes its row NaN, as IEEE arithmetic and PyTorch have it, except for keys at −∞: a closed key stays at 0.
A sink (gpt-oss, 2025) is a learned logit of each head that no key has: what it takes of the row goes nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.contraction import faded
from attn_gui.engine.graph.expressions.conditions import Largest
from attn_gui.engine.graph.expressions.expression import Cell, Expression, Negative, Number, Sum, add
from attn_gui.engine.graph.expressions.functions import Function, Named, Quotient
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves
from attn_gui.engine.graph.facts import Form, Name, Operator, Role
from attn_gui.engine.graph.stage import ELEMENTARY, UNIT, Input, Stage, given

FEW = 4  # so many keys are written out instead of Z …
MILD = 16.0  # … while e^s is as exact as e^(s − max)
STEEPEST = 700.0  # e to this is still a number
HELPER = '''
def softmax(scores, temperature=None, sink=None):
    """Shares of one in each row; zeros where no key is open. A sink for each head is counted in the total alone."""
    heat = 1.0 if temperature is None else temperature
    top = {xp}.amax(scores, axis=-1, keepdims=True)
    if sink is not None:
        sink = sink.reshape(-1, 1, 1) if len(scores.shape) > 2 else sink
        top = {xp}.maximum(top, sink)
    top = {xp}.where(top == -inf, 0.0, top)
    powers = {xp}.exp((scores - top) / heat)
    total = {xp}.sum(powers, axis=-1, keepdims=True)
    total = total if sink is None else total + {xp}.exp((sink - top) / heat)
    return powers / {xp}.where(total == 0.0, 1.0, total)
'''


class Softmax(Stage):
    """Scores of each row as shares of one: e^(s/T) over the sum of the row, in which a sink may have a part too."""

    name = "weights"
    called = Name("A", "A", "a", "Weights", "注意力权重")
    form = Form(r"A = \mathrm{{softmax}}\left({logits}\right)")
    operator = Operator("normalise", "normalize", "归一化", "softmax", always=True)
    behind_mask = shares = elementary = True
    told, role = "weight", Role.WEIGHT
    code, helper = "softmax({inputs})", HELPER
    axes = ("batch", "head", "query", "key")
    along = "j"
    formula = "weights[b h i j] = logits[b h i j], temperature[]?, sink[h]?"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, sink = inputs
        assert logits is not None
        row_max = _top(logits, sink)
        exp_scores = _exp(logits - row_max, temperature)
        denominator = exp_scores.sum(axis=-1, keepdims=True)
        if sink is not None:
            denominator = denominator + _exp(sink - row_max, temperature)
        weights = exp_scores / np.where(denominator == 0, 1.0, denominator)
        if not np.isfinite(denominator).all():
            weights = np.where(np.isneginf(logits), 0.0, weights)
        return np.asarray(weights)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        logits, scalar, sink = inputs
        assert logits is not None
        temperature = 1.0 if scalar is None else scalar
        pulls = np.where(result == 0, 0.0, faded(grad, result))
        total = pulls.sum(axis=-1, keepdims=True)
        slope = (pulls - faded(total, result)) / temperature
        of_sink = None if sink is None else -faded(total, self._share(logits, scalar, sink)) / temperature
        if scalar is None:
            return slope, None, of_sink
        by_temperature = -(slope * np.where(result > 0, logits, 0.0)).sum(axis=-1, keepdims=True) / temperature
        if sink is not None and of_sink is not None:
            by_temperature = by_temperature - np.where(of_sink == 0, 0.0, of_sink * sink) / temperature
        return slope, by_temperature, of_sink

    @staticmethod
    def _share(logits: Array, temperature: Input, sink: Array) -> Array:
        """The share of 1 that is left for the sink, row by row."""
        row_max = _top(logits, sink)
        own = _exp(sink - row_max, temperature)
        return np.asarray(own / (_exp(logits - row_max, temperature).sum(axis=-1, keepdims=True) + own))

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        """A slip of a score is a relative one of its weight, and through the sum of every weight in the row."""
        logits, scalar, sink = values
        assert logits is not None
        temperature = 1.0 if scalar is None else scalar
        weights, top = self.forward(*values), _top(logits, sink)
        steps = np.where(np.isneginf(logits), 0.0, (top - logits) / temperature)
        slips = given(errors)[0] / temperature + 2 * steps
        shared = np.where(weights == 0, 0.0, weights * slips).sum(axis=-1, keepdims=True)
        if sink is not None:
            shared = shared + 2 * np.where(np.isneginf(sink), 0.0, (top - sink) / temperature)
        relative = np.fmin((slips + shared + logits.shape[-1] + 2 * ELEMENTARY) * UNIT, STEEPEST)
        return np.where(weights == 0, 0.0, np.fmin(weights * np.expm1(relative), 1.0) / UNIT)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        logits, scalar, sink = inputs
        assert logits is not None
        row = logits.values
        temperature = None if scalar is None else scalar.one
        row_max = float(row.max())
        if np.isneginf(row_max) or np.isneginf(row[at]):
            return Number(0.0)
        unseen = [] if sink is None else [sink.one]  # it has no key, and a part in the sum
        if row.size <= FEW and _mild(np.append(row, [cell.value for cell in unseen]), temperature):
            seen = [cell for cell in logits if not np.isneginf(cell.value)]
            exp_scores = [_exp_score(cell, None, temperature) for cell in (*seen, *unseen)]
            return Quotient(_exp_score(logits[at], None, temperature), add(*exp_scores))
        top = max([logits[[int(row.argmax())]], *unseen], key=lambda cell: cell.value)
        largest = Named("max", r"\max", top)
        shifted = row - top.value
        values = np.exp(shifted if temperature is None else shifted / temperature.value)
        letter = logits.latex.rstrip("}")[-1]
        running = rf"\left({logits.latex} - \max\right) / T" if temperature is not None else rf"{logits.latex} - \max"
        symbols = rf"\sum_{letter} e^{{{running}}}"
        terms: Expression = Sum(row.size, lambda k: _exp_score(logits[[k]], largest, temperature), values, symbols)
        if unseen:
            terms = add(terms, _exp_score(unseen[0], largest, temperature))
        return Quotient(_exp_score(logits[at], largest, temperature), Named("Z", "Z", terms))

    def general(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        logits, scalar, sink = inputs
        assert logits is not None
        temperature = None if scalar is None else scalar.one
        cells = [*logits, *([] if sink is None else [sink.one])]
        largest = Named("max", r"\max", Largest(add(*cells)))
        total = Sum(len(cells), lambda k: _exp_score(cells[k], largest, temperature))
        return Quotient(_exp_score(logits[at], largest, temperature), Named("Z", "Z", total))

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        logits = inputs[0]
        assert logits is not None
        values = self.forward(*(None if leaves is None else leaves.values for leaves in inputs))
        return [Addends(values, [logits])]


def _top(logits: Array, sink: Input) -> Array:
    """The largest of each row, the sink included; 0 where there is none."""
    row_max = logits.max(axis=-1, keepdims=True)
    row_max = row_max if sink is None else np.maximum(row_max, sink)
    return np.where(np.isneginf(row_max), 0.0, row_max)


def _exp(shifted: Array, temperature: Input) -> Array:
    return np.asarray(np.exp(shifted if temperature is None else shifted / temperature))


def _mild(row: Array, temperature: Expression | None) -> bool:
    finite = row[np.isfinite(row)]
    unit = 1.0 if temperature is None else temperature.value
    return finite.size == np.sum(~np.isneginf(row)) and abs(finite).max() < MILD * unit


def _exp_score(cell: Cell, largest: Expression | None, temperature: Expression | None) -> Expression:
    shifted = cell if largest is None else add(cell, Negative(largest))
    return Function("exp", shifted if temperature is None else Quotient(shifted, temperature, inline=True))
