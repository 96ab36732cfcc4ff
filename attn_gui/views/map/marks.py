"""Marks on a map: the chosen cell, hover and focus, and what was edited, painted, set by hand or reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, Qt, QVariantAnimation
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from attn_gui.figure.tokens import LINE, RADIUS, THEMES, TIME_MS, Theme
from attn_gui.pictures.geometry import Span
from attn_gui.views.map.veil import Area as Area
from attn_gui.views.map.veil import veil
from attn_gui.views.theme import scaled

Cell = tuple[int, int]

ROLES = ("query", "key")

OUTSIDE = ("frame", "chosen", "focus", "bar")
"""Kinds that reach beyond the cells; the others end with them."""

_SHOWN_BY = {
    "row_role": ("row",),
    "column_role": ("column",),
    "edited_strength": ("edited",),
    **dict.fromkeys(("chosen", "reached", "counted"), ("chosen_behind", "veil", "chosen")),
}
"""Kinds that change with a part of `Marks`; else the one of its name."""

ROOMY = 8
"""Cells of so many pixels have room for half a line inside; around smaller ones the lines stand outside."""

CORNER = 8
"""Pixels of the corner that marks cells set by hand."""

NEAR, FAR_OUT = 4, 16
"""Pixels that lines reach beyond their cells, and the focus ring beyond the map."""

HATCHED = 0.6
"""Share of the ground over cells that are hatched: covered by a stroke of the brush, or of a head that is off."""

HANDLE = (5, 22)
"""Width and height of the part of the bar that asks to be taken."""


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
    bar: int | None = None  # the pixel of the bar between two states

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


class Canvas(QWidget):
    """What a map is painted on: told what has changed, it repaints that."""

    def show_cells(self, pixels: QRect | None) -> None:
        """Repaint these pixels of the cells, or everything."""
        raise NotImplementedError

    def show_marks(self, kinds: Iterable[str]) -> None:
        """Repaint the marks of these kinds, where they were and where they are."""
        raise NotImplementedError


class Overlay:
    """Holds the marks of one map and paints them, each kind by itself, round the corner of its cells."""

    def __init__(self, canvas: Canvas, *, small: bool) -> None:
        """Tell the canvas of every kind that looks different or stands elsewhere."""
        self._canvas, self._small = canvas, small
        self._theme: Theme = THEMES["light"]
        self._rows, self._columns = Span(0, 0), Span(0, 0)
        self._veil: QImage | None = None
        self._flash: Flash | None = None
        self.marks = Marks()

    def set_geometry(self, rows: Span, columns: Span) -> None:
        """Other pixels or another window of cells; everything needs to be painted afterwards."""
        self._rows, self._columns, self._veil = rows, columns, None

    def set_theme(self, theme: Theme) -> None:
        """Other colors; everything needs to be painted afterwards."""
        self._theme, self._veil = theme, None

    def set_marks(self, **changes: object) -> None:
        """Replace some of the marks."""
        old = self.marks
        changed = [name for name, mark in changes.items() if getattr(old, name) != mark]
        if changed:
            self.marks = old._replace(**changes)  # type: ignore[arg-type]  # names are Marks' own
            self._veil = self._veil if old.clear == self.marks.clear else None
            self._canvas.show_marks({kind for name in changed for kind in _SHOWN_BY.get(name, (name,))})

    def forget_places(self) -> None:
        """Take away every mark that stands at a row, column or cell: the matrix has another size."""
        nothing: dict[str, object] = dict.fromkeys(
            ("chosen", "block", "row", "column", "hovered", "reached", "counted")
        )
        self.set_marks(**nothing, edited=(), painted=(), by_hand=())

    # --- the outline of an edit ------------------------------------------------------------------
    def flash(self, areas: Sequence[Area]) -> None:
        """Outline what was just recomputed; it fades by itself. Hidden it would be old news once it is shown."""
        if not self._canvas.isVisible():
            return
        self.set_marks(edited=tuple(areas), edited_strength=1.0)
        if self._flash is None:
            self._flash = Flash(self._canvas)
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

    # --- places ----------------------------------------------------------------------------------
    def cell_rect(self, row: int, column: int) -> QRect:
        """The pixels of a cell within the cells' own rectangle; null outside the window."""
        return self._area_rect((slice(row, row + 1), slice(column, column + 1)))

    def places(self, kind: str) -> tuple[QRect, ...]:
        """The pixels that the marks of a kind stand at; none where there is nothing to paint."""
        marks, cells = self.marks, self._cells()
        found: Iterable[QRect] = ()
        if not self._rows.bins or not self._columns.bins:
            return ()
        if kind == "frame" or (kind == "focus" and marks.focus) or (kind == "veil" and marks.clear is not None):
            found = (cells,)
        elif kind == "bands":
            everything = slice(0, self._rows.count)
            found = (self._area_rect((everything, slice(column, column + 1))) for column in marks.bands[1:])
        elif kind in ("off", "by_hand", "blank", "painted") or (kind == "edited" and marks.edited_strength > 0):
            found = map(self._area_rect, getattr(marks, kind))
        elif kind == "row" and marks.row is not None:
            found = (self._area_rect((slice(marks.row, marks.row + 1), slice(0, self._columns.count))),)
        elif kind == "column" and marks.column is not None:
            found = (self._area_rect((slice(0, self._rows.count), slice(marks.column, marks.column + 1))),)
        elif kind in ("chosen", "chosen_behind") and marks.chosen is not None:
            behind = marks.steps_back(marks.chosen)
            found = (self.cell_rect(*marks.chosen),) if behind == (kind == "chosen_behind") else ()
        elif kind == "hovered" and marks.hovered is not None:
            found = (self.cell_rect(*marks.hovered),)
        elif kind == "block" and marks.block is not None:
            found = (self._area_rect(marks.block),)
        elif kind == "bar" and marks.bar is not None:
            found = (QRect(marks.bar - scaled(HANDLE[0]), 0, 2 * scaled(HANDLE[0]), cells.height()),)
        return tuple(rect for rect in found if not rect.isEmpty())

    def reach(self, kind: str) -> tuple[QRect, ...]:
        """The pixels that the marks of a kind may cover."""
        away, cells = FAR_OUT if kind == "focus" else scaled(NEAR), self._cells()
        around = (rect.adjusted(-away, -away, away, away) for rect in self.places(kind))
        return tuple(around if kind in OUTSIDE else (rect & cells for rect in around))

    def _cells(self) -> QRect:
        return QRect(0, 0, self._columns.pixels, self._rows.pixels)

    def _area_rect(self, area: Area) -> QRect:
        down, right = self._rows.pixels_of_cells(area[0]), self._columns.pixels_of_cells(area[1])
        return QRect(right.start, down.start, right.stop - right.start, down.stop - down.start)

    # --- painting --------------------------------------------------------------------------------
    def paint(self, painter: QPainter, kind: str) -> None:
        """Paint the marks of one kind; the painter stands at the corner of the cells, and ends with them where the
        kind does."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for rect in self.places(kind):
            self._PAINT[kind](self, painter, rect)

    def _paint_frame(self, painter: QPainter, cells: QRect) -> None:
        _ring(painter, cells, 1, 1, self._theme.line_strong)

    def _paint_off(self, painter: QPainter, rect: QRect) -> None:
        self._paint_hatch(painter, rect, self._theme.masked, self._theme.text3)

    def _paint_bands(self, painter: QPainter, column: QRect) -> None:
        """A line before the columns of each head but the first."""
        painter.fillRect(column.left(), 0, 1, column.height(), self._theme.text3)

    def _paint_painted(self, painter: QPainter, rect: QRect) -> None:
        self._paint_hatch(painter, rect, self._theme.casing, self._theme.accent)

    def _paint_row(self, painter: QPainter, rect: QRect) -> None:
        self._paint_lines(painter, rect, self.marks.row_role, rows=True)

    def _paint_column(self, painter: QPainter, rect: QRect) -> None:
        self._paint_lines(painter, rect, self.marks.column_role, rows=False)

    def _paint_hovered(self, painter: QPainter, rect: QRect) -> None:
        _ring(painter, rect, 1, 0, self._theme.ink)

    def _paint_bar(self, painter: QPainter, rect: QRect) -> None:
        """A line over the height of the map, with a handle where it can be taken."""
        theme, height, at = self._theme, rect.height(), self.marks.bar or 0
        thick, casing = (1 if self._small else scaled(LINE.focus)), scaled(LINE.casing)
        left = at - thick // 2
        painter.fillRect(left - casing, 0, thick + 2 * casing, height, theme.casing)
        painter.fillRect(left, 0, thick, height, theme.accent)
        if self._small:
            return
        wide, high = scaled(HANDLE[0]), min(scaled(HANDLE[1]), height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.casing)
        painter.setBrush(theme.accent)
        painter.drawRoundedRect(QRectF(at - wide / 2, (height - high) / 2, wide, high), RADIUS.control, RADIUS.control)

    def _paint_veil(self, painter: QPainter, _cells: QRect) -> None:
        """Over the lines, which say where a cell comes from."""
        if self._veil is None:
            thick = scaled(LINE.row_and_column_small_map)
            self._veil = veil(self._rows, self._columns, self.marks.clear or (), self._theme, thick)
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

    def _paint_lines(self, painter: QPainter, rect: QRect, role: str, *, rows: bool) -> None:
        """A pair of lines along a row or column with casing on both sides, so that it shows on any color."""
        start, stop = (rect.top(), rect.top() + rect.height()) if rows else (rect.left(), rect.left() + rect.width())
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

    def _paint_chosen(self, painter: QPainter, rect: QRect) -> None:
        roomy = min(rect.width(), rect.height()) >= ROOMY and not self._small
        thick = scaled(LINE.row_and_column_small_map if self._small else LINE.chosen_cell)
        casing = scaled(LINE.casing)
        outside = thick // 2 if roomy else thick
        _ring(painter, rect, casing, outside + casing, self._theme.casing)
        _ring(painter, rect, thick, outside, self._theme.ink)
        if roomy:
            _ring(painter, rect, casing, outside - thick, self._theme.casing)

    def _paint_edited(self, painter: QPainter, rect: QRect) -> None:
        painter.save()
        painter.setOpacity(painter.opacity() * self.marks.edited_strength)
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
        thick = scaled(LINE.casing if self._small else LINE.edited)
        _ring(painter, rect, thick, 0, self._theme.edit)
        side = min(scaled(CORNER), rect.width() // 2, rect.height() // 2)
        if side > thick and not self._small:
            corner = rect.topRight() + QPoint(1, 0)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.edit)
            painter.drawPolygon([corner, corner - QPoint(side, 0), corner + QPoint(0, side)])
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_focus(self, painter: QPainter, cells: QRect) -> None:
        """2 px outside the frame, with the frame's round corners."""
        away = LINE.hairline + scaled(LINE.focus_gap) + scaled(LINE.focus) / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.accent, scaled(LINE.focus)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = QRectF(cells).adjusted(-away, -away, away, away)
        painter.drawRoundedRect(ring, RADIUS.frame, RADIUS.frame)
        painter.restore()

    _PAINT: Mapping[str, Callable[[Overlay, QPainter, QRect], None]] = {
        "frame": _paint_frame,
        "off": _paint_off,
        "bands": _paint_bands,
        "edited": _paint_edited,
        "by_hand": _paint_by_hand,
        "blank": _paint_blank,
        "row": _paint_row,
        "column": _paint_column,
        "chosen_behind": _paint_chosen,
        "veil": _paint_veil,
        "painted": _paint_painted,
        "block": _paint_block,
        "hovered": _paint_hovered,
        "chosen": _paint_chosen,
        "focus": _paint_focus,
        "bar": _paint_bar,
    }
    KINDS = tuple(_PAINT)
    """Kinds of marks in the order in which they are painted."""


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


class Flash(QVariantAnimation):
    """`valueChanged` carries the strength, 1 … 0."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        whole = TIME_MS.edited_outline_hold + TIME_MS.edited_outline_fade
        self.setDuration(whole)
        self.setStartValue(1.0)
        self.setKeyValueAt(TIME_MS.edited_outline_hold / whole, 1.0)
        self.setEndValue(0.0)

    def restart(self) -> None:
        """Hold and fade from the start; where the desktop asks for no motion nothing fades by itself."""
        self.stop()
        if not motion_reduced():
            self.start()

    def hold(self, held: bool) -> None:
        """Stand still while the next outline is on its way, or fade on if none came."""
        if held and self.state() == self.State.Running:
            self.pause()
        elif not held and self.state() == self.State.Paused:
            self.resume()


def motion_reduced() -> bool:
    """Whether the desktop asks programs not to animate."""
    return not QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
