"""No question of a lesson is answered on the screen: the number asked for is covered wherever it stands.

`test_lessons_in_sight.py` asks `given_away` at every step of every lesson.
"""

from __future__ import annotations

import re

import numpy as np
from PySide6.QtWidgets import QLineEdit

from attn_gui.engine.graph import indices
from attn_gui.engine.mistakes.grading import is_same
from attn_gui.lessons.live_numbers import cell_index
from attn_gui.paths import resource
from tests.journeys.lessons.test_lessons import WORKED, begin, state, verdict
from tests.journeys.lessons.test_lessons import settle as settle_lesson
from tests.journeys.lessons.test_nothing_given_away import copied, drawn, said

NUMBER = re.compile(r"(?<![\w.])[−-]?\d+\.\d+(?![\w.])")


def told(person):
    """Every number with decimals in the texts, tables and explanation of the window, but for those that are given."""
    lines = [*said(person), person.explanation(), person.status()]
    found = {float(text.replace("−", "-")) for line in lines for text in NUMBER.findall(line)}
    given = np.concatenate([array.ravel() for array in person.program.document.problem.arrays().values()])
    return found - {round(float(number), decimals) for number in given for decimals in (2, 3, 4, 17)}


def _place(person, cell):
    """The stage and the box of a cell as it is written."""
    stage, places = cell
    return stage, indices.cell(cell_index(person.program.computation.evaluation, stage, places))


def given_away(person):
    """Faults of the step on show: where its screen says or draws the number that is asked for."""
    question = state(person).step.question
    answer = None if question is None else question.answer
    if answer is None:
        return
    number = answer.number(state(person).end.number_source())
    if abs(number - round(number)) > 1e-9:  # others are told apart from all that is counted by nobody
        if answer.cell is not None and np.isclose(np.nan_to_num(drawn(person)), number, rtol=1e-9, atol=0).any():
            yield f"{answer.text} is drawn"
        told_too = [text for text in told(person) if is_same(text, number, question.tolerance / 2)]
        yield from (f"{answer.text} is told: {text}" for text in told_too)
    if answer.cell is not None and not np.isnan(person.program.view.shown.box(*_place(person, answer.cell))).all():
        yield f"{answer.text} is not covered"


def test_a_right_answer_uncovers_what_was_covered_and_opens_the_way_on(launch):
    person = launch()
    begin(person, WORKED)
    for _ in range(3):
        person.click("lesson.skip")
        settle_lesson(person)
    row, result = np.isnan, person.program.view.look.blanks
    assert {blank.stage for blank in result} == {"weights", "head_output", "concat", "output"}
    assert row([person.value("weights", 1, column) for column in (0, 1)]).all()
    assert row([person.value("head_output", 1, column) for column in (0, 1)]).all()
    assert person.value("weights", 0, 0) == 0.5
    assert "?" in person.explanation()
    assert "(1, 1) = ?" in person.status()
    assert not any("0.6405" in text or "0.641" in text for text in copied(person, "weights"))
    assert not person.find("lesson.next").isEnabled()
    person.overwrite(person.find("lesson.answer", QLineEdit), "0.64")
    settle_lesson(person)
    assert person.program.view.look.blanks == frozenset()
    assert "0.6405" in person.explanation()
    assert person.find("lesson.next").isEnabled()
    assert person.focus().objectName() == "lesson.next"

    person.again("an answer is taken in the map too")
    begin(person, WORKED)
    for _ in range(3):
        person.click("lesson.skip")
        settle_lesson(person)
    person.click_cell("weights", 1, 1)
    person.type("0.64")
    person.press("Return")
    settle_lesson(person)
    assert verdict(person).startswith("Correct.")

    person.again("texts tell covered numbers once they are answered")
    begin(person, resource("lessons", "11-itself.md"))
    for _ in range(2):
        person.click("lesson.skip")
        settle_lesson(person)
    panel = person.program.late.lessons._panel
    assert "the diagonal has ?, all else ?." in panel._words.paragraphs[0]
    person.overwrite(person.find("lesson.answer", QLineEdit), "0.47")
    settle_lesson(person)
    assert "the diagonal has 0.471, all else 0.264." in panel._words.paragraphs[0]
