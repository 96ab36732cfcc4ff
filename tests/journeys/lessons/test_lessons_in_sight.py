"""All lessons, walked through by real events: whatever is said, asked or focused lies in sight at every step."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QLineEdit

from attn_gui.lessons.lesson_text import written
from attn_gui.paths import resource
from tests.seen import fault, faults, worded

from .test_lessons import LESSONS, settle, state

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


@pytest.mark.family(3)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_whatever_a_lesson_says_or_asks_is_in_sight(launch, lang, size):
    person = launch("worked-example.npz", lang=lang, width=size[0], height=size[1])
    found, verdicts = [], 0
    for path in LESSONS:
        person.program.take_in(path)
        settle(person)
        steps, nexts = len(person.program.rooms.lessons._states), set()
        for step in range(1, steps + 1):

            def note(what):
                found.extend(f"{path.stem} {step} {what}: {one}" for one in shown(person))

            nexts.add(place(person, "lesson.next"))
            note("on arrival")
            question = state(person).step.question
            if question is not None:
                for wrong in (True, False):
                    give(person, question, wrong)
                    verdicts += 1
                    note("wrong" if wrong else "right")
                    if why := fault(person.find("lesson.verdict")):
                        found.append(f"{path.stem} {step} verdict: {why}")
            if state(person).step.tasks:
                person.click("lesson.do")
                settle(person)
                note("done")
            person.click("lesson.next")
            settle(person)
        if len(nexts) > 1:
            found.append(f"{path.stem}: Next at {sorted(nexts)}")
    assert not found, f"{len(found)} faults, {verdicts} verdicts\n" + "\n".join(found)
    assert (person.window.width(), person.window.height()) == size
