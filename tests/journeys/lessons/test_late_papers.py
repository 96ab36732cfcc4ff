"""Worksheets and solutions that are still being written when more are asked for: the first ones come to their end."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest

from attn_gui.figure import worksheets
from attn_gui.views.dialogs.export_data_dialog import WorksheetDialog
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
WRITERS = {"worksheets": (worksheets, "write_class"), "solution_of_problem": (worksheets, "save_solution")}


@pytest.fixture
def gate(monkeypatch):
    """Holds up whoever writes until it is opened, as a slow disk would."""
    found = Gate()
    for module, name in WRITERS.values():
        monkeypatch.setattr(module, name, found.before(getattr(module, name)))
    yield found
    found.open()


def ask(person, action, folder):
    def answer(dialog):
        dialog.target.folder.setText(str(folder))
        dialog.count.setValue(1)
        dialog.accept()

    if action == "worksheets":
        person.answering(WorksheetDialog, answer, lambda: person.do(action))
    else:
        person.choose_file(folder / "a.md", lambda: person.do(action))


@pytest.mark.parametrize("action", WRITERS)
def test_they_are_written_to_their_end_and_the_others_are_refused_before_a_dialog(person, gate, tmp_path, action):
    ask(person, action, tmp_path)
    gate.await_work()
    person.do(action)
    assert person.banner() == "An export is still being written: wait, or cancel it."
    gate.open()
    rooms = person.program.late
    while rooms.worksheets.busy or rooms.solutions.busy:
        QTest.qWait(1)
    QTest.qWait(1)
    assert "Wrote" in person.banner()
    assert list(tmp_path.iterdir())
