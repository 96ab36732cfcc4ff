"""From a click on a cell of a map to the last pixel painted for it, against a repaint of the window."""

from __future__ import annotations

import statistics
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

SIZES = (16, 2048)
CLICKS = 40
TO_REPAINT, MS = 0.3, 16

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.mark.parametrize("n", SIZES)
def bench_click(benchmark, desk, figures, n):
    made = desk(n, "product")
    click(made, 0)
    made.rest()
    clicked = statistics.median([click(made, k) for k in range(1, CLICKS)])
    repaint = statistics.median(benchmark.pedantic(lambda: [repainted(made) for _ in range(9)], rounds=1))
    figures.add("click on a cell ÷ repaint of the window", n, clicked / repaint, TO_REPAINT)
    figures.add("click on a cell, ms of the GUI thread", n, clicked * 1e3, MS)
    benchmark.extra_info |= {"click": clicked, "repaint": repaint}


def click(made, k):
    """Seconds of the GUI thread, for a cell in another row and column each time."""
    heatmap = made.map("weights")
    place = heatmap.cell_rect((7 * k + 3) % 16, (5 * k + 1) % 16).center()
    start = time.thread_time()
    QTest.mouseClick(heatmap, Qt.MouseButton.LeftButton, pos=place)
    for _ in range(5):  # the explanation is laid out in several rounds
        made.app.processEvents()
    return time.thread_time() - start


def repainted(made):
    """Seconds of the GUI thread for everything in the window, nothing computed anew."""
    for widget in made.window.findChildren(QWidget):
        widget.update()
    start = time.thread_time()
    made.app.processEvents()
    return time.thread_time() - start
