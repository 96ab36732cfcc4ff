"""The bands of columns that belong to each head, as a row of boxes above a table."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.theme import current_theme, ui_font


class HeadRuler(QWidget):
    """One box a head; the chosen one is filled, a click picks one."""

    picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count, self._width, self._chosen = 0, 0, -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def set_heads(self, count: int, width: int, chosen: int) -> None:
        """`count` heads of `width` columns each; nothing to choose, nothing to see."""
        self._count, self._width, self._chosen = count, width, chosen
        self.setVisible(count > 1)
        self.setAccessibleName(self.tr("Head {head} of {count}").format(head=chosen, count=count))
        self.update()

    def box(self, head: int) -> QRect:
        """The place of a head's box; boxes meet to the pixel."""
        inner = self.width() - 1
        left, right = round(inner * head / self._count), round(inner * (head + 1) / self._count)
        return QRect(left, 0, right - left, self.height() - 1)

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(ui_font("micro")).height() + SPACING.s)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        every = self._numbered_every()
        for head in range(self._count):
            rect, chosen = self.box(head), head == self._chosen
            ground = theme.accent if chosen else theme.sunken if head % 2 == 0 else theme.surface
            painter.fillRect(rect, ground)
            if chosen or (head % every == 0 and abs(head - self._chosen) >= every):
                painter.setFont(ui_font("micro", 600 if chosen else 400))
                painter.setPen(theme.on_accent if chosen else theme.text2)
                painter.drawText(self._number_rect(rect), Qt.AlignmentFlag.AlignCenter, str(head))
        painter.setPen(theme.line)
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _number_rect(self, box: QRect) -> QRect:
        """A number may be wider than its box: then the neighbors have none."""
        return box.adjusted(-box.width(), 0, box.width(), 0)

    def _numbered_every(self) -> int:
        if not self._count:
            return 1
        needed = QFontMetrics(ui_font("micro", 600)).horizontalAdvance(str(self._count)) + SPACING.s
        return max(1, -(-needed * self._count // max(1, self.width())))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self._head_at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and head is not None:
            self.picked.emit(head)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            head = self._head_at(event.pos().x())
            if head is not None:
                first, last = head * self._width, (head + 1) * self._width - 1
                text = self.tr("Head {head}: columns {first} to {last}").format(head=head, first=first, last=last)
                QToolTip.showText(event.globalPos(), text, self, self.box(head))
            return True
        return super().event(event)

    def _head_at(self, x: float) -> int | None:
        return next((head for head in range(self._count) if self.box(head).left() <= x <= self.box(head).right()), None)
