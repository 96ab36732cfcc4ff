"""Average pooling: attention that does not look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.expression import Expression, Number
from attn_gui.engine.layout import Array
from attn_gui.engine.stage import Addends, Input, Leaves, Stage


class Average(Stage):
    """Every key counts the same: no cell of the query or the key is read."""

    name = "scores"
    axes = ("batch", "head", "query", "key")
    formula = "logits[b h i j] = "

    def forward(self, *inputs: Input) -> Array:
        return np.zeros((1, 1, 1, 1))

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        return ()

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        return np.zeros((1, 1, 1, 1))

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        return Number(0.0)

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        return []
