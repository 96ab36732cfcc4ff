"""A cell of a table: its tint, its editor, the bubble of a refusal, where Enter and Tab go on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QRegion
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QLabel,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from attn_gui.document.matrix_model import Index, MatrixModel
from attn_gui.figure.colors import NAN, Levels, lut, to_display
from attn_gui.figure.design_tokens import FONT_SIZE, LINE, SIZE, SPACING
from attn_gui.formats.text.headings import LONGEST_NUMBER
from attn_gui.views.theme import current_theme, restyle, scaled, ui_font
from attn_gui.views.widgets import focus_returns, is_window_shortcut

BUBBLE_WIDTH = 12 * SIZE.control


class CellEditor(QLineEdit):
    """One cell's text; grows with it, and knows whether the text was refused."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._viewport = parent
        self.setMaxLength(LONGEST_NUMBER + 1)  # what is pasted beyond is laid out in vain: no text as long is a number
        self.refused = False
        self.typed = False  # opened by a number that is typed over the cell: arrows lead on, as in a spreadsheet
        self.loaded = False
        self._cell = QRect()
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setFont(ui_font("body", tabular=True))
        self.textChanged.connect(self._on_self_text_changed)
        self.textEdited.connect(self._on_self_text_edited)

    def set_cell(self, rect: QRect) -> None:
        """Lie on the cell, wider where the text needs it, inside the viewport."""
        self._cell = QRect(rect)  # the option that it comes from dies with the call
        needed = self.fontMetrics().horizontalAdvance(self.text()) + scaled(2 * SPACING.m)
        room = self._viewport.width()
        wide = QRect(rect.x(), rect.y(), min(max(rect.width(), needed), room), rect.height())
        if wide.right() >= room:
            wide.moveRight(max(rect.right(), room - 1))
        self.setGeometry(wide)

    def set_refused(self, refused: bool) -> None:
        """Show the editor in red or not; a refused text keeps it open."""
        if refused == self.refused:
            return  # looking at the style sheet again costs as much as all else that an edit does in the table
        self.refused = refused
        self.setProperty("wrong", "true" if refused else "false")
        restyle(self)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and is_window_shortcut(event):
            event.ignore()
            return False
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.typed = False  # who points into the text corrects it: arrows stay in it
        super().mousePressEvent(event)

    def _on_self_text_changed(self) -> None:
        if self._cell.isValid():
            self.set_cell(self._cell)

    def _on_self_text_edited(self) -> None:
        if self.refused:
            self.set_refused(False)


class CellBubble(QLabel):
    """A sentence in a bubble that points at a cell, over whatever is there."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner.window())
        self._over = owner.window()
        owner.destroyed.connect(self.deleteLater)
        self.setProperty("bubble", "error")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def point_at(self, cell: QRect) -> None:
        """Stand above the cell, given in the window's coordinates: the row that is typed next lies below."""
        self.setFont(ui_font("small", weight=600))
        self.setWordWrap(False)
        margin, room = scaled(SPACING.s), min(scaled(BUBBLE_WIDTH), self._over.width())
        self.setWordWrap(self.sizeHint().width() > room)
        if self.wordWrap():
            self.resize(room, self.heightForWidth(room))
        else:
            self.resize(self.sizeHint())
        left = max(0, min(cell.left(), self._over.width() - self.width()))
        top = cell.top() - margin - self.height()
        self.move(QPoint(left, top if top >= 0 else cell.bottom() + 1 + margin))
        self.raise_()
        self.show()


Cell = tuple[int, int]
Area = tuple[Cell, Cell]  # first and last cell
TABS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
ENTERS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
Modifier = Qt.KeyboardModifier


class EntryStep(NamedTuple):
    """One press of Enter or Tab; Shift turns it round."""

    tab: bool
    back: bool


def step_of(event: QKeyEvent) -> EntryStep | None:
    """Return the step that a key means; None for other keys, and with Ctrl."""
    key = Qt.Key(event.key())
    if key not in (*TABS, *ENTERS) or event.modifiers() & Modifier.ControlModifier:
        return None
    back = key == Qt.Key.Key_Backtab or bool(event.modifiers() & Modifier.ShiftModifier)
    return EntryStep(key in TABS, back)


def way_out(event: QKeyEvent) -> bool | None:
    """Return whether Ctrl+Tab leads on out of the table, or back; None for other keys."""
    if Qt.Key(event.key()) not in TABS or not event.modifiers() & Modifier.ControlModifier:
        return None
    return event.key() == Qt.Key.Key_Tab and not event.modifiers() & Modifier.ShiftModifier


class EntryWalk:
    """Remembers in which column a run of Tabs began, to which Enter returns.

    In a selection of several cells both keys go round within it, Tab by rows and Enter by columns. In the whole table
    Tab goes on in the next row, and from the last cell to the first one, as in a selection; Enter in the last row
    stays, since numbers below it have no place.
    """

    def __init__(self) -> None:
        self._began: int | None = None

    def goal(self, cell: Cell, step: EntryStep, selected: Area, table: Cell) -> Cell:
        """Return the next cell of a table of `table` = (rows, columns), from the current one."""
        if selected[0] != selected[1]:
            return _round(cell, step, selected)
        if step.tab:
            self._began = cell[1] if self._began is None else self._began
            return _round(cell, step, ((0, 0), (table[0] - 1, table[1] - 1)))
        began, self._began = self._began, None
        row = min(max(cell[0] + (-1 if step.back else 1), 0), table[0] - 1)
        return row, cell[1] if began is None or step.back or row == cell[0] else began

    def end(self) -> None:
        """End the round: the person went elsewhere, with an arrow or the mouse, and the next Tab begins again."""
        self._began = None


def _round(cell: Cell, step: EntryStep, area: Area) -> Cell:
    """Return the next cell of an area, by rows with Tab and by columns with Enter.

    After the last one comes the first.
    """
    (top, left), (bottom, right) = area
    rows, columns = bottom - top + 1, right - left + 1
    row, column = cell[0] - top, cell[1] - left
    way = -1 if step.back else 1
    if step.tab:
        row, column = divmod((row * columns + column + way) % (rows * columns), columns)
    else:
        column, row = divmod((column * rows + row + way) % (rows * columns), rows)
    return top + row, left + column


TINT = {"light": 0.32, "dark": 0.45}
ZEROS = str.maketrans("123456789", "000000000")
LEFT_PAD = 2  # a grid line and a pixel of air
CHOSEN = 0.22  # of the accent, over a selected cell
NUMBER = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
CENTERED = int(Qt.AlignmentFlag.AlignCenter)
SELECTED, FOCUSED = QStyle.StateFlag.State_Selected.value, QStyle.StateFlag.State_HasFocus.value
Hint = QAbstractItemDelegate.EndEditHint
ACROSS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class CellDelegate(QStyledItemDelegate):
    """Paints text and tint of a cell with one call to the model; tells where the typing goes on."""

    stepped = Signal(object)  # Step
    moved = Signal(int, int)  # rows and columns that an arrow leads on
    fillAsked = Signal(object)  # CellEditor, by Ctrl+Enter: its number is meant for the whole selection
    leftBy = Signal(bool)  # Ctrl+Tab: forward, or backward
    gaveUp = Signal()  # the focus went elsewhere while the text was refused

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._levels: Levels | None = None
        self._theme = current_theme()
        self._font = QFont()
        self.exposed: QRegion | None = None  # what is painted now: Qt asks for neighbors of which it is the grid alone
        self.between_rows = False  # only lines between rows are painted now, where no number comes
        self.refresh()

    def refresh(self) -> None:
        """Update colors and sizes from the current theme and zoom."""
        self._theme, self._font = current_theme(), ui_font("body", tabular=True)
        self._pad, self._size = scaled(SPACING.s), scaled(FONT_SIZE.body)

    def set_levels(self, levels: Levels | None) -> bool:
        """Take the values that the ends of the tint stand for, None for no tint; whether they are others."""
        before, self._levels = self._levels, levels
        return levels != before

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect = option.rect
        if self.exposed is not None and not self.exposed.intersects(rect):
            return
        state, theme = option.state.value, self._theme
        model, row, column = index.model(), index.row(), index.column()
        assert isinstance(model, MatrixModel)
        text, value = ("", model.number(row, column)) if self.between_rows else model.cell(row, column)
        tint = _tint_of(value, self._levels, theme.name) if self._levels is not None else None
        if tint is not None:
            painter.fillRect(rect, tint)
        if state & SELECTED:
            chosen = QColor(theme.accent)
            chosen.setAlphaF(CHOSEN)
            painter.fillRect(rect, chosen)
        if self.between_rows and not state & FOCUSED:
            return
        painter.setFont(self._font)
        painter.setPen(theme.error if value != value and text else theme.text)
        room = rect.adjusted(0, 0, -self._pad, 0)
        painter.drawText(room, CENTERED if text == "✓" else NUMBER, self._fitted(text, room.width()))
        if state & FOCUSED:
            painter.setPen(QPen(theme.accent, LINE.focus))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))

    def width_of(self, texts: Sequence[str]) -> int:
        """Return the width of a column that shows these texts whole; digits are equally wide."""
        size, alike = scaled(FONT_SIZE.body), {text.translate(ZEROS) for text in texts}
        return max((_width_of(text, size) for text in alike), default=0) + scaled(SPACING.s) + LEFT_PAD

    def _fitted(self, text: str, room: int) -> str:
        """Return the text as far as it has room: cut by Qt, on the left, it would be another number."""
        if _width_of(text.translate(ZEROS), self._size) <= room:
            return text
        return QFontMetrics(self._font).elidedText(text, Qt.TextElideMode.ElideRight, room)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> CellEditor:
        editor = CellEditor(parent)
        editor.setAccessibleName(self.tr("Row {row}, column {column}").format(row=index.row(), column=index.column()))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Fill the editor once: half-typed text survives a change of the cell behind it."""
        if isinstance(editor, CellEditor) and not editor.loaded:
            editor.loaded = True
            editor.setText(str(index.data(Qt.ItemDataRole.EditRole)))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, CellEditor):
            editor.set_refused(not model.setData(index, editor.text(), Qt.ItemDataRole.EditRole))

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        if isinstance(editor, CellEditor):
            editor.set_cell(option.rect)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Enter and Tab commit and go on; a refused text keeps its editor, until the focus goes elsewhere."""
        if not isinstance(editor, CellEditor):
            return super().eventFilter(editor, event)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = step_of(event)
            if step is not None:
                if self._commit_typed(editor):
                    self.stepped.emit(step)
                return True
            out = way_out(event)
            if out is not None:
                if self._commit_typed(editor):
                    self.leftBy.emit(out)
                return True
            if self._goes_on(editor, event):
                return True
        elif isinstance(event, QFocusEvent) and event.lostFocus():
            if not focus_returns(event) and not self._commit_typed(editor):
                self.closeEditor.emit(editor, Hint.RevertModelCache)
                self.gaveUp.emit()
            return False
        return super().eventFilter(editor, event)

    def _goes_on(self, editor: CellEditor, event: QKeyEvent) -> bool:
        """Answer Ctrl+Enter, F2, and the arrows after a number typed over a cell; whether it was one of them."""
        key, held = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in ENTERS and held == Qt.KeyboardModifier.ControlModifier:
            self.fillAsked.emit(editor)
        elif key == Qt.Key.Key_F2 and not held:
            editor.typed = not editor.typed
        elif editor.typed and key in ACROSS and not held:
            if self._commit_typed(editor):
                self.moved.emit(0, ACROSS[key])
        else:
            return False
        return True

    def _commit_typed(self, editor: CellEditor) -> bool:
        self.commitData.emit(editor)
        if not editor.refused:
            self.closeEditor.emit(editor, Hint.NoHint)
        return not editor.refused


@lru_cache(maxsize=1 << 12)
def _width_of(zeros: str, _size: int) -> int:
    """Return the width of a text; kept, since thousands of cells have texts of the same few lengths."""
    return QFontMetrics(ui_font("body", tabular=True)).horizontalAdvance(zeros)


@lru_cache(maxsize=1 << 11)  # more than a window shows
def _tint_of(value: float, levels: Levels, theme: str) -> QColor | None:
    """Return the tint of a number; kept, since a table paints all its cells for each row that it scrolls."""
    display = to_display(np.array([value]), None, levels)
    if display.flags[0] == NAN:
        return None
    color = QColor.fromRgba(int(lut("signed", theme)[display.indices[0]]))
    color.setAlphaF(TINT[theme])
    return color
