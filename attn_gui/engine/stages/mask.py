"""Which keys a query may attend to."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import numpy as np

from attn_gui.engine.expression import Expression, Number
from attn_gui.engine.layout import Array
from attn_gui.engine.stage import Addends, Input, Leaves, Stage


class Allowed(Stage):
    """A key is allowed where every layer allows it; made for the boolean layers that a problem has."""

    name, title, latex = "allowed", "M", "M"
    axes = ("batch", "head", "query", "key")
    hidden = boolean = True

    def __init__(self, layers: Sequence[str]) -> None:
        self.formula = "allowed[b h i j] = " + ", ".join(f"{layer}[b h i j]" for layer in layers)

    def forward(self, *inputs: Input) -> Array:
        allowed = inputs[0]
        for layer in inputs[1:]:
            allowed = np.logical_and(allowed, layer)  # type: ignore[arg-type]  # no layer is optional
        return np.asarray(allowed)

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        return [None] * len(inputs)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        return Number(float(all(leaves is None or leaves.one.value for leaves in inputs)))

    def addends(self, at: tuple[int, ...], result: float, *inputs: Leaves | None) -> list[Addends]:
        return [Addends(leaves.values, [leaves]) for leaves in inputs if leaves is not None]


class Mask(Stage):
    """Minus infinity where a query may not attend to a key."""

    name, title, latex = "masked", "S + M", "S + M"
    axes = ("batch", "head", "query", "key")
    formula = "logits[b h i j] = logits[b h i j], allowed[b h i j]"
    gates = MappingProxyType({0: "allowed[b h i j]"})

    def forward(self, *inputs: Input) -> Array:
        logits, allowed = inputs
        return np.where(allowed, logits, -np.inf)  # type: ignore[arg-type]  # neither is optional

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        _, allowed = inputs
        return np.where(allowed, grad, 0.0), None  # type: ignore[arg-type]

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        logits, allowed = inputs
        assert logits is not None
        assert allowed is not None
        return logits.one if allowed.values.all() else Number(-np.inf)

    def addends(self, at: tuple[int, ...], result: float, *inputs: Leaves | None) -> list[Addends]:
        logits, allowed = inputs
        assert logits is not None
        assert allowed is not None
        return [Addends(logits.values, [logits])] if allowed.values.all() else []

