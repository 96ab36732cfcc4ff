"""A spin box for whole numbers as this program writes them, that a passing wheel does not turn."""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import QEvent, QLocale, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QSpinBox, QStyle, QStyleOptionSpinBox, QWidget

from attn_gui.figure.tokens import SIZE
from attn_gui.views.bases.focused_wheel import FocusedWheel
from attn_gui.views.controls.half_typed import belongs_to_window, passes
from attn_gui.views.controls.refusal import RefusalTip, asks_to_undo, mark
from attn_gui.views.theme import scaled

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
    """The whole number that a text is, in ASCII or full-width digits; None if it is none."""
    plain = unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip()
    digits = plain.removeprefix("-")
    return int(plain) if digits.isascii() and digits.isdigit() and len(digits) < LONGEST else None


class CountBox(FocusedWheel, QSpinBox):
    """Whole numbers in the C locale; the wheel counts only in the box that has the focus."""

    # on the class, since Qt asks for sizes while it still builds the box
    _digits = 2
    _entered: int | None = None  # the number when the visit began
    _inline = False

    def __init__(self, parent: QWidget | None = None, *, minimum: int = 1, maximum: int = 65536) -> None:
        super().__init__(parent)
        self.setLocale(QLocale.c())
        self.setGroupSeparatorShown(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setRange(minimum, maximum)
        self.valueChanged.connect(self.updateGeometry)
        self._tip = RefusalTip(self)
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

    def sizeHint(self) -> QSize:
        return self._fitting()

    def minimumSizeHint(self) -> QSize:
        return self._fitting()

    def pending(self) -> bool:
        """Whether something half typed is in the box."""
        return self.cleanText() != self.textFromValue(self.value())

    def settle(self) -> bool:
        """Hand on what is typed; False if it cannot be, and then the box says why."""
        sentence = self.objection(self.cleanText())
        if sentence:
            self._refuse(sentence)
        else:
            self.interpretText()
        return not sentence

    def objection(self, text: str) -> str:
        """The reason why this text cannot be the number, as a sentence; empty if it can."""
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
        if not passes(event):
            self._leave()
            self._entered = None
        super().focusOutEvent(event)

    def event(self, event: QEvent) -> bool:
        if belongs_to_window(event) or (asks_to_undo(event) and not self.pending()):
            event.ignore()  # undo belongs to the document unless something half typed is in the box
            return False
        return super().event(event)

    def _before(self) -> int:
        """The number that stays if what is typed cannot be: that of before the visit."""
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
        self._tip.dismiss()

    def _fitting(self) -> QSize:
        """Wide enough for the number on show, where Qt reserves room for the largest possible one."""
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
