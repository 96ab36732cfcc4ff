"""Maps on a page, each with its title, tokens, chosen cell and color bar, and the grid that they stand in."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.figure.colors import value_text_color
from attn_gui.figure.display import Allowed, Levels, Values
from attn_gui.figure.levels import Shade
from attn_gui.figure.maps.grounds import snapped
from attn_gui.figure.maps.map_figure import Axis, MapFigure, Panel
from attn_gui.figure.maps.map_parts import fitting_numbers, paint_bar, paint_panel
from attn_gui.figure.output.text import END, MIDDLE, write_line, write_within
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.page_drawing import Field, Spot
from attn_gui.figure.text.labels import elided, token_label
from attn_gui.figure.tokens import FONT_SIZE, LINE, SPACING

WIDE = 135.0
"""Width of a map's room from which on another one stands beside it."""
LEAST, MOST_LABEL, LEAST_ROW, BAR = 110.0, 64.0, 10.0, 9.0
MOST_WRITTEN = 400
"""Cells of a map in which numbers are written as its page writes them."""
FLATTEST, TALLEST = 0.2, 1.6
"""Height over width of a map; within these its cells are squares."""


def token_of(tokens: Sequence[str] | None, place: int) -> str:
    """A token as it can be seen, without the blanks round it; its number where there are none."""
    return token_label(tokens[place]) if tokens else str(place)


@dataclass(frozen=True, eq=False)
class PageMap:
    """A matrix with a title and what its rows and columns count: a word, or a name of axes.

    `tokens` name the rows; `chosen` is the cell to mark, or (row, −1) for all of a row. `signed` numbers have the
    signed colors, all others those of weights. `written` writes the numbers in the cells, where all of them fit.
    """

    title: str
    values: Values
    levels: Levels
    signed: bool = True
    allowed: Allowed | None = None
    axes: tuple[str, str] = ("query", "key")
    tokens: tuple[str, ...] | None = None
    chosen: tuple[int, int] | None = None
    written: Callable[[float], str] | None = None

    @property
    def ratio(self) -> float:
        """Height over width."""
        rows, columns = self.values.shape
        return float(min(max(rows / columns, FLATTEST), TALLEST))

    def figure(self, ink: Ink) -> MapFigure:
        """The figure that its cells and its bar are painted from."""
        return MapFigure(
            (Panel(self.values, self.allowed),),
            Axis(self.axes[0], ()),
            Axis(self.axes[1], ()),
            self.levels,
            weights=not self.signed,
            palette=Shade().palette_for(signed=self.signed),
            theme=ink.theme,
            words=ink.words,
        )


class MapGrid:
    """Places of maps in a rectangle, as many beside one another as it is wide."""

    def __init__(self, room: QRectF, maps: Sequence[PageMap], ink: Ink) -> None:
        self.maps, self.ink = maps, ink
        self._label = self.label_width(maps)
        self.places = self._placed(room)
        if all(place.height() < LEAST_ROW * len(one.values) for one, place in zip(maps, self.places, strict=True)):
            self._label = 0.0  # of tokens that cannot be written
            self.places = self._placed(room)

    def _placed(self, room: QRectF) -> list[QRectF]:
        """The rectangles of the maps; each line of them is as high as the highest of its maps needs it."""
        across, found, top = self._across(room.width(), len(self.maps)), [], room.top()
        pitch = room.width() / across
        wide = pitch - self._label - SPACING.l
        lines = [self.maps[low : low + across] for low in range(0, len(self.maps), across)]
        needed = [wide * max(one.ratio for one in line) for line in lines]
        share = (room.height() - len(lines) * self.beside()) / sum(needed)
        for line, high in zip(lines, needed, strict=True):
            for number, one in enumerate(line):
                tall = min(wide * one.ratio, high * share)
                left = room.left() + number * pitch + self._label
                found.append(QRectF(left, top + self.above(), min(wide, tall / one.ratio), tall))
            top += high * share + self.beside()
        return found

    # --- sizes -----------------------------------------------------------------------------------
    @staticmethod
    def above() -> float:
        """The height of a map's title and of the names of its axes."""
        return 2.0 * (metrics("small").height() + SPACING.xs)

    @classmethod
    def beside(cls) -> float:
        """The height of all that stands above and below a map."""
        return cls.above() + SPACING.m + BAR + metrics("micro").height() + SPACING.l

    @staticmethod
    def label_width(maps: Sequence[PageMap]) -> float:
        """The width of the tokens to the left of maps."""
        names = [token_of(one.tokens, row) for one in maps if one.tokens for row in range(len(one.tokens))]
        widest = max(map(metrics("micro").horizontalAdvance, names), default=0.0)
        return min(widest, MOST_LABEL) + SPACING.m if names else 0.0

    @classmethod
    def own_height(cls, across: float, maps: Sequence[PageMap]) -> float:
        """The height at which cells are squares."""
        return cls._height(across, maps, math.inf)

    @classmethod
    def least_height(cls, across: float, maps: Sequence[PageMap]) -> float:
        """The least height at a width."""
        return cls._height(across, maps, LEAST)

    @classmethod
    def _height(cls, across: float, maps: Sequence[PageMap], most: float) -> float:
        beside = cls._across(across, len(maps))
        wide = across / beside - cls.label_width(maps) - SPACING.l
        lines = (maps[low : low + beside] for low in range(0, len(maps), beside))
        return sum(min(wide * max(one.ratio for one in line), most) + cls.beside() for line in lines)

    @staticmethod
    def _across(width: float, count: int) -> int:
        return max(1, min(count, int(width / WIDE)))

    @property
    def bottom(self) -> float:
        """The lower end of the lowest map with its bar."""
        return max(place.bottom() for place in self.places) + self.beside() - self.above()

    # --- what is shown ---------------------------------------------------------------------------
    def fields(self, spot: Callable[[int, int, int], Spot]) -> tuple[Field, ...]:
        """A field for each map; `spot` is asked with the number of the map, row and column."""
        return tuple(
            Field(place, partial(spot, number), *one.values.shape)
            for number, (one, place) in enumerate(zip(self.maps, self.places, strict=True))
        )

    def paint(self, painter: QPainter) -> None:
        """Paint all maps."""
        for one, place in zip(self.maps, self.places, strict=True):
            self._paint_map(painter, one, snapped(painter, place))

    def _paint_map(self, painter: QPainter, one: PageMap, place: QRectF) -> None:
        theme, small, figure = self.ink.theme, metrics("small"), one.figure(self.ink)
        base = place.top() - SPACING.s - small.height() - SPACING.xs
        room = place.width() + self._label
        title = QPointF(place.left() - self._label, base)
        write_within(painter, title, one.title, theme.text, FONT_SIZE.small, room, strong=True)
        rows, columns = (self.ink.words.axes.get(axis, axis) for axis in one.axes)
        colors = [{"query": theme.query, "key": theme.key}.get(axis, theme.text2) for axis in one.axes]
        at = QPointF(place.left(), place.top() - SPACING.s)
        write_line(painter, at, f"{columns} →", colors[1], FONT_SIZE.small)
        if small.horizontalAdvance(f"{columns} →  {rows} ↓") <= place.width():
            end = QPointF(place.right(), at.y())
            write_line(painter, end, f"{rows} ↓", colors[0], FONT_SIZE.small, anchor=END)
        height, width = one.values.shape
        size = place.width() / width, place.height() / height
        paint_panel(painter, place, figure, 0, None if one.written else fitting_numbers(figure, *size))
        if one.written and one.values.size <= MOST_WRITTEN:
            _write_numbers(painter, one.written, figure, place)
        self._paint_tokens(painter, one, place, colors[0])
        self._paint_chosen(painter, one, place)
        paint_bar(painter, figure, QRectF(place.left(), place.bottom() + SPACING.m, place.width(), BAR))

    def _paint_tokens(self, painter: QPainter, one: PageMap, place: QRectF, color: QColor) -> None:
        """The tokens of the rows, where these are high enough."""
        micro, pitch = metrics("micro"), place.height() / len(one.values)
        if not one.tokens or pitch < LEAST_ROW:
            return
        for row in range(len(one.tokens)):
            text = elided(token_of(one.tokens, row), MOST_LABEL, micro)
            at = QPointF(place.left() - SPACING.s, place.top() + (row + 0.5) * pitch + micro.capHeight() / 2)
            here = one.chosen is not None and row == one.chosen[0]
            write_line(painter, at, text, color if here else self.ink.theme.text2, FONT_SIZE.micro, anchor=END)

    def _paint_chosen(self, painter: QPainter, one: PageMap, place: QRectF) -> None:
        if one.chosen is None:
            return
        (row, column), (n, m) = one.chosen, one.values.shape
        width, height = place.width() / m, place.height() / n
        cell = QRectF(place.left(), place.top() + row * height, place.width(), max(height, 3.0))
        if column >= 0:
            cell = QRectF(place.left() + column * width, cell.top(), max(width, 3.0), cell.height())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.ink.theme.ink, LINE.row_and_column))
        painter.drawRect(cell)


def _write_numbers(painter: QPainter, written: Callable[[float], str], figure: MapFigure, place: QRectF) -> None:
    """Write every number in its cell, if all of them fit."""
    values, micro = figure.panels[0].values, metrics("micro")
    (rows, columns), texts = values.shape, [[written(float(value)) for value in row] for row in values]
    width, height = place.width() / columns, place.height() / rows
    widest = max(micro.horizontalAdvance(text) for row in texts for text in row)
    if widest > width - SPACING.s or micro.height() > height:
        return
    colors = figure.table[figure.displays[0].indices]
    for row, column in np.ndindex(rows, columns):
        middle = QPointF(place.left() + (column + 0.5) * width, place.top() + (row + 0.5) * height)
        at = middle + QPointF(0, micro.capHeight() / 2)
        color = value_text_color(int(colors[row, column]))
        write_line(painter, at, texts[row][column], color, FONT_SIZE.micro, anchor=MIDDLE)
