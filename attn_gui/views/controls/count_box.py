"""A spin box for whole numbers as this program writes them, that a passing wheel does not turn."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QLocale, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QSpinBox, QStyle, QStyleOptionSpinBox, QWidget

from attn_gui.figure.tokens import SIZE
from attn_gui.views.controls.half_typed import belongs_to_window
from attn_gui.views.controls.refusal import asks_to_undo
from attn_gui.views.theme import scaled

AROUND_TEXT = 6  # the margins of Qt's line edit and its cursor
# a number in a line of text: its frame shows when it is pointed at or has the focus
INLINE = """
QSpinBox { background: transparent; border: 1px solid transparent; border-bottom-color: palette(dark);
           border-radius: 0; padding: 0; min-height: 0; }
QSpinBox:hover { border-color: palette(dark); }
QSpinBox:focus { border: 1px solid palette(link); padding: 0; min-height: 0; }
"""


class CountBox(QSpinBox):
    """Whole numbers in the C locale; the wheel counts only in the box that has the focus."""

    # on the class, since Qt asks for sizes while it still builds the box
    _digits = 2
    _inline = False

    def __init__(self, parent: QWidget | None = None, *, minimum: int = 1, maximum: int = 65536) -> None:
        super().__init__(parent)
        self.setLocale(QLocale.c())
        self.setGroupSeparatorShown(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setRange(minimum, maximum)
        self.valueChanged.connect(self.updateGeometry)

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
        """Hand on what is typed; nonsense gives way to the number before, in sight."""
        self.interpretText()
        return True

    def event(self, event: QEvent) -> bool:
        if belongs_to_window(event) or (asks_to_undo(event) and not self.pending()):
            event.ignore()  # undo belongs to the document unless something half typed is in the box
            return False
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

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
