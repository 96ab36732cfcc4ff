"""Large sessions: written beside the window, which works on; whoever quits waits, nothing is lost or half there."""

from __future__ import annotations

import errno
import shutil
import threading

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QMessageBox, QToolButton
from safetensors.numpy import load_file

from attn_gui.app.files import session_saving
from attn_gui.engine import Problem
from attn_gui.formats import open_file, save_session
from attn_gui.formats.saving import FileSink, saving
from attn_gui.views.dialogs.progress import WorkLine
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
BUTTONS = QMessageBox.StandardButton
WRITE = FileSink.write


class Disk(Gate):
    """Holds up the writing of files on other threads, and may be full."""

    def __init__(self) -> None:
        super().__init__()
        self.window = threading.get_ident()
        self.fails = False

    def write(self, sink, data):
        if threading.get_ident() != self.window:
            self.hold()
            if self.fails:
                with saving(sink._path):
                    raise OSError(errno.ENOSPC, "full")
        return WRITE(sink, data)


@pytest.fixture
def gate(monkeypatch):
    """Every session counts as large."""
    found = Disk()
    monkeypatch.setattr(session_saving, "LARGE", 0)
    monkeypatch.setattr(FileSink, "write", lambda sink, data: found.write(sink, data))
    yield found
    found.open()


@pytest.fixture
def person(launch, tmp_path, gate):
    """Who has saved once, and then typed 4."""

    def save_and_type(person):
        gate.fails = False
        gate.open()
        (tmp_path / "kept.attn").unlink(missing_ok=True)
        person.choose_file(tmp_path / "kept.attn", lambda: person.do("save_as"))
        written(person)
        gate.close()
        person.type_into("query", 0, 0, "4")

    return launch(SMALL).beginning(save_and_type)


def written(person):
    """Until nothing is being written any more."""
    while person.program.files.saving.busy:
        QApplication.processEvents()


def first(path):
    """The first number of Q in a file."""
    return open_file(path).problem.query[0, 0]


def line(person):
    found = person.find("saving.progress", WorkLine)
    return found.text() if found.isVisible() else ""


def test_the_window_works_on_while_a_large_session_is_written(person, gate, tmp_path, qtbot):
    path = tmp_path / "kept.attn"
    person.press("Ctrl+S")
    gate.await_work()
    qtbot.waitUntil(lambda: line(person) == "Saving kept.attn, 0 %")
    person.type_into("query", 1, 1, "5")
    person.click_cell("weights", 0, 1)
    assert "Query 0 gives key 1" in person.explanation()
    assert first(path) == 1, "the old file stands until the new one is whole"
    gate.open()
    written(person)
    assert line(person) == ""
    assert open_file(path).problem.query[:2, 1].tolist() == [0, 1], "as it was when Ctrl+S was pressed"
    assert first(path) == 4
    assert person.window.isWindowModified(), "the 5 is in no file"
    person.press("Ctrl+S")
    written(person)
    assert open_file(path).problem.query[1, 1] == 5
    assert not person.window.isWindowModified()

    person.again("a writing can be canceled")
    person.press("Ctrl+S")
    qtbot.waitUntil(lambda: bool(line(person)))
    person.click(person.find("saving.cancel", QToolButton))
    gate.open()
    written(person)
    assert person.banner() == "kept.attn was not saved: the saving was canceled."
    assert person.window.isWindowModified()
    assert first(tmp_path / "kept.attn") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["kept.attn"]

    person.again("what was clean before is not when another state was written meanwhile")
    person.press("Ctrl+S")
    gate.await_work()
    person.press("Ctrl+Z")
    gate.open()
    written(person)
    assert person.number("query", 0, 0) == 1
    assert person.window.isWindowModified(), "the file holds the 4"

    person.again("whoever would rather work on stays")
    person.press("Ctrl+S")
    gate.await_work()
    person.answering(QMessageBox, lambda box: box.buttons()[0].click(), person.window.close)
    assert person.window.isVisible()
    person.answering(QMessageBox, lambda box: person.press("Esc"), lambda: person.drop(person.program.document.path))
    assert person.number("query", 0, 0) == 4
    gate.open()
    written(person)
    assert not person.window.isWindowModified()

    person.again("a writing that fails keeps the old file and the window")
    gate.fails = True
    gate.open()
    person.press("Ctrl+S")
    person.window.close()
    assert person.window.isVisible()
    assert person.banner() == "kept.attn could not be saved: there is no room left. Nothing was changed."
    assert person.window.isWindowModified()
    assert first(tmp_path / "kept.attn") == 1
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []

    person.again("another document is never taken for the one that is written")
    # As a large file that was asked for before comes in between.
    person.press("Ctrl+S")
    gate.await_work()
    person.program.files.begin_with_example("thinking")
    title = person.window.windowTitle()
    gate.open()
    written(person)
    assert first(tmp_path / "kept.attn") == 4
    assert person.window.windowTitle() == title
    assert person.program.document.path is None

    person.again("a second save follows the first")
    person.press("Ctrl+S")
    gate.await_work()
    person.type_into("query", 0, 0, "5")
    person.press("Ctrl+S")
    person.type_into("query", 0, 0, "6")
    person.press("Ctrl+S")
    person.choose_file(tmp_path / "other.attn", lambda: person.do("save_as"))
    gate.open()
    written(person)
    assert (first(tmp_path / "kept.attn"), first(tmp_path / "other.attn")) == (6, 6)
    assert not person.window.isWindowModified()
    assert person.window.windowTitle().startswith("other")

    person.again("quitting waits until it is written")
    person.press("Ctrl+S")
    gate.await_work()
    said = []

    def answer(box):
        said.append(box.text())
        gate.open()  # and the box closes by itself

    person.answering(QMessageBox, answer, person.window.close)
    assert said == ["kept.attn is still being saved."]
    assert not person.window.isVisible()
    assert first(tmp_path / "kept.attn") == 4


def test_changes_since_are_asked_for_and_written_before_the_window_goes(person, gate, tmp_path):
    person.press("Ctrl+S")
    gate.await_work()
    person.type_into("query", 0, 0, "5")
    gate.open()
    person.answering(QMessageBox, lambda box: box.button(BUTTONS.Save).click(), person.window.close)
    assert not person.window.isVisible()
    assert first(tmp_path / "kept.attn") == 5


def test_whoever_leaves_after_a_writing_that_failed_is_asked_again(person, gate, tmp_path):
    """The failure was taken for one of a writing that is still waited for: the window could not be closed."""
    gate.fails = True
    gate.open()
    person.press("Ctrl+S")
    written(person)
    assert "no room" in person.banner()
    person.answering(QMessageBox, lambda box: box.button(BUTTONS.Discard).click(), person.window.close)
    assert not person.window.isVisible()
    assert first(tmp_path / "kept.attn") == 1


def test_the_end_of_the_program_writes_what_was_asked_for(person, gate, tmp_path):
    person.press("Ctrl+S")
    person.type_into("query", 0, 0, "5")
    person.press("Ctrl+S")
    gate.open()
    person.leave()
    assert first(tmp_path / "kept.attn") == 5


def test_a_large_session_is_told_of_as_it_is_written_and_read_by_the_official_reader(tmp_path):
    random = np.random.default_rng(3)
    problem = Problem(
        query=random.standard_normal((701, 7)), key=random.standard_normal((5, 7)), value=random.standard_normal((5, 3))
    )
    shares = []
    save_session(problem, tmp_path / "a.attn", {}, {}, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert load_file(tmp_path / "a.attn")["query"].tobytes() == problem.query.tobytes()


def test_a_file_that_cannot_be_written_is_offered_another_place(launch, tmp_path):
    person = launch(SMALL)
    gone = tmp_path / "gone" / "kept.attn"
    gone.parent.mkdir()
    person.choose_file(gone, lambda: person.do("save_as"))
    person.type_into("query", 0, 0, "4")
    shutil.rmtree(gone.parent)
    person.do("save")
    assert "could not be saved: its folder" in person.banner()
    button = person.button("Save as…", "banner")
    person.type_into("query", 0, 1, "5")
    assert person.banner(), "the file is still not saved"
    person.choose_file(tmp_path / "other.attn", lambda: person.click(button))
    assert not person.banner()
    assert first(tmp_path / "other.attn") == 4
    assert not person.program.document.modified

    person.again("another place from the menu takes the refusal back")
    gone = tmp_path / "gone" / "kept.attn"
    gone.parent.mkdir()
    person.choose_file(gone, lambda: person.do("save_as"))
    shutil.rmtree(gone.parent)
    person.do("save")
    assert person.banner()
    person.choose_file(tmp_path / "third.attn", lambda: person.do("save_as"))
    assert not person.banner()
