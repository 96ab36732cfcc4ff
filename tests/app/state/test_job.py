"""Work that can be stopped: however often that is said, nothing of it is kept."""

from __future__ import annotations

import tracemalloc
from threading import Event

import pytest
from PySide6.QtCore import QCoreApplication, QObject

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


def test_what_a_stopped_job_told_last_does_not_arrive(qtbot):
    """It was on its way from the other thread while the job was forgotten."""
    parent = QObject()
    job, shares, told = Job(parent), [], Event()
    job.told.connect(shares.append)

    def work(tell):
        tell(0.5)
        told.set()

    job.begin(work)
    assert told.wait(60)
    job.forget()
    job.finish()
    QCoreApplication.sendPostedEvents()
    assert shares == []
