"""Formulas of stages in words and over maps: what they state is so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.views.spine.spine_items import formula_text
from attn_gui.views.stage_formulas import map_words, stage_latex


def problem(**fields: Any) -> Problem:
    rng = np.random.default_rng(5)
    return Problem(
        query=rng.standard_normal((3, 4)), key=rng.standard_normal((5, 4)), value=rng.standard_normal((5, 2)), **fields
    )


@pytest.mark.parametrize(
    ("scale", "latex", "text"),
    [
        (0.25, "0.25", "0.25"),
        (1e-5, r"1 \cdot 10^{-5}", "1e−5"),
        (0.123456, "0.123456", "0.123456"),
        (0.12345678, "0.123456...", "0.123456…"),
        (-1.23456789e-7, r"-1.234567... \cdot 10^{-7}", "−1.234567…e−7"),
        (-3.0, "-3", "−3"),
    ],
)
def test_a_typed_scale_is_stated_as_it_is(scale, latex, text):
    evaluation = Evaluation(problem(scale=scale))
    assert rf"= {latex} \cdot " in stage_latex(evaluation, "scaled")
    assert f"softmax({text} · " in formula_text(evaluation)


def test_no_formula_makes_a_difference():
    before, after = Evaluation(problem()), Evaluation(problem(scale=2))
    assert "A = softmax" in map_words(after, "weights")
    assert "=" not in map_words(Difference(before, after), "weights")
