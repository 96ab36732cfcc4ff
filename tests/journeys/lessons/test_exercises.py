"""Exercises in the maps: cells left out, answers typed, mistakes named, and judged by the numbers there are then."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLineEdit

from attn_gui.app.lessons import exercises
from attn_gui.engine import Problem, new_problem
from attn_gui.lessons import exercises as lesson_exercises
from attn_gui.paths import resource
from attn_gui.views.dialogs.questions import LeaveOutDialog
from tests.failing import each
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
WORKED = next(path for path in sorted(resource("lessons").glob("*.md")) if "worked" in path.stem)
WEIGHT, OTHER, UNSCALED = "0.6405", "1.0000", "0.7311"  # of the example, once q[1, 2] is 50, and without √d_k


def leave_out(person, stage, row, column):
    person.choose_cell(stage, row, column)
    person.do("leave_out")
    person.settle("exercises")


def test_cells_that_are_left_out_are_answered_in_the_map_and_in_the_panel(person, qtbot):
    leave_out(person, "weights", 1, 1)
    assert "0.6405" not in person.explanation()
    assert "0.6404" not in person.status()
    assert person.status().split("=")[1].startswith(" ?")
    assert person.find("heatmap.weights").accessibleDescription().endswith("?")
    assert person.find("heatmap.weights").cell_at(1, 1)[1].name() not in person.colors("weights", 1, 1)
    assert not person.window.isWindowModified()
    assert person.find("exercise.left").text() == "1 of 1 left"

    person.again("covering leaves the colors of other cells as they were")
    person.show_stage("scores")
    before = person.find("heatmap.scores").levels
    bar = person.window.product.maps.bar("scores")
    lettered = bar.grab().toImage()
    leave_out(person, "scores", 1, 1)
    assert person.find("heatmap.scores").levels == before
    assert bar.grab().toImage() != lettered, "an end of the bar may be the number of a covered cell"
    person.click_cell("scores", 0, 0)
    person.do("leave_out")
    person.settle("exercises")
    assert person.find("heatmap.scores").levels == before

    person.again("a wrong number typed into the map is called by its mistake and the right one uncovers the cell")
    leave_out(person, "weights", 1, 1)
    person.find("heatmap.weights").setFocus()
    person.type("0.73", end="Return")
    person.settle("exercises")
    assert person.find("exercise.verdict").text().startswith("Not yet. The scores were not scaled")
    assert person.program.document.problem.interventions == ()
    person.find("heatmap.weights").setFocus()
    person.type("0.64", end="Return")
    person.settle("exercises")
    assert person.find("exercise.left").text() == "0 of 1 left"
    assert person.find("exercise.hint").text().endswith("Every cell is right.")
    assert "0.6405" in person.explanation()
    person.click("exercise.close")
    assert not person.find("exercise").isVisible()

    person.again("the panel takes answers too and shows the right one")
    person.do("language_zh")
    leave_out(person, "head_output", 0, 1)
    leave_out(person, "scores", 0, 0)
    line = person.find("exercise.answer", QLineEdit)
    person.overwrite(line, "7")
    person.settle("exercises")
    assert person.find("exercise.verdict").text().startswith("还不对")
    person.do("language_en")
    qtbot.waitUntil(lambda: person.find("exercise.verdict").text().startswith("Not yet"))
    person.do("language_zh")
    person.click("exercise.show")
    person.settle("exercises")
    assert person.find("exercise.left").text() == "还剩 1 个，共 2 个"

    person.again("what is typed stays until another cell is asked for")
    leave_out(person, "scores", 0, 0)
    leave_out(person, "weights", 1, 1)
    line, verdict = person.find("exercise.answer", QLineEdit), person.find("exercise.verdict")
    person.overwrite(line, "0.73")
    person.settle("exercises")
    person.overwrite(line, "0.31", end="")
    person.show_stage("scaled")
    person.type_into("query", 1, 2, "2")
    person.settle("exercises")
    assert line.text() == "0.31"
    assert verdict.text().startswith("Not yet")
    person.choose_cell("scores", 0, 0)
    assert line.text() == verdict.text() == ""

    person.again("a cell is left out once")
    leave_out(person, "weights", 1, 1)
    assert not person.action("leave_out").isEnabled()
    person.click_cell("weights", 1, 0)
    assert person.action("leave_out").isEnabled()
    person.click_cell("weights", 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), "0.64")
    person.settle("exercises")
    assert person.action("leave_out").isEnabled()

    person.again("cells are left out at random by a seed and all of them answered")

    def draw(count, seed):
        def answer(dialog):
            dialog.count.setValue(99)
            assert "16" in dialog.said()
            dialog.count.setValue(count)
            dialog.seed.setValue(seed)
            dialog.accept()

        person.answering(LeaveOutDialog, answer, lambda: person.do("leave_out_random"))
        person.settle("exercises")
        return person.program.view.look.blanks

    first, other = draw(5, 1), draw(5, 2)
    assert first == draw(5, 1) != other
    evaluation = person.program.computation.evaluation
    for blank in sorted(first, key=lambda blank: (blank.stage, blank.index)):
        person.choose_cell(blank.stage, *blank.index[-2:])
        number = float(evaluation.box(blank.stage, blank.box).reshape(()))
        person.overwrite(person.find("exercise.answer", QLineEdit), f"{number:.2f}")
        person.settle("exercises")
    assert person.program.view.look.blanks == frozenset()
    person.do("end_exercise")
    assert not person.find("exercise").isVisible()

    person.again("another document ends the exercise")
    leave_out(person, "weights", 1, 1)
    person.program.files.begin_with_example("thinking")
    person.settle("exercises")
    assert person.program.view.look.blanks == frozenset()
    assert not person.find("exercise").isVisible()

    person.again("a blank goes with what it is a cell of")
    person.again("a blank", new_problem("direct", n=4, m=4, num_heads=1, d_k=3, d_v=3, fill="random"))
    leave_out(person, "head_output", 3, 2)
    person.size("d_v", 2)
    person.settle("exercises")
    assert person.program.view.look.blanks == frozenset()
    person.size("n", 2)
    person.settle("exercises")
    person.click_cell("head_output", 1, 1)
    assert f"{person.value('head_output', 1, 1):.3f}".lstrip("-") in person.status()

    # a score that is the number of a given query can be left out
    # With one column and a key of 1 the score is that number.
    one = [[1.0]]
    person.again("a score", Problem(query=[[3.0]], key=one, value=one))
    leave_out(person, "scores", 0, 0)
    assert person.status().split("=")[1].startswith(" ?")

    # what is left out of q is there again once q is given
    person.again("left out of Q", new_problem("self", n=4, m=4, num_heads=1, d_k=3, d_v=3, fill="random"))
    leave_out(person, "query", 1, 1)
    assert person.status().split("=")[1].startswith(" ?")
    person.do("make_direct")
    person.settle("exercises")
    assert not person.program.view.hides(person.program.view.look.cell)

    person.again("q k and v that are given hide nothing", "minilm-layer2.npz")
    leave_out(person, "weights", 1, 1)
    person.choose_cell("query", 0, 0)
    assert not person.action("leave_out").isEnabled()
    person.settle("exercises")
    assert f"{person.value('query', 0, 0):.3f}".replace("-", "−")[:5] in person.status()


@each("way", ["answer", "show", "close"])
def test_the_keyboard_goes_to_the_map_when_its_place_in_the_panel_is_gone(person, way):
    person.again(way)
    leave_out(person, "scores", 1, 1)
    leave_out(person, "weights", 1, 1)
    if way == "answer":
        person.overwrite(person.find("exercise.answer", QLineEdit), "0.64")
    else:
        if way == "show":
            person.overwrite(person.find("exercise.answer", QLineEdit), "7")
            person.settle("exercises")
        person.find(f"exercise.{way}").setFocus()
        person.press("Space")
    person.settle("exercises")
    assert not person.find("exercise.answer").isVisible()
    assert person.focus().objectName() == "heatmap.weights"


@each(("name", "value"), [("n", 30_011), ("m", 60_013)])
def test_a_problem_too_large_to_go_through_by_hand_ends_it_and_says_so(person, name, value):
    person.again(name, new_problem("direct", n=4, m=4, num_heads=2, d_k=3, d_v=3, fill="random"))
    leave_out(person, "weights", 1, 1)
    person.size(name, value)
    person.wait()
    assert person.program.view.look.blanks == frozenset()
    assert person.program.view.overlay is None
    assert not person.find("exercise").isVisible()
    assert "The exercise has ended" in person.banner()
    person.do("undo")
    person.settle("exercises")
    assert f"{person.value('weights', 1, 1):.6f}" in person.status()


@pytest.fixture
def gate(monkeypatch):
    """Holds every verdict up until it is opened, as a slow computer would."""
    found = Gate()
    grade = found.after(lesson_exercises.grade)
    monkeypatch.setattr(exercises, "grade", grade)
    monkeypatch.setattr(lesson_exercises, "grade", grade)
    yield found
    found.open()


def changed_meanwhile(person, gate, change):
    gate.await_work()
    change(person)
    person.wait()
    gate.open()
    person.settle("lessons", "exercises")


def type_over(person):
    person.type_into("query", 1, 2, "50")


def scale_no_more(person):
    person.pick("scale", "none")


def leave_weight_out(person, row, column):
    person.choose_cell("weights", row, column)
    person.do("leave_out")
    person.settle("lessons", "exercises")


@each(("change", "right"), [(type_over, OTHER), (scale_no_more, UNSCALED)])
def test_an_exercise_judges_by_the_numbers_that_there_are(person, gate, change, right):
    person.again(right)
    gate.close()
    leave_weight_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), WEIGHT)
    changed_meanwhile(person, gate, change)
    assert person.find("exercise.verdict").text().startswith("Not yet")
    assert person.find("exercise.left").text() == "1 of 1 left"
    person.click_cell("weights", 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), right)
    person.settle("lessons", "exercises")
    assert person.find("exercise.left").text() == "0 of 1 left"


def test_a_verdict_on_one_cell_is_not_said_of_another(person, gate):
    leave_weight_out(person, 0, 0)
    leave_weight_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), "7")
    changed_meanwhile(person, gate, lambda person: person.click_cell("weights", 0, 0))
    assert person.find("exercise.answer").isVisible()
    assert person.find("exercise.verdict").text() == ""
    assert not person.find("exercise.show").isVisible()

    person.again("a cell that is gone before its verdict is let go without a word")
    gate.close()
    leave_weight_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), WEIGHT)
    changed_meanwhile(person, gate, lambda person: person.size("n", 1))
    assert person.program.document.problem.n == 1
    assert not person.program.late.exercises.busy

    person.again("what is no number is said even where an earlier answer is still being judged")
    gate.close()
    leave_weight_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), "7")
    changed_meanwhile(person, gate, lambda person: person.overwrite(person.find("exercise.answer", QLineEdit), "a lot"))
    assert "a lot" in person.find("exercise.verdict").text()

    person.again("a right answer is said until another cell is asked for")
    gate.open()
    leave_weight_out(person, 0, 0)
    leave_weight_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), WEIGHT)
    person.settle("lessons", "exercises")
    hint = person.find("exercise.hint")
    assert hint.isVisible()
    assert hint.text().startswith("Right: 0.640")
    person.click_cell("weights", 0, 0)
    assert not hint.isVisible()
    person.click_cell("weights", 1, 0)
    assert hint.isVisible()
    assert "Right" not in hint.text()


def test_a_lesson_judges_by_the_numbers_that_there_are(launch, gate):
    person = launch()
    person.program.take_in(WORKED)
    person.settle("lessons", "exercises")
    for _ in range(3):
        person.click("lesson.skip")
        person.settle("lessons", "exercises")
    person.overwrite(person.find("lesson.answer", QLineEdit), WEIGHT)
    changed_meanwhile(person, gate, type_over)
    assert person.find("lesson.verdict").text().startswith("Not yet")
