"""Cells that the formula of a single result reads, and the terms that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.expression import Cell, Expression, Negative, Sum
from attn_gui.engine.graph.expressions.functions import Named, Power, Quotient

SQUARED = 2.0**-500, 2.0**500
"""Magnitudes of the largest of many numbers whose squares, added up, neither vanish nor overflow."""


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


class Shares:
    """Cells over the largest magnitude among them, which has a name: of any numbers squares can be added up."""

    def __init__(self, leaves: Leaves, name: str) -> None:
        index = np.unravel_index(np.abs(leaves.values).argmax(), leaves.values.shape)
        cell = leaves[[int(k) for k in index]]
        symbols = rf"\max\left|{leaves.row_latex}\right|"
        self.leaves, self.largest = leaves, Named(name, symbols, cell if cell.value > 0 else Negative(cell))
        self.values = np.asarray(leaves.values / self.largest.value)
        self.latex, self.row_latex = (rf"\left({one} / {symbols}\right)" for one in (leaves.latex, leaves.row_latex))

    def __getitem__(self, index: Sequence[int]) -> Expression:
        return self.over(self.leaves[index])

    def over(self, part: Expression) -> Expression:
        """A part of the formula over the largest magnitude."""
        return Quotient(part, self.largest, inline=True)


def squarable(leaves: Leaves, name: str, mild: tuple[float, float] = SQUARED) -> Leaves | Shares:
    """The cells; where the largest magnitude is not a mild one, over it, which is then called `name` in the formula.

    Cells without a finite largest one, and those that are all zeros, stay as they are.
    """
    largest = float(np.abs(leaves.values).max())
    return leaves if mild[0] <= largest <= mild[1] or not 0 < largest < np.inf else Shares(leaves, name)


def squares(cells: Leaves | Shares) -> Sum:
    """The squares of cells, added up."""
    shape, flat = cells.values.shape, cells.values.reshape(-1)

    def square(position: int) -> Expression:
        return Power(cells[[int(k) for k in np.unravel_index(position, shape)]], 2)

    return Sum(flat.size, square, flat**2, rf"\sum_c {cells.latex}^{{2}}")


class Addends:
    """Terms of a one-hop formula: their values, and the inputs whose cells make one of them."""

    def __init__(self, values: Array, factors: Sequence[Leaves]) -> None:
        self.values, self.factors = values, factors

    def cells(self, position: int) -> tuple[Cell, ...]:
        index = np.unravel_index(position, self.values.shape)
        return tuple(leaves[[int(k) for k in index]] for leaves in self.factors)
