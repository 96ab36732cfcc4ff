"""Cells that the formula of a single result reads, and the terms that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.expression import Cell


class Leaves:
    """The cells of one input that a single result reads: `values` laid out by the letters that it runs through."""

    def __init__(self, values: Array, make: Callable[[tuple[int, ...]], Cell], latex: str) -> None:
        self.values, self.make = values, make
        self.latex = latex  # the symbol with letters where it runs: a_{10,j}

    def __getitem__(self, index: Sequence[int]) -> Cell:
        return self.make(tuple(0 if length == 1 else k for k, length in zip(index, self.values.shape, strict=True)))

    def __iter__(self) -> Iterator[Cell]:
        """The cells one after the other, for an input that runs through one letter."""
        return (self.make(index) for index in np.ndindex(self.values.shape))

    @property
    def row_latex(self) -> str:
        """The symbol of the row that the cells stand in: a_{10}."""
        return self.latex.split(",")[0] + "}"

    @property
    def one(self) -> Cell:
        return self.make((0,) * self.values.ndim)


class Addends:
    """Terms of a one-hop formula: their values, and the inputs whose cells make one of them."""

    def __init__(self, values: Array, factors: Sequence[Leaves]) -> None:
        self.values, self.factors = values, factors

    def cells(self, position: int) -> tuple[Cell, ...]:
        index = np.unravel_index(position, self.values.shape)
        return tuple(leaves[[int(k) for k in index]] for leaves in self.factors)
