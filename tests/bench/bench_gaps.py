"""Gaps of the window's event loop while a person edits 4,096 tokens.

`GAPS_SECONDS` (20) is how long the person types, and as long nobody does; ATTN_GUI_GAPS=60 makes it the whole minute.
"""

import os
import time
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView

N = 4096
GAPS_SECONDS = float(os.environ.get("ATTN_GUI_GAPS", "20"))
STROKE_MS = 60
"""Between two strokes of a key: a quick typist's."""

MOST_MS, TIMES_IDLE = 16.0, 3.0

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def bench_gaps(benchmark, desk, figures):
    made = desk(N, "product")
    made.wait(3)  # what comes at rest after the start
    idle = gaps(iter(()))
    typing = benchmark.pedantic(gaps, (strokes(made),), rounds=1)
    figures.add("typing: 99th percentile of the event loop's gaps, ms ÷ 16", N, quantile(typing) / MOST_MS, 1.0)
    figures.add("typing: largest gap ÷ largest of an idle window", N, max(typing) / max(idle), TIMES_IDLE)
    for name, found in (("idle", idle), ("typing", typing)):
        figures.add(f"{name}: 99th percentile of gaps, ms", N, quantile(found))
        figures.add(f"{name}: largest gap, ms", N, max(found))
    benchmark.extra_info |= {"idle": (quantile(idle), max(idle)), "typing": (quantile(typing), max(typing))}


def gaps(steps: Iterator[object]) -> list[float]:
    """Milliseconds between the ticks of a timer that should come every millisecond, while steps are taken."""
    loop, ticks = QEventLoop(), [time.perf_counter()]
    clock, hand = QTimer(interval=1, timerType=Qt.TimerType.PreciseTimer), QTimer(interval=STROKE_MS)
    clock.timeout.connect(lambda: ticks.append(time.perf_counter()))
    hand.timeout.connect(lambda: next(steps, None))
    clock.start()
    hand.start()
    QTimer.singleShot(round(GAPS_SECONDS * 1000), loop.quit)
    loop.exec()
    return (np.diff(ticks) * 1000).tolist()


def strokes(made: object) -> Iterator[object]:
    """A person who types numbers into Q, K and V, takes some back and now and then looks at another head."""
    random = np.random.default_rng(2)
    while True:
        for field in ("query", "key", "value"):
            table = made.window.findChild(QTableView, f"table.{field}")
            row, column = (int(random.integers(most)) for most in (12, 7))
            index = table.model().index(row, column)
            yield table.scrollTo(index)
            yield QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
            for letter in f"{random.standard_normal():.2f}":
                yield QTest.keyClick(QApplication.focusWidget(), letter)
            yield QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
        yield made.program.document.stack.undo()
        yield from [None] * int(random.integers(40))  # sometimes long enough to settle


def quantile(found: list[float]) -> float:
    return float(np.quantile(found, 0.99))
