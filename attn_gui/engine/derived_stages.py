"""Derived maps: value-weighted attention, mean and largest of all heads, computed when asked for. A new one is its
entry here.

They are computed where they are asked for and are not among the stages of a trace, but explained, differentiated and
exported as those are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TypeVar

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph import expressions
from attn_gui.engine.graph.indices import lengths
from attn_gui.engine.graph.stage import UNIT, FormulaTemplate, Input, LinearStage, Stage, StageFacts, StageName, given

H = TypeVar("H")
PER_KEY, PER_QUERY = "batch head key column", "batch head query column"
HEADS = 3  # the axis of the heads, in the order b i j h
COLUMNS = 3  # the axis that is summed, in the order b h j o
MOVED: StageFacts = {
    "called": StageName("U", "U", "u", "Value through the output projection", "经输出投影的值"),
    "form": FormulaTemplate("U = V W_O"),
    "wording": "product",
}


class MovedNorm(Stage):
    """‖v_j W_O‖ of every key: as much as its value moves the output where all of it is taken."""

    name = "moved_norm"
    axes = ("batch", "head", "key")
    formula = "length[b h j] = moved[b h j o]"
    called = StageName(
        "‖U‖", r"\|U\|", r"\|u\|", "Length of a value through the output projection", "经输出投影的值的范数"
    )

    def forward(self, *inputs: Input) -> Array:
        (moved,) = given(inputs)
        return np.asarray(lengths(moved, COLUMNS)[:, :, :, 0])

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        (moved,) = given(inputs)
        return (grad * np.where(result > 0, moved / np.where(result > 0, result, 1.0), 0.0),)

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        (moved,), (slip,) = given(values), given(errors)
        return np.asarray(lengths(slip, COLUMNS) + (moved.shape[COLUMNS] / 2 + 2) * lengths(moved, COLUMNS))

    def explain(self, at: tuple[int, ...], *inputs: expressions.Leaves | None) -> expressions.Expression:
        (moved,) = given(inputs)
        cells = expressions.squarable(moved, "max")
        length = expressions.Function("sqrt", expressions.squares(cells))
        return expressions.Product(cells.largest, length) if isinstance(cells, expressions.Shares) else length

    def addends(self, at: tuple[int, ...], *inputs: expressions.Leaves | None) -> list[expressions.Addends]:
        (moved,) = given(inputs)
        return [expressions.Addends(expressions.squarable(moved, "max").values ** 2, [moved, moved])]


class ValueWeighted(Stage):
    """‖a_ij · v_j W_O‖: how far a weight moves the output (Kobayashi et al. 2020, *Attention is Not Only a Weight*)."""

    name = "value_weighted"
    axes = ("batch", "head", "query", "key")
    formula = "moving[b h i j] = weights[b h i j], length[b h j]"
    called = StageName("G", "G", "g", "Value-weighted attention", "值加权注意力")
    form = FormulaTemplate(r"G = A \, \|V W_O\|")
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

    def explain(self, at: tuple[int, ...], *inputs: expressions.Leaves | None) -> expressions.Expression:
        weights, norm = given(inputs)
        weight, length = weights.one, norm.one
        if weight.value == 0 and not np.isfinite(length.value):
            return expressions.Number(0.0)  # as the weight holds it back
        return expressions.Product(weight if weight.value >= 0 else expressions.Negative(weight), length)

    def addends(self, at: tuple[int, ...], *inputs: expressions.Leaves | None) -> list[expressions.Addends]:
        weights, norm = given(inputs)
        return [expressions.Addends(self.forward(weights.values, norm.values), [weights, norm])]


class OverHeads(Stage):
    """The weights of all heads at one place as one number, by a rule that `word` names."""

    word = ""  # of the command line and of `render` for these heads
    axes = ("batch", "query", "key")
    behind_mask = shares = True

    @property
    def reads(self) -> str:
        """The stage of which it takes the heads."""
        return self.inputs[0].name


class MeanOfHeads(OverHeads):
    """The mean of the heads' weights, as nn.MultiheadAttention returns it (`average_attn_weights`)."""

    name, word = "mean_weights", "mean"
    formula = "merged[b i j] = weights[b h i j]"
    called = StageName("Ā", r"\bar{A}", r"\bar{a}", "Weights, mean over heads", "各头权重的平均")
    form = FormulaTemplate(r"\bar{A} = \frac{1}{h} \sum_g A^{(g)}")

    def forward(self, *inputs: Input) -> Array:
        (weights,) = given(inputs)
        total = reduce(np.add, np.moveaxis(weights, HEADS, 0))  # in order, so that a part has the bits of the whole
        return np.asarray(total / weights.shape[HEADS])

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        (weights,) = given(inputs)
        return (np.broadcast_to(grad / weights.shape[HEADS], weights.shape),)

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        (weights,), (slips,) = given(values), given(errors)
        return np.asarray((slips + weights.shape[HEADS] * np.abs(weights)).mean(axis=HEADS))

    def explain(self, at: tuple[int, ...], *inputs: expressions.Leaves | None) -> expressions.Expression:
        (weights,) = given(inputs)
        each = expressions.Sum(weights.values.size, lambda k: weights[[k]], weights.values, rf"\sum_g {weights.latex}")
        return (
            expressions.Quotient(each, expressions.Number(weights.values.size))
            if weights.values.size > 1
            else weights.one
        )

    def addends(self, at: tuple[int, ...], *inputs: expressions.Leaves | None) -> list[expressions.Addends]:
        (weights,) = given(inputs)
        return [expressions.Addends(weights.values / weights.values.size, [weights])]


class LargestOfHeads(OverHeads):
    """The largest of the heads' weights: what any of them looks at."""

    name, word = "largest_weights", "largest"
    formula = "merged[b i j] = weights[b h i j]"
    called = StageName("Â", r"\hat{A}", r"\hat{a}", "Weights, largest over heads", "各头权重的最大值")
    form = FormulaTemplate(r"\hat{A} = \max_g A^{(g)}")

    def forward(self, *inputs: Input) -> Array:
        return np.asarray(given(inputs)[0].max(axis=HEADS))

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        (weights,) = given(inputs)
        first = np.arange(weights.shape[HEADS]) == weights.argmax(axis=HEADS)[..., None]  # of equal ones the first
        return (np.where(first, grad, 0.0),)

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        return np.asarray(given(errors)[0].max(axis=HEADS))

    def explain(self, at: tuple[int, ...], *inputs: expressions.Leaves | None) -> expressions.Expression:
        (weights,) = given(inputs)
        return weights[[int(weights.values.argmax())]]


DERIVED: tuple[Stage, ...] = (
    LinearStage("moved_value", PER_KEY, "moved[b (g r) j o] = value[b j (g c)] * w_output[(g r c) o]", **MOVED),
    LinearStage("moved_value", PER_KEY, "moved[b (g r) j c] = value[b j (g c)]", unless=("w_output",), **MOVED),
    MovedNorm(),
    ValueWeighted(),
    MeanOfHeads(),
    LargestOfHeads(),
    LinearStage(
        "head_contribution",
        PER_QUERY,
        "added[b h i o] = mixed[b h i c] * w_output[(h c) o]",
        called=StageName("C", "C", "c", "Head contribution", "单头贡献"),
        form=FormulaTemplate("C = O W_O"),
        wording="product",
    ),
)
"""Every derived map there is, in an order in which each reads those before it."""


def entry_of(name: str) -> Stage | None:
    """Return a derived map by its name; None for anything else."""
    return next((stage for stage in DERIVED if stage.name == name), None)


MAPS = tuple(dict.fromkeys(stage.name for stage in DERIVED if stage.axes[-2] != "head"))
"""Those that are maps, by name: rows and columns, of each head or of all together; a norm has one number for a key."""

OVER_HEADS = {stage.word: stage for stage in DERIVED if isinstance(stage, OverHeads)}
"""The maps of all heads together by their words: mean, largest."""


def over_heads(stage: str, heads: H) -> tuple[str, H | None]:
    """Return the stage and heads that are meant: for the word of a map of all heads, that map."""
    entry = OVER_HEADS.get(heads) if isinstance(heads, str) else None
    return (entry.name, None) if entry is not None and entry.reads == stage else (stage, heads)
