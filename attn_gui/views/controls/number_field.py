"""A field for a typed number: handed on at Enter or when left, refused with a sentence."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from attn_gui.document.numbers import NumberError, parse_number, shortest
from attn_gui.views.controls.refusal import RefusalTip, asks_to_undo, mark


class NumberField(QLineEdit):
    """A float, or nothing where `optional`; `committed` comes once a visit and only if the value changed."""

    committed = Signal(object)  # float, or None for an empty optional field
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, optional: bool = False, positive: bool = False) -> None:
        super().__init__(parent)
        self._optional, self._positive = optional, positive
        self._value: float | None = None
        self._dtype, self._settled_text = "float64", ""
        self._staying = False
        self._tip = RefusalTip(self)
        self.textEdited.connect(self._on_self_text_edited)

    def value(self) -> float | None:
        """The number last set or handed on."""
        return self._value

    def set_value(self, value: float | None, dtype: str = "float64") -> None:
        """Show the number of the document as the shortest text that gives it back."""
        self._value, self._dtype = value, dtype
        self._settled_text = "" if value is None else shortest(value, dtype)
        self.setText(self._settled_text)
        self.setCursorPosition(0)
        self._show_state()

    def pending(self) -> bool:
        """Whether the field shows something that has not been handed on."""
        return self.text() != self._settled_text

    def finish(self) -> None:
        """End the visit: hand on a number that changed; what cannot be gives way to the number before."""
        if self._staying or not self.pending():
            return
        sentence = self._take()
        if sentence:
            self.restore()
            self.refused.emit(sentence)

    def restore(self) -> None:
        """Back to the text before the visit."""
        self.setText(self._settled_text)
        self._show_state()

    # --- what Qt asks ----------------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        if asks_to_undo(event) and not self.pending():
            event.ignore()  # undo belongs to the document unless something half typed is in the field
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            sentence = self._take() if self.pending() else ""
            if sentence:
                self._refuse(sentence)
            else:
                super().keyPressEvent(event)
            self.selectAll()
        elif event.key() == Qt.Key.Key_Escape:
            if self.pending():
                self.restore()
                self.selectAll()
            else:
                event.ignore()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._staying = True
        super().contextMenuEvent(event)
        self._staying = False

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.finish()
        super().focusOutEvent(event)

    # --- inside ----------------------------------------------------------------------------------
    def _take(self) -> str:
        """Hand on what is typed; if it cannot be, say why and change nothing."""
        text = self.text().strip()
        if not text and self._optional:
            value = None
        else:
            try:
                value = parse_number(text, self._dtype)
            except NumberError as error:
                return error.sentence()
            if self._positive and not 0 < value < float("inf"):
                return self.tr("A number above 0 is needed. Esc keeps {old}.").format(old=self._settled_text or "–")
        changed = value != self._value and not (value != value and self._value != self._value)
        self.set_value(value, self._dtype)
        if changed:
            self.committed.emit(value)
        return ""

    def _refuse(self, sentence: str) -> None:
        mark(self, "wrong", "true")
        self._tip.show_sentence(sentence)
        self.refused.emit(sentence)

    def _show_state(self) -> None:
        mark(self, "wrong", "")
        mark(self, "tone", "edit" if self.pending() else "")
        self._tip.dismiss()

    def _on_self_text_edited(self) -> None:
        self._show_state()
