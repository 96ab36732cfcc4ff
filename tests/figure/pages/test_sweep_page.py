"""The page of a sweep names the row that it reads, and its values apart from one another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.base import PageStyle, settled
from attn_gui.figure.pages.context import PageContext
from attn_gui.figure.pages.sweep import value_text
from attn_gui.formats import save_session
from tests.failing import each

PAGE = PAGES["sweep"]


def test_of_random_numbers_the_row_that_is_read_is_named():
    random = np.random.default_rng(3).standard_normal
    names = tuple(f"t{place}" for place in range(600))
    arrays = {name: random((600, 2)) for name in ("query", "key", "value")}
    problem = Problem(**arrays, num_heads=2, query_tokens=names, key_tokens=names)
    evaluation = DenseEvaluation(problem)
    context = PageContext.at(evaluation, 0, 1, "weights", (590, 595))
    context = replace(context, options=settled(PAGE.options, context, {"quantity": "d_k", "steps": 2}))
    content = PAGE.read(evaluation, context, lambda share: None)
    assert PAGE.plan(content, PageStyle(), None, None).said.split(". ")[1] == "query 511"


@each(
    ("values", "texts"),
    [
        ([1000, 1000.25, 1000.5, 1000.75, 1001], ["1000", "1000.2", "1000.5", "1000.8", "1001"]),
        (np.linspace(0, 1, 25)[:3], ["0", "0.0417", "0.0833"]),
        ([0, 1500, 4095], ["0", "1500", "4095"]),
        ([0, 0], ["0", "0"]),
        ([-2e-9, 0, 2e-9], ["−2e−09", "0", "2e−09"]),
    ],
)
def test_values_of_a_sweep_are_told_apart(values, texts):
    assert [value_text(np.array(values, float), place) for place in range(len(values))] == texts


def test_a_number_of_hundreds_of_digits_is_refused_with_a_sentence(tmp_path, capsys):
    save_session(Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2)), tmp_path / "a.attn")
    call = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--page", "sweep"]
    for setting in ("steps=1" + 400 * "0", "low=1" + 400 * "0"):
        assert main([*call, "--set", setting]) == 2
        assert "cannot be '1000" in capsys.readouterr().err
    assert main([*call, "--set", "low=-1e308", "high=1e308", "steps=3", "--dpi", "40"]) in (0, 2)
