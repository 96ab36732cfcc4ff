"""One head of the strip: its weights as a small map, its number and a reading below."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from attn_gui.figure.tokens import SIZE, SPACING
from attn_gui.views.spine.map_button import MapButton
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.words.tip import set_tip


class HeadThumb(MapButton):
    """Click, Enter or Space asks to show this head."""

    def __init__(self, head: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = head
        self.setObjectName(f"head.{head}")
        self._title, self.reading = "", ""
        self._by_hand, self._off = "", False
        self._compact = self._small = False
        self._size = QSize()  # asked for often: laying out 64 heads, forty times each
        self.measure()

    def set_reading(self, title: str, text: str) -> None:
        """The number below the map and what it is of; empty while it is not known."""
        if (title, text) != (self._title, self.reading):
            self._title, self.reading = title, text
            self.describe()
            self.update(self.rect().adjusted(0, self.map_rect().bottom() + 1, 0, 0))

    def set_by_hand(self, word: str, *, off: bool) -> None:
        """A word for what is done to the head's result by hand, empty for nothing; a head that is `off` is hatched."""
        rows, columns = self.map.shape
        self.map.overlay.set_marks(off=((slice(0, rows), slice(0, columns)),) if off else ())
        if (word, off) != (self._by_hand, self._off):
            self._by_hand, self._off = word, off
            self.describe()
            self.update()

    def set_chosen_head(self, chosen: bool) -> None:
        """Whether this is the head on show; only that one is reached by Tab, arrows lead to the others."""
        self.setChecked(chosen)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if chosen else Qt.FocusPolicy.ClickFocus)
        self.describe()
        self.update()

    def set_compact(self, compact: bool, *, low: bool = False) -> None:
        """The number only; with `low` a small map alone."""
        self._compact, self._small = compact, compact or low
        self.measure()
        self.place_map()

    def measure(self) -> None:
        """Take the room that the map, the number and the reading need in the present type."""
        side, pad = self._side(), self._pad()
        metrics = QFontMetrics(ui_font("small", 600, tabular=True))
        text = metrics.horizontalAdvance(f"{self.head}" if self._compact else f"{self.head}  0.00")
        self._size = QSize(max(side, text) + 2 * pad, side + 2 * pad + metrics.height())
        self.updateGeometry()

    def describe(self) -> None:
        """The accessible name in the present language."""
        words = (
            self.tr("Head {head}, {reading} {value}, chosen")
            if self.isChecked()
            else self.tr("Head {head}, {reading} {value}")
        )
        said = words.format(head=self.head, reading=self._title, value=self.reading)
        self.setAccessibleName(
            self.tr("{head}, {state}").format(head=said, state=self._by_hand) if self._by_hand else said
        )
        tip = self.tr("Show head {head}: its weights A, and its output O = A V").format(head=self.head)
        set_tip(self, "\n".join(filter(None, (tip, f"{self._title} {self.reading}".strip(), self._by_hand))))

    # --- what Qt asks ----------------------------------------------------------------------------
    def sizeHint(self) -> QSize:
        return self._size

    def minimumSizeHint(self) -> QSize:
        return self._size

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the menu for this head; the strip opens it."""
        if not self.isChecked():
            self.click()
        event.ignore()

    def map_rect(self) -> QRect:
        side = self._side()
        return QRect((self.width() - side) // 2, self._pad(), side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        self.paint_ground(painter)
        self.paint_focus(painter)
        chosen, top = self.isChecked(), self.map_rect().bottom() + 1
        if event.rect().bottom() < top:
            return  # some cells of the map are being repainted
        font = ui_font("small", 600 if chosen else 400, tabular=True)
        font.setStrikeOut(self._off)
        painter.setFont(font)
        painter.setPen(theme.accent if chosen else theme.text)
        pad = self._pad()
        room = QRect(pad, top, self.width() - 2 * pad, painter.fontMetrics().height())
        middle = Qt.AlignmentFlag.AlignVCenter
        side = Qt.AlignmentFlag.AlignHCenter if self._compact else Qt.AlignmentFlag.AlignLeft
        painter.drawText(room, side | middle, str(self.head))
        if not self._compact:
            room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(str(self.head)) + scaled(SPACING.xs))
            painter.setFont(ui_font("micro", tabular=True))
            painter.setPen(theme.edit if self._by_hand else theme.text2)
            word = self._by_hand or self.reading
            word = painter.fontMetrics().elidedText(word, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, word)

    def _side(self) -> int:
        return scaled(SIZE.head_map_compact if self._small else SIZE.head_map)

    def _pad(self) -> int:
        """Between the map and the frame of the chosen head."""
        return scaled(SPACING.s - self._compact)
