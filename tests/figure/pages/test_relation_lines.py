"""The page of relations says how much of all weight its lines are, whatever the rows add up to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.base import PageStyle, settled
from attn_gui.figure.pages.context import PageContext
from tests.failing import each

PAGE = PAGES["relations"]


def note(problem, **options):
    evaluation = DenseEvaluation(problem)
    context = PageContext.at(evaluation, 0, 0, "weights", None)
    content = PAGE.read(
        evaluation, replace(context, options=settled(PAGE.options, context, options)), lambda share: None
    )
    return PAGE.plan(content, PageStyle(), None, None).said


def by_hand(row):
    return [{"kind": "set", "stage": "weights", "at": {"query": 0}, "values": np.array(row)}]


@each(
    ("changed", "said"),
    [
        ({"sink": [3.0]}, "The 12 lines carry 100 %"),
        ({"mask": [{"kind": "custom", "allowed": np.array([[True], [False], [True]])}]}, "The 8 lines carry 100 %"),
        ({"interventions": by_hand([1.0, 2.0, 0.0, 0.0])}, "The 10 lines carry 100 %"),
        ({"interventions": by_hand([1e308] * 4)}, "The 12 lines carry 100 %"),
        ({"mask": [{"kind": "custom", "allowed": np.zeros((3, 4), bool)}]}, "The 0 lines carry 0 %"),
    ],
)
def test_the_share_is_that_of_all_weight_there_is(changed, said):
    random = np.random.default_rng(3).standard_normal
    problem = Problem(query=random((3, 2)), key=random((4, 2)), value=random((4, 2)), **changed)
    assert said in note(problem, least=0.0, most=4)


def test_without_a_line_no_keys_are_said_to_be_led_to():
    random = np.random.default_rng(3).standard_normal
    problem = Problem(query=np.zeros((2, 2)), key=random((50, 2)), value=random((50, 2)))
    assert "The 0 lines carry 0 %" in note(problem)
    assert "The first 40 of 50 keys." in note(problem)
