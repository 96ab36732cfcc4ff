"""Answers that are still being judged when a number changes: they are judged by the numbers that there are then."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from attn_gui.app.lessons import exercises
from attn_gui.lessons import exercises as lesson_exercises
from attn_gui.paths import resource
from tests.failing import each
from tests.journeys.gate import Gate

WORKED = next(path for path in sorted(resource("lessons").glob("*.md")) if "worked" in path.stem)
WEIGHT, OTHER, UNSCALED = "0.6405", "1.0000", "0.7311"  # of the example, once q[1, 2] is 50, and without √d_k


@pytest.fixture
def gate(monkeypatch):
    """Holds every verdict up until it is opened, as a slow computer would."""
    found = Gate()
    grade = found.after(lesson_exercises.grade)
    monkeypatch.setattr(exercises, "grade", grade)
    monkeypatch.setattr(lesson_exercises, "grade", grade)
    yield found
    found.open()


def settle(person):
    person.wait()
    while person.program.late.lessons.busy or person.program.late.exercises.busy:
        QTest.qWait(1)
    QTest.qWait(1)


def changed_meanwhile(person, gate, change):
    gate.await_work()
    change(person)
    person.wait()
    gate.open()
    settle(person)


def type_over(person):
    person.type_into("query", 1, 2, "50")


def scale_no_more(person):
    person.pick("scale", "none")


def leave_out(person, row, column):
    person.show_stage("weights")
    person.click_cell("weights", row, column)
    person.do("leave_out")
    settle(person)


@each(("change", "right"), [(type_over, OTHER), (scale_no_more, UNSCALED)])
def test_an_exercise_judges_by_the_numbers_that_there_are(person, gate, change, right):
    person.again(right)
    gate.close()
    leave_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), WEIGHT)
    changed_meanwhile(person, gate, change)
    assert person.find("exercise.verdict").text().startswith("Not yet")
    assert person.find("exercise.left").text() == "1 of 1 left"
    person.click_cell("weights", 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), right)
    settle(person)
    assert person.find("exercise.left").text() == "0 of 1 left"


def test_a_verdict_on_one_cell_is_not_said_of_another(person, gate):
    leave_out(person, 0, 0)
    leave_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), "7")
    changed_meanwhile(person, gate, lambda person: person.click_cell("weights", 0, 0))
    assert person.find("exercise.answer").isVisible()
    assert person.find("exercise.verdict").text() == ""
    assert not person.find("exercise.show").isVisible()

    person.again("a cell that is gone before its verdict is let go without a word")
    gate.close()
    leave_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), WEIGHT)
    changed_meanwhile(person, gate, lambda person: person.size("n", 1))
    assert person.program.document.problem.n == 1
    assert not person.program.late.exercises.busy

    person.again("what is no number is said even where an earlier answer is still being judged")
    gate.close()
    leave_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), "7")
    changed_meanwhile(person, gate, lambda person: person.overwrite(person.find("exercise.answer", QLineEdit), "a lot"))
    assert "a lot" in person.find("exercise.verdict").text()

    person.again("a right answer is said until another cell is asked for")
    gate.open()
    leave_out(person, 0, 0)
    leave_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), WEIGHT)
    settle(person)
    hint = person.find("exercise.hint")
    assert hint.isVisible()
    assert hint.text().startswith("Right: 0.640")
    person.click_cell("weights", 0, 0)
    assert not hint.isVisible()
    person.click_cell("weights", 1, 0)
    assert hint.isVisible()
    assert "Right" not in hint.text()


def test_a_lesson_judges_by_the_numbers_that_there_are(launch, gate):
    person = launch()
    person.program.take_in(WORKED)
    settle(person)
    for _ in range(3):
        person.click("lesson.skip")
        settle(person)
    person.overwrite(person.find("lesson.answer", QLineEdit), WEIGHT)
    changed_meanwhile(person, gate, type_over)
    assert person.find("lesson.verdict").text().startswith("Not yet")
