"""The bubble and the ring of the tour: where they stand beside a part, their keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import LINE, RADIUS, SPACING
from attn_gui.views.text_views import Link, WrappedLabel
from attn_gui.views.theme import current_theme, scaled, style_text
from attn_gui.views.widgets import Retranslated, arrange, inset, paint_rounded

WIDTH = 280
KEY_PRESS = QEvent.Type.KeyPress
WAYS = {int(Qt.Key.Key_Right): 1, int(Qt.Key.Key_Left): -1}


class TourRing(QWidget):
    """Ring in the accent color round the part of the window that the tour speaks of, which can be used all the same."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        edge = QPen(current_theme().accent, LINE.focus)
        with QPainter(self) as painter:
            paint_rounded(painter, inset(self.rect(), LINE.focus / 2), RADIUS.frame, edge=edge)


class TourBubble(Retranslated, QFrame):
    """Bubble of the tour: title, sentence, how far it is; Enter and → go on, ← goes back, Esc ends."""

    stepAsked = Signal(int)  # 1 or −1
    endAsked = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tour")
        self._ring, self._place, self._count = TourRing(window), 0, 0
        self._title, self._words, self._far = QLabel(self), WrappedLabel(self), QLabel(self)
        self._skip, self._back, self._next = Link("", self), QPushButton(self), QPushButton(self)
        style_text(self._title, "sentence", strong=True)
        style_text(self._words, "sentence")
        style_text(self._far, "small", "text3")
        self._skip.setObjectName("tour.skip")
        self._back.setObjectName("tour.back")
        self._next.setObjectName("tour.next")
        self._next.setProperty("filled", "true")
        for button, way in ((self._back, -1), (self._next, 1)):
            button.setAutoDefault(True)
            button.clicked.connect(lambda _=False, way=way: self.stepAsked.emit(way))
            button.installEventFilter(self)
        self._skip.clicked.connect(self.endAsked)
        self._build()
        self.retranslate()
        self.hide()

    def show_step(self, title: str, words: str, place: int, count: int, target: QRect) -> None:
        """Say this of a rectangle of the window, as the `place`-th of `count`."""
        self._place, self._count = place, count
        self._title.setText(title)
        self._words.setText(words)
        self.setAccessibleName(f"{title} {words}")
        self.retranslate()
        away = round(LINE.focus)
        self._ring.setGeometry(target.adjusted(away, away, -away, -away))
        self.setFixedWidth(scaled(WIDTH))
        layout = self.layout()
        assert layout is not None
        size = QSize(self.width(), layout.heightForWidth(self.width()))
        self.setGeometry(QRect(_beside(target, size, self.window().rect()), size))
        for part in (self._ring, self):
            part.show()
            part.raise_()

    def take_keyboard(self) -> None:
        """Put the keyboard on the button that goes on."""
        self._next.setFocus(Qt.FocusReason.OtherFocusReason)

    def end(self) -> None:
        """Put bubble and ring away."""
        self._ring.hide()
        self.hide()

    def retranslate(self) -> None:
        self._far.setText(self.tr("{place} of {count}").format(place=self._place + 1, count=self._count))
        self._skip.set_words(self.tr("Skip"), tip=self.tr("End the tour (Esc); Help › Tour brings it back"))
        self._back.setText(self.tr("Back"))
        self._back.setEnabled(self._place > 0)
        last = self._place + 1 == self._count
        self._next.setText(self.tr("Done") if last else self.tr("Next"))
        self._skip.setVisible(not last)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.endAsked.emit()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the arrows before the buttons, which would give the keyboard to each other."""
        way = WAYS.get(event.key(), 0) if isinstance(event, QKeyEvent) and event.type() == KEY_PRESS else 0
        if way:
            self.stepAsked.emit(way)
        return bool(way)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            paint_rounded(
                painter, inset(self.rect(), 0.5), RADIUS.frame, fill=theme.surface, edge=QPen(theme.accent, 1)
            )

    def _build(self) -> None:
        head = arrange(QHBoxLayout(), (self._title, 1), self._far)
        foot = arrange(QHBoxLayout(), self._skip, 1, self._back, self._next, spacing=SPACING.m)
        arrange(QVBoxLayout(self), head, self._words, foot, margins=scaled(SPACING.l), spacing=SPACING.m)
        for before, after in ((self._next, self._back), (self._back, self._skip)):
            QWidget.setTabOrder(before, after)


def _beside(target: QRect, size: QSize, room: QRect) -> QPoint:
    """Return the corner of a bubble that covers as little as can be of what it speaks of, inside the window."""
    gap, width, height = scaled(SPACING.m), size.width(), size.height()

    def inside(x: int, y: int) -> QRect:
        across, down = room.width() - width - gap, room.height() - height - gap
        return QRect(QPoint(min(max(x, gap), across), min(max(y, gap), down)), size)

    left, top = target.left() + gap, target.top() + gap
    places = (
        inside(target.right() + gap, top),
        inside(target.left() - gap - width, top),
        inside(left, target.bottom() + gap),
        inside(left, target.top() - gap - height),
    )

    def covered(place: QRect) -> int:
        both = place & target
        return both.width() * both.height()

    return min(places, key=covered).topLeft()
