"""Activations of the feed-forward network: GELU (Hendrycks, Gimpel, 2016), SiLU (Elfwing et al., 2017) and ReLU.

Gated (Shazeer, "GLU Variants Improve Transformer", 2020) the activation of one product multiplies the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.contraction import faded
from attn_gui.engine.graph.expressions.conditions import Largest
from attn_gui.engine.graph.expressions.expression import Cell, Expression, Negative, Number, Product, add
from attn_gui.engine.graph.expressions.functions import Function, Power, Quotient
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves
from attn_gui.engine.graph.facts import Form, Name, Operator
from attn_gui.engine.graph.stage import ELEMENTARY, Input, Stage, given

ROOT_2 = math.sqrt(2.0)
BENT = math.sqrt(2.0 / math.pi)  # the slope of the tanh that comes near to Φ …
CUBED = 0.044715  # … and how much of x³ is added to x in it
LEAST_POWER = -700.0  # whatever is below leaves nothing of SiLU; spreadsheets have no e^x above 709.78

_erfc = np.frompyfunc(math.erfc, 1, 1)  # exact to the last bit but one; rational functions of NumPy are no quicker


class Activation(Stage):
    """One number after another through a function; the number of the gate, where there is one, times that of W_up."""

    name = "activated"
    axes = ("batch", "query", "column")
    formula = "hidden[b i f] = up[b i f], gate[b i f]?"
    called = Name("F", "F", "f", "Activated", "激活结果")
    form = Form("{activation}")
    operator = Operator("activation", "activation", "激活函数")
    told = "activation"
    key = label = function = ""
    steepest = 1.13  # no slope of any of them is larger
    body = ""  # its formula in a script, of x

    def __init__(self) -> None:
        self.code = f"{self.key}({{inputs}})"
        self.helper = f"\ndef {self.key}(up, gate=None):\n    x = up if gate is None else gate\n"
        self.helper += f"    bent = {self.body}\n    return bent if gate is None else bent * up\n"

    def forward(self, *inputs: Input) -> Array:
        up, gate = inputs
        assert up is not None
        return np.asarray(self.bend(up) if gate is None else self.bend(gate) * up)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        up, gate = inputs
        assert up is not None
        if gate is None:
            return faded(grad, self.slope(up)), None
        return faded(grad, self.bend(gate)), faded(faded(grad, up), self.slope(gate))

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        up, gate = values
        assert up is not None
        x, off = (up, errors[0]) if gate is None else (gate, errors[1])
        slip = self.steepest * np.asarray(off) + ELEMENTARY * self.size(x)
        if gate is None:
            return np.asarray(slip)
        bent = np.abs(self.bend(gate))
        return np.asarray(slip * (np.abs(up) + given(errors)[0] * 2.0**-52) + bent * (given(errors)[0] + np.abs(up)))

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        up, gate = inputs
        assert up is not None
        return self.written(up.one) if gate is None else Product(self.written(gate.one), up.one)

    def general(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        up, gate = inputs
        assert up is not None
        return self.lasting(up.one) if gate is None else Product(self.lasting(gate.one), up.one)

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        """The number itself: of its cells nothing adds up."""
        up, gate = inputs
        assert up is not None
        read = [leaves for leaves in (up, gate) if leaves is not None]
        return [Addends(self.forward(up.values, None if gate is None else gate.values), read)]

    # --- what they differ in ---------------------------------------------------------------------
    def bend(self, x: Array) -> Array:
        """The function."""
        raise NotImplementedError

    def slope(self, x: Array) -> Array:
        """Its derivative."""
        raise NotImplementedError

    def size(self, x: Array) -> Array:
        """The size of what is rounded on the way."""
        return np.abs(self.bend(x))

    def written(self, x: Cell) -> Expression:
        """The formula of one number."""
        raise NotImplementedError

    def lasting(self, x: Cell) -> Expression:
        """The formula that holds whatever the number is."""
        return self.written(x)


class Gelu(Activation):
    """x Φ(x) = x erfc(−x / √2) / 2, which keeps its digits where 1 + erf would lose them."""

    key, label, function = "gelu", "GELU", "GELU"
    body = "x * {erfc}(-x / 2**0.5) / 2"

    def bend(self, x: Array) -> Array:
        return np.asarray(x * _normal(x))

    def slope(self, x: Array) -> Array:
        return np.asarray(_normal(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))

    def size(self, x: Array) -> Array:
        return np.asarray(np.abs(self.bend(x)) * (2 + np.minimum(x, 0.0) ** 2))

    def written(self, x: Cell) -> Expression:
        inside = Function("erfc", Negative(Quotient(x, Function("sqrt", Number(2)), inline=True)))
        return Quotient(Product(x, inside), Number(2))


class GeluTanh(Activation):
    """x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, which comes near to x Φ(x)."""

    key, label, function = "gelu_tanh", "GELU (tanh)", "GELU"
    body = "x * (1 + {xp}.tanh((2 / 3.141592653589793) ** 0.5 * (x + 0.044715 * x**3))) / 2"

    def bend(self, x: Array) -> Array:
        return np.asarray(x * (1 + np.tanh(BENT * (x + CUBED * x**3))) / 2)

    def slope(self, x: Array) -> Array:
        bent = np.tanh(BENT * (x + CUBED * x**3))
        flat = np.abs(bent) == 1
        inner = np.where(flat, 0.0, x * (1 - bent * bent) * BENT * (1 + 3 * CUBED * x * x))
        return np.asarray((1 + bent + inner) / 2)

    def size(self, x: Array) -> Array:
        return np.abs(x)

    def written(self, x: Cell) -> Expression:
        inside = add(x, Product(Number(CUBED), Power(x, 3)))
        slope = Function("sqrt", Quotient(Number(2), Number(math.pi), inline=True))
        return Quotient(Product(x, add(Number(1), Function("tanh", Product(slope, inside)))), Number(2))


class Silu(Activation):
    """x / (1 + e^−x), known as swish, too."""

    key, label, function = "silu", "SiLU", "SiLU"
    body = "x / (1 + {xp}.exp(-x))"

    def bend(self, x: Array) -> Array:
        return np.asarray(x / (1 + np.exp(-x)))

    def slope(self, x: Array) -> Array:
        share = 1 / (1 + np.exp(-x))
        return np.asarray(share + np.where(share == 0, 0.0, x * share * (1 - share)))

    def size(self, x: Array) -> Array:
        return np.asarray(np.abs(self.bend(x)) * (1 + np.abs(x)))

    def written(self, x: Cell) -> Expression:
        return self._over(x, x)

    def lasting(self, x: Cell) -> Expression:
        return self._over(x, Largest(add(x, Number(LEAST_POWER))))

    @staticmethod
    def _over(x: Cell, power: Expression) -> Expression:
        return Quotient(x, add(Number(1), Function("exp", Negative(power))))


class Relu(Activation):
    """x where it is above 0, and 0 elsewhere; its slope at 0 is taken to be 0."""

    key, label, function = "relu", "ReLU", "ReLU"
    body = "{xp}.where(x < 0, 0.0, x)"

    def bend(self, x: Array) -> Array:
        return np.maximum(x, 0.0)

    def slope(self, x: Array) -> Array:
        return np.asarray((x > 0) * 1.0)

    def written(self, x: Cell) -> Expression:
        return x if x.value > 0 or x.value != x.value else Number(0.0)

    def lasting(self, x: Cell) -> Expression:
        return Largest(add(x, Number(0.0)))


def _normal(x: Array) -> Array:
    """Φ(x) = erfc(−x / √2) / 2, the distribution function of the normal distribution."""
    return np.asarray(_erfc(-x / ROOT_2), dtype=np.float64) / 2
