"""Norms of rows: RMSNorm (Zhang, Sennrich, 2019) and layer normalization (Ba, Kiros, Hinton, 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import TypeVar, Unpack

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.contraction import faded, faded_over
from attn_gui.engine.graph.expressions.expression import Expression, Negative, Number, Product, Sum, add
from attn_gui.engine.graph.expressions.functions import Function, Named, Power, Quotient
from attn_gui.engine.graph.expressions.leaves import SQUARED, Addends, Leaves, Shares, squarable, squares
from attn_gui.engine.graph.facts import Facts, Form
from attn_gui.engine.graph.powers import leveled
from attn_gui.engine.graph.stage import Input, Stage, given
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP

T = TypeVar("T")

MILD = 0.0, SQUARED[1]
"""Magnitudes that are squared as they are: beside ε small squares may vanish."""

RMS_HELPER = '''
def rms_norm(rows, weight, bias, eps):
    """Each row, or each head of it, with the mean square 1, then scaled and shifted."""
    parts = rows.reshape(*rows.shape[:-1], -1, weight.shape[0])
    top = {xp}.amax({xp}.abs(parts), axis=-1, keepdims=True)
    top = {xp}.where(top > 1e100, top, 1.0)  # squares of larger numbers would be infinite
    parts, eps = parts / top, eps / top / top
    size = ({xp}.mean(parts**2, axis=-1, keepdims=True) + eps) ** 0.5
    found = parts / size * weight if bias is None else parts / size * weight + bias
    return found.reshape(rows.shape)
'''
LAYER_HELPER = '''
def layer_norm(rows, weight, bias, eps):
    """Each row with mean 0 and variance 1, then scaled and shifted."""
    top = {xp}.amax({xp}.abs(rows), axis=-1, keepdims=True)
    top = {xp}.where(top > 1e100, top, 1.0)  # squares of larger numbers would be infinite
    rows, eps = rows / top, eps / top / top
    centered = rows - {xp}.mean(rows, axis=-1, keepdims=True)
    variance = {xp}.mean(centered**2, axis=-1, keepdims=True)
    scaled = centered / (variance + eps) ** 0.5 * weight
    return scaled if bias is None else scaled + bias
'''


class RMSNorm(Stage):
    """Every row over the root of its mean square, then scaled, and shifted where there is a bias."""

    label = "RMSNorm"
    function = "RMSNorm"
    form = Form(r"\mathrm{{{function}}}({first})")
    told = "norm"
    sentence = QT_TRANSLATE_NOOP(
        "Sentences",
        "Column {column} of {token}: {value}. The row of {source} is divided by the root of its mean square, "
        "then multiplied by {weight}.",
    )
    shifted = QT_TRANSLATE_NOOP(
        "Sentences",
        "Column {column} of {token}: {value}. The row of {source} is divided by the root of its mean square, "
        "then multiplied by {weight}, plus {shift}.",
    )
    code, helper = "rms_norm({inputs})", RMS_HELPER
    squares = MappingProxyType({0: MILD})

    def __init__(self, name: str, axes: str, formula: str, **facts: Unpack[Facts]) -> None:
        """The formula names the rows, the weight, the bias and ε, in this order."""
        self.name, self.axes, self.formula = name, tuple(axes.split()), formula
        vars(self).update(facts)
        self.along = self.target.axes[-1][-1]

    def forward(self, *inputs: Input) -> Array:
        x, weight, bias, eps = _parts(inputs)
        found = self._standard(x, eps)[0] * weight
        return np.asarray(found if bias is None else found + bias)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        x, weight, bias, eps = _parts(inputs)
        unit, deviation = self._standard(x, eps)
        g = grad * weight
        along = faded(g, unit)
        share = along.mean(axis=-1, keepdims=True)
        slope = self._centered(faded_over(g - faded(share, unit), deviation))
        return slope, faded(grad, unit), None if bias is None else grad, faded_over(-along, 2 * deviation**2)

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        x, weight, bias, eps = _parts(values)
        off, count = given(errors)[0], x.shape[-1]
        top = np.maximum(np.abs(x).max(axis=-1, keepdims=True), 1.0)  # squares of what is divided by it do not overflow
        x, off = x / top, off / top
        centered = self._centered(x)
        deviation = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps / top / top)
        unit = np.abs(centered / deviation)
        off = off + self._slip(x, off) + np.abs(centered)
        spread = np.sqrt((off**2).mean(axis=-1, keepdims=True)) + (count + 4) * deviation
        found = np.abs(weight) * ((off + unit * spread) / deviation + 5 * unit)
        return np.asarray(found if bias is None else found + 3 * np.abs(bias))

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        row, weight, bias, eps = _parts(inputs)
        x = self._squarable(row)
        mean_square = Named("ms", r"\mathrm{ms}", Quotient(squares(x), Number(x.values.size)))
        return self._finished(x[at], add(mean_square, _within(x, eps)), at, weight, bias)

    @staticmethod
    def _squarable(row: Leaves) -> Leaves | Shares:
        """The row as its numbers are squared."""
        return squarable(row, "max", MILD)

    @staticmethod
    def _finished(
        top: Expression, square: Expression, at: tuple[int, ...], weight: Leaves, bias: Leaves | None
    ) -> Expression:
        unit = Quotient(top, Function("sqrt", square))
        scaled = Product(unit, weight[at])
        return scaled if bias is None else add(scaled, bias[at])

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        """Numbers of the row in units of its size, as the norm makes them before they are scaled."""
        x, _, _, eps = _parts(inputs)
        return [Addends(self._standard(x.values, np.asarray(eps.one.value))[0], [x])]

    # --- what the norms differ in ----------------------------------------------------------------
    def _centered(self, x: Array) -> Array:
        """The rows as their size is measured."""
        return x

    def _slip(self, x: Array, off: Array) -> Array:
        """The slip of what is taken off the rows first, in units."""
        return np.zeros(())

    def _standard(self, x: Array, eps: Array) -> tuple[Array, Array]:
        """The rows over their size, and the size; large numbers are squared at their own level."""
        level, above = leveled(x, -1)
        centered, more = leveled(self._centered(level), -1)
        apart = (centered != 0).any(axis=-1, keepdims=True)  # ε alone is left beside a row of equal numbers
        exponent = np.where(apart, np.maximum(above + more, 0), 0)
        centered = np.ldexp(centered, above + more - exponent)
        size = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + np.ldexp(eps, -2 * exponent))
        return centered / size, np.ldexp(size, exponent)


class LayerNorm(RMSNorm):
    """Every row shifted to mean 0 and divided to variance 1, then scaled and shifted by learned numbers."""

    label = "LayerNorm"
    function = "LayerNorm"
    sentence = QT_TRANSLATE_NOOP(
        "Sentences",
        "Column {column} of {token}: {value}. The row of {source} is brought to mean 0 and variance 1, "
        "then multiplied by {weight}.",
    )
    shifted = QT_TRANSLATE_NOOP(
        "Sentences",
        "Column {column} of {token}: {value}. The row of {source} is brought to mean 0 and variance 1, "
        "then multiplied by {weight}, plus {shift}.",
    )
    code, helper = "layer_norm({inputs})", LAYER_HELPER

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        row, weight, bias, eps = _parts(inputs)
        x = self._squarable(row)
        count, mean_value = Number(x.values.size), float(x.values.mean())
        total = Sum(x.values.size, lambda k: x[[k]], x.values, rf"\sum_c {x.latex}")
        mean = Named("mu", r"\mu", Quotient(total, count))
        apart = Sum(
            x.values.size,
            lambda k: Power(add(x[[k]], Negative(mean)), 2),
            (x.values - mean_value) ** 2,
            rf"\sum_c \left({x.latex} - \mu\right)^{{2}}",
        )
        variance = Named("var", r"\sigma^{2}", Quotient(apart, count))
        return self._finished(add(x[at], Negative(mean)), add(variance, _within(x, eps)), at, weight, bias)

    def _centered(self, x: Array) -> Array:
        return np.asarray(x - x.mean(axis=-1, keepdims=True))

    def _slip(self, x: Array, off: Array) -> Array:
        return np.asarray((off + x.shape[-1] * np.abs(x)).mean(axis=-1, keepdims=True))


def _within(x: Leaves | Shares, eps: Leaves) -> Expression:
    """ε as it stands beside the squares of a row: twice over what the row is over."""
    return x.over(x.over(eps.one)) if isinstance(x, Shares) else eps.one


def _parts(inputs: Sequence[T | None]) -> tuple[T, T, T | None, T]:
    """Rows, weight, bias and ε; there may be no bias."""
    x, weight, eps = given([inputs[0], inputs[1], inputs[3]])
    return x, weight, inputs[2], eps
