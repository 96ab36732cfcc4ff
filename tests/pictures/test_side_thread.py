"""Threads beside the window: on Linux the window's comes before them, and before those of the engine's tiles."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.computation import Computation
from attn_gui.document.document import Document
from attn_gui.engine import Problem
from attn_gui.engine.evaluation.threads import BEHIND, share

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="threads have a nice value of their own on Linux alone")


def nice(thread: int = 0) -> int:
    return os.getpriority(os.PRIO_PROCESS, thread)


def nice_of_tiles() -> set[int]:
    """The nice values of this thread and of the one that takes its share of the tiles."""
    together, found = threading.Barrier(2, timeout=60), set[int]()

    def work(_job: int) -> None:
        together.wait()
        found.add(nice())

    share([0, 1], work)
    return found


def test_work_beside_the_window_gives_way_to_it(qtbot: QtBot):
    parent = QObject()
    background, found = BackgroundTask(parent), []
    background.ended.connect(lambda outcome: found.append(outcome.result()))
    before = nice()
    for _ in range(2):  # the second is done by the same thread
        background.start(lambda _: nice())
        qtbot.waitUntil(lambda: not background.busy)
    background.wait()
    parent.deleteLater()
    assert found == [before + BEHIND] * 2 or found == [19] * 2
    assert nice() == before


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="a pass has one thread where there is one core")
def test_tiles_give_way_to_a_window(qapp):
    document = Document(Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]]))
    computation = Computation(document)
    computation.hold_threads()
    assert nice_of_tiles() == {nice(), min(nice() + BEHIND, 19)}
    computation.end()
