"""Worksheets of a class from the window: asked for, refused in a sentence, written with and without keys."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest

from attn_gui.cli import main
from attn_gui.formats import save
from attn_gui.views.dialogs.export_data_dialog import WorksheetDialog
from attn_gui.views.dialogs.form_fields import kind_of

SMALL = "worked-example.npz"


def settle(person):
    while person.program.late.worksheets.busy:
        QTest.qWait(2)
    QTest.qWait(2)


def ask(person, folder, **numbers):
    def answer(dialog):
        dialog.target.folder.setText(str(folder))
        for name, value in numbers.items():
            kind_of(getattr(dialog, name)).show(getattr(dialog, name), value)
        assert not dialog.objection()
        dialog.accept()

    person.answering(WorksheetDialog, answer, lambda: person.do("worksheets"))
    settle(person)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_sheets_and_keys_are_written_as_the_command_line_writes_them(launch, tmp_path, capsys, lang):
    person = launch(SMALL, lang=lang)
    ask(person, tmp_path, level="mistake", count=2, seed=7)
    assert {path.name for path in tmp_path.iterdir()} == {"worked-example-worksheets.pdf", "worked-example-keys.pdf"}
    assert "worked-example-keys.pdf" in person.banner()
    other = tmp_path / "other"
    problem = tmp_path / "worked-example.npz"
    save(person.program.document.problem, problem)
    assert main(["worksheet", str(problem), "-o", str(other), "--count", "2", "--seed", "7", "--level", "mistake",
                 "--lang", lang]) == 0  # fmt: skip
    for name in ("worked-example-worksheets.pdf", "worked-example-keys.pdf"):
        mine, theirs = (folder / name for folder in (tmp_path, other))
        assert abs(mine.stat().st_size - theirs.stat().st_size) < 200  # dates apart
    assert person.program.settings.record("worksheets")["count"] == 2


def test_without_keys_there_is_one_file(person, tmp_path):
    ask(person, tmp_path, count=1, keys=False)
    assert [path.name for path in tmp_path.iterdir()] == ["worked-example-worksheets.pdf"]


def test_what_makes_no_sheet_is_said_in_the_dialog(launch, tmp_path):
    person = launch("transformer-layer.npz", lang="zh")

    def look(dialog):
        dialog.target.folder.setText(str(tmp_path))
        assert "一页放不下" in dialog.objection()
        dialog.reject()

    person.answering(WorksheetDialog, look, lambda: person.do("worksheets"))
    assert not list(tmp_path.iterdir())
    person = launch("minilm-layer2.npz")
    said = []

    def refuse(dialog):
        said.append(dialog.objection())
        dialog.reject()

    person.answering(WorksheetDialog, refuse, lambda: person.do("worksheets"))
    assert said[0]
