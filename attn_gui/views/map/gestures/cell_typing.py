"""Typing into a cell of a map: one line over the cell, and the sentence above it when its text is refused."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from attn_gui.figure.tokens import SIZE, SPACING
from attn_gui.views.controls.half_typed import passes
from attn_gui.views.tables.editor import Bubble, CellEditor
from attn_gui.views.theme import scaled

_LEAVING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
_DIGITS = 6  # that have room, however small the cell is


class CellTyping(QObject):
    """Opens a line on one cell and hands on what was typed; the listener closes it or refuses the text."""

    typed = Signal(str)
    closed = Signal()

    def __init__(self, heatmap: QWidget) -> None:
        super().__init__(heatmap)
        self._heatmap = heatmap
        self._editor: CellEditor | None = None
        self._bubble: Bubble | None = None
        self._given_up = False

    @property
    def editor(self) -> CellEditor | None:
        """The line that is open."""
        return self._editor

    def open(self, place: QRect, text: str, *, name: str, begun: bool) -> None:
        """Type into a cell drawn at `place` of the map; `begun`: the text is the first letter typed, not the number."""
        self.close()
        editor = self._editor = CellEditor(self._heatmap)
        editor.setAccessibleName(name)
        editor.setText(text)
        editor.set_cell(self._roomy(place))
        if not begun:
            editor.selectAll()
        editor.textEdited.connect(self._hide_bubble)
        editor.installEventFilter(self)
        editor.show()
        editor.setFocus()

    def settle(self) -> bool:
        """Hand on what is typed; False if it is refused, with the line still open, or was given up."""
        editor = self._editor
        if editor is None:
            return True
        editor.set_refused(False)
        self._given_up = False
        self.typed.emit(editor.text())
        return self._editor is not editor and not self._given_up

    def give_up(self) -> None:
        """Close the line without its number; a command that was about to hand it on is not carried out."""
        self._given_up = True
        self.close()

    def refuse(self, sentence: str) -> None:
        """Keep the line open and say why its text cannot be taken."""
        if self._editor is None:
            return
        self._editor.set_refused(True)
        self._editor.setAccessibleDescription(sentence)
        window = self._heatmap.window()
        if self._bubble is None or self._bubble.parentWidget() is not window:
            self._bubble = Bubble(self._heatmap)
        self._bubble.setText(sentence)
        corner = self._editor.mapTo(window, QPoint(0, 0))
        self._bubble.point_at(QRect(corner, self._editor.size()))

    def close(self) -> None:
        """Take the line away; the keyboard goes back to the map if the line had it."""
        self._hide_bubble()
        editor, self._editor = self._editor, None
        if editor is not None:
            held = self._heatmap.window().focusWidget() is editor  # the window may not be the active one yet
            editor.removeEventFilter(self)  # it is given up: losing the focus now hands nothing on
            editor.hide()
            editor.deleteLater()
            self.closed.emit()
            if held:
                self._heatmap.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._editor:
            return super().eventFilter(watched, event)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _LEAVING:
                self.settle()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close()
                return True
        elif isinstance(event, QFocusEvent) and event.lostFocus() and not passes(event) and not self.settle():
            self.close()  # a refused text does not outlive the visit
        return super().eventFilter(watched, event)

    def _roomy(self, place: QRect) -> QRect:
        """At least as high and wide as a cell of a table, around the middle of the cell and inside the map."""
        least = self._heatmap.fontMetrics().horizontalAdvance("0") * _DIGITS + scaled(2 * SPACING.m)
        roomy = QRect(0, 0, max(place.width(), least), max(place.height(), scaled(SIZE.control)))
        roomy.moveCenter(place.center())
        inside = self._heatmap.rect()
        roomy.moveLeft(max(inside.left(), min(roomy.left(), inside.right() - roomy.width())))
        roomy.moveTop(max(inside.top(), min(roomy.top(), inside.bottom() - roomy.height())))
        return roomy

    def _hide_bubble(self) -> None:
        if self._bubble is not None:
            self._bubble.hide()
