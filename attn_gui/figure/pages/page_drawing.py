"""A page that is laid out: how it is painted, and what a hover or a click at a place of it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attn_gui.figure.pages.ink import Ink


class NoRoom(ValueError):
    """A size that is too small for a page: the side, what was given and the least, in logical pixels."""

    def __init__(self, side: str, given: float, least: float) -> None:
        super().__init__(f"A {side} of {given:.0f} leaves no room; {least:.0f} is the least.")
        self.side, self.given, self.least = side, given, least


@dataclass(frozen=True)
class Cell:
    """A cell of a stage as it is shown: row and column within a head; `head` None leaves the head on show."""

    stage: str
    row: int
    column: int
    head: int | None = None


@dataclass(frozen=True)
class Block:
    """The cells that a place of a map stands for: one, or of a pooled map all of a block."""

    rows: range
    columns: range

    @classmethod
    def at(
        cls, place: tuple[int, int], blocks: Sequence[int], shape: tuple[int, int], first: tuple[int, int] = (0, 0)
    ) -> Block:
        """The cells at a place of so many blocks over a map of a shape, counted from its first cell."""
        rows, columns = (
            range(start + block * cells // count, start + (block + 1) * cells // count)
            for start, block, cells, count in zip(first, place, shape, blocks, strict=True)
        )
        return cls(rows, columns)

    @property
    def first(self) -> tuple[int, int]:
        """Row and column of its first cell."""
        return self.rows.start, self.columns.start

    @property
    def places(self) -> str:
        """Its rows and its columns: `3, 4`, or of several the first and the last, `3…7, 4…5`."""
        return ", ".join(span(str(side[0]), str(side[-1])) for side in (self.rows, self.columns))

    def told(self, number: str, ink: Ink) -> str:
        """Its number in words: of several cells that of the largest."""
        if len(self.rows) * len(self.columns) == 1:
            return number
        return ink.translate("Pages", "{number}, the largest in magnitude").format(number=number)


def span(first: str, last: str) -> str:
    """Two ends in words: one where they are the same."""
    return first if first == last else f"{first}…{last}"


@dataclass(frozen=True)
class Spot:
    """A place with something to say: the words of a hover, and the cell, the knob's value or the head of a model,
    (layer, head), that a click chooses."""

    text: str
    cell: Cell | None = None
    knob: tuple[str, Any] | None = None
    head: tuple[int, int] | None = None


@dataclass(frozen=True)
class Field:
    """A rectangle of rows × columns places; `spot` tells of one of them when it is asked."""

    place: QRectF
    spot: Callable[[int, int], Spot]
    rows: int = 1
    columns: int = 1

    def at(self, point: QPointF) -> tuple[int, int] | None:
        """Row and column under a point."""
        if not self.place.contains(point):
            return None
        down = (point.y() - self.place.top()) / self.place.height() * self.rows
        across = (point.x() - self.place.left()) / self.place.width() * self.columns
        return min(int(down), self.rows - 1), min(int(across), self.columns - 1)

    def rect(self, row: int, column: int) -> QRectF:
        """The rectangle of one of its places."""
        width, height = self.place.width() / self.columns, self.place.height() / self.rows
        return QRectF(self.place.left() + column * width, self.place.top() + row * height, width, height)

    def paint(self, painter: QPainter) -> None:
        """Paint what it shows, where `Drawing.paint` leaves that to it: a plot, which the window shows otherwise."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A page in logical pixels; `title` and `said` are what it shows, in words, `paint` all but its plots."""

    width: float
    height: float
    title: str
    said: str
    paint: Callable[[QPainter], None]
    fields: tuple[Field, ...] = ()

    def paint_all(self, painter: QPainter) -> None:
        """Paint the page with its plots."""
        self.paint(painter)
        for field in self.fields:
            field.paint(painter)

    def field_at(self, point: QPointF) -> tuple[int, int, int] | None:
        """(field, row, column) under a point; the last painted wins."""
        for number in range(len(self.fields) - 1, -1, -1):
            found = self.fields[number].at(point)
            if found is not None:
                return number, *found
        return None
