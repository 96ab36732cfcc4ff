"""A lesson in a small window, as a trial in a real one went: keys, room, verdicts, and what is kept of them."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLineEdit

from attn_gui.lessons.curriculum import path_of
from tests.journeys.lessons.test_lessons import settle, verdict
from tests.seen import fault


def begin(launch, lang="zh", size=(1366, 700)):
    person = launch("worked-example.npz", lang=lang, width=size[0], height=size[1])
    person.program.take_in(path_of("06-worked-example"))
    settle(person)
    return person


def give(person, text):
    person.overwrite(person.find("lesson.answer", QLineEdit), text)
    settle(person)


@pytest.mark.parametrize("key", ["Return", "Enter"])
def test_enter_presses_each_button_of_a_lesson_and_the_keyboard_goes_on_with_it(launch, key):
    person = begin(launch)

    def press(name):
        person.find(f"lesson.{name}").setFocus()
        person.press(key)
        settle(person)

    person.type("3")
    press("check")
    assert person.find("lesson.show").isVisible()
    press("show")
    assert person.focus().objectName() == "lesson.next", "and not the way back"
    press("next")
    assert person.find("lesson.place").text() == "第 2 步，共 5 步"
    press("back")
    for _ in range(5):
        press("skip")
    press("all")
    assert person.find("lessons").isVisible()
    person.press("Esc")
    settle(person)
    press("close")
    assert not person.find("lesson").isVisible()
    assert person.focus().objectName() == "heatmap.head_output", "where Space does what the explanation says"


def test_closing_a_lesson_from_its_last_button_gives_the_keyboard_to_the_map(launch):
    person = begin(launch)
    person.find("lesson.skip").setFocus()
    person.click("lesson.close")
    settle(person)
    assert person.focus().objectName() == "heatmap.scores"


@pytest.mark.parametrize("size", [(1366, 700), (1440, 900)], ids=str)
def test_the_text_of_a_step_is_whole_while_there_is_room_and_the_explanation_has_the_rest(launch, size):
    person = begin(launch, size=size)

    def gap():
        """Pixels between what the lesson says last and the explanation."""
        last = person.find("lesson.verdict").parentWidget()
        below = person.find("inspector")
        return (
            below.mapTo(person.window, below.rect().topLeft()).y()
            - last.mapTo(person.window, last.rect().bottomLeft()).y()
        )

    person.click("lesson.skip")
    settle(person)
    page = person.find("lesson").findChild(type(person.find("lesson")._page))
    for wrong in ("", "7"):
        if wrong:
            give(person, wrong)
        assert person.find("walk.steps").isVisible()
        assert not page.verticalScrollBar().isVisible(), f"the text is whole beside a walk {wrong}"
        assert not fault(person.find("lesson.verdict")) or not wrong
        assert not person.find("walk.keys").isVisible(), "Space types into the answer"
    person.find("walk").setFocus()
    assert person.find("walk.keys").isVisible()
    give(person, "1")
    assert gap() < 60
