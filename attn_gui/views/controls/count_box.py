"""Boxes for whole numbers: what may be typed or stepped to, the sentence that refuses a count; the item on show."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from PySide6.QtCore import QLocale, QPoint, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QValidator, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QGridLayout,
    QLabel,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyleOptionSpinBox,
    QWidget,
)

from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.views.controls.typed_field import EditorMixin, mark
from attn_gui.views.theme import scaled
from attn_gui.views.widgets import FocusedWheel, focus_returns, space_grid

LONGEST = 20  # digits; Python refuses to read thousands of them
AROUND_TEXT = 6  # the margins of Qt's line edit and its cursor
# a number in a line of text: its frame shows when it is pointed at or has the focus
INLINE = """
QSpinBox { background: transparent; border: 1px solid transparent; border-bottom-color: palette(dark);
           border-radius: 0; padding: 0; min-height: 0; }
QSpinBox:hover { border-color: palette(dark); }
QSpinBox:focus { border: 1px solid palette(link); padding: 0; min-height: 0; }
"""


def whole_number(text: str) -> int | None:
    """Return the whole number that a text is, in ASCII or full-width digits; None if it is none."""
    plain = unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip()
    digits = plain.removeprefix("-")
    return int(plain) if digits.isascii() and digits.isdigit() and len(digits) < LONGEST else None


class CountBox(EditorMixin, FocusedWheel, QSpinBox):
    """Whole numbers in the C locale; the wheel counts only in the box that has the focus."""

    # on the class, since Qt asks for sizes while it still builds the box
    _digits = 2
    _entered: int | None = None  # the number when the visit began
    _inline = False

    def __init__(self, parent: QWidget | None = None, *, minimum: int = 1, maximum: int = 65536) -> None:
        super().__init__(parent)
        self.setLocale(QLocale.c())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setRange(minimum, maximum)
        self.valueChanged.connect(self.updateGeometry)
        self.lineEdit().setMaxLength(20 * LONGEST)  # refused, but not laid out for 20 ms as 32,767 letters are
        self.lineEdit().textEdited.connect(self._forget_refusal)

    def set_inline(self) -> None:
        """Stand in a line of text: no buttons, no frame until it is pointed at."""
        self._inline, self._digits = True, 1
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setStyleSheet(INLINE)

    def set_digits(self, digits: int) -> None:
        """Keep room for so many digits, also while the number is shorter."""
        self._digits = digits
        self.updateGeometry()

    def pending(self) -> bool:
        """Return whether something half typed is in the box."""
        return self.cleanText() != self.textFromValue(self.value())

    def commit_typed(self) -> bool:
        """Hand on what is typed; False if it cannot be, and then the box says why."""
        sentence = self.objection(self.cleanText())
        if sentence:
            self._refuse(sentence)
        else:
            self.interpretText()
        return not sentence

    def objection(self, text: str) -> str:
        """Return the reason why this text cannot be the number, as a sentence; empty if it can."""
        number = whole_number(text)
        if number is None:
            return self.tr("A whole number is needed. Esc keeps {old}.").format(old=self._before())
        if not self.minimum() <= number <= self.maximum():
            return self.tr("{number} is out of range: {low} to {high}. Esc keeps {old}.").format(
                number=number, low=self.minimum(), high=self.maximum(), old=self._before()
            )
        return ""

    def validate(self, text: str, position: int) -> object:
        """Let anything be typed, since a letter that is dropped on the way makes another number of "1,5"."""
        plain = text.removeprefix(self.prefix()).removesuffix(self.suffix())
        states = QValidator.State
        return (states.Intermediate if self.objection(plain) else states.Acceptable), text, position

    def valueFromText(self, text: str) -> int:
        number = whole_number(text.removeprefix(self.prefix()).removesuffix(self.suffix()))
        return self._before() if number is None else number

    def fixup(self, text: str) -> str:
        """Leave the text as it is: Qt would drop the commas."""
        return text

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if sentence := self.objection(self.cleanText()):
                self._refuse(sentence)
                return
            super().keyPressEvent(event)
            self._entered = self.value()
            self.selectAll()
        elif event.key() == Qt.Key.Key_Escape and self.objection(self.cleanText()):
            self._forget_refusal()
            self._restore()
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._entered is None:
            self._entered = self.value()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if not focus_returns(event):
            self._leave()
            self._entered = None
        super().focusOutEvent(event)

    def _before(self) -> int:
        """Return the number that stays if what is typed cannot be: the one when the box got the focus."""
        return self.value() if self._entered is None else self._entered

    def _leave(self) -> None:
        """Give a text up that cannot be the number, and say so."""
        typed = self.cleanText()
        if self.objection(typed):
            self._restore()
            self._forget_refusal()
            self._tip.show_left(typed, self.textFromValue(self.value()))
        elif self.property("wrong"):
            self._forget_refusal()

    def _restore(self) -> None:
        before = self._before()
        self.setValue(before)
        self.lineEdit().setText(self.prefix() + self.textFromValue(before) + self.suffix())

    def _refuse(self, sentence: str) -> None:
        mark(self, "wrong", "true")
        self._tip.show_sentence(sentence)
        self.selectAll()

    def _forget_refusal(self) -> None:
        mark(self, "wrong", "")
        self._dismiss_tip()

    def sizeHint(self) -> QSize:
        """Return a size wide enough for the number on show, where Qt reserves room for the largest possible one."""
        metrics = self.fontMetrics()
        texts = (self.textFromValue(self.value()), "0" * self._digits, self.specialValueText())
        text = max(metrics.horizontalAdvance(self.prefix() + text + self.suffix()) for text in texts)
        height = metrics.height() + 2 if self._inline else max(scaled(SIZE.control), metrics.height() + 6)
        option = QStyleOptionSpinBox()
        self.initStyleOption(option)
        option.rect = QRect(QPoint(), QSize(scaled(200), height))
        control, field = QStyle.ComplexControl.CC_SpinBox, QStyle.SubControl.SC_SpinBoxEditField
        room = self.style().subControlRect(control, option, field, self).width()
        return QSize(option.rect.width() - room + text + AROUND_TEXT, height)

    minimumSizeHint = sizeHint


LISTED = 16  # so many possible numbers are named in a refusal, those nearest to what was typed
KEYS = QKeySequence.StandardKey


class SizeBox(CountBox):
    """Shows a number at once, but hands it on only at Enter or when it is left.

    `committed` comes once a visit and only if the number differs from the one before the visit; until then the box
    shows that it waits. `refused` carries the sentence that the box shows below itself.
    """

    committed = Signal(int)  # the number
    refused = Signal(str)  # the sentence
    # on the class, since Qt asks `validate` while it still builds the box
    _committed = _least = 1
    _allowed: tuple[int, ...] = ()
    _why = ""

    def __init__(self, parent: QWidget | None = None, *, minimum: int = 1, maximum: int = 65536) -> None:
        super().__init__(parent, minimum=minimum, maximum=maximum)
        self._committed, self._least, self._largest = minimum, minimum, maximum
        self.setKeyboardTracking(False)
        self.editingFinished.connect(self.finish)
        self.lineEdit().textEdited.connect(self._on_line_text_edited)

    def set_value(self, value: int) -> None:
        """Show the number of the document, which ends a visit; 0 is that of a size that it has not."""
        self._forget_refusal()
        if value == self._committed == self.value() and not self.pending():
            return
        self._committed = value
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
        """Return whether the box shows something that has not been handed on."""
        return self.cleanText() != self.textFromValue(self._committed)

    def finish(self) -> None:
        """End the visit: hand on a number that changed; what cannot be gives way to the number before."""
        if self._staying:
            return
        typed = self.cleanText()
        sentence = self.objection(typed)
        if sentence:
            self.restore()
            self._tip.show_left(typed, self.textFromValue(self._committed))
            self.refused.emit(sentence)
            return
        self.interpretText()
        if self.value() != self._committed:
            self._committed = self.value()
            self._show_pending()
            self.committed.emit(self._committed)

    def commit_typed(self) -> bool:
        """Hand on what is typed; False if it cannot be, or was not taken, and then the box says why."""
        sentence = self.objection(self.cleanText())
        if sentence:
            self._refuse(sentence)
            return False
        self.interpretText()
        asked = self.value()
        self.finish()
        return self._committed == asked

    def restore(self) -> None:
        """Go back to the number before the visit."""
        self.set_value(self._committed)

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
        """Ignore the wheel: rows would be cut off by scrolling past."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (event.key() == Qt.Key.Key_Escape or event.matches(KEYS.Undo)) and self.pending():
            self.restore()
            self.selectAll()
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if focus_returns(event):
            self.lineEdit().event(event)  # all of it but the tidying and handing on of what is half typed
            return
        if not self._staying:
            self.finish()  # before Qt tidies a text that it finds wrong, so that the refusal can name it
        super().focusOutEvent(event)

    def objection(self, text: str) -> str:
        """Return the reason why this text cannot be the number, as a sentence; empty if it can."""
        number, sentence = whole_number(text), super().objection(text)
        if sentence or number is None or not self._allowed or number in self._allowed:
            return sentence
        return self._listing(number)

    def _before(self) -> int:
        return self._committed

    def _listing(self, number: int) -> str:
        near = sorted(sorted(self._allowed, key=lambda value: abs(value - number))[:LISTED])
        listed = self.tr(", ").join(map(str, near)) + (" …" if len(near) < len(self._allowed) else "")
        why = (self._why or self.tr("{number} is not possible.")).format(number=number)
        return self.tr("{why} Possible: {listed}. Esc keeps {old}.").format(why=why, listed=listed, old=self._committed)

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


class ItemBox(CountBox):
    """A spin box for the batch item or the head on show, counted from 0; each step is handed on at once."""

    picked = Signal(int)  # the item, from 0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, minimum=0, maximum=0)
        self.setKeyboardTracking(False)  # typing 11 does not show item 1 on the way
        self.valueChanged.connect(self.picked)

    def set_items(self, item: int, count: int) -> None:
        """Show the item; with one item there is nothing to choose."""
        with QSignalBlocker(self):
            self.setRange(0, max(count - 1, 0))
            self.setValue(item)
        self.setEnabled(count > 1)


class ItemCell(QWidget):
    """The item on show and, after "of", a box for the number of items; on one line in the compact form."""

    def __init__(self, count: SizeBox, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.item, self.count = ItemBox(self), count
        self.caption, self.of = QLabel(self), QLabel(self)
        self.caption.setBuddy(self.item)
        self.of.setBuddy(count)
        count.set_inline()
        count.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._grid = space_grid(QGridLayout(self), SPACING.xs, SPACING.xs)

    def set_one_line(self, one_line: bool) -> None:
        """Set whether the caption stands beside the box, or above it."""
        widgets = (self.caption, self.item, self.of, self.count)
        for column, widget in enumerate(widgets):
            self._grid.removeWidget(widget)
            self._grid.addWidget(widget, 0, column)
        if not one_line:
            self._grid.removeWidget(self.item)
            self._grid.addWidget(self.item, 1, 0, 1, len(widgets))
        self._grid.setColumnStretch(1, 0 if one_line else 1)
        self._grid.setColumnStretch(4, 1 if one_line else 0)
        self._grid.setHorizontalSpacing(SPACING.s if one_line else SPACING.xs)
