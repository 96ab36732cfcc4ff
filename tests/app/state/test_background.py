"""Work on another thread: the last question is answered, once; abandoned ones are not."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from attn_gui.app.state.background import Background
from tests.journeys.gate import Gate


@pytest.fixture
def answers(qapp) -> Iterator[tuple[Background, list[object]]]:
    parent = QObject()
    background, found = Background(parent), []
    background.answered.connect(lambda outcome: found.append(outcome.exception() or outcome.result()))
    yield background, found
    background.finish()
    parent.deleteLater()


def test_an_answer_comes_on_this_thread(answers, qtbot: QtBot):
    background, found = answers
    there: list[int] = []
    background.answered.connect(lambda _: there.append(threading.get_ident()))
    background.ask(threading.get_ident)
    assert background.busy
    qtbot.waitUntil(lambda: bool(found))
    assert there == [threading.get_ident()] != found
    assert not background.busy


def test_what_work_has_read_is_let_go_once_it_is_answered_or_forgotten(answers, qtbot: QtBot):
    """A problem of a document that is closed would stay as long as nothing else is saved."""
    background, _ = answers
    gate, (read, waiting) = Gate(), (QObject(), QObject())
    kept = [weakref.ref(each) for each in (read, waiting)]
    background.ask(lambda read=read: gate.after(bool)(read))
    del read
    gate.await_work()
    background.ask(lambda waiting=waiting: bool(waiting))
    del waiting
    background.forget()
    assert kept[1]() is None
    gate.open()
    background.finish()
    qtbot.waitUntil(lambda: kept[0]() is None)


def test_nothing_is_left_of_work_that_is_through_or_forgotten(answers, qtbot: QtBot):
    """A pool of Qt keeps whatever object it was given to run."""
    background, found = answers
    before = objects_of(background)
    for number in range(60):
        background.ask(lambda number=number: number)
        if number % 3:
            background.forget()
        else:
            qtbot.waitUntil(lambda number=number: number in found)
    background.finish()
    assert objects_of(background) <= before


def objects_of(background: Background) -> int:
    """How many objects are there of the kinds that live where the background does."""
    gc.collect()
    module = type(background).__module__
    return sum(type(each).__module__ == module for each in gc.get_objects())


def test_only_the_last_question_is_answered(answers, qtbot: QtBot):
    background, found = answers
    gate, ran = Gate(), []
    background.ask(gate.before(lambda: "first"))
    gate.await_work()
    background.ask(lambda: ran.append("second") or "second")  # never begun: something newer waits
    background.ask(lambda: "third")
    gate.open()
    qtbot.waitUntil(lambda: bool(found))
    background.finish()
    qtbot.wait(5)
    assert found == ["third"]
    assert ran == []


def test_what_is_forgotten_is_not_answered(answers, qtbot: QtBot):
    background, found = answers
    gate = Gate()
    background.ask(gate.before(lambda: "stale"))
    gate.await_work()
    background.forget()
    assert not background.busy
    gate.open()
    background.finish()
    qtbot.wait(5)
    assert found == []


def test_an_error_is_an_answer(answers, qtbot: QtBot):
    background, found = answers
    background.ask(lambda: [][1])
    qtbot.waitUntil(lambda: bool(found))
    assert isinstance(found[0], IndexError)
    background.ask(lambda: "after it")
    qtbot.waitUntil(lambda: len(found) == 2)
    assert found[1] == "after it"
