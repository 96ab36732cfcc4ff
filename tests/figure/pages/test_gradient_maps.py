"""Gradient maps: of the head on show, named as the tables are, and nothing said to be still that moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, compute, sensitivity
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.base import PageStyle, settled
from attn_gui.figure.pages.context import PageContext
from attn_gui.figure.pages.gradients import CheckedGradient

PAGE = PAGES["gradient_maps"]


@pytest.fixture
def random():
    return np.random.default_rng(6).standard_normal


def read(problem, stage, head, **options):
    evaluation = DenseEvaluation(problem)
    context = PageContext.at(evaluation, 0, head, stage, (0, 0))
    return PAGE.read(evaluation, replace(context, options=settled(PAGE.options, context, options)), lambda share: None)


def laid_out(content):
    return PAGE.plan(content, PageStyle(), None, None)


def test_a_bias_by_heads_shows_the_gradient_of_the_head_on_show(random):
    bias = {"kind": "bias", "values": random((2, 3, 3))}
    problem = Problem(query=random((3, 4)), key=random((3, 4)), value=random((3, 4)), num_heads=2, mask=[bias])
    found = read(problem, "weights", 1, by="tables")
    exact = sensitivity(compute(problem), "weights", (0, 1, 0, 0))["mask.0.values"]
    shown = next(one for one in found.maps if one.name == "mask.0.values")
    assert np.array_equal(shown.cells, exact[1])
    assert np.any(exact[1])
    assert laid_out(found).said.split("does not change with ")[1].startswith("V.")


def test_what_moves_through_another_head_is_not_said_to_be_still(random):
    w_output = random((4, 4))
    w_output[:2] = 0.0
    problem = Problem(query=random((3, 4)), key=random((3, 4)), value=random((3, 4)), num_heads=2, w_output=w_output)
    for by in ("tables", "steps"):
        assert "does not change with" not in laid_out(read(problem, "output", 0, by=by)).said


def test_a_column_of_a_table_is_named_as_in_the_table(random):
    tables = {name: random((4, 4)) for name in ("w_query", "w_key", "w_value")}
    problem = Problem(x=random((3, 4)), **tables, num_heads=2)
    found = read(problem, "weights", 1, by="tables")
    drawing = laid_out(found)
    number = [one.name for one in found.maps if one.largest > 0].index("w_query")
    exact = sensitivity(compute(problem), "weights", (0, 1, 0, 0))["w_query"]
    assert drawing.fields[number].columns == 2
    assert drawing.fields[number].spot(0, 1).text.startswith("∂A[0, 0]/∂W_Q[0, 3] = ")
    assert found.maps[number].cells[0, 1] == exact[0, 3]


def test_a_gradient_that_is_no_number_is_not_said_to_agree():
    assert np.isnan(CheckedGradient("query", (0, 0), np.nan, 1.0).apart)
    assert CheckedGradient("query", (0, 0), 0.0, 0.0).apart == 0.0
