"""Line icons in the colors of the theme, drawn when they are needed: a new theme or screen needs no new icon."""

from __future__ import annotations

import functools

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from attn_gui.paths import resource
from attn_gui.views.theme import current_theme


def icon(name: str) -> QIcon:
    """The icon drawn in resources/icons/NAME.svg."""
    _drawing(name)  # an unknown name fails here and not in the middle of painting
    return QIcon(_LineIcon(name))


@functools.cache
def _drawing(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")


@functools.cache
def _renderer(name: str, color: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", color).encode()))


class _LineIcon(QIconEngine):
    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        theme = current_theme()
        color = theme.line_strong if mode == QIcon.Mode.Disabled else theme.text2
        side = min(rect.width(), rect.height())
        box = QRectF(0, 0, side, side)
        box.moveCenter(QRectF(rect).center())
        _renderer(self._name, color.name()).render(painter, box)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        """The icon with as many pixels as the screen has for `size`."""
        pixmap = QPixmap(size * scale)
        if pixmap.isNull():
            return pixmap  # of a button that is squeezed to nothing
        pixmap.setDevicePixelRatio(scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _LineIcon(self._name)
