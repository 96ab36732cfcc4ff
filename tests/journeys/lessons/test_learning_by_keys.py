"""Somebody who reads Chinese alone goes through the worked example and an exercise without touching the mouse."""

from __future__ import annotations

from PySide6.QtTest import QTest

from attn_gui.lessons.lesson_text import written
from attn_gui.views.dialogs.ask_dialog import AskDialog
from attn_gui.views.dialogs.palette import ActionPalette

MOST_TABS = 80


def settle(person):
    person.wait()
    while person.program.lessons.busy or person.program.exercises.busy:
        QTest.qWait(1)
    QTest.qWait(1)


def find_by_words(person, words):
    """Open the search, type, take the first that it finds."""
    person.answering(
        ActionPalette, lambda _: (person.type(words), person.press("Return")), lambda: person.press("Ctrl+Shift+P")
    )
    settle(person)


def tab_to(person, name):
    for _ in range(MOST_TABS):
        if person.focus().objectName() == name:
            return
        person.press("Tab")
    raise AssertionError(f"Tab does not lead to {name}")


def test_five_steps_and_an_exercise_by_keyboard_alone_in_chinese(launch):
    person = launch(lang="zh")
    find_by_words(person, "五步算完注意力")
    assert person.find("lesson").isVisible()
    for place in range(1, 6):
        assert person.find("lesson.place").text() == f"第 {place} 步，共 5 步"
        lessons = person.program.lessons
        answer = lessons._states[lessons._place].step.question.answer
        tab_to(person, "lesson.answer")
        person.type(written(answer.number(person.program.computation.evaluation)))
        person.press("Return")
        settle(person)
        assert person.find("lesson.verdict").text().startswith("正确。")
        tab_to(person, "lesson.next")
        person.press("Space")
        settle(person)
    assert not person.find("lesson").isVisible()

    person.answering(
        AskDialog, lambda dialog: (person.press("Ctrl+A"), person.type("1, 3"), person.press("Return")),
        lambda: person.action("leave_out_random").trigger(),
    )  # fmt: skip
    settle(person)
    (blank,) = person.program.view.look.blanks
    heatmap = person.find(f"heatmap.{blank.stage}")
    person.program.view.set(stage=blank.stage)
    heatmap.setFocus()
    person.press(*["Up", "Up", "Left", "Left"])  # the first cell, whichever was chosen
    person.press(*["Down"] * blank.index[-2], *["Right"] * blank.index[-1])
    number = float(person.program.computation.evaluation.box(blank.stage, blank.box).reshape(()))
    person.press("F2")
    person.type(f"{number:.2f}")
    person.press("Return")
    settle(person)
    assert person.find("exercise.hint").text() == "全部填对了。"
