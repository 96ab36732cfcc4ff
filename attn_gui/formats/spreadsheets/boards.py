"""Boards of a workbook: where on its sheet every cell of an array stands. Imports NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from .cell_formulas import Place

TOP, LEFT = 3, 2
"""Row of the first block's headings, and column of its first cells; both count from 1."""
LONGEST_NAME = 31


@dataclass(frozen=True)
class Board:
    """The sheet of one array: a block of rows and columns for every item and head, one below the other."""

    sheet: str
    shape: tuple[int, ...]

    @cached_property
    def size(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        rows, columns = (1, 1, *self.shape)[-2:]
        return rows, columns

    @property
    def blocks(self) -> Iterator[tuple[int, ...]]:
        """The items and heads that there is a block for."""
        return np.ndindex(*self.shape[:-2])

    def place(self, index: tuple[int, ...]) -> Place:
        """The cell of the workbook for a cell of the array."""
        row, column = (0, 0, *index)[-2:]
        return Place(self.sheet, self.head(index[:-2]) + 1 + row, LEFT + column)

    def head(self, block: tuple[int, ...]) -> int:
        """The row of the headings above a block."""
        number = int(np.ravel_multi_index(block, self.shape[:-2])) if block else 0
        return TOP + number * (self.size[0] + 2)

    @property
    def cells(self) -> int:
        """Count of cells."""
        return prod(self.shape)


def sheet_name(name: str, taken: set[str]) -> str:
    """A name that a sheet can have and none has yet."""
    plain, number = name[:LONGEST_NAME], 2
    while plain in taken:
        end = f" {number}"
        plain, number = name[: LONGEST_NAME - len(end)] + end, number + 1
    taken.add(plain)
    return plain
