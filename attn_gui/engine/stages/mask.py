"""The mask stage: the keys that a query may attend to."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.conditions import OpenOnly
from attn_gui.engine.graph.expressions.expression import Expression, Number, Product
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves
from attn_gui.engine.graph.facts import Form, Name, Operator, Role
from attn_gui.engine.graph.stage import Input, Stage, given


class Allowed(Stage):
    """A key is allowed where every layer allows it; made for the boolean layers that a problem has."""

    name = "allowed"
    axes = ("batch", "head", "query", "key")
    hidden = boolean = True

    def __init__(self, layers: Sequence[str]) -> None:
        self.code = " & ".join(f"{{{place}}}" for place in range(len(layers)))
        self.formula = "allowed[b h i j] = " + ", ".join(f"{layer}[b h i j]" for layer in layers)

    def forward(self, *inputs: Input) -> Array:
        first, *others = given(inputs)
        for layer in others:
            first = first & layer
        return first

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        return [None] * len(inputs)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        return Number(float(all(leaves is None or leaves.one.value for leaves in inputs)))

    def general(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        return Product(*(leaves.one for leaves in given(inputs)))

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        return [Addends(leaves.values, [leaves]) for leaves in inputs if leaves is not None]


class Mask(Stage):
    """Minus infinity where a query may not attend to a key."""

    name = "masked"
    called = Name("Sᵐ", r"S^{\mathrm{m}}", r"s^{\mathrm{m}}", "Masked scores", "掩码后的分数")
    form = Form("{letter} = {letter_before} + M", "{before} + M", "{before} + M")
    operator = Operator("mask", "mask", "掩码", always=True)
    behind_mask = elementary = True
    told, role = "mask", Role.CLOSE
    code = "{xp}.where({1}, {0}, -inf)"
    axes = ("batch", "head", "query", "key")
    formula = "logits[b h i j] = logits[b h i j], allowed[b h i j]"
    gates = MappingProxyType({0: "allowed[b h i j]"})

    def forward(self, *inputs: Input) -> Array:
        logits, allowed = given(inputs)
        return np.where(allowed, logits, -np.inf)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        _, allowed = given(inputs)
        return np.where(allowed, grad, 0.0), None

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        return np.where(given(values)[1], given(errors)[0], 0.0)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        logits, allowed = given(inputs)
        return logits.one if allowed.values.all() else Number(-np.inf)

    def general(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        logits, allowed = given(inputs)
        return OpenOnly(allowed.one, logits.one)

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        logits, allowed = given(inputs)
        return [Addends(logits.values, [logits])] if allowed.values.all() else []


class Seen(Stage):
    """The keys that a query may attend to, and the cells behind the mask in which a number was put by hand."""

    name = "seen"
    axes = ("batch", "head", "query", "key")
    formula = "allowed[b h i j] = allowed[b h i j]"
    hidden = boolean = True
    called = Name("M", "M", "m")

    def forward(self, *inputs: Input) -> Array:
        return given(inputs)[0]

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        return [None]

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        return given(inputs)[0].one
