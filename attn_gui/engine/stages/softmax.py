"""Softmax over the keys of each query.

The row's maximum is taken off first, so no finite score overflows. A row with no allowed key is all zero. A score of
+∞ or NaN makes its row NaN, as IEEE arithmetic and PyTorch have it, except for keys at −∞: a closed key stays at 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.expression import Cell, Expression, Negative, Number, Sum, add
from attn_gui.engine.facts import Form, Name, Operator
from attn_gui.engine.layout import Array
from attn_gui.engine.operators import Function, Named, Quotient
from attn_gui.engine.stage import ELEMENTARY, UNIT, Addends, Input, Leaves, Stage, given

FEW = 4  # so many keys are written out instead of Z …
MILD = 16.0  # … while e^s is as exact as e^(s − max)
STEEPEST = 700.0  # e to this is still a number


class Softmax(Stage):
    """Each row's scores as shares of one: e^(s/T) over the sum of the row."""

    name = "weights"
    called = Name("A", "A", "a", "Weights", "注意力权重")
    form = Form(r"A = \mathrm{{softmax}}\left({logits}\right)")
    operator = Operator("normalise", "normalize", "归一化", "softmax", always=True)
    behind_mask = shares = elementary = True
    told = "weight"
    axes = ("batch", "head", "query", "key")
    along = "j"
    formula = "weights[b h i j] = logits[b h i j], temperature[]?"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature = inputs
        assert logits is not None
        top = logits.max(axis=-1, keepdims=True)
        shifted = logits - np.where(np.isneginf(top), 0.0, top)
        shares = np.exp(shifted if temperature is None else shifted / temperature)
        total = shares.sum(axis=-1, keepdims=True)
        weights = shares / np.where(total == 0, 1.0, total)
        if not np.isfinite(total).all():
            weights = np.where(np.isneginf(logits), 0.0, weights)
        return np.asarray(weights)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        logits, temperature = inputs
        assert logits is not None
        heat = 1.0 if temperature is None else temperature
        pulls = np.where(result == 0, 0.0, grad * result)
        slope = (pulls - result * pulls.sum(axis=-1, keepdims=True)) / heat
        if temperature is None:
            return slope, None
        return slope, -slope * np.where(result > 0, logits, 0.0) / heat

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        """A slip of a score is a relative one of its weight, and through the sum of every weight in the row."""
        logits, temperature = values
        assert logits is not None
        heat = 1.0 if temperature is None else temperature
        weights = self.forward(*values)
        steps = np.where(np.isneginf(logits), 0.0, (logits.max(axis=-1, keepdims=True) - logits) / heat)
        slips = given(errors)[0] / heat + 2 * steps
        shared = np.where(weights == 0, 0.0, weights * slips).sum(axis=-1, keepdims=True)
        relative = np.fmin((slips + shared + logits.shape[-1] + 2 * ELEMENTARY) * UNIT, STEEPEST)
        return np.where(weights == 0, 0.0, np.fmin(weights * np.expm1(relative), 1.0) / UNIT)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        logits, temperature = inputs
        assert logits is not None
        row = logits.values
        heat = None if temperature is None else temperature.one
        top = float(row.max())
        if np.isneginf(top) or np.isneginf(row[at]):
            return Number(0.0)
        if row.size <= FEW and _mild(row, heat):
            shares = [_share(cell, None, heat) for cell in logits if not np.isneginf(cell.value)]
            return Quotient(_share(logits[at], None, heat), add(*shares))
        largest = Named("max", r"\max", logits[[int(row.argmax())]])
        shifted = row - top
        values = np.exp(shifted if heat is None else shifted / heat.value)
        letter = logits.latex.rstrip("}")[-1]
        running = rf"\left({logits.latex} - \max\right) / T" if heat is not None else rf"{logits.latex} - \max"
        terms = Sum(row.size, lambda k: _share(logits[[k]], largest, heat), values, rf"\sum_{letter} e^{{{running}}}")
        return Quotient(_share(logits[at], largest, heat), Named("Z", "Z", terms))

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        logits = inputs[0]
        assert logits is not None
        temperature = inputs[1]
        values = self.forward(logits.values, None if temperature is None else temperature.values)
        return [Addends(values, [logits])]


def _mild(row: Array, heat: Expression | None) -> bool:
    finite = row[np.isfinite(row)]
    return finite.size == np.sum(~np.isneginf(row)) and abs(finite).max() < MILD * (1.0 if heat is None else heat.value)


def _share(cell: Cell, top: Expression | None, heat: Expression | None) -> Expression:
    shifted = cell if top is None else add(cell, Negative(top))
    return Function("exp", shifted if heat is None else Quotient(shifted, heat, inline=True))
