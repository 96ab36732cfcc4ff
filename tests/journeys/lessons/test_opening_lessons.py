"""Lessons that take a while to be read: the window works on, and nothing that was done meanwhile is lost."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from attn_gui.app.lessons import lessons
from attn_gui.app.state import background_task
from attn_gui.lessons.lesson import title_of
from attn_gui.paths import resource
from tests.journeys.gate import Gate
from tests.journeys.lessons.test_lessons import settle

BUTTONS = QMessageBox.StandardButton
LESSONS = sorted(resource("lessons").glob("*.md"))
LESSON = next(path for path in LESSONS if "worked" in path.stem)
OTHER = next(path for path in LESSONS if path != LESSON)


@pytest.fixture
def gate(monkeypatch):
    """Holds up the reading of a lesson."""
    found = Gate()
    monkeypatch.setattr(lessons, "read_lesson", found.before(lessons.read_lesson))
    yield found
    found.open()


def begin(person, gate):
    person.program.take_in(LESSON)
    gate.await_work()


def rest(person, gate):
    """Let it be read, and wait until the window has heard."""
    gate.open()
    person.wait()
    while person.program.late.lessons.busy:
        QTest.qWait(1)


def answer_with(button):
    return lambda box: box.button(button).click()


def begun(person):
    return person.find("lesson").isVisible()


def test_what_is_changed_while_a_lesson_is_read_is_not_lost(launch, gate):
    person = launch("nadaraya-watson.npz")
    begin(person, gate)
    person.type_into("query", 0, 0, "4")
    rest(person, gate)
    assert person.banner() == f"{LESSON.name} was not opened: nadaraya-watson was changed while it was read."
    assert not begun(person)
    assert person.number("query", 0, 0) == 4
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.button("Open it now", "banner").click())
    rest(person, gate)
    assert begun(person)


def test_changes_are_asked_for_before_a_lesson_is_read(launch, gate):
    person = launch("nadaraya-watson.npz")
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.program.take_in(LESSON))
    assert not gate.reached
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.program.take_in(LESSON))
    rest(person, gate)
    assert begun(person)  # asked once


def test_a_lesson_waits_for_a_number_that_is_typed_and_for_a_dialog(launch, gate, monkeypatch):
    monkeypatch.setattr(background_task, "AGAIN_MS", 1)
    person = launch("nadaraya-watson.npz")
    begin(person, gate)
    box = QMessageBox(person.window)
    box.open()
    gate.open()
    lessons = person.program.late.lessons
    lessons._work.wait()
    for _ in range(3):
        QApplication.processEvents()
    assert not begun(person)
    box.reject()
    rest(person, gate)
    assert begun(person)


def test_esc_drops_a_lesson_that_is_being_read(launch, gate):
    person = launch("nadaraya-watson.npz")
    begin(person, gate)
    person.window.setFocus()
    person.press("Esc")
    rest(person, gate)
    assert not begun(person)
    assert person.program.document.name == "nadaraya-watson"


def test_another_document_puts_the_lesson_away(launch, gate, tmp_path):
    """Its next step would be written into that document."""
    path = tmp_path / "own.attn"
    person = launch("nadaraya-watson.npz")
    person.save_as(path)
    kept = path.read_bytes()
    begin(person, gate)
    rest(person, gate)
    person.click("lesson.skip")
    rest(person, gate)
    person.open(path)
    rest(person, gate)
    assert not begun(person)
    assert person.find("history").isVisible()
    person.do("save")
    while person.program.files.saving.busy:
        QTest.qWait(1)
    assert path.read_bytes() == kept
    person.program.take_in(LESSON)
    rest(person, gate)
    assert begun(person)
    assert person.find("lesson.place").text() == "Step 2 of 5"


def test_another_lesson_takes_the_place_of_the_one_before(launch, gate):
    person = launch("nadaraya-watson.npz")
    gate.open()
    for path in (LESSON, OTHER, LESSON):
        person.program.take_in(path)
        rest(person, gate)
        assert begun(person)
        assert not person.find("history").isVisible()
        assert person.program.document.name == title_of(path, "en").replace(":", "")


def test_a_lesson_whose_task_one_did_is_left_without_a_question_about_a_file(launch):
    person = launch()
    person.program.take_in(resource("lessons", "05-masks.md"))
    settle(person)
    while not person.find("lesson.do").isVisible():
        person.click("lesson.skip")
        settle(person)
    person.click("lesson.do")
    settle(person)
    assert not person.program.document.modified
    person.press("Ctrl+Z")
    settle(person)
    person.program.take_in(LESSON)  # no dialog opens, which would wait for an answer
    settle(person)
    assert person.program.document.name == title_of(LESSON, "en")


def test_what_is_done_after_a_lesson_belongs_to_the_person(launch):
    person = launch()
    person.program.take_in(LESSON)
    settle(person)
    person.click("lesson.close")
    person.type_into("query", 0, 0, "7")
    settle(person)
    assert person.program.document.modified
