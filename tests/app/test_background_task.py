"""Work on another thread: the last question is answered, once; abandoned ones are not."""

from __future__ import annotations

import threading
import tracemalloc
import weakref
from collections.abc import Iterator
from threading import Event

import pytest
from PySide6.QtCore import QCoreApplication, QObject
from pytestqt.qtbot import QtBot

from attn_gui.app.state.background_task import BackgroundTask
from tests.journeys.gate import Gate


@pytest.fixture
def answers(qapp) -> Iterator[tuple[BackgroundTask, list[object]]]:
    parent = QObject()
    background, found = BackgroundTask(parent), []
    background.ended.connect(lambda outcome: found.append(outcome.exception() or outcome.result()))
    yield background, found
    background.wait()
    parent.deleteLater()


def test_an_answer_comes_on_this_thread(answers, qtbot: QtBot):
    background, found = answers
    there: list[int] = []
    background.ended.connect(lambda _: there.append(threading.get_ident()))
    background.start(lambda _: threading.get_ident())
    assert background.busy
    qtbot.waitUntil(lambda: bool(found))
    assert there == [threading.get_ident()] != found
    assert not background.busy


def test_what_work_has_read_is_let_go_once_it_is_answered_or_forgotten(answers, qtbot: QtBot):
    """A problem of a document that is closed would stay as long as nothing else is saved."""
    background, _ = answers
    gate, (read, waiting) = Gate(), (QObject(), QObject())
    kept = [weakref.ref(each) for each in (read, waiting)]
    background.start(lambda _, read=read: gate.after(bool)(read))
    del read
    gate.await_work()
    background.start(lambda _, waiting=waiting: bool(waiting))
    del waiting
    background.forget()
    assert kept[1]() is None
    gate.open()
    background.wait()
    qtbot.waitUntil(lambda: kept[0]() is None)


def test_only_the_last_question_is_answered(answers, qtbot: QtBot):
    background, found = answers
    gate, ran = Gate(), []
    background.start(gate.before(lambda _: "first"))
    gate.await_work()
    background.start(lambda _: ran.append("second") or "second")  # never begun: something newer waits
    background.start(lambda _: "third")
    gate.open()
    qtbot.waitUntil(lambda: bool(found))
    background.wait()
    qtbot.wait(5)
    assert found == ["third"]
    assert ran == []


def test_an_error_is_an_answer(answers, qtbot: QtBot):
    background, found = answers
    background.start(lambda _: [][1])
    qtbot.waitUntil(lambda: bool(found))
    assert isinstance(found[0], IndexError)
    background.start(lambda _: "after it")
    qtbot.waitUntil(lambda: len(found) == 2)
    assert found[1] == "after it"


@pytest.mark.usefixtures("qapp")
def test_stops_are_not_counted():
    parent = QObject()
    job = BackgroundTask(parent)
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
    job, shares, told = BackgroundTask(parent), [], Event()
    job.progressed.connect(shares.append)

    def work(tell):
        tell(0.5)
        told.set()

    job.start(work)
    assert told.wait(60)
    job.forget()
    job.finish()
    QCoreApplication.sendPostedEvents()
    assert shares == []
