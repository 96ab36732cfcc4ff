"""Models, and what is asked of them, that come late: over what was opened meanwhile, or while something else is computed."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QApplication

from attn_gui.app.model import model_controller
from attn_gui.paths import resource

TOY = resource("models", "toy-induction")


class Gate:
    """Holds up a function as a slow computer would, once it is closed."""

    def __init__(self) -> None:
        self.reached, self._open = threading.Event(), threading.Event()
        self._open.set()

    def close(self) -> None:
        self.reached.clear()
        self._open.clear()

    def open(self) -> None:
        self._open.set()

    def of(self, work):
        def held(*given, **more):
            self.reached.set()
            assert self._open.wait(120)
            return work(*given, **more)

        return held


@pytest.fixture
def opening(monkeypatch):
    """Holds up models that are opened."""
    gate = Gate()
    monkeypatch.setattr(model_controller, "open_model", gate.of(model_controller.open_model))
    gate.close()
    yield gate
    gate.open()


def rest(person, gate):
    """Let it be read, and wait until the window has heard."""
    gate.open()
    person.wait()
    for _ in range(3):
        QApplication.processEvents()


def test_a_document_that_is_opened_while_a_model_is_read_stays(launch, opening):
    person = launch("nadaraya-watson.npz")
    person.program.take_in(TOY)
    assert opening.reached.wait(60)
    person.program.files.open_example("worked")
    rest(person, opening)
    assert person.program.document.study is None
    assert person.program.document.name == "worked-example"


def test_a_snapshot_that_is_taken_while_a_model_is_read_is_not_lost(launch, opening):
    person = launch("nadaraya-watson.npz")
    person.program.take_in(TOY)
    assert opening.reached.wait(60)
    person.do("snapshot")
    rest(person, opening)
    assert person.banner() == "toy-induction was not opened: nadaraya-watson was changed while it was read."
    assert len(person.program.document.snapshots.all) == 1
