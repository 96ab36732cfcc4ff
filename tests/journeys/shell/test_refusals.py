"""A refusal leaves with the next thing that is done; what is only told stays until somebody closes it."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtWidgets import QApplication

from attn_gui.paths import resource

WORKED = "worked-example.npz"


def paste(person, text):
    person.clipboard(text)
    person.go_to("query", 0, 96)
    person.press("Ctrl+V")


@pytest.fixture
def refused(launch):
    """What is no number was pasted."""
    person = launch("minilm-layer2.npz")
    paste(person, "seven")
    assert "seven" in person.banner()
    return person


def test_an_edit_takes_the_refusal_away(refused):
    refused.type_into("query", 0, 100, "2")
    assert not refused.banner()


def test_undo_takes_the_refusal_away(launch):
    person = launch("minilm-layer2.npz")
    person.type_into("query", 0, 100, "2")
    paste(person, "seven")
    assert "seven" in person.banner()
    person.do("undo")
    assert not person.banner()


def test_another_document_takes_the_refusal_away(refused, qtbot):
    refused.open(resource("examples", WORKED))
    qtbot.waitUntil(lambda: not refused.banner())


def test_one_refusal_gives_way_to_the_next(refused):
    paste(refused, "five")
    assert "five" in refused.banner()


def test_what_is_told_of_an_example_stays(launch):
    person = launch()
    told = person.banner()
    assert told
    person.type_into("query", 0, 100, "2")
    person.press("Ctrl+Z")
    assert person.banner() == told


@pytest.fixture
def unsaved(launch, tmp_path):
    """The folder of the document's file went away, and Ctrl+S was refused."""
    person, folder = launch(WORKED), tmp_path / "folder"
    folder.mkdir()
    person.save_as(folder / "a.attn")
    person.type_into("query", 0, 0, "6")
    shutil.rmtree(folder)
    saved(person, "Ctrl+S")
    assert "could not be saved" in person.banner()
    folder.mkdir()
    return person, folder


def saved(person, *keys):
    person.press(*keys)
    while person.program.files.saving.busy:
        QApplication.processEvents()


def test_a_save_that_succeeds_takes_the_refusal_of_the_one_before_away(unsaved):
    person, folder = unsaved
    saved(person, "Ctrl+S")
    assert (folder / "a.attn").exists()
    assert not person.window.isWindowModified()
    assert not person.banner()


def test_a_save_under_another_name_takes_the_refusal_away(unsaved):
    person, folder = unsaved
    person.save_as(folder / "b.attn")
    assert not person.banner()
