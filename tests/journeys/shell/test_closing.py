"""The window closed while files are still being written: it waits, calls them off or stays, as is picked."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

SMALL = "worked-example.npz"


class Writing:
    """A file that is there once the gate is opened; called off as others are."""

    def __init__(self, folder):
        self.path, self.gate, self.fails = folder / "a.txt", threading.Event(), False

    def __call__(self, tell):
        while not self.gate.wait(0.001):
            tell(0.0)
        if self.fails:
            raise OSError("There is no room left.")
        self.path.write_text("whole")
        yield self.path


@pytest.fixture
def writing(tmp_path):
    found = Writing(tmp_path)
    yield found
    found.gate.set()


@pytest.fixture(params=["export", "worksheets", "solutions"])
def writer(request):
    return request.param


@pytest.fixture
def person(launch, writing):
    """Who has an export under way, whose writer others share."""
    found = launch(SMALL)
    found.program.late.export._writing.begin(writing)
    return found


def answering(person, answer):
    person.answering(QMessageBox, answer, person.window.close)


def test_closing_waits_for_the_files(launch, writer, writing):
    person, said = launch(SMALL), []
    getattr(person.program.late, writer)._writing.begin(writing)

    def answer(box):
        said.append(box.text())
        writing.gate.set()  # and the box goes by itself

    answering(person, answer)
    assert said == ["An export is still being written: wait, or cancel it."]
    assert not person.window.isVisible()
    assert writing.path.read_text() == "whole"


def test_what_is_quick_is_not_asked_about(person, writing):
    writing.gate.set()
    person.window.close()
    assert not person.window.isVisible()
    assert writing.path.read_text() == "whole"


def test_the_files_can_be_called_off(person, writing):
    answering(person, lambda box: person.click(person.button("Cancel the export", box)))
    assert not person.window.isVisible()
    assert not writing.path.exists()


def test_whoever_goes_on_working_loses_nothing(person, writing):
    for leave in (lambda box: person.click(person.button("Go on working", box)), lambda _box: person.press("Esc")):
        answering(person, leave)
        assert person.window.isVisible()
    writing.gate.set()
    while "a.txt" not in person.banner():
        QTest.qWait(1)
    assert writing.path.read_text() == "whole"


def test_what_could_not_be_written_is_read_before_the_window_goes(person, writing):
    writing.fails = True
    writing.gate.set()
    person.window.close()
    assert person.window.isVisible()
    assert person.banner()
    person.window.close()
    assert not person.window.isVisible()
