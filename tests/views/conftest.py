"""Matrices to show, and what is on the screen."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from attn_gui.engine import DenseEvaluation, Evaluation, Problem
from attn_gui.figure.colors import luminance
from attn_gui.views.map.heatmap import Heatmap
from tests import seen


def on_screen(widget: QWidget) -> QImage:
    """The pixels of a widget as they were painted last: nothing is painted for this."""
    return widget.screen().grabWindow(widget.winId()).toImage()


def turn_wheel(widget: QWidget, at: QPoint, delta: int, keys: Any = Qt.KeyboardModifier.NoModifier) -> None:
    """Send a turn of the wheel to a widget, whatever lies over it."""
    places, nothing = (QPointF(at), QPointF(widget.mapToGlobal(at))), Qt.MouseButton.NoButton
    turned = QPoint(), QPoint(0, delta)
    QApplication.sendEvent(widget, QWheelEvent(*places, *turned, nothing, keys, Qt.ScrollPhase.NoScrollPhase, False))


def contrast(one: QColor, other: QColor) -> float:
    """WCAG 2.2."""
    dark, light = sorted(float(luminance(color.rgb())) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


class ArrayPlane:
    """A matrix that counts how many cells it was asked for."""

    def __init__(self, values: np.ndarray, allowed: np.ndarray | None = None, *, signed: bool = True) -> None:
        self.values, self.allowed, self.signed = values, allowed, signed
        self.asked = 0

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape

    def block(self, rows: slice, columns: slice) -> tuple[np.ndarray, np.ndarray | None]:
        values = self.values[rows, columns]
        self.asked += values.size
        return values, None if self.allowed is None else self.allowed[rows, columns]

    def cells(self, box: tuple[slice, ...]) -> tuple[slice, slice]:
        return box[-2], box[-1]


@pytest.fixture
def plane() -> type[ArrayPlane]:
    return ArrayPlane


@pytest.fixture
def shown_map(qtbot: Any) -> Callable[..., Heatmap]:
    """A visible map whose cells have the given whole size."""

    def make(matrix: Any, width: int = 20, height: int = 20, kind: type[Any] = Heatmap, **options: Any) -> Any:
        heatmap = kind(**options)
        qtbot.addWidget(heatmap)
        heatmap.set_shown(replace(heatmap.shown, plane=matrix))
        rows, columns = matrix.shape
        heatmap.resize(columns * width + 2 * heatmap.margin, rows * height + 2 * heatmap.margin)
        heatmap.show()
        QApplication.processEvents()
        return heatmap

    return make


@pytest.fixture
def screen() -> Callable[[QWidget], QImage]:
    """The pixels of a widget."""
    return lambda widget: widget.grab().toImage()


@pytest.fixture
def colors_of() -> Callable[[Heatmap, QImage, int, int], set[str]]:
    """All colors inside a cell, a pixel away from its edges."""

    def colors(heatmap: Heatmap, image: QImage, row: int, column: int) -> set[str]:
        rect = heatmap.cell_rect(row, column).adjusted(1, 1, -1, -1)
        return {color.name() for color in seen.colors_of(image.copy(rect))}

    return colors


@pytest.fixture
def evaluation() -> Evaluation:
    """Seven queries, eleven keys, three heads of width five, values of width two, causal."""
    rng = np.random.default_rng(3)
    return DenseEvaluation(
        Problem(
            query=rng.standard_normal((7, 15)),
            key=rng.standard_normal((11, 15)),
            value=rng.standard_normal((11, 6)),
            num_heads=3,
            mask=({"kind": "causal", "align": "end"},),
            query_tokens=tuple(f"q{i}" for i in range(7)),
            key_tokens=tuple(f"k{j}" for j in range(11)),
        )
    )
