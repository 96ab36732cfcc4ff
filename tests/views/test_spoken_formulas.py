"""Formulas of stages in words and over maps: what they state is so."""

from __future__ import annotations

from typing import Any

import numpy as np

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.figure.stage_formulas import stage_latex
from attn_gui.figure.typesetting import GREEK, SIGNS
from attn_gui.views.spine.spine_items import formula_text
from attn_gui.views.spoken_formulas import map_words, spoken
from tests.failing import each


def problem(**fields: Any) -> Problem:
    rng = np.random.default_rng(5)
    return Problem(
        query=rng.standard_normal((3, 4)), key=rng.standard_normal((5, 4)), value=rng.standard_normal((5, 2)), **fields
    )


@each(
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
    evaluation = DenseEvaluation(problem(scale=scale))
    assert rf"= {latex} \cdot " in stage_latex(evaluation, "scaled")
    assert f"softmax({text} · " in formula_text(evaluation)


def test_no_formula_makes_a_difference():
    before, after = DenseEvaluation(problem()), DenseEvaluation(problem(scale=2))
    assert "A = softmax" in map_words(after, "weights")
    assert "=" not in map_words(Difference(before, after), "weights")


# --- Formulas as a screen reader says them ---


@each(
    ("latex", "said"),
    [
        (r"a_{1,1} = \frac{e^{1.155}}{e^{0.577} + e^{1.155}} = 0.6405", "a₁,₁ = e^1.155/(e^0.577 + e^1.155) = 0.6405"),
        (r"s'_{10,13} = \frac{q_{10} \cdot k_{13}}{\sqrt{32}} = 4.885", "s′₁₀,₁₃ = (q₁₀ · k₁₃)/√32 = 4.885"),
        (r"{-2} \cdot {-3} + \cdots", "−2 · −3 + …"),
        (r"\sum_c \left(x_c - \mu\right)^{2}", "∑_c (x_c − μ)^2"),
        (r"\sum_{j} e^{s'_{10,j} - \max}", "∑_j e^(s′_(10,j) − max)"),
        (r"\tanh\left(0.5 + 1\right)", "tanh(0.5 + 1)"),
        (r"1.25 \cdot 10^{-7}", "1.25 · 10^−7"),
        (r"\mathrm{NaN}", "NaN"),
        (r"\frac{e^{s'_{2,1} - \max}}{Z}", "e^(s′₂,₁ − max)/Z"),
        (r"\frac{\frac{1 + 2}{3}}{4}", "((1 + 2)/3)/4"),
        ("", ""),
    ],
)
def test_every_command_has_its_words(latex, said):
    assert spoken(latex) == said


@each("sign", [sign for sign in (*SIGNS, *GREEK) if sign.startswith("\\")])
def test_what_is_typeset_as_a_sign_is_said_as_one(sign):
    assert len(spoken(sign)) == 1
