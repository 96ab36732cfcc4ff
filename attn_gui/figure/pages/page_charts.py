"""Charts that pages share: grids of maps, rows of bars, layers by heads or by tokens, tokens written beside them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine.analysis.sweep import ScaledRow
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.stages import stage_of
from attn_gui.figure.colors import Allowed, ColorScale, Levels, Values, value_text_color
from attn_gui.figure.design_tokens import FONT_SIZE, LINE, SPACING, Theme
from attn_gui.figure.heatmap import MapAxis, MapFigure, MapPanel, snapped
from attn_gui.figure.heatmap_painting import fitting_numbers, paint_bar, paint_panel
from attn_gui.figure.pages.page_kind import (
    ChoiceOption,
    PageLayout,
    PageSpot,
    PageStyle,
    Sides,
    SpotGrid,
    body_width,
    metrics,
    with_frame,
)
from attn_gui.figure.text.number_formats import format_number
from attn_gui.figure.text.rich_text import elided, label_step, token_label, write_symbols
from attn_gui.figure.writers import END, MIDDLE, write_line
from attn_gui.languages import N_, page_words

WIDE = 135.0
"""Width of a map's room from which on another one stands beside it."""
LEAST_MAP, MOST_LABEL, LEAST_ROW, BAR = 110.0, 64.0, 10.0, 9.0
MOST_WRITTEN = 400
"""Cells of a map in which numbers are written as its page writes them."""
FLATTEST, TALLEST = 0.2, 1.6
"""Height over width of a map; within these its cells are squares."""


def token_of(tokens: Sequence[str] | None, place: int) -> str:
    """Return a token as it can be seen, without the blanks round it; its number where there are none."""
    return token_label(tokens[place]) if tokens else str(place)


def token_and_place(tokens: Sequence[str] | None, place: int) -> str:
    """Return a token as it can be seen, with its number in brackets; its number alone where there are none."""
    return f"{token_of(tokens, place)} ({place})" if tokens else str(place)


def cells_figure(
    style: PageStyle,
    values: Values,
    allowed: Allowed | None,
    levels: Levels,
    *,
    signed: bool = False,
    weights: bool | None = None,
) -> MapFigure:
    """Return (rows, columns) cells without labels, as `paint_panel` and `paint_bar` take them.

    `signed` numbers have the signed colors, all others those of weights; `weights` says whether they are (None: if they
    are not signed).
    """
    return MapFigure(
        (MapPanel(values, allowed),),
        MapAxis("row", ()),
        MapAxis("column", ()),
        levels,
        weights=not signed if weights is None else weights,
        palette=ColorScale().palette_for(signed=signed),
        theme=style.theme,
        words=style.words,
    )


def paint_row_tokens(
    painter: QPainter, place: QRectF, tokens: Sequence[str], chosen: int | None, color: QColor, style: PageStyle
) -> None:
    """Write the tokens of the rows of a map to its left, the chosen one in a color."""
    micro, pitch = metrics("micro"), place.height() / len(tokens)
    for row in range(len(tokens)):
        text = elided(token_of(tokens, row), MOST_LABEL, micro)
        at = QPointF(place.left() - SPACING.s, place.top() + (row + 0.5) * pitch + micro.capHeight() / 2)
        write_line(painter, at, text, color if row == chosen else style.theme.text2, FONT_SIZE.micro, anchor=END)


def paint_chosen_cell(
    painter: QPainter, place: QRectF, shape: tuple[int, int], chosen: tuple[int, int], style: PageStyle
) -> None:
    """Frame the chosen cell (row, column) of a map of a shape, or with the column −1 its row."""
    (row, column), (rows, columns) = chosen, shape
    width, height = place.width() / columns, place.height() / rows
    cell = QRectF(place.left(), place.top() + row * height, place.width(), max(height, 3.0))
    if column >= 0:
        cell = QRectF(place.left() + column * width, cell.top(), max(width, 3.0), cell.height())
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(style.theme.ink, LINE.row_and_column))
    painter.drawRect(cell)


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

    def figure(self, style: PageStyle) -> MapFigure:
        """Return the figure that its cells and its bar are painted from."""
        return cells_figure(style, self.values, self.allowed, self.levels, signed=self.signed)


class MapGrid:
    """Places of maps in a rectangle, as many beside one another as it is wide."""

    def __init__(self, room: QRectF, maps: Sequence[PageMap], style: PageStyle) -> None:
        self.maps, self.style = maps, style
        self._label = self.label_width(maps)
        self.places = self._placed(room)
        if all(place.height() < LEAST_ROW * len(one.values) for one, place in zip(maps, self.places, strict=True)):
            self._label = 0.0  # of tokens that cannot be written
            self.places = self._placed(room)

    def _placed(self, room: QRectF) -> list[QRectF]:
        """Return the rectangles of the maps; each line of them is as high as the highest of its maps needs it."""
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
        """Return the height of a map's title and of the names of its axes."""
        return 2.0 * (metrics("small").height() + SPACING.xs)

    @classmethod
    def beside(cls) -> float:
        """Return the height of all that stands above and below a map."""
        return cls.above() + SPACING.m + BAR + metrics("micro").height() + SPACING.l

    @staticmethod
    def label_width(maps: Sequence[PageMap]) -> float:
        """Return the width of the tokens to the left of maps."""
        names = [token_of(one.tokens, row) for one in maps if one.tokens for row in range(len(one.tokens))]
        widest = max(map(metrics("micro").horizontalAdvance, names), default=0.0)
        return min(widest, MOST_LABEL) + SPACING.m if names else 0.0

    @classmethod
    def height(cls, across: float, maps: Sequence[PageMap], most: float = math.inf) -> float:
        """Return the height at which cells are squares and no map is higher than the most."""
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
    def fields(self, spot: Callable[[int, int, int], PageSpot]) -> tuple[SpotGrid, ...]:
        """Return a field for each map; `spot` is asked with the number of the map, row and column."""
        return tuple(
            SpotGrid(place, partial(spot, number), *one.values.shape)
            for number, (one, place) in enumerate(zip(self.maps, self.places, strict=True))
        )

    def paint(self, painter: QPainter) -> None:
        """Paint all maps."""
        for one, place in zip(self.maps, self.places, strict=True):
            self._paint_map(painter, one, snapped(painter, place))

    def _paint_map(self, painter: QPainter, one: PageMap, place: QRectF) -> None:
        theme, small, figure = self.style.theme, metrics("small"), one.figure(self.style)
        base = place.top() - SPACING.s - small.height() - SPACING.xs
        room = place.width() + self._label
        title = QPointF(place.left() - self._label, base)
        write_symbols(painter, title, one.title, theme.text, FONT_SIZE.small, room, strong=True)
        rows, columns = (self.style.words.axes.get(axis, axis) for axis in one.axes)
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
        if one.tokens and place.height() / height >= LEAST_ROW:
            paint_row_tokens(painter, place, one.tokens, one.chosen and one.chosen[0], colors[0], self.style)
        if one.chosen is not None:
            paint_chosen_cell(painter, place, one.values.shape, one.chosen, self.style)
        paint_bar(painter, figure, QRectF(place.left(), place.bottom() + SPACING.m, place.width(), BAR))


def _write_numbers(painter: QPainter, written: Callable[[float], str], figure: MapFigure, place: QRectF) -> None:
    """Write every finite number in its cell, if all of them fit; the panel has said of the others what they are."""
    values, micro = figure.panels[0].values, metrics("micro")
    (rows, columns), texts = values.shape, [[written(float(value)) for value in row] for row in values]
    width, height = place.width() / columns, place.height() / rows
    widest = max(micro.horizontalAdvance(text) for row in texts for text in row)
    if widest > width - SPACING.s or micro.height() > height:
        return
    colors = figure.table[figure.displays[0].indices]
    for row, column in np.argwhere(np.isfinite(values)).tolist():
        middle = QPointF(place.left() + (column + 0.5) * width, place.top() + (row + 0.5) * height)
        at = middle + QPointF(0, micro.capHeight() / 2)
        color = value_text_color(int(colors[row, column]))
        write_line(painter, at, texts[row][column], color, FONT_SIZE.micro, anchor=MIDDLE)


class MapsLayout(PageLayout):
    """A grid of maps, which may be none, and `room` below it, `below` pixels high, for what a subclass paints there."""

    def __init__(
        self,
        style: PageStyle,
        size: Sides,
        maps: Sequence[PageMap],
        *,
        title: str,
        subtitle: str,
        note: str,
        least_width: float,
        below: float = 0.0,
    ) -> None:
        self.style, self.maps, self.note = style, maps, note
        self.frame = with_frame(
            style,
            size,
            title=title,
            subtitle=subtitle,
            note=note,
            tall=lambda across: MapGrid.height(across, maps) + below,
            least=(least_width, MapGrid.height(body_width(size), maps, LEAST_MAP) + below),
        )
        body = self.frame.body
        self.grid = MapGrid(body.adjusted(0, 0, 0, -below), maps, style) if maps else None
        top = body.top() if self.grid is None else min(self.grid.bottom, body.bottom() - below)
        self.room = QRectF(body.left(), top + SPACING.m, body.width(), max(below - SPACING.m, 0.0))

    def said(self) -> str:
        return ". ".join(part for part in (self.frame.title, self.frame.subtitle, self.note) if part)

    def fields(self) -> tuple[SpotGrid, ...]:
        return () if self.grid is None else self.grid.fields(self.spot)

    @abstractmethod
    def spot(self, number: int, row: int, column: int) -> PageSpot:
        """Return what a place of a map says, and the cell that a click there chooses."""

    def paint_body(self, painter: QPainter) -> None:
        if self.grid is not None:
            self.grid.paint(painter)

    def paint_list(
        self, painter: QPainter, lines: Iterable[tuple[str, Sequence[str]]], ends: Sequence[float], room: float
    ) -> None:
        """Write a list below the maps: of each line a name, `room` pixels wide at most, and texts that end at `ends`.

        The first line names the columns; above each of the others there is a rule.
        """
        theme, micro, left = self.style.theme, metrics("micro"), self.room.left()
        base = self.room.top() + micro.ascent()
        for number, (name, texts) in enumerate(lines):
            if number:
                base += list_line()
                top = base - micro.ascent() - SPACING.xs
                painter.setPen(QPen(theme.line, 1.0))
                painter.drawLine(QLineF(left, top, self.room.right(), top))
            write_symbols(painter, QPointF(left, base), name, theme.text2, FONT_SIZE.micro, room)
            for end, text in zip(ends, texts, strict=True):
                write_line(painter, QPointF(end, base), text, theme.text, FONT_SIZE.micro, anchor=END)


def list_line() -> float:
    """Return the height of a line of `MapsLayout.paint_list`."""
    return metrics("micro").height() + SPACING.s


# --- Rows of names with bars from a common zero, one or two to a row, and their numbers ---
ROW, LEAST_BAR_ROW = 20.0, 12.0
NAME_SHARE, LEAST_BARS = 0.35, 60.0
HALF = 0.32
"""Of a row that its bars take, to each side of its middle."""


@dataclass(frozen=True, eq=False)
class BarRow:
    """A row: its name, its values (one, or now and before), what a hover says and what a click chooses."""

    name: str
    values: tuple[float, ...]
    spot: PageSpot


class BarRows(PageLayout):
    """A page of rows: a name, bars from a common zero, and at the right their numbers as `written` writes them."""

    def __init__(
        self,
        rows: Sequence[BarRow],
        style: PageStyle,
        size: Sides,
        *,
        title: str,
        subtitle: str = "",
        written: Callable[[float], str],
    ) -> None:
        self.rows, self.style, self.written = tuple(rows), style, written
        small = metrics("small")
        self.pairs = max((len(row.values) for row in rows), default=1)
        numbers = (written(value) for row in rows for value in row.values)
        self.number = max(map(small.horizontalAdvance, numbers), default=0.0) + SPACING.m
        count = max(1, len(self.rows))
        self.frame = with_frame(
            style,
            size,
            title=title,
            subtitle=subtitle,
            tall=lambda _across: count * ROW,
            least=(self.pairs * self.number + 2 * LEAST_BARS, count * LEAST_BAR_ROW),
        )
        body = self.frame.body
        widest = max((small.horizontalAdvance(row.name) for row in self.rows), default=0.0) + SPACING.m
        self.names = min(widest, body.width() * NAME_SHARE)
        self.pitch = min(body.height() / count, 1.6 * ROW)
        left = body.left() + self.names
        self.bars = QRectF(left, body.top(), body.right() - self.pairs * self.number - left, count * self.pitch)
        finite = [value for row in self.rows for value in row.values if np.isfinite(value)]
        self.low, self.high = min([0.0, *finite]), max([0.0, *finite])
        if self.low == self.high:
            self.high = 1.0

    def said(self) -> str:
        return f"{self.frame.title}. {'; '.join(row.spot.text for row in self.rows)}"

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return the field of the rows: a hover says one."""
        body = self.frame.body
        place = QRectF(body.left(), self.bars.top(), body.width(), self.bars.height())
        return (SpotGrid(place, lambda row, _column: self.rows[row].spot, len(self.rows)),) if self.rows else ()

    def paint_body(self, painter: QPainter) -> None:
        for number, row in enumerate(self.rows):
            self._paint_row(painter, row, self.bars.top() + (number + 0.5) * self.pitch)
        if self.low < 0:
            zero = self._across(0.0)
            painter.setPen(QPen(self.style.theme.line_strong, 1.0))
            painter.drawLine(QLineF(zero, self.bars.top(), zero, self.bars.bottom()))

    def _across(self, value: float) -> float:
        return self.bars.left() + (value - self.low) / (self.high - self.low) * self.bars.width()

    def _paint_row(self, painter: QPainter, row: BarRow, middle: float) -> None:
        theme, small = self.style.theme, metrics("small")
        base = middle + small.capHeight() / 2
        at, room = QPointF(self.frame.body.left(), base), self.names - SPACING.m
        write_symbols(painter, at, row.name, theme.text, FONT_SIZE.small, room)
        thick = 2 * HALF * self.pitch / len(row.values)
        for place, value in enumerate(row.values):
            if np.isfinite(value):
                top = middle - HALF * self.pitch + place * thick
                bar = QRectF(self._across(0.0), top, self._across(value) - self._across(0.0), max(thick - 1, 1.0))
                painter.fillRect(bar.normalized(), self._color(place))
            right = self.frame.body.right() - (self.pairs - 1 - place) * self.number
            tone = theme.text if place == 0 else theme.text2
            write_line(painter, QPointF(right, base), self.written(value), tone, FONT_SIZE.small, anchor=END)

    def _color(self, place: int) -> QColor:
        return self.style.theme.accent if place == 0 else self.style.theme.line_strong


# --- grid of layers -------------------------------------------------------------------------------
LEAST_GRID = 200.0
HEADS, TOKENS = "heads", "tokens"
COLUMNS = {
    HEADS: page_words(N_("Pages", "results of the heads")),
    TOKENS: page_words(N_("Pages", "tokens after each layer")),
}
OF = ChoiceOption(
    "of", N_("Pages", "of"), N_("Pages", "What the columns of the map are, layer by layer: heads or tokens"), COLUMNS
)
"""The option that chooses between heads and tokens."""
RESULT = stage_of(Role.MIX)
"""The stage of the results of the heads."""


class LayerGrid(MapsLayout):
    """A page of maps with a row for each layer; with `heads` columns are heads, else the tokens of `names`.

    `maps` are (layers, columns) numbers by their titles, `layer` is the one on the table.
    """

    def __init__(
        self,
        style: PageStyle,
        size: Sides,
        maps: Mapping[str, Values],
        *,
        heads: bool,
        layer: int,
        names: Sequence[str] = (),
        signed: bool = False,
        title: str,
        subtitle: str,
        note: str = "",
    ) -> None:
        self.style, self.heads, self.layer, self.names, self.signed = style, heads, layer, names, signed
        shown = [self._map(name, values) for name, values in maps.items()]
        super().__init__(style, size, shown, title=title, subtitle=subtitle, note=note, least_width=LEAST_GRID)

    def spot(self, number: int, row: int, column: int) -> PageSpot:
        value = format_number(float(self.maps[number].values[row, column]), 4)
        name = self.style.words.head.format(column) if self.heads else self.names[column]
        layer = self.style.translate("Pages", "layer {layer}").format(layer=row)
        return PageSpot(f"{layer}, {name}: {value}", head=(row, column) if self.heads else None)

    def _map(self, name: str, values: Values) -> PageMap:
        finite = values[np.isfinite(values)]
        most = float(np.abs(finite).max(initial=0.0)) or 1.0
        across = self.style.translate("Pages", "head") if self.heads else self.style.translate("Pages", "token")
        return PageMap(
            name,
            values,
            Levels(-most if self.signed else 0.0, most),
            signed=self.signed,
            axes=(self.style.translate("Pages", "layer"), across),
            tokens=tuple(map(str, range(len(values)))),
            chosen=(self.layer, -1),
            written=lambda value: format_number(value, 2),
        )


# --- A row of weights as bars over its keys, and the names of the keys below them ---
APART = 4.0
"""From this width on there is a gap between bars."""
NAMED = 24.0
"""From this width on a bar has its token."""


def paint_row_bars(painter: QPainter, place: QRectF, row: ScaledRow, color: QColor, theme: Theme) -> None:
    """Paint weights from 0 to 1; of more keys than pixels the largest under each; closed keys are gray."""
    painter.fillRect(place, theme.raised)
    keys = len(row.weights)
    count = min(keys, max(int(place.width()), 1))
    starts = np.arange(count) * keys // count
    tallest = np.maximum.reduceat(np.nan_to_num(row.weights, nan=0.0), starts)
    closed = np.zeros(count, bool) if row.allowed is None else ~np.logical_or.reduceat(row.allowed, starts)
    pitch = place.width() / count
    wide = pitch - (1.0 if pitch >= APART else 0.0)
    for column, weight in enumerate(tallest.tolist()):
        left = place.left() + column * pitch
        if closed[column]:
            painter.fillRect(QRectF(left, place.top(), wide, place.height()), theme.masked)
        height = min(max(weight, 0.0), 1.0) * place.height()
        painter.fillRect(QRectF(left, place.bottom() - height, wide, height), color)
    painter.setPen(QPen(theme.line_strong, 1.0))
    painter.drawLine(place.bottomLeft(), place.bottomRight())


def paint_key_names(
    painter: QPainter, place: QRectF, tokens: tuple[str, ...] | None, count: int, chosen: int, theme: Theme
) -> None:
    """Paint tokens below the bars, or numbers where there are none or too little room."""
    micro, pitch = metrics("micro"), place.width() / count
    named = tokens if pitch >= NAMED else None
    step = 1 if named else label_step(micro.horizontalAdvance(str(count)) + SPACING.m, pitch)
    for key in range(0, count, step):
        name = token_label(named[key]) if named else str(key)
        at = QPointF(place.left() + (key + 0.5) * pitch, place.bottom() + SPACING.xs + micro.ascent())
        color = theme.key if key == chosen else theme.text2
        write_line(painter, at, elided(name, pitch * step - 1, micro), color, FONT_SIZE.micro, anchor=MIDDLE)
