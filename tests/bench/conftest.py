"""The real window on a problem of a given size, a person who types into its tables, and a clock at the painters."""

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView, QWidget

from attn_gui.app.program import Program
from attn_gui.engine import Problem
from attn_gui.views.head_strip import HeadThumb
from attn_gui.views.map.cells_picture import CellsPicture
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.tables.delegate import CellDelegate

HEADS, WIDTH = 8, 64
WINDOW = (2400, 1400)
"""Pixels; so wide that the maps of all stages have 250 and more."""

ROUNDS = 13
"""Edits of each matrix; the first is not counted."""

QUIET = 0.04
"""Seconds without a painted cell after which an edit counts as shown."""

REST = 0.2
"""Seconds after which the colors have taken their new levels; the outline of an edit still stands for the next one,
which so has to take it away, too."""

COME = 0.4
"""Seconds without work in which everything that is left for later has come."""

PAINTERS = ((CellsPicture, "paint"), (CellDelegate, "paint"), (HeadThumb, "paintEvent"))
"""What paints the color or text of cells: of maps, of tables, and the mean entropies of heads."""


def problem_of(n: int) -> Problem:
    random = np.random.default_rng(n)
    matrices = (random.standard_normal((n, HEADS * WIDTH)).astype(np.float32) for _ in range(3))
    return Problem(**dict(zip(("query", "key", "value"), matrices, strict=True)), num_heads=HEADS, dtype="float32")


class Desk:
    """The window with a problem in it. Times are seconds."""

    def __init__(self, app: QApplication, n: int, mode: str) -> None:
        self.app, self.n = app, n
        self.painted = 0.0
        self.program = Program(app, lang="en")
        self.program.begin(None)
        self.window = self.program.window
        self.window.resize(*WINDOW)
        self.window.show()
        self.program.document.open(problem_of(n), name=f"{n} tokens")
        self.window.banner.hide()
        self._random = np.random.default_rng(1)
        self.wait(0.3)
        self.settle()
        self.program.view.set(stage="weights", head=0, mode=mode)
        self.settle()
        self.wait(REST)

    def close(self) -> None:
        self.program.end()

    def wait(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.app.processEvents()

    def settle(self) -> None:
        """Until every picture that is looked at is there."""
        self.wait(0.05)
        while self.program.computation.busy:
            self.wait(0.05)

    def rest(self) -> None:
        """Until nothing is computed any more that edits have left."""
        while self.program.computation.busy or not getattr(self.program.computation.evaluation, "settled", True):
            self.wait(0.05)
        self.wait(REST)

    def map(self, stage: str) -> Heatmap:
        return self.program.window.product.maps.map(stage)

    def edit(self, field: str, row: int, column: int) -> float:
        """Type a number into a cell that is in sight; from the press of Enter to the last cell painted for it."""
        table = self.window.findChild(QTableView, f"table.{field}")
        index = table.model().index(row, column)
        table.scrollTo(index)
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
        text = f"{self._random.standard_normal():.3f}"
        QTest.keyClicks(table, text[0])
        editor = QApplication.focusWidget()
        QTest.keyClicks(editor, text[1:])
        self.wait(REST)
        self.painted, start = 0.0, time.perf_counter()
        QTest.keyPress(editor, Qt.Key.Key_Return)
        self.app.processEvents()
        heard = time.perf_counter()
        while time.perf_counter() < max(heard, self.painted) + QUIET or self.program.computation.busy:
            self.app.processEvents()
        assert self.painted, "nothing was painted"
        return self.painted - start

    def edits(self, field: str) -> float:
        """The median of many edits, each in another row and column of the shown head."""
        rows = min(self.n, 12)
        return statistics.median([self.edit(field, k % rows, (5 * k) % 7) for k in range(ROUNDS)][1:])

    def act(self, action: str) -> None:
        self.program.bars.actions[action].trigger()

    def turns(self, do: Callable[[], object]) -> list[float]:
        """Seconds of the GUI thread: of the call itself, and of each round of the event loop until nothing is left."""
        start = time.thread_time()
        do()
        turns = [time.thread_time() - start]
        quiet = QTimer(singleShot=True, interval=round(COME * 1e3))
        quiet.start()
        while quiet.isActive():
            start = time.thread_time()
            self.app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            turns.append(time.thread_time() - start)
            if any(part.busy for part in (self.program.computation, self.program.baseline, self.program.runner)):
                quiet.start()
        return turns

    def repaint(self) -> float:
        """The median of painting the whole window anew, nothing computed."""
        times = []
        for _ in range(ROUNDS):
            for widget in self.window.findChildren(QWidget):
                widget.update()
            start = time.perf_counter()
            self.app.processEvents()
            times.append(time.perf_counter() - start)
        return statistics.median(times[1:])


class Figures:
    """The ratios of this run, with the most that each should be; printed as a table at the end."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, tuple[float, float | None]]] = {}

    def add(self, row: str, column: object, ratio: float, gate: float | None = None) -> None:
        self.rows.setdefault(row, {})[str(column)] = ratio, gate

    def lines(self) -> Iterator[str]:
        columns = list(dict.fromkeys(column for row in self.rows.values() for column in row))
        wide = max(map(len, self.rows))
        yield " " * wide + "".join(f"{column:>16}" for column in columns)
        for name, row in self.rows.items():
            yield f"{name:<{wide}}" + "".join(f"{_figure(*row[at]) if at in row else '–':>16}" for at in columns)
        yield "≤ what is asked for, ✗ where that is missed; every ratio is of medians within this run"


def _figure(ratio: float, gate: float | None) -> str:
    if gate is None:
        return f"{ratio:.2f}"
    return f"{ratio:.2f} ≤ {gate:g} {'✓' if ratio <= gate else '✗'}"


_figures = Figures()


@pytest.fixture(scope="session")
def figures() -> Figures:
    return _figures


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if _figures.rows:
        terminalreporter.section(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
        for line in _figures.lines():
            terminalreporter.write_line(line)


@pytest.fixture
def desk(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int, str], Desk]]:
    """Make a desk for n tokens in a mode ("product", "all")."""
    desks: list[Desk] = []

    def make(n: int, mode: str) -> Desk:
        desks.append(Desk(qapp, n, mode))
        return desks[-1]

    for kind, name in PAINTERS:
        monkeypatch.setattr(kind, name, _clocked(getattr(kind, name), desks))
    yield make
    for made in desks:
        made.close()


def _clocked(paint: Callable[..., None], desks: list[Desk]) -> Callable[..., None]:
    def clocked(*arguments: Any) -> None:
        paint(*arguments)
        if desks:
            desks[-1].painted = time.perf_counter()

    return clocked
