"""Derived maps: numbers made of the steps of the computation that are no step of it. A new one is its entry here.

They are computed where they are asked for and are not among the stages of a trace, but explained, differentiated and
exported as those are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.expression import Expression, Negative, Number, Product
from attn_gui.engine.graph.expressions.functions import Function
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves, Shares, squarable, squares
from attn_gui.engine.graph.facts import Facts, Form, Name
from attn_gui.engine.graph.linear import Linear
from attn_gui.engine.graph.powers import lengths
from attn_gui.engine.graph.stage import UNIT, Input, Stage, given

PER_KEY, PER_QUERY = "batch head key column", "batch head query column"
COLUMNS = 3  # the axis that is summed, in the order b h j o
MOVED: Facts = {
    "called": Name("U", "U", "u", "Value through W_O", "经 W_O 的值"),
    "form": Form("U = V W_O"),
    "told": "product",
}


class MovedNorm(Stage):
    """‖v_j W_O‖ of every key: as much as its value moves the output where all of it is taken."""

    name = "moved_norm"
    axes = ("batch", "head", "key")
    formula = "length[b h j] = moved[b h j o]"
    called = Name("‖U‖", r"\|U\|", r"\|u\|", "Length of a value through W_O", "经 W_O 的值的范数")

    def forward(self, *inputs: Input) -> Array:
        (moved,) = given(inputs)
        return np.asarray(lengths(moved, COLUMNS)[:, :, :, 0])

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        (moved,) = given(inputs)
        return (grad * np.where(result > 0, moved / np.where(result > 0, result, 1.0), 0.0),)

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        (moved,), (slip,) = given(values), given(errors)
        return np.asarray(lengths(slip, COLUMNS) + (moved.shape[COLUMNS] / 2 + 2) * lengths(moved, COLUMNS))

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        (moved,) = given(inputs)
        cells = squarable(moved, "max")
        length = Function("sqrt", squares(cells))
        return Product(cells.largest, length) if isinstance(cells, Shares) else length

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        (moved,) = given(inputs)
        return [Addends(squarable(moved, "max").values ** 2, [moved, moved])]


class ValueWeighted(Stage):
    """‖a_ij · v_j W_O‖: how far a weight moves the output (Kobayashi et al. 2020, *Attention is Not Only a Weight*)."""

    name = "value_weighted"
    axes = ("batch", "head", "query", "key")
    formula = "moving[b h i j] = weights[b h i j], length[b h j]"
    called = Name("G", "G", "g", "Value-weighted attention", "值加权注意力")
    form = Form(r"G = A \, \|V W_O\|")
    behind_mask = True

    def forward(self, *inputs: Input) -> Array:
        weights, norm = given(inputs)
        return np.where(weights == 0, 0.0, np.abs(weights) * norm)  # what a zero weight holds back moves nothing

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        weights, norm = given(inputs)
        still = weights == 0
        return np.where(still, 0.0, grad * np.sign(weights) * norm), np.where(still, 0.0, grad * np.abs(weights))

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        (weights, norm), slips = given(values), given(errors)
        crossed = slips[0] * norm + np.abs(weights) * slips[1] + slips[0] * slips[1] * UNIT
        return np.asarray(crossed + np.abs(weights) * norm)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        weights, norm = given(inputs)
        weight, length = weights.one, norm.one
        if weight.value == 0 and not np.isfinite(length.value):
            return Number(0.0)  # as the weight holds it back
        return Product(weight if weight.value >= 0 else Negative(weight), length)

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        weights, norm = given(inputs)
        return [Addends(self.forward(weights.values, norm.values), [weights, norm])]


DERIVED: tuple[Stage, ...] = (
    Linear("moved_value", PER_KEY, "moved[b (g r) j o] = value[b j (g c)] * w_output[(g r c) o]", **MOVED),
    Linear("moved_value", PER_KEY, "moved[b (g r) j c] = value[b j (g c)]", unless=("w_output",), **MOVED),
    MovedNorm(),
    ValueWeighted(),
    Linear(
        "head_contribution",
        PER_QUERY,
        "added[b h i o] = mixed[b h i c] * w_output[(h c) o]",
        called=Name("C", "C", "c", "Head contribution", "单头贡献"),
        form=Form("C = O W_O"),
        told="product",
    ),
)
"""Every derived map there is, in an order in which each reads those before it."""


def entry_of(name: str) -> Stage | None:
    """A derived map by its name; None for anything else."""
    return next((stage for stage in DERIVED if stage.name == name), None)


MAPS = tuple(dict.fromkeys(stage.name for stage in DERIVED if len(stage.axes) == len(ValueWeighted.axes)))
"""Those that are maps, by name: rows and columns of each head."""
