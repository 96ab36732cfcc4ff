"""The steps to a cell, or of the whole problem, out of the window: a teacher's answer sheet."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit

SMALL = "worked-example.npz"


def saved(person, action, path):
    person.choose_file(path, lambda: person.do(action))
    while person.program.late.solutions.busy:
        QTest.qWait(1)
    QTest.qWait(1)
    return path


def test_the_steps_are_written_in_the_language_of_the_window_and_what_is_too_large_is_said(person, tmp_path):
    for lang in ("en", "zh"):
        person.do(f"language_{lang}")
        person.show_stage("weights")
        person.click_cell("weights", 1, 1)
        text = saved(person, "solution_of_cell", tmp_path / f"{lang}.md").read_text("utf-8")
        assert r"a_{1,1} = \frac{e^{s'_{1,1}}}" in text
        assert ("第 1 步" in text) == (lang == "zh")
        assert f"{lang}.md" in person.banner()
    person.do("language_en")
    assert saved(person, "solution_of_problem", tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    (tmp_path / "b.pdf").write_text("kept")
    assert "b.pdf" in person.refuse_to_replace(tmp_path / "b", lambda: person.do("solution_of_problem"))
    assert (tmp_path / "b.pdf").read_text() == "kept"
    person.program.files.begin_with_example("minilm")
    person.wait()
    assert not saved(person, "solution_of_problem", tmp_path / "c.pdf").exists()
    assert "columns" in person.banner()


def test_the_kind_that_is_picked_gives_the_ending(person, tmp_path):

    def answer(dialog):
        QTest.keyClick(dialog.findChild(QComboBox, "fileTypeCombo"), Qt.Key.Key_End)
        line = dialog.findChild(QLineEdit, "fileNameEdit")
        line.setCompleter(None)
        person.overwrite(line, str(tmp_path / "a"))

    person.answering(QFileDialog, answer, lambda: person.do("solution_of_problem"))
    while person.program.late.solutions.busy:
        QTest.qWait(1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_an_exercise_is_not_given_away(person):
    assert not person.action("solution_of_cell").isEnabled()
    person.show_stage("weights")
    person.click_cell("weights", 1, 1)
    assert person.action("solution_of_cell").isEnabled()
    person.do("leave_out")
    person.wait()
    assert not person.action("solution_of_cell").isEnabled()
    assert not person.action("solution_of_problem").isEnabled()
