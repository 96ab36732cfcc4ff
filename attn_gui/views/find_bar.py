"""The bar above the maps in which one types what is looked for."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.theme import scaled, style_text, theme_signal
from attn_gui.views.widgets import CloseButton, Retranslated, arrange, set_name, set_tip

WIDTH = 240


class FindBar(Retranslated, QWidget):
    """Bar to find a text in a table or map: Enter goes to the next place, Shift+Enter to the one before, Esc ends."""

    typed = Signal(str)  # the text to look for
    nextRequested = Signal()
    previousRequested = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("find")
        self._where, self._said = QLabel(self), QLabel(self)
        self.line = QLineEdit(self)
        self.line.setObjectName("find.line")
        self.previous, self.next, self.close_button = QToolButton(self), QToolButton(self), CloseButton(self)
        for label in (self._where, self._said):
            label.setTextFormat(Qt.TextFormat.PlainText)
        style_text(self._said, tone="text2")
        theme_signal.changed.connect(self._fit_line)
        self._fit_line()
        found = self._where, self.line, self.previous, self.next, self._said
        margins = SPACING.xl, SPACING.s, SPACING.m, SPACING.s
        arrange(QHBoxLayout(self), *found, 1, self.close_button, margins=margins, spacing=SPACING.m)
        self.previous.setText("‹")
        self.next.setText("›")
        for button, signal in (
            (self.previous, self.previousRequested),
            (self.next, self.nextRequested),
            (self.close_button, self.left),
        ):
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(signal)
        self.line.textChanged.connect(self.typed)
        self.retranslate()
        self.hide()

    def _fit_line(self, *_: object) -> None:
        self.line.setMaximumWidth(scaled(WIDTH))

    def begin(self, where: str) -> None:
        """Ask what to find in a table or map of this name."""
        self.set_where(where)
        self.show()
        self.line.setFocus()
        self.line.selectAll()

    def set_where(self, where: str) -> None:
        """Name the table or map."""
        self._where.setText(self.tr("Find in {where}").format(where=where))
        self.line.setAccessibleName(self._where.text())

    def set_said(self, text: str) -> None:
        """Say how many were found, or where."""
        self._said.setText(text)
        self.line.setAccessibleDescription(text)

    def said(self) -> str:
        """Return the words behind the line."""
        return self._said.text()

    def retranslate(self) -> None:
        self.line.setPlaceholderText(self.tr("number, token, or row, column"))
        set_tip(self.line, self.tr("A number as it is shown, a token, or row and column as in 2, 5: Enter goes there"))
        for button, words in (
            (self.previous, self.tr("The one before (Shift+F3)")),
            (self.next, self.tr("The next one (F3)")),
            (self.close_button, self.tr("End the search (Esc)")),
        ):
            set_name(button, words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.previousRequested if back else self.nextRequested).emit()
        else:
            super().keyPressEvent(event)
