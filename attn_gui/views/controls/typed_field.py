"""A line to type a value into: a visit is one gesture, and what cannot be is refused with a sentence."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from attn_gui.document.edits import Refusal
from attn_gui.views.controls.half_typed import belongs_to_window, passes
from attn_gui.views.controls.refusal import RefusalTip, asks_to_undo, mark


class TypedField(QLineEdit):
    """Hands its value on at Enter or when left, once a visit and only if it changed; Esc restores.

    Subclasses say how a text is read (raising ValueError with a sentence) and how a value is written.
    """

    committed = Signal(object)
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value: Any = None
        self._settled_text = ""
        self._staying = False
        self._tip = RefusalTip(self)
        self.textEdited.connect(self._on_self_text_edited)

    def read(self, text: str) -> Any:
        """The value that the text means; raises ValueError with a sentence."""
        raise NotImplementedError

    def written(self, value: Any) -> str:
        """The text that stands for the value."""
        raise NotImplementedError

    def value(self) -> Any:
        """The value last set or handed on."""
        return self._value

    def set_value(self, value: Any) -> None:
        """Show the value of the document."""
        self._value, self._settled_text = value, self.written(value)
        self.restore()

    def pending(self) -> bool:
        """Whether the field shows something that has not been handed on."""
        return self.text() != self._settled_text

    def finish(self) -> None:
        """End the visit: hand on a value that changed; what cannot be gives way to the value before."""
        if self._staying or not self.pending():
            return
        typed, sentence = self.text(), self._take()
        if sentence:
            self.restore()
            self._tip.show_left(typed, self._settled_text)
            self.refused.emit(sentence)

    def settle(self) -> bool:
        """Hand on what is typed; False if it cannot be, or was not taken, and then the field says why."""
        typed, sentence = self.text(), self._take() if self.pending() else ""
        if sentence:
            self._refuse(sentence)
            self.selectAll()
        return not sentence and (self.text() == typed or not self.pending())

    def restore(self) -> None:
        """Back to the text before the visit."""
        self.setText(self._settled_text)
        self.setCursorPosition(0)
        self._show_state()

    # --- what Qt asks ----------------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        if belongs_to_window(event) or (asks_to_undo(event) and not self.pending()):
            event.ignore()  # undo belongs to the document unless something half typed is in the field
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.settle():
                super().keyPressEvent(event)
            self.selectAll()
        elif event.key() == Qt.Key.Key_Escape and self.pending():
            self.restore()
            self.selectAll()
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._staying = True
        super().contextMenuEvent(event)
        self._staying = False

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if not passes(event):
            self.finish()
        super().focusOutEvent(event)

    # --- inside ----------------------------------------------------------------------------------
    def _take(self) -> str:
        """Hand on what is typed; if it cannot be, say why and change nothing."""
        try:
            value = self.read(self.text().strip())
        except Refusal as refusal:
            return refusal.sentence()
        except ValueError as error:
            return str(error)
        changed = self.written(value) != self._settled_text
        self.set_value(value)
        if changed:
            self.committed.emit(value)
        return ""

    def _refuse(self, sentence: str) -> None:
        mark(self, "wrong", "true")
        self._tip.show_sentence(sentence)
        self.refused.emit(sentence)

    def _show_state(self) -> None:
        mark(self, "wrong", "")
        mark(self, "tone", "edit" if self._settled_text and self.pending() else "")
        self._tip.dismiss()

    def _on_self_text_edited(self) -> None:
        self._show_state()
