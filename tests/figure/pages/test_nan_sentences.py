"""Pages say of NaN that it is NaN, and never make a number of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.analysis.sensitivity import Contributions
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.base import PageStyle, settled
from attn_gui.figure.pages.context import PageContext
from attn_gui.figure.pages.contributions import Parts


def said(name, problem, query=0):
    evaluation, page = DenseEvaluation(problem), PAGES[name]
    context = PageContext.at(evaluation, 0, 0, "weights", (query, 0))
    content = page.read(evaluation, replace(context, options=settled(page.options, context, {})), lambda share: None)
    return page.plan(content, PageStyle(), None, None).said


@pytest.fixture
def problem():
    arrays = {name: np.random.default_rng(3).standard_normal((4, 2)) for name in ("query", "key", "value")}
    arrays["value"][1, 0] = np.nan
    return Problem(**arrays)


def test_parts_that_are_nan_as_the_whole_is_do_not_differ_from_it(problem):
    for page in ("head_contributions", "retrieval"):
        assert "to the last bit" in said(page, problem)


def test_a_part_that_alone_is_nan_is_told(qapp):
    found = Parts("output", 0, "", Contributions(np.array([[[np.nan, 1.0]]]), None, np.array([[2.0, 1.0]])))
    note = PAGES["head_contributions"].plan(found, PageStyle(), None, None).said
    assert "by at most NaN; its largest cell is 2." in note


def test_what_depends_on_nan_is_not_said_to_depend_on_nothing(problem):
    assert "last by first token: –, –, –. " in said("dependence", problem)
    finite = problem.replace(value=np.nan_to_num(problem.value))
    assert "–" not in said("dependence", finite).split("last by first token: ")[1].split(". ")[0]


def test_a_mask_that_takes_several_layers_is_told(problem):
    finite = problem.replace(value=np.nan_to_num(problem.value), mask=[{"kind": "window", "left": 1}])
    found = said("dependence", finite)
    assert "longest path: 4, – (3), – (3)" in found
    assert "One layer of attention with this mask does not join both ends; 3 would." in found
    alone = finite.replace(mask=[{"kind": "custom", "allowed": np.eye(4, dtype=bool)}])
    assert "longest path: 4, – (3), –;" in said("dependence", alone)
    assert "does not join both ends, however many" in said("dependence", alone)
