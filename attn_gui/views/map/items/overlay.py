"""Overlay of a map: frame, lines of the chosen row and column, chosen cell, hover, edit, focus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

from attn_gui.figure.tokens import LINE, RADIUS, THEMES, Theme
from attn_gui.pictures.geometry import Span
from attn_gui.views.map.items.flash import Flash
from attn_gui.views.map.items.map_item import MapItem
from attn_gui.views.map.items.overlay_marks import Area, Cell, Marks
from attn_gui.views.map.items.veil import veil
from attn_gui.views.theme import scaled

ROLES = ("query", "key")

ROOMY = 8
"""Cells of so many pixels have room for half a line inside; around smaller ones the lines stand outside."""

CORNER = 8
"""Pixels of the corner that marks cells set by hand."""

NEAR, FAR_OUT = 4, 16
"""Pixels that lines reach beyond their row, and the focus ring beyond the cells."""

HATCHED = 0.6
"""Share of the ground over cells that are hatched: covered by a stroke of the brush, or of a head that is off."""


class OverlayItem(MapItem):
    """Paints the marks; a change repaints only what it touches."""

    def __init__(self, canvas: QWidget, *, small: bool) -> None:
        super().__init__(canvas)
        self._small = small
        self._theme: Theme = THEMES["light"]
        self._rows, self._columns = Span(0, 0), Span(0, 0)
        self._veil: QImage | None = None
        self._flash: Flash | None = None
        self.marks = Marks()

    def set_geometry(self, rows: Span, columns: Span) -> None:
        self._rows, self._columns, self._veil = rows, columns, None
        self.area = self._cells_rect().adjusted(-FAR_OUT, -FAR_OUT, FAR_OUT, FAR_OUT)
        self.repaint()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.repaint()

    def set_marks(self, **changes: object) -> None:
        """Replace some of the marks; repaints the old and the new place of those that differ."""
        old = self.marks
        if any(getattr(old, name) != mark for name, mark in changes.items()):
            new = self.marks = old._replace(**changes)  # type: ignore[arg-type]  # names are Marks' own
            self._veil = self._veil if old.clear == new.clear else None
            for mark in (*self._touched(old, new), *self._touched(new, old)):
                self.repaint(mark)

    def forget_places(self) -> None:
        """Take away every mark that stands at a row, column or cell: the matrix has another size."""
        nothing: dict[str, object] = dict.fromkeys(
            ("chosen", "block", "row", "column", "hovered", "reached", "counted")
        )
        self.set_marks(**nothing, edited=(), painted=(), by_hand=())

    def flash(self, areas: Sequence[Area]) -> None:
        """Outline what was just recomputed; it fades by itself. Hidden it would be old news once it is shown."""
        if not self.canvas.isVisible():
            return
        self.set_marks(edited=tuple(areas), edited_strength=1.0)
        if self._flash is None:
            self._flash = Flash(self.canvas)
            self._flash.valueChanged.connect(self._on_flash_value_changed)
        self._flash.restart()

    def hold_flash(self, held: bool) -> None:
        """Leave the outline as strong as it is, or let it fade on."""
        if self._flash is not None:
            self._flash.hold(held)

    def clear_flash(self) -> None:
        """Take the outline away."""
        if self._flash is not None:
            self._flash.stop()
        self.set_marks(edited=(), edited_strength=0.0)

    def _on_flash_value_changed(self, strength: float) -> None:
        self.set_marks(edited=self.marks.edited if strength > 0 else (), edited_strength=strength)

    def paint(self, painter: QPainter, exposed: QRect) -> None:
        if not self._rows.bins or not self._columns.bins:
            return
        marks, theme = self.marks, self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if not self._cells_rect().contains(exposed):  # it lies around them
            self._paint_frame(painter)
        painter.save()
        painter.setClipRect(self._cells_rect())
        for area in marks.off:
            self._paint_hatch(painter, self._area_rect(area), self._theme.masked, self._theme.text3)
        for column in marks.bands[1:]:
            at = self._column_rect(column).left()
            painter.fillRect(at, 0, 1, self._rows.pixels, theme.text3)
        if marks.edited_strength > 0:
            for area in marks.edited:
                self._paint_edited(painter, self._area_rect(area), marks.edited_strength)
        for area in marks.by_hand:
            self._paint_by_hand(painter, self._area_rect(area))
        for area in marks.blank:
            self._paint_blank(painter, self._area_rect(area))
        if marks.row is not None:
            self._paint_lines(painter, self._row_rect(marks.row), marks.row_role, rows=True)
        if marks.column is not None:
            self._paint_lines(painter, self._column_rect(marks.column), marks.column_role, rows=False)
        if marks.clear is not None:  # over the lines, which say where a cell comes from
            if marks.chosen is not None and marks.steps_back(marks.chosen):
                self._paint_chosen(painter, marks.chosen)
            self._paint_veil(painter, marks.clear)
        for area in marks.painted:
            self._paint_hatch(painter, self._area_rect(area), self._theme.casing, self._theme.accent)
        if marks.block is not None:
            self._paint_block(painter, self._area_rect(marks.block))
        if marks.hovered is not None:
            _ring(painter, self.cell_rect(*marks.hovered), 1, 0, theme.ink)
        painter.restore()
        if marks.chosen is not None and not marks.steps_back(marks.chosen):
            self._paint_chosen(painter, marks.chosen)
        if marks.focus:
            self._paint_focus(painter)

    def cell_rect(self, row: int, column: int) -> QRect:
        """The pixels of a cell within the cells' own rectangle; null outside the window."""
        down = self._rows.pixels_of_cells(slice(row, row + 1))
        right = self._columns.pixels_of_cells(slice(column, column + 1))
        return QRect(right.start, down.start, right.stop - right.start, down.stop - down.start)

    def _cells_rect(self) -> QRect:
        return QRect(0, 0, self._columns.pixels, self._rows.pixels)

    def _row_rect(self, row: int) -> QRect:
        down = self._rows.pixels_of_cells(slice(row, row + 1))
        return QRect(0, down.start, self._columns.pixels, down.stop - down.start)

    def _column_rect(self, column: int) -> QRect:
        right = self._columns.pixels_of_cells(slice(column, column + 1))
        return QRect(right.start, 0, right.stop - right.start, self._rows.pixels)

    def _area_rect(self, area: Area) -> QRect:
        down, right = self._rows.pixels_of_cells(area[0]), self._columns.pixels_of_cells(area[1])
        return QRect(right.start, down.start, right.stop - right.start, down.stop - down.start)

    def _touched(self, marks: Marks, other: Marks) -> list[QRect]:
        """The area where `marks` shows something that `other` does not."""
        found = []
        if marks.row is not None and (marks.row, marks.row_role) != (other.row, other.row_role):
            found.append(self._row_rect(marks.row))
        if marks.column is not None and (marks.column, marks.column_role) != (other.column, other.column_role):
            found.append(self._column_rect(marks.column))
        if marks.hovered is not None and marks.hovered != other.hovered:
            found.append(self.cell_rect(*marks.hovered))
        if (marks.edited, marks.edited_strength) != (other.edited, other.edited_strength):
            found.extend(map(self._area_rect, marks.edited))
        near, cells = scaled(NEAR), self._cells_rect()
        found = [rect.adjusted(-near, -near, near, near) & cells for rect in found]
        if marks.chosen is not None and marks.chosen != other.chosen:
            found.append(self.cell_rect(*marks.chosen).adjusted(-near, -near, near, near))
        if marks.block is not None and marks.block != other.block:
            found.append(self._area_rect(marks.block))
        for mark in ("painted", "by_hand", "blank"):
            if getattr(marks, mark) != getattr(other, mark):
                found.extend(map(self._area_rect, getattr(marks, mark)))
        if (marks.focus, marks.bands, marks.off, marks.clear) != (other.focus, other.bands, other.off, other.clear):
            found.append(cells.adjusted(-FAR_OUT, -FAR_OUT, FAR_OUT, FAR_OUT))
        return found

    def _paint_veil(self, painter: QPainter, reached: tuple[Area, ...]) -> None:
        if self._veil is None:
            thick = scaled(LINE.row_and_column_small_map)
            self._veil = veil(self._rows, self._columns, reached, self._theme, thick)
        painter.drawImage(0, 0, self._veil)

    def _paint_hatch(self, painter: QPainter, rect: QRect, ground: QColor, lines: QColor) -> None:
        """Lines on a ground that shows them on any color, and lets it be guessed."""
        painter.setOpacity(HATCHED)
        painter.fillRect(rect, ground)
        painter.setOpacity(1.0)
        painter.fillRect(rect, QBrush(lines, Qt.BrushStyle.BDiagPattern))

    def _paint_blank(self, painter: QPainter, rect: QRect) -> None:
        """Nothing of the cell but a question mark."""
        painter.fillRect(rect, self._theme.raised)
        painter.setPen(self._theme.accent)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "?")

    def _paint_frame(self, painter: QPainter) -> None:
        _ring(painter, self._cells_rect(), 1, 1, self._theme.line_strong)

    def _paint_lines(self, painter: QPainter, rect: QRect, role: str, *, rows: bool) -> None:
        """A pair of lines along a row or column with casing on both sides, so that it shows on any color."""
        start, stop = (rect.top(), rect.top() + rect.height()) if rows else (rect.left(), rect.left() + rect.width())
        if stop <= start:
            return
        color, casing = role_color(self._theme, role), scaled(LINE.casing)
        thin = self._small or role not in ROLES
        thick = scaled(LINE.row_and_column_small_map if thin else LINE.row_and_column)
        roomy = stop - start >= ROOMY and not self._small
        inside, near = (thick // 2, casing) if roomy else (0, 0)  # a thin row keeps its own pixels
        length = rect.width() if rows else rect.height()
        before, after = start + inside - thick, stop - inside
        for at, first in ((before, before - casing), (after, after - near)):
            for offset, depth, paint in ((first, casing + thick + near, self._theme.casing), (at, thick, color)):
                painter.fillRect(QRect(0, offset, length, depth) if rows else QRect(offset, 0, depth, length), paint)

    def _paint_chosen(self, painter: QPainter, cell: Cell) -> None:
        rect = self.cell_rect(*cell)
        if rect.isEmpty():
            return
        roomy = min(rect.width(), rect.height()) >= ROOMY and not self._small
        thick = scaled(LINE.row_and_column_small_map if self._small else LINE.chosen_cell)
        casing = scaled(LINE.casing)
        outside = thick // 2 if roomy else thick
        _ring(painter, rect, casing, outside + casing, self._theme.casing)
        _ring(painter, rect, thick, outside, self._theme.ink)
        if roomy:
            _ring(painter, rect, casing, outside - thick, self._theme.casing)

    def _paint_edited(self, painter: QPainter, rect: QRect, strength: float) -> None:
        if rect.isEmpty():
            return
        painter.save()
        painter.setOpacity(painter.opacity() * strength)
        if self._small:
            _ring(painter, rect, 1, 2, self._theme.casing)
            _ring(painter, rect, 1, 1, self._theme.edit)
        else:
            thick = scaled(LINE.edited)
            inner = rect.adjusted(thick, thick, -thick, -thick)
            painter.setPen(QPen(self._theme.casing, thick + 2 * scaled(LINE.casing)))
            painter.drawRect(inner)
            pen = QPen(self._theme.edit, thick)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern([4, 3])
            painter.setPen(pen)
            painter.drawRect(inner)
        painter.restore()

    def _paint_block(self, painter: QPainter, rect: QRect) -> None:
        """A ring inside the cells, that shows on any color."""
        thick, casing = scaled(LINE.edited), scaled(LINE.casing)
        _ring(painter, rect, thick, 0, self._theme.accent)
        _ring(painter, rect, casing, -thick, self._theme.casing)

    def _paint_by_hand(self, painter: QPainter, rect: QRect) -> None:
        """A ring inside the cells and a corner cut off, as a note at a cell of a spreadsheet has it."""
        if rect.isEmpty():
            return
        thick = scaled(LINE.casing if self._small else LINE.edited)
        _ring(painter, rect, thick, 0, self._theme.edit)
        side = min(scaled(CORNER), rect.width() // 2, rect.height() // 2)
        if side > thick and not self._small:
            corner = rect.topRight() + QPoint(1, 0)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.edit)
            painter.drawPolygon([corner, corner - QPoint(side, 0), corner + QPoint(0, side)])
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_focus(self, painter: QPainter) -> None:
        """2 px outside the frame, with the frame's round corners."""
        away = LINE.hairline + scaled(LINE.focus_gap) + scaled(LINE.focus) / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.accent, scaled(LINE.focus)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = QRectF(self._cells_rect()).adjusted(-away, -away, away, away)
        painter.drawRoundedRect(ring, RADIUS.frame, RADIUS.frame)
        painter.restore()


def role_color(theme: Theme, role: str) -> QColor:
    """The color of queries or keys; an axis that is neither is marked in the color of labels."""
    color: QColor = getattr(theme, role) if role in ROLES else theme.text2
    return color


def _ring(painter: QPainter, rect: QRect, thick: int, outside: int, color: QColor) -> None:
    """A frame of `thick` pixels of which the outer edge is `outside` pixels beyond `rect`; sharp at any scale."""
    outer = rect.adjusted(-outside, -outside, outside, outside)
    if outer.isEmpty():
        return
    painter.fillRect(outer.left(), outer.top(), outer.width(), thick, color)
    painter.fillRect(outer.left(), outer.bottom() + 1 - thick, outer.width(), thick, color)
    painter.fillRect(outer.left(), outer.top(), thick, outer.height(), color)
    painter.fillRect(outer.right() + 1 - thick, outer.top(), thick, outer.height(), color)
