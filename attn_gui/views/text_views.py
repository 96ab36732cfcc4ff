"""Words that lead somewhere: a link that is a button, and rows of them that wrap."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QWidget
from shiboken6 import delete

from attn_gui.figure.tokens import LINE, RADIUS, SPACING
from attn_gui.views.bases.keyboard_button import KeyboardButton
from attn_gui.views.theme import current_theme, ui_font
from attn_gui.views.words.tip import plain_tip, set_tip

LINE_OF_TEXT = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class Link(KeyboardButton):
    """Text in the accent color that acts like a button; painted plain, elided when it is too long."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, size: str = "body") -> None:
        super().__init__(parent)
        self._size, self._lead = size, ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_words(text)

    def set_words(self, text: str, lead: str = "", tip: str = "") -> None:
        """The text on show, "&" stays what it is; `lead` stands before it and is no part of the link's name."""
        if (text, lead, plain_tip(tip)) == (self.text(), self._lead, self.toolTip()):
            return  # else the panel would be laid out after every edit
        self._lead = lead
        self.setText(text)
        self.setAccessibleName(text)
        set_tip(self, tip)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._link_font())
        return QSize(metrics.horizontalAdvance(self._lead + self.text()) + 2 * SPACING.xs, metrics.height() + SPACING.s)

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(hint.width(), 40), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        font = self._link_font()
        room = self.rect().adjusted(SPACING.xs, 0, -SPACING.xs, 0)
        if self._lead:
            painter.setFont(font)
            painter.setPen(theme.text3)
            painter.drawText(room, LINE_OF_TEXT, self._lead)
            room.setLeft(room.left() + QFontMetrics(font).horizontalAdvance(self._lead))
        font.setUnderline(self.underMouse() or self.isDown())
        painter.setFont(font)
        painter.setPen(theme.accent if self.isEnabled() else theme.text3)
        words = QFontMetrics(font).elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width() + 1)
        painter.drawText(room, LINE_OF_TEXT, words)
        if self.ring_shown():
            paint_focus_ring(painter, self.rect())

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def _link_font(self) -> QFont:
        return ui_font(self._size, weight=500)


def paint_focus_ring(painter: QPainter, rect: QRect, radius: float = RADIUS.control) -> None:
    """The ring that says where the keyboard is, just inside `rect`."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(current_theme().accent, LINE.focus))
    inset = LINE.focus / 2
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), radius, radius)


def take_widgets(layout: QLayout) -> list[QWidget]:
    """Take everything out of a layout and return its widgets."""
    taken = []
    while item := layout.takeAt(0):
        if widget := item.widget():
            taken.append(widget)
        delete(item)  # else it is lost: `takeAt` of PySide leaves it to nobody
    return taken


def clear(layout: QLayout) -> None:
    """Take every widget out of a layout and let it go."""
    for widget in take_widgets(layout):
        widget.hide()
        widget.deleteLater()


class FlowLayout(QLayout):
    """Puts its items after one another and begins a new row where they no longer fit; hidden ones take no room."""

    def __init__(self, parent: QWidget | None = None, gap: int = SPACING.m, between: int = 0) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap, self._between = gap, between  # of items, of rows
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        hints = [item.sizeHint() for item in self._shown()]
        width = sum(hint.width() for hint in hints) + self._gap * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        hints = [item.minimumSize() for item in self._shown()]
        return QSize(max((hint.width() for hint in hints), default=0), max((h.height() for h in hints), default=0))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _place(self, rect: QRect, *, move: bool) -> int:
        x, y, row = rect.x(), rect.y(), 0
        for item in self._shown():
            hint = item.sizeHint()
            width = min(hint.width(), rect.width())
            if x > rect.x() and x + width > rect.x() + rect.width():
                x, y, row = rect.x(), y + row + self._between, 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), QSize(width, hint.height())))
            x += width + self._gap
            row = max(row, hint.height())
        return y + row - rect.y()
