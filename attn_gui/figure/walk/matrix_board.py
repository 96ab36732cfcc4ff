"""The matrices beside a beat: rows and columns on show, their names, the arrow from a cell to its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from attn_gui.engine import Evaluation, symbol
from attn_gui.figure.colors import ALLOWED, argb, auto_levels, to_display, value_text_color
from attn_gui.figure.colors import PLAIN as USUAL_SHADE
from attn_gui.figure.design_tokens import RADIUS, Theme
from attn_gui.figure.heatmap import MapAxis, MapFigure, MapPanel, paint_cells
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.stage_formulas import KEY, QUERY, picture_of, stage_plane
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.number_formats import CellNumbers, cell_decimals, cell_text
from attn_gui.figure.text.rich_text import elided, escaped, indexed, strong, token_label
from attn_gui.figure.walk.walk_canvas import SMALL, WalkCanvas
from attn_gui.figure.writers import END, MIDDLE, PdfPage, SvgPage
from attn_gui.pictures.planes import PlaneLike, uncovered

LEFT, TOP, RIGHT, BOTTOM, GAP = 24.0, 36.0, 306.0, 293.0, 15.0
"""Sides of the rectangle of the matrices with the names of their rows, and the gap between operands and map."""
LABELS = 20.0, 72.0
"""Least and most room for the names of rows beside operands."""
PITCH = SMALL
"""Least distance of names, in rows and where they are turned."""
LARGEST_CELL, LEAST_OPERAND_CELL, THIN = 60.0, 21.0, 10.0
"""Sizes of cells beside operands; those of operands that have no room for numbers."""
ALONE_LEFT, ALONE_TOP, ALONE_SIDE = 91.0, 88.0, 210.0
"""Place of a map without its operands: beside it and above stand names."""
PICTURE = 360.0, 360.0
"""Size of what is kept of a board."""
MOST_CELLS, WINDOW = 32, 16
"""Rows or columns of a map that is shown whole; of a longer one so many around the cell are."""


@dataclass(frozen=True, eq=False)
class BoardMap:
    """A matrix on the board: its place, and the rows and columns of it that are shown."""

    place: QRectF
    rows: range
    columns: range
    figure: MapFigure
    numbers: CellNumbers | None
    pixels: float
    covered: tuple[tuple[int, int], ...] = ()  # cells whose numbers are not to be seen

    def cell(self, row: int, column: int) -> QRectF:
        """Return the rectangle of a cell."""
        width, height = self.place.width() / len(self.columns), self.place.height() / len(self.rows)
        down, across = row - self.rows.start, column - self.columns.start
        return QRectF(self.place.left() + across * width, self.place.top() + down * height, width, height)

    def color(self, value: float) -> QColor:
        """Return the color that a number has in this map."""
        display = to_display(np.array([[value]]), None, self.figure.levels)
        return QColor.fromRgb(int(argb(display, self.figure.table, self.figure.theme)[0, 0]))

    def paint(self, canvas: WalkCanvas, blank: tuple[int, int] | None) -> None:
        """Paint cells and numbers; a `blank` cell is left empty."""
        painter, panel = canvas.painter, self.figure.panels[0]
        painter.save()
        paint_cells(painter, self.place, self.figure, panel)
        painter.restore()
        display = self.figure.displays[0]
        for row, column in np.argwhere(display.flags == ALLOWED).tolist() if self.numbers is not None else ():
            where = self.rows[row], self.columns[column]
            if where != blank and self.numbers is not None:
                value, cell = float(panel.values[row, column]), self.cell(*where)
                ink = value_text_color(int(self.figure.table[display.indices[row, column]]))
                text = cell_text(value, self.numbers)
                canvas.text(cell.center().x(), cell.center().y() + self.pixels * 0.36, text, self.pixels, ink, MIDDLE)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(canvas.theme.line_strong, 1.0))
        painter.drawRect(self.place)
        for row, column in self.covered:
            cell = self.cell(row, column).adjusted(1.5, 1.5, -1.5, -1.5)
            painter.setPen(QPen(canvas.theme.accent, 1.5, Qt.PenStyle.DashLine))
            painter.setBrush(canvas.theme.surface)
            painter.drawRect(cell)
            foot = cell.center().y() + self.pixels * 0.36
            canvas.text(cell.center().x(), foot, strong("?"), self.pixels, canvas.theme.accent, MIDDLE)
        if blank is not None:
            painter.fillRect(self.cell(*blank), canvas.theme.surface)


class MatrixBoard:
    """The matrices around a stage, where they are few enough to be read, else its map; rows and columns as shown.

    `row` and `column` are those of the cell; a column of None rules the row alone.
    """

    def __init__(
        self, evaluation: Evaluation, stage: str, batch: int, head: int, cell: tuple[int, int | None], style: PageStyle
    ) -> None:
        self.row, self.column = cell
        self._evaluation, self._style, self._theme = evaluation, style, style.theme
        several = evaluation.problem.num_heads > 1 and not evaluation.node(stage).stage.joined
        self._head = head if several else None
        self._picture = picture_of(stage, evaluation)
        self._planes: dict[str, tuple[str, PlaneLike]] = {
            "stage": (symbol(stage), stage_plane(evaluation, stage, batch, head))
        }
        for place, operand in (("left", self._picture.left), ("top", self._picture.top)):
            if operand is not None:
                self._planes[place] = operand.symbol, operand.plane(evaluation, batch, head)
        self.maps = self._laid_out()
        self._kept: dict[tuple[bool, float, float], QImage] = {}
        self.map = self.maps["stage"]

    # --- layout ----------------------------------------------------------------------------------
    def _laid_out(self) -> dict[str, BoardMap]:
        rows, columns = self._planes["stage"][1].shape
        if {"left", "top"} <= self._planes.keys():
            inner = self._planes["left"][1].shape[1]
            left = LEFT + self._label_room(rows) + 5
            across, down = (RIGHT - left - GAP) / (inner + columns), (BOTTOM - TOP - GAP) / (inner + rows)
            side = thick = min(LARGEST_CELL, across, down)
            if side < LEAST_OPERAND_CELL:  # operands share the rows and columns of the map, not the size of its cells
                thick = THIN
                across, down = (
                    (RIGHT - left - GAP - inner * thick) / columns,
                    (BOTTOM - TOP - GAP - inner * thick) / rows,
                )
                side = min(LARGEST_CELL, across, down)
            if side >= LEAST_OPERAND_CELL and self._planes["top"][1].shape[0] == inner:
                x, y = left + inner * thick + GAP, TOP + inner * thick + GAP
                places = {
                    "left": QRectF(left, y, inner * thick, rows * side),
                    "top": QRectF(x, TOP, columns * side, inner * thick),
                    "stage": QRectF(x, y, columns * side, rows * side),
                }
                down = min(self._turned_room(columns, side), BOTTOM - places["stage"].bottom())
                return {name: self._map(name, place.translated(0, down)) for name, place in places.items()}
        shown_rows, shown_columns = _window(rows, self.row), _window(columns, self.column or 0)
        side = min(LARGEST_CELL, ALONE_SIDE / max(len(shown_rows), len(shown_columns)))
        place = QRectF(ALONE_LEFT, ALONE_TOP, len(shown_columns) * side, len(shown_rows) * side)
        return {"stage": self._map("stage", place, shown_rows, shown_columns)}

    def _label_room(self, rows: int) -> float:
        """Return the room for the names of rows beside operands."""
        return min(max(self._widest(0, range(min(rows, MOST_CELLS))) + 8, LABELS[0]), LABELS[1])

    def _turned_room(self, columns: int, side: float) -> float:
        """Return how much more room than there is above `TOP` the names of columns need where they are turned."""
        widest = self._widest(1, range(min(columns, MOST_CELLS)))
        return max(min(widest, LABELS[1]) + 9 - TOP, 0.0) if widest > side - 4 else 0.0

    def _widest(self, axis: int, places: Iterable[int]) -> float:
        metrics = QFontMetricsF(figure_font(SMALL, strong=True))
        return max(metrics.horizontalAdvance(self._label(axis, place)) for place in places)

    def _map(self, name: str, place: QRectF, rows: range | None = None, columns: range | None = None) -> BoardMap:
        plane = self._planes[name][1]
        rows, columns = rows or range(plane.shape[0]), columns or range(plane.shape[1])
        values, allowed = plane.block(slice(rows.start, rows.stop), slice(columns.start, columns.stop))
        whole, _ = uncovered(plane).block(slice(rows.start, rows.stop), slice(columns.start, columns.stop))
        values = np.array(values, np.float64)
        figure = MapFigure(
            (MapPanel(values, allowed),),
            MapAxis("row", [str(row) for row in rows]),
            MapAxis("column", [str(column) for column in columns]),
            auto_levels(whole, allowed, signed=plane.signed, keys=plane.shape[1]),
            weights=not plane.signed,
            palette=USUAL_SHADE.palette_for(plane.signed),
            theme=self._theme,
        )
        width, cell = place.width() / len(columns), place.height() / len(rows)
        pixels = min(14.0, max(SMALL, cell * 0.3))
        finite = np.where(figure.displays[0].flags == ALLOWED, values, 0.0)
        numbers = cell_decimals(finite, width, cell, QFontMetricsF(figure_font(pixels)), not plane.signed)
        if numbers is not None and (finite == np.rint(finite)).all():
            numbers = CellNumbers(0)
        missing = np.argwhere(np.isnan(values)).tolist() if self._evaluation.covers else ()
        covered = tuple((rows[row], columns[column]) for row, column in missing)
        return BoardMap(place, rows, columns, figure, numbers, pixels, covered)

    # --- places ----------------------------------------------------------------------------------
    @property
    def roles(self) -> tuple[str, str]:
        """What its rows and its columns belong to."""
        return self._picture.rows, self._picture.columns

    @property
    def cell(self) -> QRectF:
        """The rectangle of the cell."""
        return self.map.cell(self.row, self.column or 0)

    def beside(self, start: QPointF) -> QPointF:
        """Return where an arrow from a point ends: at the map's edge by the row or the column, over no number."""
        place, cell = self.map.place, self.cell
        right, below = place.right() - cell.right(), place.bottom() - cell.bottom()
        if below < right and start.y() > place.bottom():
            return QPointF(cell.center().x(), place.bottom() + 6)
        return QPointF(place.right() + 7, cell.center().y())

    def source(self, place: int) -> QPointF:
        """Return the middle of a cell of the column above the cell; without operands on the board the column's top."""
        if "top" not in self.maps:
            return QPointF(self.cell.center().x(), self.map.place.top())
        return self.maps["top"].cell(place, self.column or 0).center()

    # --- painting --------------------------------------------------------------------------------
    def paint(self, canvas: WalkCanvas, *, landed: bool = True) -> None:
        """Paint it; the cell stays empty until its number has `landed`. On pixels it is painted once and kept."""
        painter = canvas.painter
        size, device = painter.worldTransform().m11(), painter.device()
        if isinstance(device, SvgPage | PdfPage) or size <= 0:
            self._paint(canvas, landed)
            return
        key = landed, size, device.devicePixelRatioF()
        if key not in self._kept:
            sharp = size * device.devicePixelRatioF()
            image = QImage(
                ceil(PICTURE[0] * sharp), ceil(PICTURE[1] * sharp), QImage.Format.Format_ARGB32_Premultiplied
            )
            image.fill(Qt.GlobalColor.transparent)
            with QPainter(image) as inner:
                inner.setRenderHint(QPainter.RenderHint.Antialiasing)
                inner.scale(sharp, sharp)
                self._paint(WalkCanvas(inner, canvas.theme), landed)
            self._kept = {kept: each for kept, each in self._kept.items() if kept[1:] == key[1:]} | {key: image}
        image = self._kept[key]
        ratio = size * device.devicePixelRatioF()
        painter.drawImage(QRectF(0, 0, image.width() / ratio, image.height() / ratio), image)

    def _paint(self, canvas: WalkCanvas, landed: bool) -> None:
        marked = None if self.column is None else (self.row, self.column)
        for name, one in self.maps.items():
            one.paint(canvas, marked if name == "stage" and not landed else None)
        self._paint_rules(canvas)
        self._paint_names(canvas)
        if marked is not None:
            canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
            canvas.painter.setPen(QPen(canvas.theme.ink, 2.4))
            canvas.painter.drawRect(self.cell)

    def _paint_rules(self, canvas: WalkCanvas) -> None:
        left, top = self.maps.get("left", self.map), self.maps.get("top", self.map)
        cell = self.cell
        if self.column is not None:
            ink = role_color(self._picture.columns, canvas.theme)
            for x in (cell.left(), cell.right()):
                _rule(canvas, QPointF(x, top.place.top()), QPointF(x, self.map.place.bottom()), ink)
        ink = role_color(self._picture.rows, canvas.theme)
        for y in (cell.top(), cell.bottom()):
            _rule(canvas, QPointF(left.place.left(), y), QPointF(self.map.place.right(), y), ink)

    def _paint_names(self, canvas: WalkCanvas) -> None:
        """Paint letters of the matrices, and the names of rows and columns."""
        theme = canvas.theme
        alone = "left" not in self.maps
        if alone:
            head = self._style.words.head.format(self._head) if self._head is not None else ""
            text = "   ".join([self._letter("stage"), " × ".join(map(str, self._planes["stage"][1].shape)), head])
            canvas.text(self.map.place.left(), self.map.place.bottom() + 18, text, SMALL, theme.text2)
        else:
            for name, one in self.maps.items():
                letter = strong(self._letter(name))
                if name == "stage":
                    canvas.text(one.place.right() + 8, one.place.top() + 14, letter, 13)
                elif name == "left":
                    canvas.text(one.place.left(), one.place.top() - 8, letter, 13)
                else:
                    canvas.text(one.place.left() - 7, one.place.top() + 14, letter, 13, anchor=END)
        self._paint_labels(canvas, alone)

    def _paint_labels(self, canvas: WalkCanvas, alone: bool) -> None:
        """Paint the names of rows and columns as far as they have room, those of the cell always."""
        top, left = self.maps.get("top", self.map).place.top(), self.maps.get("left", self.map).place.left()
        cell, room = self.cell, left - 8 if alone else left - 5 - LEFT
        turned = self._widest(1, self.map.columns) > cell.width() - 4
        for row in self._labeled(self.map.rows, self.row, cell.height(), PITCH):
            place = self.map.cell(row, self.map.columns.start)
            beside = QRectF(left - 5 - room, place.top(), room, place.height())
            self._label_at(canvas, beside, 0, row, END if alone else MIDDLE)
        for column in self._labeled(self.map.columns, self.column or 0, cell.width(), PITCH if turned else 0.0):
            place = self.map.cell(self.map.rows.start, column)
            if turned:
                self._turned(canvas, QPointF(place.center().x(), top - 5), column, place.width(), top - 8)
            else:
                self._label_at(canvas, QRectF(place.left() + 2, top - 23, place.width() - 4, 18), 1, column, MIDDLE)

    @staticmethod
    def _labeled(places: range, own: int, size: float, pitch: float) -> Iterator[int]:
        """Yield the rows or columns whose names have room, counted from the cell's own one."""
        step = max(1, ceil(pitch / size))
        return (place for place in places if (place - own) % step == 0)

    def _label_at(self, canvas: WalkCanvas, place: QRectF, axis: int, number: int, anchor: str) -> None:
        own = number == (self.row, self.column)[axis]
        metrics = QFontMetricsF(figure_font(SMALL, strong=own))
        text = elided(self._label(axis, number), place.width(), metrics)
        if own and (soft := self._soft(axis)) is not None:
            width = min(place.width(), metrics.horizontalAdvance(text) + 8)
            chip = place if anchor == MIDDLE else QRectF(place.right() - width + 3, place.top(), width, place.height())
            canvas.painter.setPen(Qt.PenStyle.NoPen)
            canvas.painter.setBrush(soft)
            canvas.painter.drawRoundedRect(chip, RADIUS.chip, RADIUS.chip)
        x, said = (
            place.center().x() if anchor == MIDDLE else place.right(),
            strong(escaped(text)) if own else escaped(text),
        )
        canvas.text(x, place.center().y() + 4, said, SMALL, self._ink(axis, own), anchor)

    def _turned(self, canvas: WalkCanvas, foot: QPointF, column: int, width: float, room: float) -> None:
        painter, own = canvas.painter, column == self.column
        metrics = QFontMetricsF(figure_font(SMALL, strong=own))
        text = elided(self._label(1, column), room, metrics)
        painter.save()
        painter.translate(foot)
        painter.rotate(-90)
        if own and (soft := self._soft(1)) is not None:
            painter.fillRect(QRectF(-3, -max(width, 12) / 2, metrics.horizontalAdvance(text) + 8, max(width, 12)), soft)
        canvas.text(0, 3.6, strong(escaped(text)) if own else escaped(text), SMALL, self._ink(1, own))
        painter.restore()

    def _label(self, axis: int, place: int) -> str:
        """Return the name of a row (axis 0) or of a column: its token, or its number in the whole matrix."""
        problem = self._evaluation.problem
        names = {QUERY: problem.query_tokens, KEY: problem.names_of_keys}.get(self.roles[axis])
        if names is not None and place < len(names):
            return token_label(names[place])
        return str(self._planes["stage"][1].column_numbers[place] if axis else place)

    def _letter(self, name: str) -> str:
        """Return the letter of a matrix, which is a word where heads are joined, as rich text."""
        return indexed(self._style.translate("Names", self._planes[name][0]))

    def _ink(self, axis: int, own: bool) -> QColor:
        return role_color(self.roles[axis], self._theme) if own else self._theme.text2

    def _soft(self, axis: int) -> QColor | None:
        return {QUERY: self._theme.query_soft, KEY: self._theme.key_soft}.get(self.roles[axis])


def role_color(role: str, theme: Theme) -> QColor:
    """Return the color of a row or column of queries or keys."""
    return {QUERY: theme.query, KEY: theme.key}.get(role, theme.text2)


def _rule(canvas: WalkCanvas, a: QPointF, b: QPointF, ink: QColor) -> None:
    """Draw a line of a role with its casing."""
    canvas.line(a, b, canvas.theme.casing, 4.0)
    canvas.line(a, b, ink, 2.0)


def _window(count: int, at: int) -> range:
    """Return the rows or columns that are shown."""
    if count <= MOST_CELLS:
        return range(count)
    start = min(max(at - WINDOW // 2, 0), count - WINDOW)
    return range(start, start + WINDOW)
