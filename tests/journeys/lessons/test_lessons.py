"""Lessons from start to end, in both languages, by mouse and by keyboard, with answers right and wrong."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QMenu

from attn_gui import Problem, save
from attn_gui.app.lessons.lesson_list import PROGRESS
from attn_gui.lessons.lesson import LessonNumber, written
from attn_gui.paths import resource
from attn_gui.views.text_views import SentenceView
from tests.failing import each

LESSONS = sorted(resource("lessons").glob("*.md"))
WORKED = next(path for path in LESSONS if "worked" in path.stem)


def settle(person):
    person.wait()
    QTest.qWait(1)  # the language is switched by an event
    person.look()
    while person.program.late.lessons.busy:
        QTest.qWait(1)
    QTest.qWait(1)  # what is new in the panel is laid out


def begin(person, path, anew=True):
    """Take up a lesson at its first step, whatever was done of it before, or where it was left."""
    if anew:
        person.program.settings.put(PROGRESS, {})
    person.program.take_in(path)
    settle(person)
    assert person.find("lesson").isVisible()


def state(person):
    """What the step on show should be, for those who judge it."""
    lessons = person.program.late.lessons
    return lessons._states[lessons._place]


def verdict(person):
    return person.find("lesson.verdict").text()


def answer(person, question, wrong):
    """Answer as a person does: type and press Enter, or click a choice."""
    if question.choices:
        person.click(f"lesson.choice.{(question.right + wrong) % len(question.choices)}")
    else:
        number = question.answer.number(state(person).end.number_source())
        person.overwrite(person.find("lesson.answer", QLineEdit), written(number + 1.5 * wrong).replace("−", "-"))
    settle(person)


def test_a_lesson_that_is_read_too_late_neither_begins_nor_is_refused(launch, tmp_path):
    (tmp_path / "bad.md").write_text("no lesson", encoding="utf-8")
    person = launch("minilm-layer2.npz")
    for path in (WORKED, tmp_path / "bad.md"):
        person.program.take_in(path)
        person.program.take_in(resource("examples", "worked-example.npz"))
        settle(person)
        assert person.banner() == ""
        assert not person.find("lesson").isVisible()
        assert person.program.document.name == "worked-example"


@pytest.fixture
def person(launch):
    return launch()


@each(
    ("lesson", "step", "right", "wrong"),
    [
        ("03-root-d-k", 5, "0.235", "0"),
        ("05-masks", 4, "10", "0"),
        ("14-rnn-cnn-attention", 5, "22", "64"),
    ],
)
def test_a_question_is_about_what_the_person_is_asked_to_do_also_before_it_is_done(person, lesson, step, right, wrong):
    begin(person, resource("lessons", f"{lesson}.md"))
    for _ in range(step - 1):
        person.click("lesson.skip")
        settle(person)
    line = person.find("lesson.answer", QLineEdit)
    for done in (False, True):
        assert person.find("lesson.do").isVisible() != done
        for number, said in ((wrong, "Not yet"), (right, "Correct.")):
            person.overwrite(line, number)
            settle(person)
            assert verdict(person).startswith(said), (done, number)
        if not done:
            person.click("lesson.do")
            settle(person)


def answer_unscaled(person):
    """Answer the question for a weight with the one that unscaled scores give."""
    begin(person, WORKED)
    for _ in range(3):
        person.click("lesson.skip")
        settle(person)
    person.overwrite(person.find("lesson.answer", QLineEdit), "0.73")
    settle(person)


def test_answers_are_judged_called_by_their_mistake_and_shown(launch, tmp_path):
    person = launch()
    answer_unscaled(person)
    assert verdict(person) == (
        "Not yet. The scores were not scaled: each has to be multiplied by the scale, 1/√d_k unless another one is "
        "given, before the softmax."
    )
    person.overwrite(person.find("lesson.answer", QLineEdit), "a lot")
    assert "a lot" in verdict(person)
    line = person.find("lesson.answer", QLineEdit)
    person.overwrite(line, "0.1")
    settle(person)
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    assert line.selectedText() == "0.1", "what is typed next replaces it"
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    assert not line.hasSelectedText(), "who clicks again means one place of it"
    QTest.mouseDClick(line, Qt.MouseButton.LeftButton)
    assert line.selectedText() == "0.1", "not the part before the point"
    person.click("lesson.show")
    settle(person)
    assert person.find("lesson.answer", QLineEdit).text() == "0.6405"
    assert verdict(person).startswith("The answer is 0.6405.")

    person.again("what is typed after the answer was shown stays when the language is switched")
    begin(person, WORKED)
    have_shown(person)
    person.overwrite(person.find("lesson.answer", QLineEdit), "1.25", end="")
    person.do("language_zh")
    settle(person)
    assert person.find("lesson.answer", QLineEdit).text() == "1.25"

    person.again("the answer that is shown is taken")
    path = tmp_path / "thirds.md"
    text = "# t | 题\n## s | 步\n- open: worked-example\n### English\nx\n### 中文\nx\n### Question\n- ask: a? | 问？\n"
    path.write_text(f"{text}- answer: 1 / 3\n- tolerance: 0.00001\n", encoding="utf-8")
    begin(person, path)
    have_shown(person)
    shown = person.find("lesson.answer", QLineEdit).text()
    person.overwrite(person.find("lesson.answer", QLineEdit), shown)
    settle(person)
    assert verdict(person).startswith("Correct.")

    person.again("what is typed and judged stays when the language is switched")
    answer_unscaled(person)
    person.do("language_zh")
    settle(person)
    assert person.find("lesson.title").text().startswith("第")
    assert person.find("lesson.answer", QLineEdit).text() == "0.73"
    assert "√d_k" in verdict(person)
    assert "scaled" not in verdict(person)

    person.again("a click on a choice is an answer")
    begin(person, resource("lessons", "03-root-d-k.md"))
    while state(person).step.question is None or not state(person).step.question.choices:
        person.click("lesson.skip")
        settle(person)
    question = state(person).step.question
    assert verdict(person) == ""
    for wrong, said in ((True, "Not yet"), (False, "Correct.")):
        answer(person, question, wrong)
        assert verdict(person).startswith(said)

    person.again("entropy has one named unit in a lesson and beside it")
    begin(person, resource("lessons", "03-root-d-k.md"))
    person.click("lesson.skip")
    settle(person)
    strip = person.find("heads.weights")
    assert any("bits" in label.text() for label in strip.findChildren(QLabel))
    said = " ".join(view.text() for view in person.find("lesson").findChildren(SentenceView))
    assert f"{person.find('head.0').reading} bits" in said

    person.again("choices tell the numbers of what the person is asked to do")
    # Before the undo they were those with another head switched off as well.
    begin(person, resource("lessons", "15-induction.md"))
    for _ in range(5):
        person.click("lesson.skip")
        settle(person)
    before = person.find("lesson.choice.1", QAbstractButton).text()
    person.click("lesson.do")
    settle(person)
    assert person.find("lesson.choice.1", QAbstractButton).text() == before == "f falls to 0.0119: it takes part, too"


def have_shown(person):
    """Answer wrongly, and ask for the answer."""
    person.overwrite(person.find("lesson.answer", QLineEdit), "7")
    settle(person)
    person.click("lesson.show")
    settle(person)


def test_numbers_follow_edits_computed_beside_the_window_and_the_way_back_is_offered(launch, monkeypatch):
    threads, text = [], LessonNumber.text

    def told(live, *args):
        threads.append(threading.current_thread())
        return text(live, *args)

    monkeypatch.setattr(LessonNumber, "text", told)
    person = launch()
    begin(person, WORKED)
    person.click("lesson.skip")
    settle(person)
    panel = person.program.late.lessons._panel
    texts = panel._words.paragraphs[0]
    threads.clear()  # a step of few numbers is said in the turn that shows it
    person.type_into("query", 1, 1, "5")
    person.until(lambda: panel._words.paragraphs[0].endswith("1 · 1 = 6."))  # told of the edit later, then read beside
    assert threads
    assert threading.main_thread() not in threads
    person.until(person.find("lesson.left").isVisible)
    person.click("lesson.return")
    settle(person)
    person.until(lambda: panel._words.paragraphs[0] == texts)
    assert not person.find("lesson.left").isVisible()
    person.press("Ctrl+Z")
    settle(person)
    assert person.number("query", 1, 1) == 5


def test_a_lesson_is_taken_up_where_it_was_left_and_belongs_to_its_file(launch, tmp_path):
    person = launch()
    begin(person, WORKED)
    person.click("lesson.skip")
    settle(person)
    person.click("lesson.close")
    assert not person.find("lesson").isVisible()
    assert person.find("history").isVisible()
    assert person.focus() is person.window.product.stage_map(), "not just anywhere"
    begin(person, WORKED, anew=False)
    assert person.find("lesson.place").text() == "Step 2 of 5"
    person.click("lesson.back")
    settle(person)
    assert person.find("lesson.place").text() == "Step 1 of 5"
    assert not person.find("lesson.back").isEnabled()

    person.again("a lesson of the same name has a place of its own")
    own = tmp_path / WORKED.name
    own.write_bytes(WORKED.read_bytes())
    begin(person, WORKED)
    person.click("lesson.skip")
    settle(person)
    begin(person, own, anew=False)
    assert person.find("lesson.place").text() == "Step 1 of 5"

    person.again("a lesson is opened from a file by the action")
    person.choose_file(WORKED, lambda: person.do("open_lesson"))
    settle(person)
    assert person.find("lesson").isVisible()

    person.again("what is done in a lesson is nothing to save")
    begin(person, resource("lessons", "09-pooling.md"))
    person.go_to("query", 0, 0)
    person.do("insert_columns")
    person.wait()
    assert person.program.document.stack.index() == 1
    assert not person.window.isWindowModified()

    person.again("a step says itself what is changed by hand in it")
    # Columns of a head come, and what a step does to a column is done to that of the same number all the same.
    cell = {"kind": "scale", "stage": "concat", "at": {"column": 2}, "factor": 2.0}
    narrow = Problem(query=np.eye(2), key=np.eye(2), value=np.ones((2, 4)), num_heads=2, interventions=[cell])
    save(narrow, tmp_path / "two.attn")
    path, text = tmp_path / "wider.md", "\n\n### English\nx\n\n### 中文\n字\n"
    wider = [[1.0] * 6] * 2
    path.write_text(
        f"# A | 甲\n\n## S | 步\n- open: two.attn{text}\n## T | 另一步\n- set: value = {wider}{text}", encoding="utf-8"
    )
    begin(person, path)
    person.click("lesson.skip")
    settle(person)
    assert person.program.document.problem == narrow.replace(value=wider)

    person.again("a lesson is opened from the menu and follows the language")
    person.program.settings.put(PROGRESS, {})
    menu = person.find("menu.lessons", QMenu)
    assert sum(not action.isSeparator() for action in menu.actions()) == len(LESSONS)
    found = next(action for action in menu.actions() if "worked example" in action.text())
    assert isinstance(found, QAction)
    found.trigger()
    settle(person)
    assert person.find("lesson.title").text() == "1. The inputs"
    person.do("language_zh")
    settle(person)
    assert person.find("lesson.title").text() == "第一步：输入"
    assert any("五步" in action.text() for action in menu.actions())


def test_in_chinese_a_bad_lesson_is_refused_and_tokens_are_named(launch, tmp_path):
    person = launch("worked-example.npz", lang="zh")
    path = tmp_path / "bad.md"
    path.write_text("# A | 甲\n\n## S | 步\n- open: nowhere\n\n### English\nx\n\n### 中文\n字\n", encoding="utf-8")
    person.drop(path)
    settle(person)
    assert person.banner() == "课程 bad.md 第 4 行：应为示例名，或课程文件旁的算例文件名，实际为 nowhere。"
    assert not person.find("lesson").isVisible()

    person.again("tokens are named in the language of the window")
    begin(person, resource("lessons", "09-pooling.md"))
    assert person.program.document.problem.key_tokens == ("报纸", "论文", "咖啡", "笔记本", "书")
    person.do("language_en")
    settle(person)
    assert person.program.document.problem.key_tokens == ("newspaper", "paper", "coffee", "notebook", "book")
    assert not person.find("lesson.left").isVisible()


def test_a_table_in_markdown_goes_the_way_of_every_table(launch, tmp_path):
    """Its file has the ending of a lesson."""
    person = launch("worked-example.npz")
    path = tmp_path / "table.md"
    path.write_text("\n| a | b | c |\n|---|---|---|\n| 7 | 8 | 9 |\n| 1 | 2 | 3 |\n", encoding="utf-8")
    for come in (person.drop, person.open):
        come(path)
        settle(person)
        assert "table.md holds 2 × 3 numbers. Where do they go?" in person.banner()
        person.click(person.button("Q", "banner"))
        assert person.numbers("query") == [["7", "8", "9"], ["1", "2", "3"]]
        person.do("undo")

    person.again("what is typed after a refused answer takes its place")
    for first in ("3", "abc"):
        begin(person, WORKED)
        for text in (first, "1.732"):
            person.type(text)
            person.press("Return")
            settle(person)
        assert person.find("lesson.answer", QLineEdit).text() == "1.732"
        assert verdict(person) == "Correct.", first

    person.again("what a step shows comes from behind a large page")
    # The page on √d_k stayed over the map that the worked example speaks of.
    person.do("sqrt_d_k")
    person.click("button.page_large")
    assert not person.find("heatmap.scores").isVisible()
    begin(person, resource("lessons", "06-worked-example.md"))
    assert person.find("heatmap.scores").isVisible()
    assert not person.find("heatmap.scores").visibleRegion().isEmpty()
    assert person.find("lesson").isVisible()
