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
from attn_gui.lessons.lesson import Live, written
from attn_gui.paths import resource
from attn_gui.views.text_views import SentenceView

LESSONS = sorted(resource("lessons").glob("*.md"))
WORKED = next(path for path in LESSONS if "worked" in path.stem)


def settle(person):
    person.wait()
    QTest.qWait(1)  # the language is switched by an event
    person.look()
    while person.program.late.lessons.busy:
        QTest.qWait(1)
    QTest.qWait(1)  # what is new in the panel is laid out


def begin(person, path):
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
        place = (question.right + wrong) % len(question.choices)
        person.click(person.find(f"lesson.choice.{place}", QAbstractButton))
        settle(person)
        return
    number = question.answer.number(person.program.late.lessons._ground())
    person.overwrite(person.find("lesson.answer", QLineEdit), written(number + 1.5 * wrong).replace("−", "-"))
    settle(person)


@pytest.mark.parametrize("good", [True, False])
def test_a_lesson_that_is_read_too_late_neither_begins_nor_is_refused(launch, tmp_path, good):
    path = WORKED if good else tmp_path / "bad.md"
    if not good:
        path.write_text("no lesson", encoding="utf-8")
    person = launch("minilm-layer2.npz")
    person.program.take_in(path)
    person.program.take_in(resource("examples", "worked-example.npz"))
    settle(person)
    assert person.banner() == ""
    assert not person.find("lesson").isVisible()
    assert person.program.document.name == "worked-example"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("path", [pytest.param(path, marks=pytest.mark.family(10)) for path in LESSONS], ids=str)
def test_a_lesson_is_gone_through_from_start_to_end(launch, path, lang):
    person = launch("worked-example.npz", lang=lang)
    yes, no = ("Correct.", "Not yet") if lang == "en" else ("正确。", "还不对")
    begin(person, path)
    count = len(person.program.late.lessons._states)
    for place in range(1, count + 1):
        assert str(place) in person.find("lesson.place").text()
        assert person.program.document.problem == state(person).begin.problem
        if state(person).step.tasks:
            person.click("lesson.do")
            settle(person)
        assert person.program.document.problem == state(person).end.problem
        assert not person.find("lesson.do").isVisible()
        assert not person.find("lesson.left").isVisible()
        question = state(person).step.question
        if question is not None:
            answer(person, question, True)
            assert verdict(person).startswith(no)
            answer(person, question, False)
            assert verdict(person).startswith(yes)
        person.click("lesson.next")
        settle(person)
    assert person.find("lesson.end").isVisible()
    person.click("lesson.close")
    assert not person.find("lesson").isVisible()


@pytest.mark.parametrize(
    ("lesson", "step", "right", "wrong"),
    [
        ("03-root-d-k", 5, "0.235", "0"),
        ("05-masks", 4, "10", "0"),
        ("14-rnn-cnn-attention", 5, "22", "64"),
    ],
)
def test_a_question_is_about_what_the_person_is_asked_to_do_also_before_it_is_done(launch, lesson, step, right, wrong):
    person = launch()
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


def test_choices_tell_the_numbers_of_what_the_person_is_asked_to_do(launch):
    """Before the undo they were those with another head switched off as well."""
    person = launch()
    begin(person, resource("lessons", "15-induction.md"))
    for _ in range(5):
        person.click("lesson.skip")
        settle(person)
    before = person.find("lesson.choice.1", QAbstractButton).text()
    person.click("lesson.do")
    settle(person)
    assert person.find("lesson.choice.1", QAbstractButton).text() == before == "f falls to 0.0119: it takes part, too"


def answer_unscaled(person):
    """Answer the question for a weight with the one that unscaled scores give."""
    begin(person, WORKED)
    for _ in range(3):
        person.click("lesson.skip")
        settle(person)
    person.overwrite(person.find("lesson.answer", QLineEdit), "0.73")
    settle(person)


def test_a_wrong_answer_is_called_by_its_mistake_and_the_right_one_is_shown(launch):
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


def have_shown(person):
    """Answer wrongly, and ask for the answer."""
    person.overwrite(person.find("lesson.answer", QLineEdit), "7")
    settle(person)
    person.click("lesson.show")
    settle(person)


@pytest.mark.parametrize("first", ["3", "abc"])
def test_what_is_typed_after_a_refused_answer_takes_its_place(launch, first):
    person = launch("worked-example.npz")
    begin(person, WORKED)
    for text in (first, "1.732"):
        person.type(text)
        person.press("Return")
        settle(person)
    assert person.find("lesson.answer", QLineEdit).text() == "1.732"
    assert verdict(person) == "Correct."


def test_what_is_typed_after_the_answer_was_shown_stays_when_the_language_is_switched(launch):
    person = launch()
    begin(person, WORKED)
    have_shown(person)
    person.overwrite(person.find("lesson.answer", QLineEdit), "1.25", end="")
    person.do("language_zh")
    settle(person)
    assert person.find("lesson.answer", QLineEdit).text() == "1.25"


def test_the_answer_that_is_shown_is_taken(launch, tmp_path):
    path = tmp_path / "thirds.md"
    text = "# t | 题\n## s | 步\n- open: worked-example\n### English\nx\n### 中文\nx\n### Question\n- ask: a? | 问？\n"
    path.write_text(f"{text}- answer: 1 / 3\n- tolerance: 0.00001\n", encoding="utf-8")
    person = launch()
    begin(person, path)
    have_shown(person)
    shown = person.find("lesson.answer", QLineEdit).text()
    person.overwrite(person.find("lesson.answer", QLineEdit), shown)
    settle(person)
    assert verdict(person).startswith("Correct.")


def test_numbers_follow_edits_and_the_way_back_is_offered(launch):
    person = launch()
    begin(person, WORKED)
    person.click("lesson.skip")
    settle(person)
    before = person.find("lesson").findChildren(QLineEdit)
    assert before
    panel = person.program.late.lessons._panel
    texts = panel._words.paragraphs[0]
    person.type_into("query", 1, 1, "5")
    person.until(lambda: panel._words.paragraphs[0].endswith("1 · 1 = 6."))  # told of the edit later, then read beside
    person.until(person.find("lesson.left").isVisible)
    person.click("lesson.return")
    settle(person)
    person.until(lambda: panel._words.paragraphs[0] == texts)
    assert not person.find("lesson.left").isVisible()
    person.press("Ctrl+Z")
    settle(person)
    assert person.number("query", 1, 1) == 5


def test_the_place_is_kept_and_the_panel_gives_way(launch):
    person = launch()
    begin(person, WORKED)
    person.click("lesson.skip")
    settle(person)
    person.click("lesson.close")
    assert not person.find("lesson").isVisible()
    assert person.find("history").isVisible()
    assert person.focus() is person.window.product.stage_map(), "not just anywhere"
    begin(person, WORKED)
    assert person.find("lesson.place").text() == "Step 2 of 5"
    person.click("lesson.back")
    settle(person)
    assert person.find("lesson.place").text() == "Step 1 of 5"
    assert not person.find("lesson.back").isEnabled()


def test_a_lesson_of_the_same_name_has_a_place_of_its_own(launch, tmp_path):
    own = tmp_path / WORKED.name
    own.write_bytes(WORKED.read_bytes())
    person = launch()
    begin(person, WORKED)
    person.click("lesson.skip")
    settle(person)
    begin(person, own)
    assert person.find("lesson.place").text() == "Step 1 of 5"


def test_a_lesson_is_opened_from_the_menu_and_follows_the_language(launch):
    person = launch()
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


def test_what_is_typed_and_judged_stays_when_the_language_is_switched(launch):
    person = launch()
    answer_unscaled(person)
    person.do("language_zh")
    settle(person)
    assert person.find("lesson.title").text().startswith("第")
    assert person.find("lesson.answer", QLineEdit).text() == "0.73"
    assert "√d_k" in verdict(person)
    assert "scaled" not in verdict(person)


def test_numbers_of_a_step_are_computed_beside_the_window(launch, monkeypatch):
    threads, text = [], Live.text

    def told(live, *args):
        threads.append(threading.current_thread())
        return text(live, *args)

    monkeypatch.setattr(Live, "text", told)
    person = launch()
    begin(person, WORKED)
    person.click("lesson.skip")
    settle(person)
    person.type_into("query", 1, 1, "5")
    settle(person)
    assert person.program.late.lessons._panel._words.paragraphs[0].endswith("1 · 1 = 6.")
    assert threads
    assert threading.main_thread() not in threads


def test_a_bad_lesson_is_refused_and_nothing_changes(launch, tmp_path):
    person = launch("worked-example.npz", lang="zh")
    path = tmp_path / "bad.md"
    path.write_text("# A | 甲\n\n## S | 步\n- open: nowhere\n\n### English\nx\n\n### 中文\n字\n", encoding="utf-8")
    person.drop(path)
    settle(person)
    assert person.banner() == "课程 bad.md 第 4 行：应为示例名，或课程文件旁的算例文件名，实际为 nowhere。"
    assert not person.find("lesson").isVisible()


def test_a_step_says_itself_what_is_changed_by_hand_in_it(launch, tmp_path):
    """Columns of a head come, and what a step does to a column is done to that of the same number all the same."""
    cell = {"kind": "scale", "stage": "concat", "at": {"column": 2}, "factor": 2.0}
    narrow = Problem(query=np.eye(2), key=np.eye(2), value=np.ones((2, 4)), num_heads=2, interventions=[cell])
    save(narrow, tmp_path / "two.attn")
    path, text = tmp_path / "wider.md", "\n\n### English\nx\n\n### 中文\n字\n"
    wider = [[1.0] * 6] * 2
    path.write_text(
        f"# A | 甲\n\n## S | 步\n- open: two.attn{text}\n## T | 另一步\n- set: value = {wider}{text}", encoding="utf-8"
    )
    person = launch()
    begin(person, path)
    person.click("lesson.skip")
    settle(person)
    assert person.program.document.problem == narrow.replace(value=wider)


@pytest.mark.parametrize("way", ["drop", "open"])
def test_a_table_in_markdown_goes_the_way_of_every_table(launch, tmp_path, way):
    """Its file has the ending of a lesson."""
    person, path = launch("worked-example.npz"), tmp_path / "table.md"
    path.write_text("\n| a | b | c |\n|---|---|---|\n| 7 | 8 | 9 |\n| 1 | 2 | 3 |\n", encoding="utf-8")
    person.drop(path) if way == "drop" else person.open(path)
    settle(person)
    assert "table.md holds 2 × 3 numbers. Where do they go?" in person.banner()
    person.click(person.button("Q", "banner"))
    assert person.numbers("query") == [["7", "8", "9"], ["1", "2", "3"]]


def test_a_lesson_is_opened_from_a_file_by_the_action(launch):
    person = launch()
    person.choose_file(WORKED, lambda: person.do("open_lesson"))
    settle(person)
    assert person.find("lesson").isVisible()


def test_tokens_are_named_in_the_language_of_the_window(launch):
    person = launch(lang="zh")
    begin(person, resource("lessons", "09-pooling.md"))
    assert person.program.document.problem.key_tokens == ("报纸", "论文", "咖啡", "笔记本", "书")
    person.do("language_en")
    settle(person)
    assert person.program.document.problem.key_tokens == ("newspaper", "paper", "coffee", "notebook", "book")
    assert not person.find("lesson.left").isVisible()


def test_entropy_has_one_named_unit_in_a_lesson_and_beside_it(launch):
    person = launch()
    begin(person, resource("lessons", "03-root-d-k.md"))
    person.click("lesson.skip")
    settle(person)
    strip = person.find("heads.weights")
    assert any("bits" in label.text() for label in strip.findChildren(QLabel))
    said = " ".join(view.text() for view in person.find("lesson").findChildren(SentenceView))
    assert f"{person.find('head.0').reading} bits" in said


def test_a_click_on_a_choice_is_an_answer(launch):
    person = launch()
    begin(person, resource("lessons", "03-root-d-k.md"))
    while state(person).step.question is None or not state(person).step.question.choices:
        person.click("lesson.skip")
        settle(person)
    question = state(person).step.question
    assert verdict(person) == ""
    for wrong, said in ((True, "Not yet"), (False, "Correct.")):
        answer(person, question, wrong)
        assert verdict(person).startswith(said)


def test_what_a_step_shows_comes_from_behind_a_large_page(launch):
    """The page on √d_k stayed over the map that the worked example speaks of."""
    person = launch("worked-example.npz")
    person.do("sqrt_d_k")
    person.click("button.page_large")
    assert not person.find("heatmap.scores").isVisible()
    begin(person, resource("lessons", "06-worked-example.md"))
    assert person.find("heatmap.scores").isVisible()
    assert not person.find("heatmap.scores").visibleRegion().isEmpty()
    assert person.find("lesson").isVisible()


def test_what_is_done_in_a_lesson_is_nothing_to_save(launch):
    person = launch()
    begin(person, resource("lessons", "09-pooling.md"))
    person.go_to("query", 0, 0)
    person.do("insert_columns")
    person.wait()
    assert person.program.document.stack.index() == 1
    assert not person.window.isWindowModified()
