"""Measure how long a model on the table holds the window: the longest turn of its thread. Not collected by pytest.

    python packaging/trials/try_model_turns.py [NAME | FOLDER ...]

Each gesture of a person is made with real events, and the event loop turned until everything is told and painted. A
turn is one event of a person, or one round of the loop: what is posted, painted and timed in it. Counted is processor
time, to which a busy machine adds and from which it never takes: of some rounds of each gesture the least of the
longest turns counts, and the median stands behind it. Without names: every model that comes along or is installed, and
the small ones of the tests. Exit code 1 where a gesture is over the gate.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint, QStandardPaths, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton, QTableView, QWidget

from attn_gui.app.program import Program
from attn_gui.models import KNOWN

ROOT = Path(__file__).resolve().parents[2]
ROUNDS, MS = 3, 16.0
QUIET = 0.3
"""Seconds without work after which nothing is expected any more."""
LETTERS = "k x b p f k x b p", "k x b p h k x b p"
WORDS = "the cat sat on the mat and looked at the dog", "the dog sat on the mat and looked at the cat"
Gesture = Callable[[], object]


class Desk:
    """The program with a window of 1,440 × 900."""

    def __init__(self, app: QApplication) -> None:
        self.app, self.program = app, Program(app, lang="en")
        self._turns: list[float] = []
        self.program.begin(None)
        self.window = self.program.window
        self.window.resize(1440, 900)
        self.window.show()
        QTest.qWaitForWindowActive(self.window)
        self.longest(lambda: None)

    def longest(self, do: Gesture) -> float:
        """Milliseconds of the longest turn from a gesture to the last thing that follows from it."""
        self._turns.clear()
        do()
        end = time.perf_counter() + QUIET
        while time.perf_counter() < end:
            self._turn(self.app.processEvents)
            if self._busy():
                end = time.perf_counter() + QUIET
        return max(self._turns)

    def _turn(self, do: Gesture) -> None:
        begun = time.thread_time()
        do()
        self._turns.append(1e3 * (time.thread_time() - begun))

    def _click(self, widget: QWidget, place: QPoint) -> None:
        """Two events, as a mouse sends them: time passes between."""
        for event in (QTest.mousePress, QTest.mouseRelease):
            self._turn(lambda event=event: event(widget, Qt.MouseButton.LeftButton, pos=place))
            self._turn(self.app.processEvents)

    def _key(self, widget: QWidget, key: Qt.Key) -> None:
        self._turn(lambda: QTest.keyClick(widget, key))

    def _busy(self) -> bool:
        program, rooms = self.program, self.program.late
        parts = program.computation, program.baseline, program.runner, rooms.models, rooms.model, rooms.second_text
        return program.late.pages.busy or any(part.busy for part in parts)

    # --- gestures --------------------------------------------------------------------------------
    def gestures(self, texts: tuple[str, str]) -> Iterator[tuple[str, Gesture]]:
        """Yield what a person does with a model, in an order in which each has something to do."""
        yield "another layer", lambda: self.click_head(1, 1)
        yield "another head", lambda: self.click_head(1, 2)
        yield "head off", lambda: self.click("model.head_off")
        yield "undo", lambda: self.action("undo")
        yield "layer off", lambda: self.click("model.layer_off")
        yield "another text", lambda: self.enter("control.text", texts[0])
        yield "second text", lambda: self.enter("control.other_text", texts[1])
        yield "one row taken", lambda: self.click("model.take_row")
        yield "all rows taken", lambda: self.click("model.take_all")
        yield "compare", lambda: self.click("model.compare")
        yield "layer, compared", lambda: self.click_head(0, 0)
        yield "end of compare", lambda: self.action("unpin")
        yield "a weight typed", self.type_weight
        yield "heads by number", lambda: self.choose_reading(1)
        yield "heads by map", lambda: self.choose_reading(0)
        if self.program.late.pages.model is not None and self.program.late.pages.model.likely:
            yield "page of the lens", lambda: self.action("lens")
            yield "page of patching", lambda: self.action("patching")
            yield "head off beside it", lambda: self.click("model.head_off")
        yield "maps", lambda: self.action("product")
        yield "model", lambda: self.action("model")

    def open(self, name: str) -> None:
        models = self.program.late.models
        self._turn(lambda: models.open_known(name) if name in KNOWN else models.open_path(Path(name)))

    def prepare(self, texts: tuple[str, str]) -> None:
        """Bring the state that `gestures` begins with."""
        self.longest(lambda: self.enter("control.other_text", ""))
        self.longest(lambda: self.enter("control.text", texts[1]))

    def click(self, name: str) -> None:
        button = self.window.findChild(QPushButton, name)
        assert button.isEnabled(), name
        self._click(button, button.rect().center())

    def click_head(self, layer: int, head: int) -> None:
        grid = self.window.findChild(QTableView, "model")
        index = grid.model().index(layer, min(head, grid.model().columnCount() - 1))
        grid.scrollTo(index)
        self._click(grid.viewport(), grid.visualRect(index).center())

    def action(self, name: str) -> None:
        self._turn(self.window.findChild(QAction, f"action.{name}").trigger)

    def enter(self, name: str, text: str) -> None:
        field = self.window.findChild(QLineEdit, name)
        field.setFocus()
        field.setText(text)
        self._key(field, Qt.Key.Key_Return)

    def type_weight(self) -> None:
        """Type a number over the first cell of W_Q, as its editor commits it."""
        model = self.program.first.tables.models["w_query"]
        index = model.index(0, 0)
        text = str(float(index.data(Qt.ItemDataRole.EditRole)) + 0.25)
        self._turn(lambda: model.setData(index, text, Qt.ItemDataRole.EditRole))

    def choose_reading(self, place: int) -> None:
        box = self.window.findChild(QComboBox, "control.model_reading")
        box.setFocus()
        self._key(box, Qt.Key.Key_Home)
        for _ in range(place):
            self._key(box, Qt.Key.Key_Down)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how long a model on the table holds the window.")
    parser.add_argument("models", nargs="*", help="names of known models, or folders")
    small = sorted((ROOT / "tests" / "data" / "models").glob("tiny-*"))
    default = [*(key for key, known in KNOWN.items() if known.installed), *map(str, small)]
    asked = parser.parse_args().models or default
    QStandardPaths.setTestModeEnabled(True)
    app = QApplication(sys.argv[:1])
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; ms of the longest turn, at most {MS:g}")
    fine = [measured(app, name) for name in asked]
    return int(not all(fine))


def measured(app: QApplication, name: str) -> bool:
    """Open a model ROUNDS times, make all gestures each time, print the least and the medians."""
    found: dict[str, list[float]] = {}
    texts = LETTERS if "toy" in name else WORDS
    for _ in range(ROUNDS):
        desk = Desk(app)
        found.setdefault("opening", []).append(desk.longest(partial(desk.open, name)))
        desk.prepare(texts)
        for words, do in desk.gestures(texts):
            found.setdefault(words, []).append(desk.longest(do))
        desk.program.end()
        app.processEvents()
    held = [words for words, turns in found.items() if min(turns) > MS]
    told = [f"{words} {min(turns):.1f} ({statistics.median(turns):.1f})" for words, turns in found.items()]
    print(f"{Path(name).name}: {', '.join(told)}")
    print(f"    {'MISSED: ' + ', '.join(held) if held else 'ok'}")
    return not held


if __name__ == "__main__":
    sys.exit(main())
