"""Dialogs go with their answer: a window that is used all day does not fill with those of the morning."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QDialog, QMessageBox

NAMES = (
    "new",
    "tokens",
    "export_image",
    "export_data",
    "set_target",
    "search_actions",
    "shortcuts",
    "about",
    "save_as",
)


def dialogs(person):
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return [type(dialog).__name__ for dialog in person.window.findChildren(QDialog)]


def test_every_dialog_goes_with_its_answer(launch):
    person = launch("worked-example.npz")
    person.click_cell("weights", 0, 1)
    before = dialogs(person)
    for name in NAMES:
        person.answering(QDialog, lambda dialog: dialog.reject(), lambda name=name: person.do(name))
        assert dialogs(person) == before, name


@pytest.mark.parametrize("button", [QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Discard])
def test_the_question_whether_to_save_goes_with_its_answer(launch, button):
    person = launch("worked-example.npz")
    person.type_into("query", 0, 0, "5")
    before = dialogs(person)
    person.answering(QMessageBox, lambda box: box.button(button).click(), person.program.files.may_leave)
    assert dialogs(person) == before


def test_a_question_about_a_block_goes_with_its_answer(launch):
    person = launch("worked-example.npz")
    person.go_to("query", 0, 0)
    person.clipboard("0,05\n0,25")
    before = dialogs(person)
    person.answering(QDialog, lambda dialog: dialog.reject(), lambda: person.press("Ctrl+V"))
    assert dialogs(person) == before
