"""Softmax over the keys of each query.

The row's maximum is taken off first, so no finite score overflows. A row with no allowed key is all zero. A score of
+∞ or NaN makes its row NaN, as IEEE arithmetic and PyTorch have it, except for keys at −∞: a closed key stays at 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
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
def softmax(scores, temperature=1.0):
    """Shares of one in each row; zeros where no key is open."""
    top = {xp}.amax(scores, axis=-1, keepdims=True)
    powers = {xp}.exp((scores - {xp}.where(top == -inf, 0.0, top)) / temperature)
    total = {xp}.sum(powers, axis=-1, keepdims=True)
    return powers / {xp}.where(total == 0.0, 1.0, total)
'''


class Softmax(Stage):
    """Each row's scores as shares of one: e^(s/T) over the sum of the row."""

    name = "weights"
    called = Name("A", "A", "a", "Weights", "注意力权重")
    form = Form(r"A = \mathrm{{softmax}}\left({logits}\right)")
    operator = Operator("normalise", "normalize", "归一化", "softmax", always=True)
    behind_mask = shares = elementary = True
    told, role = "weight", Role.WEIGHT
    code, helper = "softmax({inputs})", HELPER
    axes = ("batch", "head", "query", "key")
    along = "j"
    formula = "weights[b h i j] = logits[b h i j], temperature[]?"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature = inputs
        assert logits is not None
        row_max = logits.max(axis=-1, keepdims=True)
        shifted = logits - np.where(np.isneginf(row_max), 0.0, row_max)
        exp_scores = np.exp(shifted if temperature is None else shifted / temperature)
        denominator = exp_scores.sum(axis=-1, keepdims=True)
        weights = exp_scores / np.where(denominator == 0, 1.0, denominator)
        if not np.isfinite(denominator).all():
            weights = np.where(np.isneginf(logits), 0.0, weights)
        return np.asarray(weights)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        logits, scalar = inputs
        assert logits is not None
        temperature = 1.0 if scalar is None else scalar
        pulls = np.where(result == 0, 0.0, grad * result)
        slope = (pulls - result * pulls.sum(axis=-1, keepdims=True)) / temperature
        if scalar is None:
            return slope, None
        return slope, -slope * np.where(result > 0, logits, 0.0) / temperature

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        """A slip of a score is a relative one of its weight, and through the sum of every weight in the row."""
        logits, scalar = values
        assert logits is not None
        temperature = 1.0 if scalar is None else scalar
        weights = self.forward(*values)
        steps = np.where(np.isneginf(logits), 0.0, (logits.max(axis=-1, keepdims=True) - logits) / temperature)
        slips = given(errors)[0] / temperature + 2 * steps
        shared = np.where(weights == 0, 0.0, weights * slips).sum(axis=-1, keepdims=True)
        relative = np.fmin((slips + shared + logits.shape[-1] + 2 * ELEMENTARY) * UNIT, STEEPEST)
        return np.where(weights == 0, 0.0, np.fmin(weights * np.expm1(relative), 1.0) / UNIT)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        logits, scalar = inputs
        assert logits is not None
        row = logits.values
        temperature = None if scalar is None else scalar.one
        row_max = float(row.max())
        if np.isneginf(row_max) or np.isneginf(row[at]):
            return Number(0.0)
        if row.size <= FEW and _mild(row, temperature):
            exp_scores = [_exp_score(cell, None, temperature) for cell in logits if not np.isneginf(cell.value)]
            return Quotient(_exp_score(logits[at], None, temperature), add(*exp_scores))
        largest = Named("max", r"\max", logits[[int(row.argmax())]])
        shifted = row - row_max
        values = np.exp(shifted if temperature is None else shifted / temperature.value)
        letter = logits.latex.rstrip("}")[-1]
        running = rf"\left({logits.latex} - \max\right) / T" if temperature is not None else rf"{logits.latex} - \max"
        symbols = rf"\sum_{letter} e^{{{running}}}"
        terms = Sum(row.size, lambda k: _exp_score(logits[[k]], largest, temperature), values, symbols)
        return Quotient(_exp_score(logits[at], largest, temperature), Named("Z", "Z", terms))

    def general(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        logits, scalar = inputs
        assert logits is not None
        temperature = None if scalar is None else scalar.one
        row = logits
        largest = Named("max", r"\max", Largest(Sum(row.values.size, lambda k: row[[k]])))
        total = Sum(row.values.size, lambda k: _exp_score(row[[k]], largest, temperature))
        return Quotient(_exp_score(row[at], largest, temperature), Named("Z", "Z", total))

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        logits = inputs[0]
        assert logits is not None
        temperature = inputs[1]
        values = self.forward(logits.values, None if temperature is None else temperature.values)
        return [Addends(values, [logits])]


def _mild(row: Array, temperature: Expression | None) -> bool:
    finite = row[np.isfinite(row)]
    unit = 1.0 if temperature is None else temperature.value
    return finite.size == np.sum(~np.isneginf(row)) and abs(finite).max() < MILD * unit


def _exp_score(cell: Cell, largest: Expression | None, temperature: Expression | None) -> Expression:
    shifted = cell if largest is None else add(cell, Negative(largest))
    return Function("exp", shifted if temperature is None else Quotient(shifted, temperature, inline=True))
