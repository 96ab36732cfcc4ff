"""Answers that are still being judged when a number changes: they are judged by the numbers that there are then."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from attn_gui.app.lessons import exercises
from attn_gui.lessons import answering
from attn_gui.paths import resource

WORKED = next(path for path in sorted(resource("lessons").glob("*.md")) if "worked" in path.stem)
WEIGHT, OTHER = "0.6405", "1.0000"  # of the example, and once q[1, 2] is 50


@pytest.fixture
def gate(monkeypatch):
    """Holds every verdict up until it is opened, as a slow computer would."""
    reached, opened = threading.Event(), threading.Event()

    def grade(*given):
        found = GRADE(*given)
        reached.set()
        assert opened.wait(120)
        return found

    monkeypatch.setattr(exercises, "grade", grade)
    monkeypatch.setattr(answering, "grade", grade)
    yield reached, opened
    opened.set()


GRADE = answering.grade


def settle(person):
    person.wait()
    while person.program.rooms.lessons.busy or person.program.rooms.exercises.busy:
        QTest.qWait(1)
    QTest.qWait(1)


def changed_meanwhile(person, gate):
    reached, opened = gate
    assert reached.wait(120)
    person.type_into("query", 1, 2, "50")
    person.wait()
    opened.set()
    settle(person)


def test_an_exercise_judges_by_the_numbers_that_there_are(launch, gate):
    person = launch("worked-example.npz")
    person.show_stage("weights")
    person.click_cell("weights", 1, 1)
    person.do("leave_out")
    settle(person)
    person.overwrite(person.find("exercise.answer", QLineEdit), WEIGHT)
    changed_meanwhile(person, gate)
    assert person.find("exercise.verdict").text().startswith("Not yet")
    assert person.find("exercise.left").text() == "1 of 1 left"
    person.click_cell("weights", 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), OTHER)
    settle(person)
    assert person.find("exercise.left").text() == "0 of 1 left"


def test_a_lesson_judges_by_the_numbers_that_there_are(launch, gate):
    person = launch()
    person.program.take_in(WORKED)
    settle(person)
    for _ in range(3):
        person.click("lesson.next")
        settle(person)
    person.overwrite(person.find("lesson.answer", QLineEdit), WEIGHT)
    changed_meanwhile(person, gate)
    assert person.find("lesson.verdict").text().startswith("Not yet")
