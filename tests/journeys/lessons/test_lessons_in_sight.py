"""All lessons, walked through by real events: whatever is said, asked or focused lies in sight at every step."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QLineEdit

from attn_gui.lessons.lesson_text import written
from tests.journeys.lessons.test_lessons import LESSONS, settle, state
from tests.seen import faults, worded

SIZES = [(1366, 700), (1440, 900), (1920, 1080)]


def shown(person):
    """Faults of what the lesson says or asks now, but for its text, which scrolls, and of what has the keyboard."""
    for _ in range(3):  # a line more in the question reaches the column in as many turns
        QApplication.processEvents()
    return faults(dict.fromkeys((*worded(person.find("lesson")), person.focus())))


def place(person, name):
    widget = person.find(name)
    return widget.mapTo(person.window, QPoint()).toTuple()


def give(person, question, wrong):
    """Type an answer and press Enter, or click a choice."""
    if question.choices:
        person.click(f"lesson.choice.{(question.right + wrong) % len(question.choices)}")
    else:
        number = question.answer.number(person.program.rooms.lessons._ground())
        person.overwrite(person.find("lesson.answer", QLineEdit), written(number + 1.5 * wrong).replace("−", "-"))
    settle(person)


def walk(person, path):
    """Go through a lesson, with answers wrong and right; yields each place and what has just been said there."""
    person.program.take_in(path)
    settle(person)
    for step in range(1, len(person.program.rooms.lessons._states) + 1):
        yield f"{path.stem} {step} on arrival"
        question = state(person).step.question
        for wrong in (True, False) if question is not None else ():
            give(person, question, wrong)
            assert person.find("lesson.verdict").text()
            yield f"{path.stem} {step} {'wrong' if wrong else 'right'}"
        if state(person).step.tasks:
            person.click("lesson.do")
            settle(person)
            yield f"{path.stem} {step} done"
        person.click("lesson.next")
        settle(person)


@pytest.mark.family(3)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_whatever_a_lesson_says_or_asks_is_in_sight(launch, lang, size):
    person = launch("worked-example.npz", lang=lang, width=size[0], height=size[1])
    found, ways_on = [], set()
    for path in LESSONS:
        for told in walk(person, path):
            found += [f"{told}: {fault}" for fault in shown(person)]
            ways_on.add(place(person, "lesson.next"))
    assert not found, f"{len(found)} faults\n" + "\n".join(found)
    assert len(ways_on) == 1, "a click on Next misses it on the next step"
    assert (person.window.width(), person.window.height()) == size
