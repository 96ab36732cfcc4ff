"""Lessons and numbers that take a while: the window works on, nothing is lost, steps turn to their cells later."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from attn_gui.app.lessons import lessons, opening
from attn_gui.app.lessons.lesson_list import LessonProgress
from attn_gui.app.state import background_task
from attn_gui.lessons.lesson import title_of
from attn_gui.paths import resource
from attn_gui.views.text_views import SentenceView
from tests.journeys.gate import Gate
from tests.seen import covered, fault, is_cut, worded

BUTTONS = QMessageBox.StandardButton
LESSONS = sorted(resource("lessons").glob("*.md"))
LESSON = next(path for path in LESSONS if "worked" in path.stem)
OTHER = next(path for path in LESSONS if path != LESSON)

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

CAPPED = f"""{TEXT[: TEXT.index("### Question")]}
## Second | 第二步
- set: softcap = 5
- choose: capped[0, 1, 300, 2]

### English
Two.

### 中文
二。
"""


@pytest.fixture
def gate(monkeypatch):
    """Holds up the reading of a lesson."""
    found = Gate()
    monkeypatch.setattr(opening, "read_lesson", found.before(opening.read_lesson))
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


def test_what_is_changed_while_a_lesson_is_read_is_not_lost(launch, gate, tmp_path):
    person = launch("nadaraya-watson.npz")
    begin(person, gate)
    person.type_into("query", 0, 0, "4")
    rest(person, gate)
    assert person.banner() == f"{LESSON.name} was not opened: nadaraya-watson was changed while it was read."
    assert not begun(person)
    assert person.number("query", 0, 0) == 4
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.button("Open it now", "banner").click())
    rest(person, gate)
    assert begun(person)

    person.again("changes are asked for before a lesson is read")
    gate.close()
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.program.take_in(LESSON))
    assert not gate.reached
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.program.take_in(LESSON))
    rest(person, gate)
    assert begun(person)  # asked once

    person.again("esc drops a lesson that is being read")
    gate.close()
    begin(person, gate)
    person.window.setFocus()
    person.press("Esc")
    rest(person, gate)
    assert not begun(person)
    assert person.program.document.name == "nadaraya-watson"

    person.again("another lesson takes the place of the one before")
    gate.open()
    for path in (LESSON, OTHER, LESSON):
        person.program.take_in(path)
        rest(person, gate)
        assert begun(person)
        assert not person.find("history").isVisible()
        assert person.program.document.name == title_of(path, "en").replace(":", "")

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


def test_a_lesson_is_there_whole_in_the_turn_that_shows_its_maps(launch):
    """On a busy machine the end of the lesson before stood beside them, or a question without its choices."""
    person = launch(width=1366, height=700)
    person.program.take_in(resource("lessons", "03-root-d-k.md"))
    person.settle("lessons")
    while not person.find("lesson.end").isVisible():
        person.click("lesson.skip")
        person.settle("lessons")
    seen = []

    def look():
        title = person.window.findChild(QWidget, "lesson.title").text()
        choices = [person.window.findChild(QWidget, f"lesson.choice.{place}") for place in range(3)]
        ways = [person.window.findChild(QWidget, f"lesson.{name}") for name in ("back", "skip", "next")]
        parts = [*choices, *ways]
        seen.append((title, [part.objectName() for part in parts if not part.isVisible() or is_cut(part)]))

    person.program.late.lessons.opening._work.ended.connect(look)
    person.click("lesson.next_lesson")
    person.settle("lessons")
    assert seen == [("Five operators", [])]


def test_the_list_of_lessons_leads_back_to_what_stood_there_before(launch):
    person = launch(page=True)
    lists = person.program.late.lessons
    for name, leave in (
        ("start", lambda: person.press("Esc")),
        ("start", lambda: person.click("lessons.close")),
        ("start", lambda: person.do("lessons")),
        ("spine", lambda: person.click("lessons.close")),
    ):
        if name == "spine":
            person.open(resource("examples", "worked-example.npz"))
            person.wait()
        assert person.find(name).isVisible()
        person.do("lessons")
        person.until(lambda: not lists.list.busy)
        assert not person.find(name).isVisible()
        assert fault(person.find("lessons.close")) == ""
        leave()
        assert person.find(name).isVisible()
        assert not person.find("lessons").isVisible()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_list_of_lessons_is_seen_whole_on_a_small_screen(launch, lang):
    """Of 700 pixels the frame of the window takes some, and one lesson is finished."""
    person = launch(lang=lang, width=1350, height=652)
    for step in range(5):
        LessonProgress(person.program.settings).tick(LESSON.stem, step)
    person.do("lessons")
    person.until(lambda: not person.program.late.lessons.list.busy)
    QTest.qWait(1)
    band = person.find("lessons.band")
    assert len([part for part in band.findChildren(SentenceView) if part.isVisible()]) == 2
    assert fault(band) == ""


def test_the_mask_is_made_beside_the_step_that_asks_for_it(launch):
    """Its panel lay over the sentence that says which mask."""
    person = launch(width=1366, height=700)
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


def test_a_lesson_waits_for_a_number_that_is_typed_and_for_a_dialog(launch, gate, monkeypatch):
    monkeypatch.setattr(background_task, "AGAIN_MS", 1)
    person = launch("nadaraya-watson.npz")
    begin(person, gate)
    box = QMessageBox(person.window)
    box.open()
    gate.open()
    person.program.late.lessons.opening._work.wait()
    for _ in range(3):
        QApplication.processEvents()
    assert not begun(person)
    box.reject()
    rest(person, gate)
    assert begun(person)


def test_what_is_done_in_a_lesson_is_left_without_a_question_and_what_is_done_after_it_belongs_to_the_person(launch):
    person = launch()
    person.program.take_in(resource("lessons", "05-masks.md"))
    person.settle("lessons")
    while not person.find("lesson.do").isVisible():
        person.click("lesson.skip")
        person.settle("lessons")
    person.click("lesson.do")
    person.settle("lessons")
    assert not person.program.document.modified
    person.press("Ctrl+Z")
    person.settle("lessons")
    person.program.take_in(LESSON)  # no dialog opens, which would wait for an answer
    person.settle("lessons")
    assert person.program.document.name == title_of(LESSON, "en")

    person.again("what is done after a lesson belongs to the person")
    person.program.take_in(LESSON)
    person.settle("lessons")
    person.click("lesson.close")
    person.type_into("query", 0, 0, "7")
    person.settle("lessons")
    assert person.program.document.modified


def test_a_large_step_turns_to_its_own_cell(launch, tmp_path):
    path = tmp_path / "large.md"
    path.write_text(TEXT, encoding="utf-8")
    person = launch("worked-example.npz")
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


def test_a_step_that_is_taken_back_before_its_numbers_are_there_turns_to_nothing(launch, tmp_path):
    """The map that it wanted to show was not there any more."""
    path = tmp_path / "capped.md"
    path.write_text(CAPPED, encoding="utf-8")
    person = launch("worked-example.npz")
    person.program.take_in(path)
    person.settle("lessons")
    assert person.banner() == ""
    person.click("lesson.skip")
    assert person.program.computation.pending
    person.do("undo")
    person.settle("lessons")
    assert person.program.document.problem.softcap is None
    assert person.program.view.look.cell == ("weights", 300, 2)
    assert person.banner() == ""
    person.do("redo")
    person.settle("lessons")
    assert person.program.document.problem.softcap == 5


def test_no_words_of_the_step_before_stand_beside_the_maps_of_a_large_one(launch, tmp_path, monkeypatch):
    """An answer to the question that still stood there was one to the question of the next step."""
    path = tmp_path / "large.md"
    path.write_text(TEXT, encoding="utf-8")
    person = launch("worked-example.npz")
    person.program.take_in(path)
    person.settle("lessons")
    gate = Gate()
    monkeypatch.setattr(lessons, "said_step", gate.before(lessons.said_step))
    person.click("lesson.skip")
    panel = person.find("lesson")
    try:
        person.wait()
        said = [part.text() for part in worded(panel) if hasattr(part, "text") and part.isVisible()]
        assert sorted(said) == ["", "Large", "Step 2 of 2"], "the button that closes it, the lesson, and the place"
        assert not panel.findChild(QWidget, "lesson.answer").isVisible()
        assert person.find("lesson.title").text() == ""
    finally:
        gate.open()
    person.settle("lessons")
    assert person.find("lesson.title").text() == "Second"


def test_a_page_of_a_lesson_that_was_closed_does_not_take_the_place_of_other_maps(launch, tmp_path, monkeypatch):
    """The step was closed while its numbers were on their way, and its page came over the next document."""
    path = tmp_path / "large.md"
    step = TEXT[: TEXT.index("### Question")].replace("- choose: weights[0, 1, 300, 2]", "- show: dimensions")
    path.write_text(step, encoding="utf-8")
    gate = Gate()
    monkeypatch.setattr(lessons, "said_step", gate.before(lessons.said_step))
    monkeypatch.setattr(lessons, "LEAST_PAGE", 10_000)  # no page has so much room below its step
    person = launch("worked-example.npz", width=1366, height=700)
    try:
        person.program.take_in(path)
        person.until(lambda: gate.reached and person.program.late.lessons._page_due)
        person.click("lesson.close")
    finally:
        gate.open()
    person.program.files.open_example("thinking")
    person.settle("lessons")
    assert not person.program.window.inspector.pages.large
    assert person.find("heatmap.weights").isVisible()
