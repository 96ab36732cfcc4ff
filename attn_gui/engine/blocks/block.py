"""Blocks around the attention: their parameters, and their stages of norm, residual sum and feed-forward network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, Unpack

from attn_gui.engine.graph.facts import Facts, Name
from attn_gui.engine.graph.linear import Linear
from attn_gui.engine.graph.stage import Choices, Stage

from .activation_stages import Activation, Gelu, GeluTanh, Relu, Silu
from .norms import LayerNorm, RMSNorm

HIDDEN = "batch query column"
NORMS: Mapping[str, type[RMSNorm]] = MappingProxyType({"layer": LayerNorm, "rms": RMSNorm})
"""Norms of a block, by key; the first one unless another is asked for."""
ACTIVATIONS: Mapping[str, Activation] = MappingProxyType({one.key: one for one in (Gelu(), GeluTanh(), Silu(), Relu())})
"""Activations of a block's feed-forward network, by key; the first one unless another is asked for."""
CHOICES: Mapping[str, Sequence[str]] = MappingProxyType({"norm": tuple(NORMS), "activation": tuple(ACTIVATIONS)})
"""Choices of a block with a feed-forward network from these catalogs."""

NORMALIZED = Name("N", "N", "n", "Normalized", "层归一化")
OUTPUT = Name("L", "L", r"\ell", "Block output", "块输出")


class Table(NamedTuple):
    """A table of a block: the letters of its axes (o the width of x, f that of the feed-forward network, u that of the
    output), its names, whether it may be missing, and the number that changes nothing."""

    letters: str
    name: Name
    optional: bool = False
    neutral: float = 0.0


@dataclass(frozen=True)
class Block:
    """An entry of BLOCKS: its tables and numbers, the choices that it makes, and its stages.

    `before` stand before the projections, `after` follow the output; `action` is the one that adds it.
    """

    action: str
    tables: Mapping[str, Table]
    numbers: Mapping[str, float]
    choices: Mapping[str, Sequence[str]]
    after: tuple[Stage, ...]
    before: tuple[Stage, ...] = ()

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The tables that it cannot be without."""
        return tuple(name for name, table in self.tables.items() if not table.optional)


class ChosenNorm(Stage):
    """The place of the norm that the block chooses."""

    def __init__(self, name: str, axes: str, formula: str, **facts: Unpack[Facts]) -> None:
        self.name, self.axes, self.formula, self._facts = name, tuple(axes.split()), formula, facts
        vars(self).update({"form": RMSNorm.form, "told": RMSNorm.told} | facts)

    def fitted(self, choices: Choices) -> Stage:
        block: Any = choices.block
        return NORMS[block["norm"]](self.name, " ".join(self.axes), self.formula, **self._facts)


class ChosenActivation(Activation):
    """The place of the activation that the block chooses."""

    def fitted(self, choices: Choices) -> Stage:
        block: Any = choices.block
        return ACTIVATIONS[block["activation"]]


def linear(name: str, formula: str, **facts: Unpack[Facts]) -> Linear:
    """A sum of products behind the output, one row for each query."""
    return Linear(name, HIDDEN, formula, **facts)
