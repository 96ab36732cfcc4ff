"""A large table against an empty one: only what is in sight may cost anything."""

from __future__ import annotations

import statistics
import time

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from attn_gui.document.matrix_model import MatrixModel
from attn_gui.views.tables.matrix_panel import MatrixPanel

RUNS = 13
GATE = 3.0

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def bench_first_paint(benchmark, qapp, figures):
    random = np.random.default_rng(0)
    large, empty = random.standard_normal((4096, 512)).astype(np.float32), np.zeros((0, 0), np.float32)
    for matrix in (large, empty):
        first_paint(qapp, matrix)  # fonts and styles are there
    rounds = [(first_paint(qapp, large), first_paint(qapp, empty)) for _ in range(RUNS)]
    benchmark.pedantic(first_paint, args=(qapp, large), rounds=1)
    full, bare = map(statistics.median, zip(*rounds, strict=True))
    figures.add("table of 4,096 × 512 ÷ empty table, first paint", "", full / bare, GATE)
    figures.add("table of 4,096 × 512, first paint, ms", "", full * 1e3)


def first_paint(app: QApplication, matrix: np.ndarray) -> float:
    """Seconds from nothing to a painted panel."""
    start = time.perf_counter()
    panel, model = MatrixPanel("query"), MatrixModel()
    model.set_matrix(lambda: matrix, row_labels=[f"token {row}" for row in range(len(matrix))])
    panel.set_model(model)
    panel.resize(320, 500)
    panel.show()
    app.processEvents()
    taken = time.perf_counter() - start
    panel.close()
    panel.deleteLater()
    model.deleteLater()
    app.processEvents()
    return taken
