"""Two maps of the same cells side by side, the chosen cell written out below the title. Imports figure and engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from attn_gui.engine import Evaluation, Plane
from attn_gui.engine.graph.nodes import symbol, title
from attn_gui.engine.progress import Tell, within
from attn_gui.figure.display import Allowed, Values
from attn_gui.figure.levels import Shade, auto_levels, largest_levels
from attn_gui.figure.maps.grounds import snapped
from attn_gui.figure.maps.map_figure import Axis, MapFigure, Panel
from attn_gui.figure.maps.map_parts import fitting_numbers, paint_bar, paint_panel
from attn_gui.figure.output.text import END, write_line, write_within
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.frame import body_width, framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.map_grid import token_of
from attn_gui.figure.pages.page_drawing import Block, Cell, Drawing, Field, Spot, span
from attn_gui.figure.reading import pooled_map
from attn_gui.figure.text.labels import elided, token_label
from attn_gui.figure.text.numbers import format_number
from attn_gui.figure.tokens import FONT_SIZE, LINE, SPACING

QUICK = 1 << 16
"""Cells of a map that are read within a frame."""
SIDE = 256
"""Blocks of a map at most, by side."""
BESIDE = 430.0
"""From this width on the maps stand side by side."""
LEAST, MOST_LABEL, LEAST_ROW = 110.0, 64.0, 10.0
BAR = 9.0
CELL, WIDEST = 24.0, 48.0
"""Height of the row of the heads' numbers, and the width of one of them at most."""

Picture = tuple[Values, Allowed | None]


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoMaps:
    """Two maps in blocks, of a head or of all together; `weights` says which of them hold weights.

    `cell` is the chosen one, `stage` the map whose cell a click chooses; `each` the numbers of all heads there.
    """

    stage: str
    names: tuple[str, str]
    maps: tuple[Picture, Picture]
    weights: tuple[bool, bool]
    shape: tuple[int, int]
    tokens: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
    head: int
    heads: int
    cell: tuple[int, int]
    each: tuple[float, ...] = ()
    said_of_each: str = ""

    @property
    def formula(self) -> str:
        """The chosen cell, written out."""
        raise NotImplementedError


def read_maps(
    evaluation: Evaluation, names: tuple[str, str], batch: int, head: int | None, tell: Tell
) -> tuple[Picture, Picture]:
    """Two maps of an evaluation in blocks."""
    planes = (Plane(evaluation, name, batch, head) for name in names)
    first, second = (pooled_map(plane, SIDE, within(tell, number, 2)) for number, plane in enumerate(planes))
    return first, second


def is_quick(aim: Aim) -> bool:
    """Whether maps of a problem are read within a frame."""
    return aim.problem.n * aim.problem.m <= QUICK


class TwoMapsLayout:
    """Two maps of one size, side by side or one below the other, each with its title and its color bar."""

    def __init__(self, title: str, shown: TwoMaps, ink: Ink, width: float | None, height: float | None) -> None:
        self.shown, self.ink, self.title = shown, ink, title
        small, micro = metrics("small"), metrics("micro")
        self.below = SPACING.m + BAR + micro.height() + SPACING.l
        head = f" · {ink.words.head.format(shown.head)}" if shown.heads > 1 and not shown.each else ""
        across, down = (2, 1) if body_width(width) >= BESIDE else (1, 2)
        self.over = self._room_for(1, body_width(width) / across - MOST_LABEL - SPACING.l, 0.0)
        self.above = 2 * (small.height() + SPACING.xs) + self.over
        heads_row = self._row_of_heads() if shown.each else 0.0
        self.frame = framed(
            ink,
            width,
            height,
            title=title + head,
            note=shown.formula,
            tall=self._own_height,
            least=(2 * LEAST, down * (LEAST + self.above + self.below) + heads_row),
        )
        body = self.frame.body.adjusted(0, 0, 0, -heads_row)
        self.label = self._label(body.height() / down - self.above - self.below)
        pitch = body.width() / across, body.height() / down
        room = pitch[0] - self.label - SPACING.l, pitch[1] - self.above - self.below
        side = self._side(*room)
        count, low = len(shown.each), self.frame.body.bottom() - CELL
        self.heads = QRectF(self.frame.body.left(), low, min(count * WIDEST, self.frame.body.width()), CELL)
        self.places = [
            QRectF(
                body.left() + (number if across == 2 else 0) * pitch[0] + self.label,
                body.top() + (number if down == 2 else 0) * pitch[1] + self.above,
                *side,
            )
            for number in range(2)
        ]

    def drawing(self) -> Drawing:
        """The page; a click chooses the weight."""
        frame, fields = self.frame, []
        for number, place in enumerate(self.places):
            rows, columns = self.shown.maps[number][0].shape
            fields.append(Field(place, partial(self._spot, number), rows, columns))
        if count := len(self.shown.each):
            fields.append(Field(self.heads, self._head_spot, 1, count))
        said = f"{frame.title}. {self.shown.formula}."
        return Drawing(frame.width, frame.height, self.title, said, self._paint, tuple(fields))

    # --- places ----------------------------------------------------------------------------------
    def _own_height(self, across: float) -> float:
        down, more = 1 if across >= BESIDE else 2, self._row_of_heads() if self.shown.each else 0.0
        label = MOST_LABEL if self.shown.tokens[0] else SPACING.xl
        tall = self._side(across * down / 2 - label - SPACING.l, across)[1]
        return down * (max(tall, LEAST) + self.above + self.below) + more

    def _side(self, width: float, height: float) -> tuple[float, float]:
        """The size of a map whose cells are squares, unless that would make it a line."""
        rows, columns = self.shown.shape
        ratio = min(max(rows / columns, 0.25), 4.0)
        width = min(width, height / ratio)
        return width, width * ratio

    def _label(self, height: float) -> float:
        """The room for the tokens of queries, where rows are high enough for them."""
        return self._room_for(0, height, SPACING.xl)

    def _room_for(self, axis: int, length: float, without: float) -> float:
        """The room for the tokens of an axis of this length, where its cells are large enough for them."""
        names = self.shown.tokens[axis]
        if not names or length / self.shown.shape[axis] < LEAST_ROW:
            return without
        widest = max(metrics("micro").horizontalAdvance(token_label(name)) for name in names)
        return min(widest, MOST_LABEL) + SPACING.m

    def _spot(self, number: int, row: int, column: int) -> Spot:
        """The cells of a block, and the largest number of them."""
        values = self.shown.maps[number][0]
        block = Block.at((row, column), values.shape, self.shown.shape)
        sides = zip(self.shown.tokens, (block.rows, block.columns), strict=True)
        query, key = (span(token_of(tokens, side[0]), token_of(tokens, side[-1])) for tokens, side in sides)
        value = block.told(format_number(float(values[row, column]), 4), self.ink)
        text = f"{symbol(self.shown.names[number])} {query} → {key} ({block.places}): {value}"
        return Spot(text, Cell(self.shown.stage, *block.first, self.shown.head))

    def _row_of_heads(self) -> float:
        """The room that the row of the heads' numbers takes."""
        return CELL + metrics("small").height() + SPACING.l

    def _head_spot(self, _row: int, head: int) -> Spot:
        """The cell of one head, which a click chooses."""
        number = format_number(self.shown.each[head], 4)
        return Spot(f"{self.ink.words.head.format(head)}: {number}", Cell(self.shown.stage, *self.shown.cell, head))

    # --- painting --------------------------------------------------------------------------------
    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        for number, place in enumerate(self.places):
            self._paint_map(painter, number, snapped(painter, place))
        if self.shown.each:
            self._paint_heads(painter, snapped(painter, self.heads))

    def _paint_heads(self, painter: QPainter, place: QRectF) -> None:
        """The number of every head at the chosen cell, in the colors of the maps."""
        row = np.array([self.shown.each], np.float32)
        figure = replace(self._figure(1), panels=(Panel(row),), rows=Axis("row", ()), columns=Axis("column", ()))
        base = QPointF(place.left(), place.top() - SPACING.s)
        said, room = self.ink.translate("Pages", self.shown.said_of_each), self.frame.body.width()
        write_within(painter, base, said, self.ink.theme.text2, FONT_SIZE.small, room)
        paint_panel(painter, place, figure, 0, fitting_numbers(figure, place.width() / row.size, place.height()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.ink.theme.ink, LINE.row_and_column))
        step = place.width() / row.size
        painter.drawRect(QRectF(place.left() + self.shown.head * step, place.top(), step, place.height()))

    def _paint_map(self, painter: QPainter, number: int, place: QRectF) -> None:
        theme, small, shown = self.ink.theme, metrics("small"), self.shown
        figure, name = self._figure(number), shown.names[number]
        words = f"{symbol(name)}  {title(name, self.ink.lang)}"
        top = place.top() - SPACING.s - self.over
        base = top - small.height() - SPACING.xs
        at, room = QPointF(place.left(), base), place.width() + self.label
        write_within(painter, at, words, theme.text, FONT_SIZE.small, room, strong=True)
        key, query = f"{self.ink.words.axes['key']} →", f"{self.ink.words.axes['query']} ↓"
        both = small.horizontalAdvance(key) + SPACING.m + small.horizontalAdvance(query)
        at, end = (QPointF(x, top) for x in (place.left(), place.left() + max(place.width(), both)))
        write_line(painter, at, key, theme.key, FONT_SIZE.small)
        write_line(painter, end, query, theme.query, FONT_SIZE.small, anchor=END)
        rows, columns = figure.shape
        paint_panel(painter, place, figure, 0, fitting_numbers(figure, place.width() / columns, place.height() / rows))
        self._paint_tokens(painter, place)
        self._paint_chosen(painter, place)
        paint_bar(painter, figure, QRectF(place.left(), place.bottom() + SPACING.m, place.width(), BAR))

    def _paint_tokens(self, painter: QPainter, place: QRectF) -> None:
        """The tokens of the queries and, turned, of the keys, where cells are large enough for them."""
        (queries, keys), micro = self.shown.tokens, metrics("micro")
        pitch = place.width() / self.shown.shape[1]
        for column, name in enumerate(keys or () if self.over and pitch >= LEAST_ROW else ()):
            painter.save()
            x = place.left() + (column + 0.5) * pitch + micro.capHeight() / 2
            painter.translate(x, place.top() - SPACING.s)
            painter.rotate(-90)
            color = self.ink.theme.key if column == self.shown.cell[1] else self.ink.theme.text2
            write_line(painter, QPointF(0, 0), elided(token_label(name), MOST_LABEL, micro), color, FONT_SIZE.micro)
            painter.restore()
        pitch = place.height() / self.shown.shape[0]
        for row, name in enumerate(queries or () if self.label != SPACING.xl else ()):
            text = elided(token_label(name), MOST_LABEL, micro)
            at = QPointF(place.left() - SPACING.s, place.top() + (row + 0.5) * pitch + micro.capHeight() / 2)
            color = self.ink.theme.query if row == self.shown.cell[0] else self.ink.theme.text2
            write_line(painter, at, text, color, FONT_SIZE.micro, anchor=END)

    def _paint_chosen(self, painter: QPainter, place: QRectF) -> None:
        (row, column), (n, m) = self.shown.cell, self.shown.shape
        width, height = place.width() / m, place.height() / n
        cell = QRectF(place.left() + column * width, place.top() + row * height, max(width, 3.0), max(height, 3.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.ink.theme.ink, LINE.row_and_column))
        painter.drawRect(cell)

    def _figure(self, number: int) -> MapFigure:
        values, allowed = self.shown.maps[number]
        weights = self.shown.weights[number]
        levels = largest_levels(values, allowed, signed=False)
        if weights:
            levels = auto_levels(values, allowed, signed=False, keys=self.shown.shape[1])
        return MapFigure(
            (Panel(values, allowed),),
            Axis("query", ()),
            Axis("key", ()),
            levels,
            weights=weights,
            palette=Shade().palette_for(signed=False),
            theme=self.ink.theme,
            words=self.ink.words,
        )
