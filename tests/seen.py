"""What a person sees of a widget: the pixels that are not hidden, scrolled away or covered, and its words uncut."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QRegion
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)

from attn_gui.views.text_views import SentenceView
from attn_gui.views.widgets import ElidedLabel

SPARE = 2  # pixels by which styles round
WORDED = (QLabel, SentenceView, QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QTabBar)


def covered(widget: QWidget) -> QRegion:
    """The part of a widget on the screen, in its own coordinates; Qt takes what its children paint from its own."""
    region = QRegion(widget.visibleRegion())
    for child in widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if child.isVisible() and not child.isWindow():
            region += covered(child).translated(child.pos())
    return region


def overlapping(written: Iterable[tuple[str, QRectF]]) -> list[tuple[str, str]]:
    """Texts that run into each other, by the rectangles of their ink."""
    inner = [(text, box.adjusted(1, 2, -1, -2)) for text, box in written]
    return [(a, b) for k, (a, one) in enumerate(inner) for b, two in inner[:k] if one.intersects(two)]


def fault(widget: QWidget) -> str:
    """Why a widget cannot be seen whole; empty where it can."""
    if not widget.isVisible():
        return f"{_named(widget)}: hidden"
    hidden = QRegion(widget.rect()) - covered(widget)
    if not hidden.isEmpty():
        lost, place = hidden.boundingRect(), widget.mapTo(widget.window(), QPoint())
        return f"{_named(widget)} at {place.toTuple()}: {lost.getRect()} of {widget.size().toTuple()} out of sight"
    return f"{_named(widget)}: cut" if is_cut(widget) else ""


def faults(widgets: Iterable[QWidget]) -> list[str]:
    """What is wrong with these widgets."""
    return [found for widget in widgets if (found := fault(widget))]


def worded(root: QWidget) -> list[QWidget]:
    """All that says or asks something in a widget and is not hidden, but for what scrolls away in it."""
    found = [widget for kind in WORDED for widget in root.findChildren(kind)]
    return [widget for widget in found if widget.isVisibleTo(root) and not _scrolls(widget, root)]


def is_cut(widget: QWidget) -> bool:
    """Whether words need more room than their widget has."""
    if isinstance(widget, ElidedLabel):
        return QFontMetricsF(widget.font()).horizontalAdvance(widget.text()) > widget.width() + SPARE
    if isinstance(widget, QLabel | SentenceView) and widget.hasHeightForWidth():
        return widget.height() + SPARE < widget.heightForWidth(widget.width())
    return widget.width() + SPARE < widget.minimumSizeHint().width()


def pixels_of(image: QImage) -> npt.NDArray[np.uint32]:
    """Return the colors of a picture as `QColor.rgb` has them: (rows, columns)."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()) | np.uint32(0xFF000000)


def colors_of(image: QImage) -> list[QColor]:
    """Return every color of a picture once."""
    return [QColor.fromRgb(int(rgb)) for rgb in np.unique(pixels_of(image))]


def _scrolls(widget: QWidget, root: QWidget) -> bool:
    parent = widget.parentWidget()
    while parent is not None and parent is not root:
        if isinstance(parent, QAbstractScrollArea):
            return True
        parent = parent.parentWidget()
    return False


def _named(widget: QWidget) -> str:
    words = widget.text() if isinstance(widget, QLabel | SentenceView | QAbstractButton | QLineEdit) else ""
    return f"{type(widget).__name__} {widget.objectName() or '?'} {words[:30]!r}"
