"""Exercises in the maps: cells left out, answers typed, mistakes named, and judged by the numbers there are then."""

import pytest
from PySide6.QtWidgets import QLineEdit

from attn_gui.engine import Problem, grading
from attn_gui.engine.creation.create import new_fields
from attn_gui.lessons import exercises
from attn_gui.views.dialogs.small_dialogs import LeaveOutDialog
from tests.journeys.gate import Gate

WEIGHT, OTHER = "0.6405", "1.0000"  # of the example, and once q[1, 2] is 50


def leave_out(person, stage, row, column):
    person.choose_cell(stage, row, column)
    person.do("leave_out")
    person.settle("exercises")


def end(person):
    person.do("end_exercise")
    person.settle("exercises")


def test_cells_that_are_left_out_are_answered_in_map_and_panel_until_the_problem_is_another(person, qtbot, gate):
    gate.open()
    leave_out(person, "weights", 1, 1)
    assert "0.6405" not in person.explanation()
    assert "0.6404" not in person.status()
    assert person.status().split("=")[1].startswith(" ?")
    assert person.find("heatmap.weights").accessibleDescription().endswith("?")
    assert person.find("heatmap.weights").cell_at(1, 1)[1].name() not in person.colors("weights", 1, 1)
    assert not person.window.isWindowModified()
    assert person.find("exercise.left").text() == "1 of 1 left"

    # a wrong number typed into the map is called by its mistake, and the right one uncovers the cell
    person.find("heatmap.weights").setFocus()
    person.type("0.73", end="Return")
    person.settle("exercises")
    assert person.find("exercise.verdict").text().startswith("Not yet. The scores were not scaled")
    assert person.program.document.problem.interventions == ()
    person.find("heatmap.weights").setFocus()
    person.type("0.64", end="Return")
    person.settle("exercises")
    assert person.find("exercise.left").text() == "0 of 1 left"
    assert person.find("exercise.hint").text() == "Right: 0.6405\nEvery cell is right.", "as the explanation has it"
    assert "0.6405" in person.explanation()
    person.click("exercise.close")
    assert not person.find("exercise").isVisible()

    # an answer that begins with 1 to 9 is typed, too, and leads to no step
    leave_out(person, "head_output", 1, 0)
    person.click_cell("head_output", 1, 0)
    assert person.find("heatmap.head_output").hasFocus()
    person.type("2.28", end="Return")
    person.settle("exercises")
    assert person.find("exercise.left").text() == "0 of 1 left"
    assert person.program.view.look.stage == "head_output"
    person.find("heatmap.head_output").setFocus()
    person.press("2")
    assert person.program.view.look.stage != "head_output", "nothing is left out any more"

    # so it is in the map of what a step is computed from
    leave_out(person, "weights", 1, 0)
    person.program.view.set(stage="head_output")
    person.look()
    person.find("operand.left").setFocus()
    person.type("3", end="Return")
    person.settle("exercises")
    assert person.program.view.look.stage == "head_output"
    assert person.find("exercise.verdict").text().startswith("Not yet")

    # the panel takes answers, too, and shows the right one
    end(person)
    person.do("language_zh")
    leave_out(person, "head_output", 0, 1)
    leave_out(person, "scores", 0, 0)
    line = person.find("exercise.answer", QLineEdit)
    person.overwrite(line, "7")
    person.settle("exercises")
    assert person.find("exercise.verdict").text().startswith("还不对")
    person.do("language_en")
    qtbot.waitUntil(lambda: person.find("exercise.verdict").text().startswith("Not yet"))
    person.click("exercise.show")
    person.settle("exercises")
    assert person.find("exercise.left").text() == "1 of 2 left"

    # what is typed stays until another cell is asked for
    end(person)
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

    steps, first, other = person.steps(), draw(2, 1), draw(2, 2)
    assert first == draw(2, 1) != other
    evaluation = person.program.computation.evaluation
    person.type("77", end="Return")  # at once
    person.settle("exercises")
    assert (person.program.view.chosen_blank() in first, person.steps()) == (True, steps)
    assert person.find("exercise.verdict").text().startswith("Not yet")
    for blank in sorted(first, key=lambda blank: (blank.stage, blank.index)):
        person.choose_cell(blank.stage, *blank.index[-2:])
        number = float(evaluation.box(blank.stage, blank.box).reshape(()))
        person.overwrite(person.find("exercise.answer", QLineEdit), f"{number:.2f}")
        person.settle("exercises")
    assert person.program.view.look.blanks == frozenset()
    person.do("end_exercise")
    assert not person.find("exercise").isVisible()

    # another document ends the exercise
    leave_out(person, "weights", 1, 1)
    person.program.files.open_example_unasked("thinking")
    person.settle("exercises")
    assert person.program.view.look.blanks == frozenset()
    assert not person.find("exercise").isVisible()

    person.again(
        "a blank goes with what it is a cell of",
        Problem.over(new_fields("direct", n=4, m=4, num_heads=1, d_k=3, d_v=3, fill="random")),
    )
    leave_out(person, "head_output", 3, 2)
    person.size("d_v", 2)
    person.settle("exercises")
    assert person.program.view.look.blanks == frozenset()
    person.size("n", 2)
    person.settle("exercises")
    person.click_cell("head_output", 1, 1)
    assert f"{person.value('head_output', 1, 1):.3f}".lstrip("-") in person.status()

    small = Problem.over(new_fields("direct", n=4, m=4, num_heads=2, d_k=3, d_v=3, fill="random"))
    person.again("a small one", small)
    leave_out(person, "weights", 1, 1)
    person.size("n", 30_011)
    person.wait()
    assert person.program.view.look.blanks == frozenset()
    assert person.program.view.overlay is None
    assert not person.find("exercise").isVisible()
    assert "The exercise has ended" in person.banner()
    person.do("undo")
    person.settle("exercises")
    assert f"{person.value('weights', 1, 1):.6f}" in person.status()

    person.again("a verdict is by the numbers that there are and not said of another cell")
    gate.close()
    leave_weight_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), WEIGHT)
    changed_meanwhile(person, gate, lambda person: person.type_into("query", 1, 2, "50"))
    assert person.find("exercise.verdict").text().startswith("Not yet")
    assert person.find("exercise.left").text() == "1 of 1 left"
    person.click_cell("weights", 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), OTHER)
    person.settle("lessons", "exercises")
    assert person.find("exercise.left").text() == "0 of 1 left"

    # a verdict on one cell is not said of another
    end(person)
    gate.close()
    leave_weight_out(person, 0, 0)
    leave_weight_out(person, 1, 1)
    person.overwrite(person.find("exercise.answer", QLineEdit), "7")
    changed_meanwhile(person, gate, lambda person: person.click_cell("weights", 0, 0))
    assert person.find("exercise.answer").isVisible()
    assert person.find("exercise.verdict").text() == ""
    assert not person.find("exercise.show").isVisible()


@pytest.fixture
def gate(monkeypatch):
    """Holds every verdict up until it is opened, as a slow computer would."""
    found = Gate()
    grade = found.after(grading.grade)
    for module in (grading, exercises):
        monkeypatch.setattr(module, "grade", grade)
    yield found
    found.open()


def changed_meanwhile(person, gate, change):
    gate.await_work()
    change(person)
    person.wait()
    gate.open()
    person.settle("lessons", "exercises")


def leave_weight_out(person, row, column):
    person.choose_cell("weights", row, column)
    person.do("leave_out")
    person.settle("lessons", "exercises")
