"""Worksheets of a class and a teacher's answer sheets: asked for, refused in a sentence, written to their end."""

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from attn_gui.cli import main
from attn_gui.figure import worksheet_files
from attn_gui.formats import save
from attn_gui.views.dialogs.export_form import WorksheetDialog
from attn_gui.views.dialogs.form_fields import kind_of
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"


def ask(person, folder, **numbers):
    def answer(dialog):
        dialog.target.folder.setText(str(folder))
        for name, value in numbers.items():
            kind_of(getattr(dialog, name)).show(getattr(dialog, name), value)
        assert not dialog.objection()
        dialog.accept()

    person.answering(WorksheetDialog, answer, lambda: person.do("worksheets"))
    person.settle("worksheets")


@pytest.fixture
def gate(monkeypatch):
    """Holds up whoever checks or writes until it is opened, as a slow disk would."""
    found = Gate()
    for name in ("check_sheet", "save_solution"):
        monkeypatch.setattr(worksheet_files, name, found.before(getattr(worksheet_files, name)))
    yield found
    found.open()


def test_sheets_keys_and_solutions_are_written_as_the_command_line_writes_them_or_refused(launch, gate, tmp_path):
    person = launch("transformer-layer.npz", lang="zh")

    def look(dialog):
        dialog.target.folder.setText(str(tmp_path))
        assert not dialog.objection(), "a sheet is still laid out"
        gate.open()
        person.until(lambda: "一页放不下" in dialog.objection())
        person.until(lambda: any("一页放不下" in label.text() for label in dialog.findChildren(QLabel)))
        assert dialog.name.text() == person.program.document.name, "the name does not go with the level"
        dialog.reject()

    person.answering(WorksheetDialog, look, lambda: person.do("worksheets"))
    assert not list(tmp_path.iterdir())

    person.again("sheets and keys are written as the command line writes them", SMALL)
    ask(person, tmp_path, level="mistake", count=2, seed=7)
    assert {path.name for path in tmp_path.iterdir()} == {"worked-example-worksheets.pdf", "worked-example-keys.pdf"}
    assert "worked-example-keys.pdf" in person.banner()
    other = tmp_path / "other"
    problem = tmp_path / "worked-example.npz"
    save(person.program.document.problem, problem)
    assert main(["worksheet", str(problem), "-o", str(other), "--count", "2", "--seed", "7", "--level", "mistake",
                 "--lang", "zh"]) == 0  # fmt: skip
    for name in ("worked-example-worksheets.pdf", "worked-example-keys.pdf"):
        mine, theirs = (folder / name for folder in (tmp_path, other))
        assert abs(mine.stat().st_size - theirs.stat().st_size) < 200  # dates apart
    assert person.program.settings.record("worksheets")["count"] == 2

    person.again("solutions are written one at a time", SMALL)
    person.do("language_en")
    gate.close()
    person.choose_file(tmp_path / "a.md", lambda: person.do("solution_of_problem"))
    gate.await_work()
    person.do("solution_of_problem")
    assert person.banner() == "An export is still being written: wait, or cancel it."
    gate.open()
    rooms = person.program.late
    while rooms.worksheets.busy or rooms.solutions.busy:
        QTest.qWait(1)
    QTest.qWait(1)
    assert "Wrote" in person.banner()
    assert (tmp_path / "a.md").exists()

    # in the language of the window
    for lang in ("en", "zh"):
        person.do(f"language_{lang}")
        person.choose_cell("weights", 1, 1)
        text = saved(person, "solution_of_cell", tmp_path / f"{lang}.md").read_text("utf-8")
        assert r"a_{1,1} = \frac{e^{s'_{1,1}}}" in text
        assert ("第 1 步" in text) == (lang == "zh")
        assert f"{lang}.md" in person.banner()
    person.do("language_en")
    assert saved(person, "solution_of_problem", tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    (tmp_path / "b.pdf").write_text("kept")
    assert "b.pdf" in person.refuse_to_replace(tmp_path / "b", lambda: person.do("solution_of_problem"))
    assert (tmp_path / "b.pdf").read_text() == "kept"
    person.program.files.open_example_unasked("minilm")
    person.wait()
    assert not saved(person, "solution_of_problem", tmp_path / "c.pdf").exists()
    assert "columns" in person.banner()

    person.again("an exercise is not given away", SMALL)
    assert not person.action("solution_of_cell").isEnabled()
    person.choose_cell("weights", 1, 1)
    assert person.action("solution_of_cell").isEnabled()
    person.do("leave_out")
    person.wait()
    assert not person.action("solution_of_cell").isEnabled()
    assert not person.action("solution_of_problem").isEnabled()


def saved(person, action, path):
    person.choose_file(path, lambda: person.do(action))
    person.until(lambda: not person.program.late.solutions.busy)
    QTest.qWait(1)
    return path
