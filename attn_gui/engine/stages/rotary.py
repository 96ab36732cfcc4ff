"""Rotary positions (Su et al., "RoFormer", 2021), half-split: column i of a head is paired with column i + d_k/2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.contraction import faded
from attn_gui.engine.graph.expressions.expression import Expression, Negative, Product, add
from attn_gui.engine.graph.expressions.functions import Function
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves
from attn_gui.engine.graph.facts import Form, Name, Operator
from attn_gui.engine.graph.stage import ELEMENTARY, Input, Stage, given

HELPER = '''
def rotated(rows, angles):
    """Column c of each head turned with column c + d/2, by an angle for each row and pair."""
    parts = rows.reshape(*rows.shape[:-1], -1, 2, angles.shape[-1])
    first, second = parts[..., 0, :], parts[..., 1, :]
    cos, sin = {xp}.cos(angles)[:, None], {xp}.sin(angles)[:, None]
    return {xp}.stack([first * cos - second * sin, second * cos + first * sin], -2).reshape(rows.shape)
'''


class Angle(Stage):
    """Position times θ^(−2p/d_k): how far each pair of columns is turned."""

    hidden = True
    code = "{0}[:, None] * {1} ** {2}"
    called = Name("φ", r"\varphi", r"\varphi")

    def __init__(self, name: str, formula: str) -> None:
        self.name, self.formula = name, formula
        self.axes = ("row", "column")

    def forward(self, *inputs: Input) -> Array:
        position, theta, exponent = given(inputs)
        return np.asarray(position * theta**exponent)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        _, theta, exponent = given(inputs)
        return None, grad * result * exponent / theta, None


class Turn(Angle):
    """Position times a frequency that is given for each pair of columns."""

    code = "{0}[:, None] * {1}"

    def forward(self, *inputs: Input) -> Array:
        position, frequency = given(inputs)
        return np.asarray(position * frequency)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        return None, grad * given(inputs)[0]


class Rotary(Stage):
    """Turns each pair of columns by its position's angle."""

    along = "t"
    code, helper = "rotated({inputs})", HELPER
    told = "rotation"

    def __init__(
        self, name: str, formula: str, called: Name, form: Form, operator: Operator, *, transposed: bool = False
    ) -> None:
        self.name, self.formula, self.transposed = name, formula, transposed
        self.called, self.form, self.operator = called, form, operator
        self.heads = self.target.axes[-1][0]
        self.axes = ("batch", "row", "column")

    def forward(self, *inputs: Input) -> Array:
        x, angle = given(inputs)
        cos, sin = np.cos(angle), np.sin(angle)
        first, second = _halves(x)
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=_T)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        _, angle = given(inputs)
        back = self.forward(grad, -angle)
        first, second = _halves(result)
        turned = np.concatenate([-second, first], axis=_T)
        return back, faded(grad, turned).sum(axis=_T, keepdims=True)

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        x, angle = given(values)
        turned = np.abs(x).sum(axis=_T, keepdims=True) * (2 + ELEMENTARY * (1 + np.abs(angle)))
        return np.asarray(given(errors)[0].sum(axis=_T, keepdims=True) + turned)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        x, angle = given(inputs)
        cos, sin = (Function(name, angle.one) for name in ("cos", "sin"))
        own, other = Product(x[at], cos), Product(x[[1 - at[0]]], sin)
        return add(own, other if at[0] else Negative(other))

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        x, angle = given(inputs)
        turn = np.array([np.cos(angle.values), np.sin(angle.values)]).reshape(2)
        return [Addends(x.values * (turn[::-1] if at[0] else turn * (1, -1)), [x])]


_T = 3  # the axis of the pair, in the order b i h t p


def _halves(x: Array) -> tuple[Array, Array]:
    return x[:, :, :, :1], x[:, :, :, 1:]
