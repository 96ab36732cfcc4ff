"""Verdicts on the number that was typed as the answer to a question."""

from __future__ import annotations

from attn_gui.engine.mistakes.grading import Verdict, grade, grade_root, is_same

from .lesson import Question
from .live_expression import cell_index
from .measures import Ground


def verdict_on(question: Question, ground: Ground, number: float) -> Verdict:
    """The verdict on a number; of one cell of a stage with the usual mistake that gives it.

    Raises ExpressionError where the present problem does not have what is asked for.
    """
    assert question.answer is not None
    cell = question.answer.cell
    if cell is not None:
        evaluation = ground.evaluation
        return grade(evaluation, cell[0], cell_index(evaluation, *cell), number, question.tolerance)
    expected = question.answer.number(ground)
    if question.answer.root:
        return grade_root(number, expected, question.tolerance)
    return Verdict(number, expected, right=is_same(number, expected, question.tolerance))
