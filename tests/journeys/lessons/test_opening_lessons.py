"""Lessons and numbers that take a while: the window works on, nothing is lost, steps turn to their cells later."""

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from attn_gui.app.lessons.lesson_list import LessonProgress
from attn_gui.app.state import background_task
from attn_gui.lessons import lesson
from attn_gui.lessons.curriculum import title_of
from attn_gui.paths import resource
from attn_gui.views.text_views import SentenceView
from tests.failing import share
from tests.journeys.gate import Gate
from tests.seen import covered, fault

BUTTONS = QMessageBox.StandardButton
SMALL = "worked-example.npz"
LESSONS = sorted(resource("lessons").glob("*.md"))
LESSON = next(path for path in LESSONS if "worked" in path.stem)

TEXT = """# Large | 大

## First | 第一步
- make: kind=direct n=400 m=400 d_k=3 d_v=3 num_heads=2 seed=1
- choose: weights[0, 1, 300, 2]

### English
One.

### 中文
一。

### Question
- ask: How many? | 几个？
- answer: n
- because: {n} | {n}

## Second | 第二步
- make: kind=direct n=500 m=400 d_k=3 d_v=3 num_heads=2 seed=1
- choose: weights[0, 1, 450, 2]

### English
Two.

### 中文
二。
"""


@pytest.fixture
def gate(monkeypatch):
    """Holds up the reading of a lesson."""
    found = Gate()
    monkeypatch.setattr(lesson, "read_lesson", found.before(lesson.read_lesson))
    yield found
    found.open()


def begin(person, gate):
    person.program.take_in(LESSON)
    gate.await_work()


def rest(person, gate):
    """Let it be read, and wait until the window has heard."""
    gate.open()
    person.settle("lessons")


def answer_with(button):
    return lambda box: box.button(button).click()


def begun(person):
    return person.find("lesson").isVisible()


def test_the_list_of_lessons_leads_back_to_what_stood_there_before_and_what_is_done_in_one_is_seen(launch, tmp_path):
    person = launch(page=True)
    lists = person.program.late.lessons
    for name, leave in (
        ("start", lambda: person.press("Esc")),
        ("start", lambda: person.click("lessons.close")),
        ("start", lambda: person.do("lessons")),
        ("spine", lambda: person.click("lessons.close")),
    ):
        if name == "spine":
            person.open(resource("examples", SMALL))
            person.wait()
        assert person.find(name).isVisible()
        person.do("lessons")
        person.until(lambda: not lists.list.busy)
        assert not person.find(name).isVisible()
        assert fault(person.find("lessons.close")) == ""
        leave()
        assert person.find(name).isVisible()
        assert not person.find("lessons").isVisible()

    # of 700 pixels the frame of the window takes some, and one lesson is finished
    person.window.resize(1350, 652)
    for step in range(5):
        LessonProgress(person.program.settings).tick(LESSON.stem, step, solved=True)
    for lang in share(("en", "zh"), 2):
        person.do(f"language_{lang}", "lessons")
        person.until(lambda: not lists.list.busy)
        QTest.qWait(1)
        band = person.find("lessons.band")
        assert len([part for part in band.findChildren(SentenceView) if part.isVisible()]) == 2
        assert fault(band) == ""
        person.press("Esc")

    # It was undone behind the list, where nobody saw it.
    person.again("what is done in a lesson or undone from their list is seen", SMALL)
    person.type_into("query", 1, 1, "5")
    person.do("lessons")
    person.settle("lessons")
    assert not person.table("query").isVisible()
    person.do("theme_dark", "zoom_in", "zoom_reset")  # none of the document's business
    assert person.find("lessons").isVisible()
    person.do("undo")
    assert person.number("query", 1, 1) == 1
    assert person.table("query").isVisible()
    assert not person.find("lessons").isVisible()

    person.again("the mask is made beside the step that asks for it", SMALL)
    person.window.resize(1366, 700)  # its panel lay over the sentence that says which mask
    person.program.take_in(resource("lessons", "05-masks.md"))
    person.settle("lessons")
    while not person.find("lesson.do").isVisible():
        person.click("lesson.skip")
        person.settle("lessons")
    person.click("control.mask")
    assert person.window.mask_panel.isVisible()
    assert fault(person.find("lesson.title")) == fault(person.find("lesson.do")) == ""
    shown = covered(person.find("lesson"))
    person.press("Esc")
    assert not person.window.mask_panel.isVisible()
    assert covered(person.find("lesson")) == shown

    # what is done in a lesson is left without a question, and what is done after it belongs to the person
    person.click("lesson.do")
    person.settle("lessons")
    assert not person.program.document.modified
    person.press("Ctrl+Z")
    person.settle("lessons")
    person.program.take_in(LESSON)  # no dialog opens, which would wait for an answer
    person.settle("lessons")
    assert person.program.document.name == title_of(LESSON, "en")

    person.click("lesson.close")
    person.type_into("query", 0, 0, "7")
    person.settle("lessons")
    assert person.program.document.modified

    person.again("a large step turns to its own cell", SMALL)
    path = tmp_path / "large.md"
    path.write_text(TEXT, encoding="utf-8")
    person.program.take_in(path)
    person.settle("lessons")
    assert person.banner() == ""
    look = person.program.view.look
    assert (look.head, look.cell) == (1, ("weights", 300, 2))
    assert person.find("lesson.answer").isVisible()
    person.click("lesson.skip")
    person.settle("lessons")
    look = person.program.view.look
    assert (look.head, look.cell) == (1, ("weights", 450, 2))


def test_a_lesson_waits_for_a_dialog_and_what_is_changed_meanwhile_is_not_lost(launch, gate, monkeypatch, tmp_path):
    monkeypatch.setattr(background_task, "AGAIN_MS", 1)
    person = launch("nadaraya-watson.npz")
    begin(person, gate)
    box = QMessageBox(person.window)
    box.open()
    gate.open()
    person.program.files.opening.wait()
    for _ in range(3):
        QApplication.processEvents()
    assert not begun(person)
    box.reject()
    rest(person, gate)
    assert begun(person)

    person.again("what is changed while a lesson is read is not lost")
    gate.close()
    begin(person, gate)
    person.type_into("query", 0, 0, "4")
    rest(person, gate)
    assert person.banner() == f"{LESSON.name} was not opened: Nadaraya–Watson, 50 points was changed while it was read."
    assert not begun(person)
    assert person.number("query", 0, 0) == 4
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.button("Open it now", "banner").click())
    rest(person, gate)
    assert begun(person)

    person.again("another document puts the lesson away")
    # Its next step would be written into that document.
    gate.close()
    path = tmp_path / "own.attn"
    person.save_as(path)
    kept = path.read_bytes()
    begin(person, gate)
    rest(person, gate)
    person.click("lesson.skip")
    rest(person, gate)
    person.open(path)
    rest(person, gate)
    assert not begun(person)
    assert person.find("history").isVisible()
    person.do("save")
    person.until(lambda: not person.program.files.saving.busy)
    assert path.read_bytes() == kept
    person.program.take_in(LESSON)
    rest(person, gate)
    assert begun(person)
    assert person.find("lesson.place").text() == "Step 2 of 5"
