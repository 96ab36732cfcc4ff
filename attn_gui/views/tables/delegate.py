"""Delegate that paints a cell and its editor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

import numpy as np
from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QObject,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QPen, QRegion
from PySide6.QtWidgets import QAbstractItemDelegate, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from attn_gui.document.matrix_model import Index, MatrixModel
from attn_gui.figure.colors import lut
from attn_gui.figure.display import NAN, Levels, to_display
from attn_gui.figure.tokens import FONT_SIZE, LINE, SPACING, Theme
from attn_gui.views.controls.half_typed import passes
from attn_gui.views.tables.editor import CellEditor
from attn_gui.views.tables.steps import ENTERS, step_of, way_out
from attn_gui.views.theme import current_theme, scaled, ui_font

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
        """Take the theme and the zoom of now."""
        self._theme, self._font = current_theme(), ui_font("body", tabular=True)

    def set_levels(self, levels: Levels | None) -> None:
        """The values that the ends of the tint stand for; None for no tint."""
        self._levels = levels

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect = option.rect
        if self.exposed is not None and not self.exposed.intersects(rect):
            return
        state, theme = option.state.value, self._theme
        model, row, column = cast(MatrixModel, index.model()), index.row(), index.column()
        text, value = ("", model.number(row, column)) if self.between_rows else model.cell(row, column)
        tint = self._tint(value, theme)
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
        room = rect.adjusted(0, 0, -scaled(SPACING.s), 0)
        painter.drawText(room, CENTERED if text == "✓" else NUMBER, self._fitted(text, room.width()))
        if state & FOCUSED:
            painter.setPen(QPen(theme.accent, LINE.focus))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))

    def width_of(self, texts: Sequence[str]) -> int:
        """The width of a column that shows these texts whole; digits are equally wide."""
        size, alike = scaled(FONT_SIZE.body), {text.translate(ZEROS) for text in texts}
        return max((_width_of(text, size) for text in alike), default=0) + scaled(SPACING.s) + LEFT_PAD

    def _fitted(self, text: str, room: int) -> str:
        """The text as far as it has room: cut by Qt, on the left, it would be another number."""
        if _width_of(text.translate(ZEROS), scaled(FONT_SIZE.body)) <= room:
            return text
        return QFontMetrics(self._font).elidedText(text, Qt.TextElideMode.ElideRight, room)

    def _tint(self, value: float, theme: Theme) -> QColor | None:
        if self._levels is None:
            return None
        return _tint_of(value, self._levels, theme.name)

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
                if self._settle(editor):
                    self.stepped.emit(step)
                return True
            out = way_out(event)
            if out is not None:
                if self._settle(editor):
                    self.leftBy.emit(out)
                return True
            if self._goes_on(editor, event):
                return True
        elif isinstance(event, QFocusEvent) and event.lostFocus():
            if not passes(event) and not self._settle(editor):
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
            if self._settle(editor):
                self.moved.emit(0, ACROSS[key])
        else:
            return False
        return True

    def _settle(self, editor: CellEditor) -> bool:
        self.commitData.emit(editor)
        if not editor.refused:
            self.closeEditor.emit(editor, Hint.NoHint)
        return not editor.refused


@lru_cache(maxsize=1 << 12)
def _width_of(zeros: str, _size: int) -> int:
    """Remembered, since thousands of cells have texts of the same few lengths."""
    return QFontMetrics(ui_font("body", tabular=True)).horizontalAdvance(zeros)


@lru_cache(maxsize=1 << 11)  # more than a window shows
def _tint_of(value: float, levels: Levels, theme: str) -> QColor | None:
    """Remembered, since a table paints all its cells for each row that it scrolls."""
    display = to_display(np.array([value]), None, levels)
    if display.flags[0] == NAN:
        return None
    color = QColor.fromRgba(int(lut("signed", theme)[display.indices[0]]))
    color.setAlphaF(TINT[theme])
    return color
