"""The first lesson, from the list to its last card, by keys alone on a small screen, with what is said in sight."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLineEdit

from attn_gui.views.dialogs.card_dialog import CardDialog
from attn_gui.views.text_views import Link
from tests.journeys.lessons.test_learning_by_keys import tab_to
from tests.journeys.lessons.test_lessons import settle, verdict
from tests.seen import fault, faults

WORDS = {
    "en": {
        "mistake": ("Not yet. ", "S′[1, 1]", "Scaled scores"),
        "root": "The root was forgotten",
        "example": "2 is S[1, 1], the score of query 1 and key 1, the example",
        "right": "Correct.",
        "shown": "The answer is 0.6405.",
        "ready": "In this lesson:",
        "place": "Step {place} of 5",
    },
    "zh": {
        "mistake": ("还不对。", "1.155 是缩放后的分数 S′[1, 1]。"),
        "root": "忘",
        "example": "2 是例子里的 S[1, 1]",
        "right": "正确。",
        "shown": "答案是 0.6405。",
        "ready": "这一课讲了：",
        "place": "第 {place} 步，共 5 步",
    },
}


def answer(person, text):
    """Type an answer over what stands in the field; the field and what is said of it stay in sight."""
    person.find("lesson.answer", QLineEdit).setFocus()
    person.press("Ctrl+A")
    person.type(text)
    person.press("Return")
    settle(person)
    assert not faults(map(person.find, ("lesson.answer", "lesson.verdict")))


def press(person, name, key="Tab"):
    tab_to(person, name, key)
    person.press("Space")
    settle(person)


def buttons(person):
    """Where the buttons of the way stand."""
    parts = [person.find(f"lesson.{name}") for name in ("back", "skip", "next")]
    return [QRect(part.mapTo(person.window, QPoint()), part.size()) for part in parts]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_first_lesson_is_gone_through_by_keys(launch, lang):
    person, words = launch(lang=lang, width=1366, height=700), WORDS[lang]
    person.do("lessons")
    settle(person)
    assert person.find("lessons").isVisible()
    assert not person.find("spine").isVisible()
    assert person.focus().objectName() == "lessons.continue"
    person.press("Space")
    settle(person)
    assert not person.find("lessons").isVisible()
    assert (person.window.width(), person.window.height()) == (1366, 700)
    assert person.focus().objectName() == "lesson.answer"
    where = buttons(person)

    def on(place):
        assert person.find("lesson.place").text() == words["place"].format(place=place)
        assert buttons(person) == where
        assert not person.find("lesson.next").isEnabled()

    on(1)
    answer(person, "3")
    assert words["root"] in verdict(person)
    answer(person, "sqrt(3)")
    assert verdict(person) == words["right"]
    assert person.focus().objectName() == "lesson.next"
    person.press("Space")
    settle(person)
    on(2)
    answer(person, "2")
    assert words["example"] in verdict(person)
    answer(person, "1/1")
    press(person, "lesson.next")
    on(3)
    answer(person, "１．１５５")
    press(person, "lesson.next")
    on(4)
    answer(person, "1.155")
    assert all(part in verdict(person) for part in words["mistake"])
    press(person, "lesson.show")
    assert person.find("lesson.answer", QLineEdit).text() == "0.6405"
    assert verdict(person) == words["shown"]
    press(person, "lesson.next")
    on(5)
    press(person, "lesson.back")
    assert person.find("lesson.place").text() == words["place"].format(place=4)
    assert person.find("lesson.next").isEnabled()  # it was answered before
    press(person, "lesson.next")
    press(person, "lesson.skip")
    assert person.find("lesson.end_title").text() == words["ready"]
    assert not fault(person.find("lesson.end"))
    ways_back = [one for one in person.window.findChildren(Link) if one.objectName().startswith("lesson.open.")]
    assert [one.objectName()[-1] for one in ways_back] == ["3", "4"]  # shown, and skipped: the others are ticked
    assert not faults(ways_back)
    bar = person.find("lesson.progress")
    good, line = bar.color_of(0), bar.color_of(4)
    assert [bar.color_of(step) for step in range(5)] == [good] * 3 + [line] * 2
    assert good != line != QColor()
    assert (person.window.width(), person.window.height()) == (1366, 700)
    press(person, "lesson.all", "Shift+Tab")
    row = person.find("lessons.06-worked-example").accessibleName()
    assert "3" in row
    assert not fault(person.find("lessons.band"))
    person.press("Esc")
    settle(person)
    assert person.find("spine").isVisible()
    person.do("lessons")
    settle(person)
    assert person.find("lessons.anew").isVisible()  # a step of it is not done
    press(person, "lessons.anew", "Shift+Tab")
    assert person.find("lesson.place").text() == words["place"].format(place=1)


def test_the_last_card_leads_on_to_the_next_lesson(launch):
    person = launch(width=1366, height=700)
    person.do("lessons")
    settle(person)
    person.click("lessons.continue")
    settle(person)
    for _ in range(5):
        press(person, "lesson.skip")
    assert person.focus().objectName() == "lesson.next_lesson"
    person.answering(CardDialog, lambda dialog: dialog.reject(), lambda: person.click("lesson.card"))
    person.find("lesson.next_lesson").setFocus()
    person.press("Space")
    settle(person)
    assert person.program.document.name == "Shapes, and why d_v is free"
    assert person.find("inspector").isVisible()
