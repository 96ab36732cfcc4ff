"""A refusal leaves with the next thing that is done; what is only told stays until somebody closes it."""

from __future__ import annotations

import shutil

from PySide6.QtWidgets import QApplication

from attn_gui.paths import resource

WORKED = "worked-example.npz"


def paste(person, text):
    person.clipboard(text)
    person.go_to("query", 0, 96)
    person.press("Ctrl+V")


def test_an_edit_undo_another_refusal_and_another_document_take_a_refusal_away_and_not_what_is_told(launch, qtbot):
    person = launch()
    told = person.banner()
    assert told
    person.type_into("query", 0, 100, "2")
    person.press("Ctrl+Z")
    assert person.banner() == told, "what is told of an example stays"
    for text, gesture in (
        ("seven", lambda: person.type_into("query", 0, 100, "2")),
        ("five", lambda: person.do("undo")),
        ("three", lambda: person.open(resource("examples", WORKED))),
    ):
        for refused in ("one", text):
            paste(person, refused)
            assert refused in person.banner()
        gesture()
        qtbot.waitUntil(lambda: not person.banner())


def saved(person, *keys):
    person.press(*keys)
    while person.program.files.saving.busy:
        QApplication.processEvents()


def test_a_save_that_succeeds_under_this_or_another_name_takes_the_refusal_of_the_one_before_away(person, tmp_path):
    """The folder of the document's file went away, and Ctrl+S was refused."""
    for name in ("a.attn", "b.attn"):
        folder = tmp_path / name.removesuffix(".attn")
        folder.mkdir()
        person.save_as(folder / "a.attn")
        person.do("undo") if person.number("query", 0, 0) == 6 else person.type_into("query", 0, 0, "6")
        shutil.rmtree(folder)
        saved(person, "Ctrl+S")
        assert "could not be saved" in person.banner()
        folder.mkdir()
        saved(person, "Ctrl+S") if name == "a.attn" else person.save_as(folder / name)
        assert (folder / name).exists()
        assert not person.window.isWindowModified()
        assert not person.banner()
