"""Title of a list that can be folded away, with what is chosen in it beside it meanwhile."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOption, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.keyboard_button import KeyboardButton
from attn_gui.views.inspector.links import LINE_OF_TEXT, paint_focus_ring
from attn_gui.views.theme import current_theme, scaled, ui_font

ARROW = 16  # room of the arrow before the title


class Fold(KeyboardButton):
    """The title with an arrow, and the present step beside it while the steps are folded away or there are none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)  # checked: folded
        self.present = ""
        self.empty = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(ui_font("section", 600))
        return QSize(metrics.horizontalAdvance(self.text()) + scaled(ARROW), metrics.height() + SPACING.s)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        arrow = QStyleOption()
        arrow.initFrom(self)
        arrow.rect = QRect(0, 0, scaled(ARROW) - SPACING.s, self.height())
        kinds = QStyle.PrimitiveElement
        kind = kinds.PE_IndicatorArrowRight if self.isChecked() else kinds.PE_IndicatorArrowDown
        self.style().drawPrimitive(kind, arrow, painter, self)
        painter.setFont(ui_font("section", 600))
        painter.setPen(theme.text)
        room = self.rect().adjusted(scaled(ARROW), 0, 0, 0)
        painter.drawText(room, LINE_OF_TEXT, self.text())
        room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(self.text()) + SPACING.m)
        if self.isChecked() or self.empty:
            painter.setFont(ui_font("body"))
            painter.setPen(theme.text2)
            words = painter.fontMetrics().elidedText(self.present, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, LINE_OF_TEXT, words)
        if self.ring_shown():
            paint_focus_ring(painter, self.rect())
