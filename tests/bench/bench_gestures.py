"""What a gesture costs the thread of the window: all of it, and the longest turn, in which nothing else is answered;
and from one document to another."""

import itertools
import statistics
import time
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from attn_gui.app.files.examples import EXAMPLES
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine.masks import Causal

SIZES = (16, 1024, 4096)
ROUNDS = 5
"""Times that each gesture is made; the first is not counted."""

WINDOW = (1440, 900)
MS = {"theme": 50, "language": 50}
"""Milliseconds that the longest turn of these may take, and of all others:"""
MOST_MS = 16
DOCUMENT_MS = 50
CLICKS, CLICK_TO_REPAINT = 40, 0.3

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.mark.parametrize("n", SIZES)
def bench_gestures(benchmark, desk, figures, n):
    made = desk(n, "product")
    made.window.resize(*WINDOW)
    made.program.view.set(cell=ChosenCell("weights", 3, 1))
    made.rest()
    repaint = statistics.median(benchmark.pedantic(lambda: [repainted(made) for _ in range(ROUNDS)], rounds=1))
    found: dict[str, list[list[float]]] = {}
    for number in range(ROUNDS):
        for name, do in gestures(made, number % 2 == 1):
            found.setdefault(name, []).append(made.turns(do))
    figures.add("repaint of the window at 1,440 × 900, ms", n, repaint * 1e3)
    for name, rounds in found.items():
        longest = statistics.median(map(max, rounds[1:]))
        whole = statistics.median(map(sum, rounds[1:]))
        figures.add(f"{name}: longest turn, ms of the GUI thread", n, longest * 1e3, MS.get(name, MOST_MS))
        figures.add(f"{name}: longest turn ÷ repaint", n, longest / repaint)
        figures.add(f"{name}: whole, ms of the GUI thread", n, whole * 1e3)
        figures.add(f"{name}: whole ÷ repaint", n, whole / repaint)
    benchmark.extra_info |= {"repaint": repaint, "gestures": found}


def repainted(made) -> float:
    """Seconds of the GUI thread for everything in the window, nothing computed anew."""
    widgets = made.window.findChildren(QWidget)
    return max(made.turns(lambda: [widget.update() for widget in widgets])[1:])


def gestures(made, back: bool) -> Iterator[tuple[str, Callable[[], object]]]:
    """What a person does to look at something else or to change how it is computed, and the same back."""
    window, document = made.window, made.program.document
    yield "another head", lambda: made.act("previous_head" if back else "next_head")
    yield "stage", lambda: window.spine.stagePicked.emit("weights" if back else "scores")
    yield "scale", lambda: window.spine.boxes.scale.scalePicked.emit("sqrt" if back else "none", None)
    yield "mask on", lambda: document.apply(SetFields({"mask": (Causal(),)}, Label("added mask")))
    yield "undo of it", lambda: made.act("undo")
    yield "pin", lambda: made.act("pin")
    made.turns(lambda: made.act("unpin"))
    yield "theme", lambda: made.act("theme_light" if back else "theme_dark")
    yield "language", lambda: made.act("language_en" if back else "language_zh")
    yield "resize", lambda: window.resize(WINDOW[0] - 40 * (not back), WINDOW[1])


@pytest.mark.parametrize("n", [16, 2048])
def bench_click(benchmark, desk, figures, n):
    """From a click on a cell of a map to the last pixel painted for it, another row and column each time."""
    made = desk(n, "product")
    heatmap = made.map("weights")

    def click(k: int) -> float:
        place = heatmap.cell_rect((7 * k + 3) % 16, (5 * k + 1) % 16).center()
        start = time.thread_time()
        QTest.mouseClick(heatmap, Qt.MouseButton.LeftButton, pos=place)
        for _ in range(5):  # the explanation is laid out in several rounds
            made.app.processEvents()
        return time.thread_time() - start

    click(0)
    made.rest()
    clicked = statistics.median([click(k) for k in range(1, CLICKS)])
    repaint = statistics.median(benchmark.pedantic(lambda: [repainted(made) for _ in range(ROUNDS)], rounds=1))
    figures.add("click on a cell ÷ repaint of the window", n, clicked / repaint, CLICK_TO_REPAINT)
    figures.add("click on a cell, ms of the GUI thread", n, clicked * 1e3, MOST_MS)


def bench_documents(benchmark, desk, figures):
    made = desk(16, "product")
    keys = [example.key for example in EXAMPLES]
    turns = benchmark.pedantic(lambda: {key: [] for key in keys}, rounds=1)
    for _, key in itertools.product(range(ROUNDS - 1), keys):
        turns[key].append(max(made.turns(lambda key=key: made.program.files.open_example(key))))
    for key, found in turns.items():
        figures.add(
            "another document: longest turn of the GUI thread, ms", key, statistics.median(found[1:]) * 1e3, DOCUMENT_MS
        )
