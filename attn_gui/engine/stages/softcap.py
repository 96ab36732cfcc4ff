"""Soft capping of scores (Gemma 2, 2024)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.contraction import faded
from attn_gui.engine.graph.expressions.expression import Expression, Product
from attn_gui.engine.graph.expressions.functions import Function, Quotient
from attn_gui.engine.graph.expressions.leaves import Leaves
from attn_gui.engine.graph.facts import Form, Name, Operator, Role
from attn_gui.engine.graph.stage import ELEMENTARY, UNIT, Input, Stage, given


class Softcap(Stage):
    """Keeps every score between −cap and cap: cap · tanh(s / cap); ±∞ become ±cap."""

    name = "capped"
    called = Name("S″", "S''", "s''", "Capped scores", "软上限后的分数")
    form = Form(r"{letter} = \mathrm{{cap}} \tanh({letter_before} / \mathrm{{cap}})", text="cap · tanh({before} / cap)")
    operator = Operator("softcap", "softcap", "软上限")
    elementary = True
    code = "{1} * {xp}.tanh({0} / {1})"
    told, role = "cap", Role.CAP
    axes = ("batch", "head", "query", "key")
    formula = "logits[b h i j] = logits[b h i j], softcap[]"

    def forward(self, *inputs: Input) -> Array:
        logits, cap = given(inputs)
        return cap * np.tanh(logits / cap)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        logits, cap = given(inputs)
        slope = 1 - (result / cap) ** 2
        fading = np.where(slope == 0, 0.0, slope * logits)
        return faded(grad, slope), faded(grad, result - fading) / cap

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        cap = given(values)[1]
        return np.fmin(given(errors)[0], 2 * cap / UNIT) + 2 * ELEMENTARY * np.abs(self.forward(*values))

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        logits, cap = given(inputs)
        return Product(cap.one, Function("tanh", Quotient(logits.one, cap.one)))
