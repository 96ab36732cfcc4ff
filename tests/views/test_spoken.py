"""Formulas as a screen reader says them."""

from __future__ import annotations

import pytest

from attn_gui.figure.typesetting import GREEK, SIGNS
from attn_gui.views.stage_formulas import spoken


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("sign", [sign for sign in (*SIGNS, *GREEK) if sign.startswith("\\")])
def test_what_is_typeset_as_a_sign_is_said_as_one(sign):
    assert len(spoken(sign)) == 1
