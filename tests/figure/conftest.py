"""Figures need an application for their fonts; the tests' own, so that widgets of other tests can still be made."""

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QApplication

from attn_gui.figure import writers
from attn_gui.figure.text.fonts import ensure_gui


@pytest.fixture(autouse=True)
def _fonts(qapp: QApplication) -> None:
    ensure_gui()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, QRectF]]:
    """Every text that is painted from now on, and the rectangle of its ink."""
    found, write = list[tuple[str, QRectF]](), writers.write_text

    def noted(painter: QPainter, at: QPointF, text: str, anchor: str = writers.START, *width: float) -> None:
        box = QFontMetricsF(painter.font()).tightBoundingRect(text)
        box.moveLeft(at.x() + box.left() - writers.SHARES[anchor] * painter.fontMetrics().horizontalAdvance(text))
        box.moveBottom(at.y())
        found.append((text, painter.transform().mapRect(box)))
        write(painter, at, text, anchor, *width)

    monkeypatch.setattr(writers, "write_text", noted)
    return found
