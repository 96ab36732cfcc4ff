"""A lesson of numbers that take a while: its steps turn to their cells once those are there."""

from __future__ import annotations

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from attn_gui.app.lessons import lessons
from tests.journeys.gate import Gate
from tests.seen import worded

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


def settle(person):
    person.wait()
    while person.program.late.lessons.busy:
        QTest.qWait(1)
    person.wait()


def test_a_large_step_turns_to_its_own_cell(launch, tmp_path):
    path = tmp_path / "large.md"
    path.write_text(TEXT, encoding="utf-8")
    person = launch("worked-example.npz")
    person.program.take_in(path)
    settle(person)
    assert person.banner() == ""
    look = person.program.view.look
    assert (look.head, look.cell) == (1, ("weights", 300, 2))
    assert person.find("lesson.answer").isVisible()
    person.click("lesson.skip")
    settle(person)
    look = person.program.view.look
    assert (look.head, look.cell) == (1, ("weights", 450, 2))


def test_a_step_that_is_taken_back_before_its_numbers_are_there_turns_to_nothing(launch, tmp_path):
    """The map that it wanted to show was not there any more."""
    path = tmp_path / "capped.md"
    path.write_text(CAPPED, encoding="utf-8")
    person = launch("worked-example.npz")
    person.program.take_in(path)
    settle(person)
    assert person.banner() == ""
    person.click("lesson.skip")
    assert person.program.computation.pending
    person.do("undo")
    settle(person)
    assert person.program.document.problem.softcap is None
    assert person.program.view.look.cell == ("weights", 300, 2)
    assert person.banner() == ""
    person.do("redo")
    settle(person)
    assert person.program.document.problem.softcap == 5


def test_no_words_of_the_step_before_stand_beside_the_maps_of_a_large_one(launch, tmp_path, monkeypatch):
    """An answer to the question that still stood there was one to the question of the next step."""
    path = tmp_path / "large.md"
    path.write_text(TEXT, encoding="utf-8")
    person = launch("worked-example.npz")
    person.program.take_in(path)
    settle(person)
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
    settle(person)
    assert person.find("lesson.title").text() == "Second"
