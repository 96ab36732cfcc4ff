"""A box for a size: a visit to it is one gesture, and what cannot be is refused with a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QWidget

from attn_gui.views.controls.count_box import CountBox, whole_number
from attn_gui.views.controls.half_typed import passes
from attn_gui.views.controls.refusal import mark

LISTED = 16  # so many possible numbers are named in a refusal, those nearest to what was typed
KEYS = QKeySequence.StandardKey


class SizeBox(CountBox):
    """Shows a number at once, but hands it on only at Enter or when it is left.

    `committed` comes once a visit and only if the number differs from the one before the visit; until then the box
    shows that it waits. `refused` carries the sentence that the box shows below itself.
    """

    committed = Signal(int)
    refused = Signal(str)
    # on the class, since Qt asks `validate` while it still builds the box
    _settled = _least = 1
    _allowed: tuple[int, ...] = ()
    _why = ""
    _staying = False

    def __init__(self, parent: QWidget | None = None, *, minimum: int = 1, maximum: int = 65536) -> None:
        super().__init__(parent, minimum=minimum, maximum=maximum)
        self._settled, self._least, self._largest = minimum, minimum, maximum
        self.setKeyboardTracking(False)
        self.editingFinished.connect(self.finish)
        self.lineEdit().textEdited.connect(self._on_line_text_edited)

    def set_value(self, value: int) -> None:
        """Show the number of the document, which ends a visit; 0 is that of a size that it has not."""
        self._forget_refusal()
        self._settled = value
        with QSignalBlocker(self):
            self.setMinimum(min(self._least, value))
            self.setMaximum(max(self._largest, value))  # a file may bring a larger one than can be asked for
            self.setValue(value)
            self.lineEdit().setText(self.textFromValue(value))
        self.updateGeometry()
        self._show_pending()

    def set_allowed(self, values: Sequence[int], why: str = "") -> None:
        """Step through those of these numbers that lie in the range (through all of it if there are none).

        `why` begins the sentence of a refusal.
        """
        self._allowed, self._why = tuple(sorted(value for value in values if value <= self.maximum())), why

    def pending(self) -> bool:
        """Whether the box shows something that has not been handed on."""
        return self.cleanText() != self.textFromValue(self._settled)

    def finish(self) -> None:
        """End the visit: hand on a number that changed; what cannot be gives way to the number before."""
        if self._staying:
            return
        typed = self.cleanText()
        sentence = self.objection(typed)
        if sentence:
            self.restore()
            self._tip.show_left(typed, self.textFromValue(self._settled))
            self.refused.emit(sentence)
            return
        self.interpretText()
        if self.value() != self._settled:
            self._settled = self.value()
            self._show_pending()
            self.committed.emit(self._settled)

    def settle(self) -> bool:
        """Hand on what is typed; False if it cannot be, or was not taken, and then the box says why."""
        sentence = self.objection(self.cleanText())
        if sentence:
            self._refuse(sentence)
            return False
        self.interpretText()
        asked = self.value()
        self.finish()
        return self._settled == asked

    def restore(self) -> None:
        """Back to the number before the visit."""
        self.set_value(self._settled)

    # --- what Qt asks ----------------------------------------------------------------------------
    def textFromValue(self, value: int) -> str:
        return super().textFromValue(value) if value >= self._least else "–"  # a size that the problem has not

    def stepBy(self, steps: int) -> None:
        if not self.objection(self.cleanText()):
            self.interpretText()
        if self._allowed:
            self.setValue(self._neighbor(steps))
        else:
            super().stepBy(steps)
        self.selectAll()
        self._forget_refusal()
        self._show_pending()

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        if not self._allowed or self.isReadOnly():
            return super().stepEnabled()
        flags = QAbstractSpinBox.StepEnabledFlag.StepNone
        if self.value() < self._allowed[-1]:
            flags |= QAbstractSpinBox.StepEnabledFlag.StepUpEnabled
        if self.value() > self._allowed[0]:
            flags |= QAbstractSpinBox.StepEnabledFlag.StepDownEnabled
        return flags

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel never changes a size: rows would be cut off by scrolling past."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (event.key() == Qt.Key.Key_Escape or event.matches(KEYS.Undo)) and self.pending():
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
        if passes(event):
            self.lineEdit().event(event)  # all of it but the tidying and handing on of what is half typed
            return
        if not self._staying:
            self.finish()  # before Qt tidies a text that it finds wrong, so that the refusal can name it
        super().focusOutEvent(event)

    # --- inside ----------------------------------------------------------------------------------
    def objection(self, text: str) -> str:
        """The reason why this text cannot be the number, as a sentence; empty if it can."""
        number, sentence = whole_number(text), super().objection(text)
        if sentence or number is None or not self._allowed or number in self._allowed:
            return sentence
        return self._listing(number)

    def _before(self) -> int:
        return self._settled

    def _listing(self, number: int) -> str:
        near = sorted(sorted(self._allowed, key=lambda value: abs(value - number))[:LISTED])
        listed = self.tr(", ").join(map(str, near)) + (" …" if len(near) < len(self._allowed) else "")
        why = (self._why or self.tr("{number} is not possible.")).format(number=number)
        return self.tr("{why} Possible: {listed}. Esc keeps {old}.").format(why=why, listed=listed, old=self._settled)

    def _neighbor(self, steps: int) -> int:
        beyond = (
            [v for v in self._allowed if v > self.value()]
            if steps > 0
            else [v for v in reversed(self._allowed) if v < self.value()]
        )
        return beyond[min(abs(steps), len(beyond)) - 1] if beyond else self.value()

    def _refuse(self, sentence: str) -> None:
        super()._refuse(sentence)
        self.refused.emit(sentence)

    def _show_pending(self) -> None:
        mark(self, "tone", "edit" if self.pending() else "")

    def _on_line_text_edited(self) -> None:
        self._show_pending()
