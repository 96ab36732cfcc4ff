"""Somebody who reads Chinese alone goes through the worked example, an exercise and an export without the mouse."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from attn_gui.lessons.lesson import written
from attn_gui.views.dialogs.action_search import ActionSearch
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.dialogs.questions import LeaveOutDialog

MOST_TABS = 80


def settle(person):
    person.wait()
    while person.program.late.lessons.busy or person.program.late.exercises.busy:
        QTest.qWait(1)
    QTest.qWait(1)


def find_by_words(person, words):
    """Open the search, type, take the first that it finds."""
    person.answering(
        ActionSearch, lambda _: (person.type(words), person.press("Return")), lambda: person.press("Ctrl+Shift+P")
    )
    settle(person)


def tab_to(person, name, key="Tab"):
    for _ in range(MOST_TABS):
        if person.focus().objectName() == name:
            return
        person.press(key)
    raise AssertionError(f"Tab does not lead to {name}")


def find_and_answer(person, words, dialog, *keys):
    """Find an action by its words, and answer the dialog that it opens with keys and texts."""

    def answer(_):
        for key in keys:
            person.press(key) if key in ("Ctrl+A", "Tab", "Return") else person.type(key)

    def begin():
        person.answering(
            ActionSearch, lambda _: (person.type(words), person.press("Return")), lambda: person.press("Ctrl+Shift+P")
        )

    person.answering(dialog, answer, begin)
    settle(person)


def go_to_cell(person, blank):
    """The step by its number, the cell by arrows, from wherever the keyboard is."""
    stages = list(person.window.product.maps.stages)
    person.press("Esc")
    while person.focus().objectName() not in {f"heatmap.{stage}" for stage in stages}:
        person.press("F6")
    shown = [node.objectName().removeprefix("node.") for node in nodes(person)]
    person.press(str(shown.index(blank.stage) + 1))
    assert person.focus().objectName() == f"heatmap.{blank.stage}"
    person.press(*["Up", "Up", "Left", "Left"])  # the first cell, whichever was chosen
    person.press(*["Down"] * blank.index[-2], *["Right"] * blank.index[-1])


def nodes(person):
    found = [widget for widget in person.find("spine").findChildren(QWidget) if widget.objectName().startswith("node.")]
    return sorted(
        (node for node in found if node.isVisible()), key=lambda node: node.mapTo(person.window, QPoint()).x()
    )


def test_five_steps_an_exercise_and_an_export_by_keyboard_alone_in_chinese(launch, tmp_path):
    person = launch(lang="zh")
    find_by_words(person, "五步算完注意力")
    assert person.find("lesson").isVisible()
    for place in range(1, 6):
        assert person.find("lesson.place").text() == f"第 {place} 步，共 5 步"
        lessons = person.program.late.lessons
        answer = lessons._states[lessons._place].step.question.answer
        tab_to(person, "lesson.answer")
        person.type(written(answer.number(lessons._number_source())))
        person.press("Return")
        settle(person)
        assert person.find("lesson.verdict").text().startswith("正确。")
        tab_to(person, "lesson.next")
        person.press("Space")
        settle(person)
    assert person.find("lesson.end").isVisible()
    tab_to(person, "lesson.close", "Shift+Tab")
    person.press("Space")
    assert not person.find("lesson").isVisible()

    find_and_answer(person, "随机留空", LeaveOutDialog, "Ctrl+A", "1", "Tab", "Ctrl+A", "3", "Return")
    (blank,) = person.program.view.look.blanks
    go_to_cell(person, blank)
    number = float(person.program.computation.evaluation.box(blank.stage, blank.box).reshape(()))
    person.press("F2")
    person.type(f"{number:.2f}")
    person.press("Return")
    settle(person)
    assert person.find("exercise.hint").text().endswith("全部填对了。")

    def export(dialog):
        for _ in range(MOST_TABS):
            if person.focus() is dialog.target.folder:
                break
            person.press("Tab")
        person.press("Ctrl+A")
        person.type(str(tmp_path))
        person.press("Return")

    person.answering(ExportDialog, export, lambda: person.press("Ctrl+E"))
    settle(person)
    (figure,) = tmp_path.iterdir()
    assert figure.stat().st_size > 1000
    assert figure.name in person.banner()
