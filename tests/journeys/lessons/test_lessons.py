"""Lessons from start to end, in both languages, by mouse and keyboard: the one on induction, and those with walks."""

import threading

import numpy as np
import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QDialog, QLineEdit, QMenu, QTableView, QToolBar, QWidget

from attn_gui.app.lessons.lesson_list import PROGRESS
from attn_gui.lessons.lesson import LessonNumber, written
from attn_gui.models import open_model
from attn_gui.paths import resource
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.walk_view import WalkPlayer

LESSONS = sorted(resource("lessons").glob("*.md"))
WORKED = next(path for path in LESSONS if "worked" in path.stem)
PATH = resource("lessons", "15-induction.md")
TEXT = "k x b p f k x b p"
OFF = {"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}


def begin(person, path, anew=True):
    """Take up a lesson at its first step, whatever was done of it before, or where it was left."""
    if anew:
        person.program.settings.put(PROGRESS, {})
    person.program.take_in(path)
    person.settle("lessons")
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
    person.settle("lessons")


def test_a_lesson_begins_if_read_in_time_plays_its_products_is_taken_up_again_and_judges_answers(launch, tmp_path):
    (tmp_path / "bad.md").write_text("no lesson", encoding="utf-8")
    person = launch("minilm-layer2.npz")
    for path in (WORKED, tmp_path / "bad.md"):
        person.program.take_in(path)
        person.program.take_in(resource("examples", "worked-example.npz"))
        person.settle("lessons")
        assert person.banner() == ""
        assert not person.find("lesson").isVisible()
        assert person.program.document.name == "worked-example"

    # what is typed after a refused answer takes its place
    begin(person, WORKED)
    for text in ("abc", "1.732"):
        person.type(text, end="Return")
        person.settle("lessons")
    assert person.find("lesson.answer", QLineEdit).text() == "1.732"
    assert verdict(person) == "Correct."

    # the worked example plays its products and the steps before its weight
    person.window.resize(1366, 700)
    person.program.settings.put(PROGRESS, {})
    person.program.take_in(resource("lessons", "06-worked-example.md"))
    assert shown(person) is None
    person.click("lesson.skip")
    found = shown(person)
    assert found is not None
    assert found.playing
    found.pause_here()
    assert [beat.stage for beat in found.walk.beats] == ["scores", "scores"]
    assert found.walk.beats[0].board.map.covered == ((0, 1),), "what is asked for is not seen in it"
    assert person.find("lesson.answer").hasFocus(), "the keyboard stays where one answers"
    person.click("lesson.skip")
    assert shown(person) is None
    person.click("lesson.skip")
    assert shown(person) is None, "its weight is asked for"
    person.click("lesson.walk")
    found = shown(person)
    assert [beat.stage for beat in found.walk.beats] == ["scores", "scores", "scaled"]
    assert person.find("walk").hasFocus()
    person.overwrite(person.find("lesson.answer", QLineEdit), "0.64")
    assert shown(person) is None, "all numbers are seen again"
    assert not person.find("lesson.walk").isVisible()
    assert person.find("heatmap.weights").isVisible()

    # it is taken up where it was left
    person.window.resize(1440, 900)
    begin(person, WORKED)
    person.click("lesson.skip")
    person.settle("lessons")
    person.click("lesson.close")
    assert not person.find("lesson").isVisible()
    assert person.find("history").isVisible()
    assert person.focus() is person.window.product.stage_map(), "not just anywhere"
    begin(person, WORKED, anew=False)
    assert person.find("lesson.place").text() == "Step 2 of 5"
    person.click("lesson.back")
    person.settle("lessons")
    assert person.find("lesson.place").text() == "Step 1 of 5"
    assert not person.find("lesson.back").isEnabled()

    # a lesson is opened from the menu and follows the language; what is typed and judged stays
    person.program.settings.put(PROGRESS, {})
    menu = person.find("menu.lessons", QMenu)
    assert sum(not action.isSeparator() for action in menu.actions()) == len(LESSONS)
    found = next(action for action in menu.actions() if "worked example" in action.text())
    assert isinstance(found, QAction)
    found.trigger()
    person.settle("lessons")
    assert person.find("lesson.title").text() == "1. The inputs"
    for _ in range(3):
        person.click("lesson.skip")
        person.settle("lessons")
    person.overwrite(person.find("lesson.answer", QLineEdit), "0.73")
    person.settle("lessons")
    assert verdict(person) == (
        "Not yet. The scores were not scaled: before the softmax each is divided by √d_k, or multiplied by a "
        "scale that is given."
    )
    person.do("language_zh")
    person.settle("lessons")
    assert person.find("lesson.title").text().startswith("第四步：")
    assert any("五步" in action.text() for action in menu.actions())
    assert person.find("lesson.answer", QLineEdit).text() == "0.73"
    assert "√d_k" in verdict(person)
    assert "scaled" not in verdict(person)
    person.do("language_en")
    person.settle("lessons")
    person.click("lesson.show")
    person.settle("lessons")
    assert person.find("lesson.answer", QLineEdit).text() == "0.6405"
    assert verdict(person).startswith("The answer is 0.6405.")

    # the answer that is shown is taken
    path = tmp_path / "thirds.md"
    text = "# t | 题\n## s | 步\n- open: worked-example\n### English\nx\n### 中文\nx\n### Question\n- ask: a? | 问？\n"
    path.write_text(f"{text}- answer: 1 / 3\n- tolerance: 0.00001\n", encoding="utf-8")
    begin(person, path)
    person.overwrite(person.find("lesson.answer", QLineEdit), "7")
    person.settle("lessons")
    person.click("lesson.show")
    person.settle("lessons")
    given = person.find("lesson.answer", QLineEdit).text()
    person.overwrite(person.find("lesson.answer", QLineEdit), given)
    person.settle("lessons")
    assert verdict(person).startswith("Correct.")

    # a click on a choice is an answer
    begin(person, resource("lessons", "03-root-d-k.md"))
    while state(person).step.question is None or not state(person).step.question.choices:
        person.click("lesson.skip")
        person.settle("lessons")
    question = state(person).step.question
    assert verdict(person) == ""
    for wrong, said in (
        (True, "Not yet. The variances of the d_k products are added up, not squared."),
        (False, "Correct. Each of the products adds a variance of 1."),
    ):
        answer(person, question, wrong)
        assert verdict(person) == said

    # a question is about what the person is asked to do, also before it is done
    begin(person, resource("lessons", "05-masks.md"))
    for _ in range(3):
        person.click("lesson.skip")
        person.settle("lessons")
    line = person.find("lesson.answer", QLineEdit)
    for done in (False, True):
        assert person.find("lesson.do").isVisible() != done
        for number, said in (("0", "Not yet"), ("10", "Correct.")):
            person.overwrite(line, number)
            person.settle("lessons")
            assert verdict(person).startswith(said), (done, number)
        if not done:
            person.click("lesson.do")
            person.settle("lessons")

    # four clicks find the head that looks back and what it depends on
    person.window.resize(1366, 700)
    person.drop(PATH)
    person.settle("lessons")
    find_the_head(person)

    # Its file has the ending of a lesson.
    person.again("a table in Markdown goes the way of every table", "worked-example.npz")
    path = tmp_path / "table.md"
    path.write_text("\n| a | b | c |\n|---|---|---|\n| 7 | 8 | 9 |\n| 1 | 2 | 3 |\n", encoding="utf-8")
    person.drop(path)
    person.settle("lessons")
    assert "table.md holds 2 × 3 numbers. Where do they go?" in person.banner()
    person.click(person.button("Q", "banner"))
    assert person.numbers("query") == [["7", "8", "9"], ["1", "2", "3"]]


def test_numbers_follow_edits_the_way_back_is_offered_and_in_chinese_tokens_are_named(launch, monkeypatch, tmp_path):
    threads, text = [], LessonNumber.text

    def told(live, *args):
        threads.append(threading.current_thread())
        return text(live, *args)

    monkeypatch.setattr(LessonNumber, "text", told)
    person = launch()
    begin(person, WORKED)
    person.click("lesson.skip")
    person.settle("lessons")
    panel = person.program.late.lessons._panel
    texts = panel._words.paragraphs[0]
    threads.clear()  # a step of few numbers is said in the turn that shows it
    person.type_into("query", 1, 1, "5")
    person.until(lambda: panel._words.paragraphs[0].endswith("1 · 1 = 6."))  # told of the edit later, then read beside
    assert threads
    assert threading.main_thread() not in threads
    person.until(person.find("lesson.left").isVisible)
    person.click("lesson.return")
    person.settle("lessons")
    person.until(lambda: panel._words.paragraphs[0] == texts)
    assert not person.find("lesson.left").isVisible()
    assert person.focus().objectName() == "lesson.answer", "Enter on the way back would leave the step"
    person.type("7")
    person.press("Ctrl+Z")  # of the answer, before that of the document
    assert person.find("lesson.answer", QLineEdit).text() == ""
    person.press("Ctrl+Z")
    person.settle("lessons")
    assert person.number("query", 1, 1) == 5
    person.answering(ExportDialog, QDialog.reject, lambda: person.press("Ctrl+E"))  # the end of the line on X11

    person.again("in Chinese a bad lesson is refused")
    person.do("language_zh")
    path = tmp_path / "bad.md"
    path.write_text("# A | 甲\n\n## S | 步\n- open: nowhere\n\n### English\nx\n\n### 中文\n字\n", encoding="utf-8")
    person.drop(path)
    person.settle("lessons")
    assert person.banner() == "课程 bad.md 第 4 行：应为示例名，或课程文件旁的算例文件名，实际为 nowhere。"
    assert not person.find("lesson").isVisible()

    # tokens are named in the language of the window
    begin(person, resource("lessons", "09-pooling.md"))
    assert person.program.document.problem.key_tokens == ("报纸", "论文", "咖啡", "笔记本", "书")
    person.do("language_en")
    person.settle("lessons")
    assert person.program.document.problem.key_tokens == ("newspaper", "paper", "coffee", "notebook", "book")
    assert not person.find("lesson.left").isVisible()


def next_step(person):
    person.click("lesson.skip")
    person.settle("lessons")


def click_head(person, layer, head):
    person.click_head(layer, head)
    person.settle("lessons")


def is_done(person):
    done, do = person.find("lesson.done").isVisible(), person.find("lesson.do").isVisible()
    assert done != do, "either it is done, or it can be done for the reader"
    return done


def probability(person, token="f"):
    rows = person.find("model.predictions", QTableView).model()
    shown = {rows.index(row, 0).data(): rows.index(row, 1).data() for row in range(rows.rowCount())}
    return float(str(shown[token]).replace("−", "-"))


def said(person):
    return "\n".join(person.program.late.lessons._panel._words.paragraphs)


def find_the_head(reader):
    assert reader.find("lesson").isVisible()
    document = reader.program.document
    assert (document.study.text, document.study.layer) == (TEXT, 0)
    assert not reader.window.isWindowModified()
    reader.click(reader.find("lesson.choice.1", QAbstractButton))
    reader.settle("lessons")
    assert reader.find("lesson.verdict").text().startswith("Correct.")
    assert probability(reader) > 0.99
    before, logits = document.problem, reader.program.late.model.answer.run.logits

    next_step(reader)
    assert not is_done(reader)
    click_head(reader, 0, 2)  # the one that looks at the same letter itself
    assert not is_done(reader)
    assert not reader.find("lesson.left").isVisible(), "to look at a head changes no number"
    click_head(reader, 1, 1)
    assert is_done(reader)
    assert document.study.layer == 1

    next_step(reader)
    assert reader.find("heatmap.weights").isVisible()
    cell = reader.program.view.look.cell
    assert (cell.stage, cell.row, cell.column, reader.program.view.look.head) == ("weights", 9, 5, 2)
    assert f"{reader.value('weights', 9, 5):.3f}" in said(reader)

    next_step(reader)
    assert not is_done(reader)
    click_head(reader, 0, 1)
    assert not is_done(reader)
    reader.click("lesson.do")
    reader.settle("lessons")
    assert is_done(reader)
    assert reader.program.view.look.head == 0

    next_step(reader)
    assert not is_done(reader)
    reader.click("model.head_off")
    reader.settle("lessons")
    assert is_done(reader)
    truth = open_model(resource("models", "toy-induction")).run(TEXT, interventions=[OFF])
    fallen = dict(truth.predictions(top=27))["f"]
    assert fallen < 0.01
    assert probability(reader) == pytest.approx(fallen, abs=1e-4)
    assert f"{fallen:.4f}" in said(reader)

    next_step(reader)
    assert not is_done(reader)
    undo = reader.action("undo")
    reader.click(
        next(bar for bar in reader.window.findChildren(QToolBar) if undo in bar.actions()).widgetForAction(undo)
    )
    reader.settle("lessons")
    assert is_done(reader)
    assert document.problem == before
    assert np.array_equal(reader.program.late.model.answer.run.logits, logits)
    assert probability(reader) > 0.99
    next_step(reader)
    assert reader.find("lesson.end").isVisible()


def shown(person) -> WalkPlayer | None:
    """The walk in the place of the maps, once the lesson has turned to its step."""
    person.wait()
    person.until(lambda: not person.program.late.lessons.busy)
    walks = [walk for walk in person.window.findChildren(QWidget, "walk") if walk.isVisible()]
    return walks[0].findChild(WalkPlayer) if walks else None
