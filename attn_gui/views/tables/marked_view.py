"""A table with marks: lines around a row and a column, an outline around what was just edited, the focus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEasingCurve, QModelIndex, QRect, Qt, QTimer, QVariantAnimation
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QTableView, QWidget

from attn_gui.figure.tokens import LINE, TIME_MS
from attn_gui.views.bases.viewport import own_viewport
from attn_gui.views.tables.delegate import CellDelegate
from attn_gui.views.tables.headers import ColumnHeader, Mark, TokenHeader
from attn_gui.views.theme import current_theme


class MarkedView(QTableView):
    """Repaints no more than a mark, an outline or the focus touches."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        own_viewport(self)
        self.rows, self.columns = TokenHeader(self), ColumnHeader(self)
        self._rows: tuple[Mark, ...] = ()
        self._column: Mark | None = None
        self._edited: tuple[slice, slice] | None = None
        self._lines = QRegion()  # that are to be repainted beside rows
        self.setVerticalHeader(self.rows)
        self.setHorizontalHeader(self.columns)
        self._hold = QTimer(self, singleShot=True, interval=TIME_MS.edited_outline_hold)
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=TIME_MS.edited_outline_fade)
        self._fade.setEasingCurve(QEasingCurve.Type.OutQuad)
        self._hold.timeout.connect(self._fade.start)
        self._fade.valueChanged.connect(self._on_fade_value_changed)
        self._fade.finished.connect(self._on_fade_finished)

    # --- silent setters --------------------------------------------------------------------------
    def set_marks(self, rows: Sequence[Mark], column: Mark | None) -> None:
        """Rows and a column between lines in a role's color, their headers as chips; the first row lies on top."""
        before = self._marked()
        self._rows, self._column = tuple(rows), column
        self.rows.set_marks(self._rows)
        self.columns.set_marks(() if column is None else (column,))
        for vertical, (at, _) in before ^ self._marked():
            self._repaint_lines(at, vertical=vertical)

    def _marked(self) -> set[tuple[bool, Mark]]:
        column = set() if self._column is None else {(True, self._column)}
        return column | {(False, mark) for mark in self._rows}

    def _repaint_lines(self, at: int, *, vertical: bool) -> None:
        """Both lines of a row or column, which may be gone from the table."""
        header = self.columns if vertical else self.rows
        if at >= header.count():
            return
        start, size, room = header.sectionViewportPosition(at), header.sectionSize(at), self.viewport().size()
        if vertical:
            wide = int(LINE.row_and_column) + 1
            self.viewport().update(QRect(start - wide, 0, size + 2 * wide, room.height()))
            return
        spilt = self._spilt()
        for top in (start - 1, start + size - 2):  # as `_pair_of_lines` draws them, two pixels wide
            line = QRect(0, top - spilt, room.width(), int(LINE.row_and_column) + 2 * spilt)
            self._lines += line
            self.viewport().update(line)

    def _spilt(self) -> int:
        """Pixels beside a line that it may fill in part."""
        return 0 if self.devicePixelRatioF().is_integer() else 1

    def flash(self, rows: slice, columns: slice) -> None:
        """Outline what was just edited, for a moment."""
        self._fade.stop()
        self._repaint_edited()
        self._edited = (rows, columns)
        self._hold.start()
        self._repaint_edited()

    # --- painting --------------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        cells, self._lines, lines = self.itemDelegate(), QRegion(), self._lines
        if isinstance(cells, CellDelegate):
            cells.exposed = event.region()
            cells.between_rows = not lines.isEmpty() and event.region().subtracted(lines).isEmpty()
            super().paintEvent(event)
            cells.exposed = None
        else:
            super().paintEvent(event)
        if self.model() is None or not (self._rows or self._column or self._edited):
            return
        painter, theme = QPainter(self.viewport()), current_theme()
        rows, columns = self.model().rowCount(), self.model().columnCount()
        across = [] if self._column is None else [self._column]
        for vertical, marks in ((True, across), (False, reversed(self._rows))):
            for at, role in marks:
                place = slice(at, at + 1)
                rect = self._area(slice(0, rows), place) if vertical else self._area(place, slice(0, columns))
                painter.setPen(QPen(getattr(theme, role), LINE.row_and_column))
                _pair_of_lines(painter, rect, vertical)
        if self._edited is not None:
            painter.setOpacity(self._fade.currentValue() if self._fade.state() == self._fade.State.Running else 1.0)
            painter.setPen(QPen(theme.edit, LINE.edited))
            painter.drawRect(self._area(*self._edited).adjusted(0, 0, 1, 1))

    def _area(self, rows: slice, columns: slice) -> QRect:
        """The rectangle of a block of cells in the viewport, grid lines left out."""
        left, top = self.columnViewportPosition(columns.start), self.rowViewportPosition(rows.start)
        right = self.columnViewportPosition(columns.stop - 1) + self.columnWidth(columns.stop - 1)
        bottom = self.rowViewportPosition(rows.stop - 1) + self.rowHeight(rows.stop - 1)
        return QRect(left, top, right - left - 1, bottom - top - 1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt would paint all cells again, after each edit, for the frame of the current one."""
        self._follow_focus(event, super().focusInEvent)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._follow_focus(event, super().focusOutEvent)

    def _follow_focus(self, event: QFocusEvent, whole: Callable[[QFocusEvent], None]) -> None:
        current = self.currentIndex()
        if current.isValid():
            self.update(current)
            self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, event.gotFocus() and self._typed_into(current))
            frame = self.frameWidth()
            QWidget.update(self, QRegion(self.rect()) - QRegion(self.rect().adjusted(frame, frame, -frame, -frame)))
        else:
            whole(event)

    def _typed_into(self, index: QModelIndex) -> bool:
        return bool(self.model().flags(index) & Qt.ItemFlag.ItemIsEditable)

    def _repaint_edited(self) -> None:
        """Repaint the outline, its pen included."""
        if self._edited is not None:
            before, after = 1 + self._spilt(), 2 + self._spilt()  # two pixels wide, of which one lies outside
            self.viewport().update(self._area(*self._edited).adjusted(-before, -before, after, after))

    def _on_fade_value_changed(self) -> None:
        self._repaint_edited()

    def _on_fade_finished(self) -> None:
        self._repaint_edited()
        self._edited = None


def _pair_of_lines(painter: QPainter, rect: QRect, vertical: bool) -> None:
    """Along both sides of a row or column; the neighbors' first pixels belong to it, so that no number is touched."""
    if vertical:
        painter.drawLine(rect.left(), rect.top(), rect.left(), rect.bottom())
        painter.drawLine(rect.right() + 1, rect.top(), rect.right() + 1, rect.bottom())
    else:
        painter.drawLine(rect.left(), rect.top(), rect.right(), rect.top())
        painter.drawLine(rect.left(), rect.bottom() + 1, rect.right(), rect.bottom() + 1)
