"""A lesson in a small window, as a trial in a real one went: keys, room, verdicts, and what is kept of them."""

from __future__ import annotations

from itertools import cycle

import pytest
from PySide6.QtWidgets import QAbstractButton, QLineEdit

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


def test_enter_presses_each_button_of_a_lesson_and_the_keyboard_goes_on_with_it(launch):
    person, keys = begin(launch), cycle(("Return", "Enter"))

    def press(name):
        person.find(f"lesson.{name}").setFocus()
        person.press(next(keys))
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


def test_the_text_of_a_step_is_whole_while_there_is_room_and_the_explanation_has_the_rest(launch):
    person = begin(launch)

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


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_question_is_judged_by_its_decimals_and_a_number_of_another_cell_is_said_to_be_that(launch, lang):
    person, near = begin(launch, lang), {"en": "more decimals", "zh": "小数"}[lang]
    assert (
        person.window.accessibleName() == {"en": "A worked example in five steps", "zh": "算例：五步算完注意力"}[lang]
    )
    give(person, "1.73")
    assert near in verdict(person)
    give(person, "1.732")
    person.click("lesson.next")
    settle(person)
    give(person, "2")
    assert "S[1, 1]" in verdict(person)
    person.click("lesson.show")
    settle(person)
    assert verdict(person).startswith({"en": "The answer is 1.", "zh": "答案是 1。"}[lang])
    assert person.program.view.look.cell[1:] == (0, 1), "the cell that was asked for is the one explained now"
    for _ in range(3):
        person.click("lesson.skip")
        settle(person)
    give(person, "3")
    assert "O[0, 1]" in verdict(person)
    give(person, "2.3")
    assert near in verdict(person)


def test_only_a_right_answer_counts_as_done_and_the_last_card_leads_back_to_the_others(launch):
    person = begin(launch)
    give(person, "1.732")
    person.click("lesson.next")
    settle(person)
    give(person, "5")
    person.click("lesson.show")
    settle(person)
    person.click("lesson.check")  # what was shown and is handed in again is no answer
    settle(person)
    bar = person.find("lesson.progress")
    assert person.find("lesson.next").isEnabled()
    for _ in range(4):
        person.click("lesson.skip")
        settle(person)
    done, shown, skipped = (bar.color_of(step) for step in (0, 1, 2))
    assert done != skipped
    assert shown == skipped, "its outline alone tells it from one that was left out"
    assert person.find("lesson.place").text() == "完成 1 / 5 步"
    assert not fault(person.find("lesson.end"))
    person.click("lesson.open.2")
    settle(person)
    assert person.find("lesson.place").text() == "第 3 步，共 5 步"
    assert not person.find("lesson.next").isEnabled()


@pytest.mark.parametrize(
    ("lesson", "place", "button"),
    [("04-operators", 1, "one_equation"), ("13-cross-attention", 1, "reach"), ("17-capacity", 1, "target")],
)
def test_a_button_that_a_step_speaks_of_is_there_in_the_simple_window_too(launch, lesson, place, button):
    person = launch("worked-example.npz", lang="en", width=1366, height=700)
    person.program.appearance.set_simple(True)
    person.program.take_in(path_of(lesson))
    settle(person)
    assert f"inspector.{button}" not in shown(person)
    for _ in range(place):
        person.click("lesson.skip")
        settle(person)
    if button == "one_equation":
        give(person, "2.6")
        person.click("lesson.show")  # what is covered has no equation to show
        settle(person)
    assert f"inspector.{button}" in shown(person)
    person.click("lesson.close")
    settle(person)
    assert f"inspector.{button}" not in shown(person)


def shown(person):
    return {button.objectName() for button in person.window.findChildren(QAbstractButton) if button.isVisible()}
