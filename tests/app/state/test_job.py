"""Work that can be stopped: however often that is said, nothing of it is kept."""

from __future__ import annotations

import tracemalloc

import pytest
from PySide6.QtCore import QObject

from attn_gui.app.state.job import Job


@pytest.mark.usefixtures("qapp")
def test_stops_are_not_counted():
    parent = QObject()
    job = Job(parent)
    job.stop()
    tracemalloc.start()
    try:
        for _ in range(10_000):
            job.stop()
        assert tracemalloc.get_traced_memory()[0] < 4096
    finally:
        tracemalloc.stop()
        parent.deleteLater()
