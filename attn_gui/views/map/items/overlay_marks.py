"""Marks on a map: the chosen cell, hover and focus, and what was edited, painted, set by hand or reached."""

from __future__ import annotations

from typing import NamedTuple

Cell = tuple[int, int]
Area = tuple[slice, slice]


class Marks(NamedTuple):
    """Marks on a map."""

    row: int | None = None
    column: int | None = None
    row_role: str = "query"
    column_role: str = "key"
    chosen: Cell | None = None
    block: Area | None = None  # of several chosen cells
    hovered: Cell | None = None
    edited: tuple[Area, ...] = ()
    edited_strength: float = 0.0
    focus: bool = False
    bands: tuple[int, ...] = ()
    off: tuple[Area, ...] = ()  # of heads that are switched off
    blank: tuple[Area, ...] = ()  # left out for an exercise: their numbers are covered
    painted: tuple[Area, ...] = ()  # a gesture of the brush under way
    by_hand: tuple[Area, ...] = ()  # cells that an intervention changes
    reached: tuple[Area, ...] | None = None  # by the chosen cell, or what it comes from; None: nothing is veiled
    counted: tuple[Area, ...] | None = None  # by the reading of a head; gives way to what is reached

    @property
    def corner(self) -> Cell | None:
        """The corner of the block that lies farthest from the chosen cell; that cell where there is no block."""
        if self.chosen is None or self.block is None:
            return self.chosen
        row, column = (
            cut.start if abs(place - cut.start) > abs(cut.stop - 1 - place) else cut.stop - 1
            for place, cut in zip(self.chosen, self.block, strict=True)
        )
        return row, column

    @property
    def clear(self) -> tuple[Area, ...] | None:
        """The cells before the veil; None for all."""
        return self.counted if self.reached is None else self.reached

    def covers(self, cell: Cell) -> bool:
        """Whether the number of a cell is left out."""
        return any(
            down.start <= cell[0] < down.stop and right.start <= cell[1] < right.stop for down, right in self.blank
        )

    def steps_back(self, cell: Cell) -> bool:
        """Whether a cell lies behind the veil."""
        return self.clear is not None and not any(
            down.start <= cell[0] < down.stop and right.start <= cell[1] < right.stop for down, right in self.clear
        )
