"""Preview of an exported picture, scaled down to the room there is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.theme import current_theme, scaled
from attn_gui.views.words.names import unbroken

DELAY_MS = 150  # a picture is drawn when typing rests
PAPER = QColor("white")


class Preview(QWidget):
    """Asks for its picture a moment after the last change; an error is said in its place.

    `draw` gives None for a picture that comes later, by `show_picture`, or `show_sentence` if there is none.
    """

    drawn = Signal()  # there is a picture, or a reason why there is none

    def __init__(self, draw: Callable[[], QImage | None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draw = draw
        self._image = QImage()
        self._sentence = ""
        self._coming = False
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self.draw_now)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(scaled(460), scaled(400))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(240), scaled(200))

    def image(self) -> QImage:
        """The picture on show; null when there is none."""
        return self._image

    def sentence(self) -> str:
        """The reason why there is no picture; empty when there is one, and while the next one is not drawn."""
        return "" if self._timer.isActive() else self._sentence

    def settle(self) -> None:
        """Draw what waits for the typing to rest."""
        if self._timer.isActive():
            self.draw_now()

    def draw_soon(self) -> None:
        """Draw again once nothing has changed for a moment."""
        self._timer.start()

    def draw_now(self) -> None:
        """Draw again at once."""
        self._timer.stop()
        self._coming = False
        try:
            found = self._draw()
        except (ValueError, OSError, MemoryError) as error:
            self._show(QImage(), str(error))
            return
        self._coming = found is None
        self._show(QImage() if found is None else found, "")

    def show_picture(self, image: QImage) -> None:
        """The picture that was still to come; it is dropped if it is not wanted by then."""
        if self._coming:
            self._coming = False
            self._show(image, "")

    def show_sentence(self, sentence: str) -> None:
        """Show a sentence in place of the picture to come."""
        if self._coming:
            self._coming = False
            self._show(QImage(), sentence)

    def _show(self, image: QImage, sentence: str) -> None:
        self._image, self._sentence = image, sentence
        self.setAccessibleDescription(sentence)
        self.update()
        self.drawn.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), current_theme().sunken)
        room = self.rect().adjusted(SPACING.l, SPACING.l, -SPACING.l, -SPACING.l)
        if self._image.isNull():
            painter.setPen(current_theme().error if self._sentence else current_theme().text3)
            said = self.tr("The preview is being drawn…") if self._coming else unbroken(self._sentence)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, said)
            return
        ratio = self.devicePixelRatioF()
        size = self._image.size().scaled(room.size() * ratio, Qt.AspectRatioMode.KeepAspectRatio)
        size = size.boundedTo(self._image.size())  # never blown up
        picture = self._image.scaled(
            size, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        picture.setDevicePixelRatio(ratio)
        place = picture.deviceIndependentSize().toSize()
        left, top = room.center().x() - place.width() // 2, room.center().y() - place.height() // 2
        painter.fillRect(left, top, place.width(), place.height(), PAPER)
        painter.drawImage(left, top, picture)
