"""Typing into a cell: the line, and the bubble above it that says why a text was refused."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from attn_gui.figure.tokens import SIZE, SPACING
from attn_gui.formats.text.numerals import LONGEST
from attn_gui.views.controls.half_typed import belongs_to_window
from attn_gui.views.theme import restyle, scaled, ui_font

BUBBLE_WIDTH = 12 * SIZE.control


class CellEditor(QLineEdit):
    """One cell's text; grows with it, and knows whether the text was refused."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._viewport = parent
        self.setMaxLength(LONGEST + 1)  # what is pasted beyond it is laid out in vain: no text as long is a number
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
        """Red or not; a refused text keeps the editor open."""
        if refused == self.refused:
            return  # looking at the style sheet again costs as much as all else that an edit does in the table
        self.refused = refused
        self.setProperty("wrong", "true" if refused else "false")
        restyle(self)

    def event(self, event: QEvent) -> bool:
        if belongs_to_window(event):
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


class Bubble(QLabel):
    """One sentence above a cell of its owner, over whatever is there."""

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
