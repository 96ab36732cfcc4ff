"""Copies of a document for work beside the window: weighed like new numbers; where there is no room, that is said."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMessageBox

from attn_gui.app import inspector_pages
from attn_gui.app.files import export
from attn_gui.app.maps import gradients
from attn_gui.document.edits import Label, SetCells
from attn_gui.engine import memory
from attn_gui.formats import open_file
from attn_gui.formats.saving import FileSink
from attn_gui.views.dialogs.export_data_dialog import ExportDataDialog

SMALL = "worked-example.npz"
SAID = "of new numbers; at most 25 bytes may be taken"
WRITE = FileSink.write


@pytest.fixture
def person(launch):
    found = launch(SMALL)
    found.show_stage("weights")
    found.click_cell("weights", 1, 0)
    found.type_into("key", 0, 0, "2")
    found.type_into("query", 0, 0, "7")
    found.rest()
    return found


@pytest.fixture
def poor(person, monkeypatch):
    """From now on nothing is free."""
    monkeypatch.setattr(memory, "available", lambda: 100)
    return person


def test_what_needs_a_copy_is_refused_in_a_sentence_or_left_untold(poor):
    for action in ("verify", "pin", "blame"):
        poor.do(action)
        assert SAID in poor.banner(), action
        poor.find("banner").hide()
    poor.type_into("query", 0, 0, "8")
    poor.rest()
    assert poor.number("query", 0, 0) == 8


def test_numbers_that_are_exported_beside_the_window_are_copied_only_where_there_is_room(poor, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "QUICK_CELLS", -1)

    def answer(dialog):
        dialog.target.folder.setText(str(tmp_path))
        dialog.accept()

    poor.answering(ExportDataDialog, answer, lambda: poor.do("export_data"))
    assert SAID in poor.banner()
    assert not list(tmp_path.iterdir())
    assert not poor.find("export.progress").isVisible()


@pytest.mark.parametrize("quick", [True, False])
def test_gradients_that_cannot_be_held_are_said_on_their_page_and_leave_the_numbers_in_the_maps(
    poor, quick, monkeypatch, qtbot
):
    monkeypatch.setattr(gradients, "is_quickly_differentiated", lambda _problem: quick)
    poor.do("show_gradient")
    qtbot.waitUntil(lambda: SAID in poor.banner())
    assert not poor.action("show_gradient").isChecked()
    assert poor.number("query", 0, 0) == 7
    monkeypatch.setattr(inspector_pages, "is_quickly_differentiated", lambda _problem: quick)
    poor.do("gradients")
    page = poor.find("inspector.sensitivity")
    qtbot.waitUntil(lambda: any(SAID in label.text() for label in page.findChildren(QLabel) if label.isVisible()))
    monkeypatch.setattr(memory, "available", lambda: 10**10)
    poor.click_cell("weights", 0, 0)
    poor.do("gradients")
    qtbot.waitUntil(lambda: not any(SAID in label.text() for label in page.findChildren(QLabel) if label.isVisible()))


class Slow:
    """A disk that waits."""

    def __init__(self, monkeypatch) -> None:
        self._may, window = threading.Event(), threading.get_ident()

        def write(sink, data):
            if threading.get_ident() != window:
                assert self._may.wait(120)
            return WRITE(sink, data)

        monkeypatch.setattr(FileSink, "write", write)

    def go_on(self) -> None:
        self._may.set()


@pytest.fixture
def disk(monkeypatch):
    found = Slow(monkeypatch)
    yield found
    found.go_on()


def save_without_room(person, path, answer):
    person.answering(QMessageBox, answer, lambda: person.choose_file(path, lambda: person.do("save_as")))


def test_a_document_that_leaves_no_room_for_a_copy_is_saved_while_nobody_edits_it(poor, disk, tmp_path):
    path, said = tmp_path / "mine.attn", []

    def answer(box):
        said.append(box.text())
        disk.go_on()  # and the box closes by itself

    save_without_room(poor, path, answer)
    assert "mine.attn is being saved" in said[0]
    assert open_file(path).problem == poor.program.document.problem
    assert not poor.window.isWindowModified()


def test_what_is_changed_meanwhile_by_an_answer_is_never_in_the_file_in_part(poor, disk, tmp_path):
    path, cell = tmp_path / "mine.attn", (slice(1, 2), slice(1, 2))

    def answer(_box):
        poor.program.document.apply(SetCells("query", cell, np.full((1, 1), 9.0), Label("paste")))
        disk.go_on()

    save_without_room(poor, path, answer)
    assert "changed while it was written" in poor.banner()
    assert not list(tmp_path.iterdir())
    assert poor.window.isWindowModified()
    poor.save_as(path)
    assert open_file(path).problem == poor.program.document.problem
    assert not poor.window.isWindowModified()


def test_it_can_be_canceled_and_the_file_is_as_it_was(poor, disk, tmp_path):
    path = tmp_path / "mine.attn"
    save_without_room(poor, path, lambda box: poor.click(box.buttons()[0]))
    disk.go_on()
    while poor.program.files.saving.busy:
        QTest.qWait(1)
    assert not path.exists()
    assert poor.window.isWindowModified()
    assert "canceled" in poor.banner()
