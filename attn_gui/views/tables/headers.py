"""Row and column headers of a table: tokens renamed, chips of marked ones, boxes of heads above the columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QHeaderView, QLineEdit, QSizePolicy, QTableView, QToolTip, QWidget

from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.widgets import LineEdit, focus_returns, is_window_shortcut, plain_tip

ELIDE = Qt.TextElideMode.ElideRight
LEAST_WIDTH = 12  # pixels; a column that is dragged to nothing could not be found again
Mark = tuple[int, str]  # a section and the role whose color it has: "query", "key" or "accent"


class MarkedHeader(QHeaderView):
    """A header that paints its own sections; some of them may have the color of a role."""

    size_name = "micro"
    alignment = int(Qt.AlignmentFlag.AlignCenter)
    before, after = SPACING.xs, SPACING.xs

    def __init__(self, orientation: Qt.Orientation, parent: QWidget) -> None:
        super().__init__(orientation, parent)
        self._marks: dict[int, str] = {}
        self._repainted = QRegion()
        self.setSectionsClickable(True)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(1)

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Show sections as chips; of two marks on one section the first is shown."""
        found = dict(reversed(marks))
        changed = {at for at, role in self._marks.items() ^ found.items()}
        self._marks = found
        for at in changed:
            self.repaint_sections(at, at)

    def repaint_sections(self, first: int, last: int) -> None:
        """Paint these again, as when they are selected or no longer are."""
        start = self.sectionViewportPosition(first)
        end = self.sectionViewportPosition(last) + self.sectionSize(last)
        upright, size = self.orientation() == Qt.Orientation.Vertical, self.viewport().size()
        across = QRect(0, start, size.width(), end - start)
        self.viewport().update(across if upright else QRect(start, 0, end - start, size.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        self._repainted = event.region()
        super().paintEvent(event)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        if not self._repainted.intersects(rect):
            return  # Qt asks for everything between two marks that moved
        theme = current_theme()
        role = self._marks.get(section)
        background, ink = (theme.sunken, theme.text) if self.holds_selection(section) else (theme.raised, theme.text2)
        if role is not None:
            background, ink = getattr(theme, f"{role}_soft"), getattr(theme, role)
        painter.fillRect(rect, background)
        painter.setPen(theme.line)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.drawLine(rect.topRight(), rect.bottomRight())
        painter.setPen(ink)
        painter.setFont(ui_font(self.size_name, 600 if role else 400, tabular=True))
        inner = rect.adjusted(scaled(self.before), 0, -scaled(self.after), 0)
        text = painter.fontMetrics().elidedText(self._text(section), ELIDE, inner.width())
        painter.drawText(inner, self.alignment, text)

    def _text(self, section: int) -> str:
        return str(self.model().headerData(section, self.orientation(), Qt.ItemDataRole.DisplayRole) or "")

    def holds_selection(self, section: int) -> bool:
        """Return whether a cell of the row or column is selected."""
        selection = self.selectionModel()
        if selection is None or not selection.hasSelection():
            return False
        if self.orientation() == Qt.Orientation.Vertical:
            return selection.rowIntersectsSelection(section)
        return selection.columnIntersectsSelection(section)


class ColumnHeader(MarkedHeader):
    """Column numbers of the whole matrix."""

    drawn = Signal(int, int)  # a section that is dragged to another width, and the width

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setMinimumSectionSize(LEAST_WIDTH)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.sectionResized.connect(self._on_self_section_resized)  # not always: Qt tells of every column it lays out
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.sectionResized.disconnect(self._on_self_section_resized)

    def _on_self_section_resized(self, section: int, _old: int, size: int) -> None:
        self.drawn.emit(section, size)

    def sizeHint(self) -> QSize:
        height = max(scaled(SIZE.table_header), self.fontMetrics().height() + scaled(SPACING.xs))
        return QSize(self.length(), height)  # Qt's own hint asks the model for hundreds of headers


class TokenHeader(MarkedHeader):
    """Tokens, right-aligned; a double click renames one."""

    size_name = "body"
    alignment = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    before, after = 0, SPACING.s  # most have more on the left anyway; the numbers are on the right

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._table = parent
        self._editor: QLineEdit | None = None
        self._section = -1
        self._compact = self.renamable = False
        self.spare = 0  # pixels that the columns cannot use

    def sizeHint(self) -> QSize:
        chosen = QFontMetrics(ui_font(self.size_name, 600, tabular=True))
        needed = max(map(chosen.horizontalAdvance, ("Thinking", "Machines"))) + 1 + scaled(self.after)
        least = SIZE.table_row_header - (SPACING.m if self._compact else 0)
        return QSize(max(scaled(least), needed) + self.spare, self.length())

    def set_compact(self, compact: bool) -> None:
        self._compact = compact
        self.geometriesChanged.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        section = self.logicalIndexAt(event.position().toPoint())
        if self.renamable and section >= 0:
            self.rename(section)
        else:
            super().mouseDoubleClickEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show a token that does not fit in full as a tip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            section = self.logicalIndexAt(event.pos())
            text = self._text(section) if section >= 0 else ""
            QToolTip.showText(event.globalPos(), plain_tip(text), self)
            return True
        return super().viewportEvent(event)

    def rename(self, section: int) -> None:
        """Open the editor on a row's token."""
        self._close()
        self._section = section
        self._editor = LineEdit(self.viewport())
        self._editor.setFont(ui_font("body"))
        self._editor.setAccessibleName(self.tr("Token of row {row}").format(row=section))
        self._editor.setText(str(self.model().headerData(section, Qt.Orientation.Vertical, Qt.ItemDataRole.EditRole)))
        self._editor.setGeometry(0, self.sectionViewportPosition(section), self.width(), self.sectionSize(section))
        self._editor.selectAll()
        self._editor.installEventFilter(self)
        self._editor.show()
        self._editor.setFocus()

    def commit_typed(self) -> bool:
        """Take the name that is being typed; any text is one."""
        if self._editor is not None:
            text, section = self._editor.text(), self._section
            self._close()
            self.model().setHeaderData(section, Qt.Orientation.Vertical, text, Qt.ItemDataRole.EditRole)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._editor:
            return super().eventFilter(watched, event)
        if isinstance(event, QKeyEvent) and is_window_shortcut(event):
            event.ignore()
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab):
                return self.commit_typed()
            if event.key() == Qt.Key.Key_Escape:
                self._close()
                return True
        elif isinstance(event, QFocusEvent) and event.lostFocus() and not focus_returns(event):
            self.commit_typed()
        return super().eventFilter(watched, event)

    def _close(self) -> None:
        if self._editor is not None:
            editor, self._editor = self._editor, None
            editor.removeEventFilter(self)
            focused = editor.hasFocus()
            editor.hide()
            editor.deleteLater()
            if focused:
                self._table.setFocus()


LEAST_BOX = 4  # pixels of a head whose columns are out of sight: it can still be picked


class HeadRuler(QWidget):
    """One box a head over its columns in a table; the chosen one is filled, a click picks one.

    A head whose columns are out of sight keeps a narrow box at the side where they are.
    """

    picked = Signal(int)  # the head

    def __init__(self, table: QTableView) -> None:
        super().__init__()
        self._table = table
        self._count, self._width, self._chosen = 0, 0, -1
        table.horizontalScrollBar().valueChanged.connect(self.update)
        table.horizontalHeader().sectionResized.connect(self.update)
        table.horizontalHeader().geometriesChanged.connect(self.update)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def set_heads(self, count: int, width: int, chosen: int) -> None:
        """Set `count` heads of `width` columns each; with nothing to choose there is nothing to see."""
        self.setVisible(count > 1)
        self.setAccessibleName(self.tr("Head {head} of {count}").format(head=chosen, count=count))
        if (count, width, chosen) != (self._count, self._width, self._chosen):
            self._count, self._width, self._chosen = count, width, chosen
            self.update()

    def box(self, head: int) -> QRect:
        """Return the place of a head's box; boxes meet to the pixel."""
        left, right = self._edge(head), self._edge(head + 1)
        return QRect(left, 0, right - left, self.height() - 1)

    def _edge(self, head: int) -> int:
        """Return where a head begins: over its first column, as far as the heads before and after it leave room."""
        cells = self._table.viewport()
        start = cells.mapTo(self._table, QPoint()).x()
        end = max(min(start + cells.width(), self.width()) - 1, start)
        least = min(LEAST_BOX, (end - start) / 2 / self._count)
        header, column = self._table.horizontalHeader(), head * self._width
        place = start + (
            header.sectionViewportPosition(column) if column < header.count() else header.length() - header.offset()
        )
        return round(min(max(place, start + head * least), end - (self._count - head) * least))

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(ui_font("micro")).height() + SPACING.s)

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            number = QFontMetrics(ui_font("micro", 600)).horizontalAdvance(str(self._count)) + SPACING.xs
            for head in range(self._count):
                rect, chosen = self.box(head), head == self._chosen
                background = theme.accent if chosen else theme.sunken if head % 2 == 0 else theme.surface
                painter.fillRect(rect, background)
                if rect.width() >= number:
                    painter.setFont(ui_font("micro", 600 if chosen else 400))
                    painter.setPen(theme.on_accent if chosen else theme.text2)
                    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(head))
                painter.setPen(theme.line)
                painter.drawRect(rect)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self._head_at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and head is not None:
            self.picked.emit(head)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            head = self._head_at(event.pos().x())
            if head is not None:
                first, last = head * self._width, (head + 1) * self._width - 1
                text = self.tr("Head {head}: columns {first} to {last}").format(head=head, first=first, last=last)
                QToolTip.showText(event.globalPos(), text, self, self.box(head))
            return True
        return super().event(event)

    def _head_at(self, x: float) -> int | None:
        return next((head for head in range(self._count) if self.box(head).left() <= x <= self.box(head).right()), None)
