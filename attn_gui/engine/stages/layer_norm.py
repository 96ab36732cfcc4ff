"""Layer normalization (Ba, Kiros, Hinton, 2016)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.expression import Expression, Negative, Number, Product, Sum, add
from attn_gui.engine.graph.expressions.functions import Function, Named, Power, Quotient
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves
from attn_gui.engine.graph.facts import Form, Name, Operator
from attn_gui.engine.graph.powers import leveled
from attn_gui.engine.graph.stage import Input, Stage, given

HELPER = '''
def layer_norm(rows, weight, bias, eps):
    """Each row with mean 0 and variance 1, then scaled and shifted."""
    centered = rows - {xp}.mean(rows, axis=-1, keepdims=True)
    variance = {xp}.mean(centered**2, axis=-1, keepdims=True)
    return centered / (variance + eps) ** 0.5 * weight + bias
'''


class LayerNorm(Stage):
    """Every row shifted to mean 0 and variance 1, then scaled and shifted by learned numbers."""

    name = "normalized"
    called = Name("N", "N", "n", "Layer norm", "层归一化")
    form = Form(r"\mathrm{{LayerNorm}}(X + Y)")
    operator = Operator("normalized", "layer norm", "层归一化", "LayerNorm")
    told = "norm"
    code, helper = "layer_norm({inputs})", HELPER
    axes = ("batch", "query", "column")
    along = "o"
    formula = "hidden[b i o] = hidden[b i o], ln_weight[o], ln_bias[o], ln_eps[]"

    def forward(self, *inputs: Input) -> Array:
        x, weight, bias, eps = given(inputs)
        return np.asarray(_standard(x, eps)[0] * weight + bias)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        x, weight, _, eps = given(inputs)
        unit, deviation = _standard(x, eps)
        g = grad * weight
        share = (g * unit).mean(axis=-1, keepdims=True)
        slope = (g - g.mean(axis=-1, keepdims=True) - unit * share) / deviation
        return slope, grad * unit, grad, -unit * g / (2 * deviation**2)

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        x, weight, bias, eps = given(values)
        off, count = given(errors)[0], x.shape[-1]
        top = np.maximum(np.abs(x).max(axis=-1, keepdims=True), 1.0)  # squares of what is divided by it do not overflow
        x, off = x / top, off / top
        centered = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps / top / top)
        unit = np.abs(centered / deviation)
        off = off + (off + count * np.abs(x)).mean(axis=-1, keepdims=True) + np.abs(centered)
        spread = np.sqrt((off**2).mean(axis=-1, keepdims=True)) + (count + 4) * deviation
        return np.asarray(np.abs(weight) * ((off + unit * spread) / deviation + 5 * unit) + 3 * np.abs(bias))

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        x, weight, bias, eps = given(inputs)
        count, mean_value = Number(x.values.size), float(x.values.mean())
        total = Sum(x.values.size, lambda k: x[[k]], x.values, rf"\sum_c {x.latex}")
        mean = Named("mu", r"\mu", Quotient(total, count))
        squares = Sum(
            x.values.size,
            lambda k: Power(add(x[[k]], Negative(mean)), 2),
            (x.values - mean_value) ** 2,
            rf"\sum_c \left({x.latex} - \mu\right)^{{2}}",
        )
        variance = Named("var", r"\sigma^{2}", Quotient(squares, count))
        unit = Quotient(add(x[at], Negative(mean)), Function("sqrt", add(variance, eps.one)))
        return add(Product(unit, weight[at]), bias[at])

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        """The distance of each number of the row from the mean, in standard deviations."""
        x, _, _, eps = given(inputs)
        return [Addends(_standard(x.values, np.asarray(eps.one.value))[0], [x])]


def _standard(x: Array, eps: Array) -> tuple[Array, Array]:
    """The row in standard deviations from its mean, and the deviation; large numbers are squared at their own level."""
    level, above = leveled(x, -1)
    centered, more = leveled(level - level.mean(axis=-1, keepdims=True), -1)
    exponent = np.maximum(above + more, 0)
    centered = np.ldexp(centered, above + more - exponent)
    deviation = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + np.ldexp(eps, -2 * exponent))
    return centered / deviation, np.ldexp(deviation, exponent)
