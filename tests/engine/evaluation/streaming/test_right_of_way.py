"""Right of way: tiles computed beside a window wait while it shows an edit; those that it asks for itself do not."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from attn_gui.app.state.computation import Computation
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells
from attn_gui.engine import Problem
from attn_gui.engine.evaluation import threads
from attn_gui.engine.evaluation.threads import RightOfWay, share


@pytest.fixture
def waits(monkeypatch) -> list[float]:
    """Seconds that threads have waited for the window."""
    found: list[float] = []
    threads.right_of_way.cache_clear()
    monkeypatch.setattr(threads, "SHOWN", 3600.0)
    monkeypatch.setattr(threads.time, "sleep", found.append)
    yield found
    threads.right_of_way.cache_clear()  # with the hour


def beside(jobs: int) -> list[int]:
    """Share jobs on a thread that is not the window's; those that were done."""
    done: list[int] = []
    thread = threading.Thread(target=lambda: share(range(jobs), done.append))
    thread.start()
    thread.join()
    return sorted(done)


def test_an_edit_takes_it_from_the_tiles_beside_the_window(waits, qapp):
    document = Document(Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]]))
    computation = Computation(document)
    assert beside(5) == [0, 1, 2, 3, 4]
    assert not waits
    document.apply(SetCells("key", (slice(0, 1), slice(0, 1)), np.array([[2.0]]), Label("x")))
    assert beside(5) == [0, 1, 2, 3, 4]
    assert len(waits) == 5
    assert all(0 < seconds <= 3600 for seconds in waits)
    computation.end()


@pytest.mark.parametrize("jobs", [1, 5])
def test_tiles_that_the_window_asks_for_wait_for_nobody(waits, jobs):
    threads.right_of_way().take()
    done: list[int] = []
    share(range(jobs), done.append)
    assert sorted(done) == list(range(jobs))
    assert not waits


def test_it_ends_by_itself(monkeypatch):
    """Nobody has to give it back: an edit that fails leaves no thread waiting."""
    monkeypatch.setattr(threads, "SHOWN", 0.0)
    slept: list[float] = []
    monkeypatch.setattr(threads.time, "sleep", slept.append)
    way = RightOfWay()
    way.take()
    way.give()
    assert not slept
