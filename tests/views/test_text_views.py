"""Typeset formulas: crisp, in the colors of their roles, broken where they may break, readable as text and in words."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor, QTextLayout, QTextOption
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.formula_typesetting import AXIS, GREEK, SCALES, SIGNS, TALLER, forms, glyph, typeset
from attn_gui.figure.stage_formulas import stage_latex
from attn_gui.views.names import spoken
from attn_gui.views.spine.spine_items import formula_text
from attn_gui.views.text_views import FormulaView, SentenceRun, SentenceView, WrappedLabel, runs, strong
from attn_gui.views.theme import apply_theme
from tests.failing import each
from tests.seen import colors_of

CHAIN = r"a_{10,13} = \frac{e^{s'_{10,13}-\max}}{Z} = \frac{e^{4.885-4.885}}{1.6367} = 0.6110"
pytestmark = pytest.mark.usefixtures("qapp")

SAID = "A block of 60 × 40 does not fit into W_Q (16 × 384 = 16 × 12 · 32) at row 12, so nothing was written."
SAID_ZH = "形状为 60 × 40 的数据块放不进 W_Q（16 × 384 = 16 × 12 · 32），从第 12 行起，所以什么也没有写入。"


def shown(qtbot: QtBot, latex: str, width: int = 400) -> FormulaView:
    view = FormulaView()
    qtbot.addWidget(view)
    view.set_formula(latex, "the same in words")
    view.resize(width, view.heightForWidth(width))
    view.show()
    return view


def test_numbers_stand_as_in_print():
    """A power is smaller and raised, a fraction is centered on the height of the minus, an index is lowered."""
    plain, power, index = typeset("2"), typeset("e^{2}"), typeset("a_{2}")
    assert power.ascent > plain.ascent
    assert index.descent > 0.1 > plain.descent
    assert typeset("e^{22}").width - power.width == pytest.approx(plain.width * SCALES[1])
    fraction = typeset(r"\frac{1}{2}")
    assert fraction.ascent - AXIS == pytest.approx(fraction.descent + AXIS, abs=0.2)


def test_brackets_and_roots_grow_with_what_they_hold():
    low, high = typeset(r"\left(a\right)"), typeset(r"\left(\frac{\frac{a}{b}}{\frac{c}{d}}\right)")
    assert high.height > 2 * low.height
    for content in ("a", r"\frac{a}{b}", r"\frac{\frac{a}{b}}{\frac{c}{d}}", "a_{b_{c}}"):
        assert typeset(rf"\sqrt{{{content}}}").ascent > typeset(content).ascent
    assert typeset(r"\sum_j a").descent > typeset(r"\frac{1}{\sum_j a}").descent - 1


def test_the_font_has_every_sign_that_the_reader_knows_and_taller_brackets():
    for character in [*(sign for sign, _kind in SIGNS.values() if sign not in "{}"), *GREEK.values(), "′", "ℎ", "0"]:
        assert glyph(character).advance > 0
    for character in TALLER:
        heights = [form.ascent + form.descent for form in forms(character)]
        assert len(heights) >= 2
        assert heights == sorted(heights)


def test_the_roles_are_painted_in_the_colors_of_the_theme(qtbot, qapp):
    for scheme in ("light", "dark"):
        apply_theme(qapp, scheme)
        image = shown(qtbot, "s = q_{111} k_{222}").grab().toImage()
        theme = THEMES[scheme]
        found = colors_of(image)
        for role in (theme.query, theme.key, theme.text):
            assert any(_near(color, role) for color in found), (scheme, role.name())
    apply_theme(qapp, "light")


def test_a_long_sum_breaks_at_its_signs_and_stays_within_the_width(qtbot):
    terms = r" + ".join(rf"0.12{k} \cdot 0.34{k}" for k in range(6))
    view = shown(qtbot, rf"o_{{1}} = \sum_j a_j v_j = {terms} = 0.5", 232)
    assert view.lines(232) >= 4
    image = view.grab().toImage()
    assert len(colors_of(image.copy(image.width() - 1, 0, 1, image.height()))) == 1


def test_lines_of_a_formula_keep_apart_and_fractions_more(qtbot):
    """Below a fraction stood the powers of the next one as near as if they were its own."""
    for chain, least in ((CHAIN, 7), (r"s = a + b + c = 1 + 2 + 3", 3)):
        view = shown(qtbot, chain, 150)
        image = view.grab().toImage()
        blank = [len(colors_of(image.copy(0, y, image.width(), 1))) == 1 for y in range(image.height())]
        runs_of = [len(list(run)) for is_blank, run in groupby(blank) if is_blank]
        assert view.lines(150) > 1
        assert max(runs_of) >= least, chain


def test_a_formula_that_cannot_be_typeset_is_told_and_the_old_one_stays(qtbot):
    view = shown(qtbot, CHAIN)
    with pytest.raises(ValueError, match="cannot typeset"):
        view.set_formula(r"\frac{1}{", "broken")
    assert view.latex() == (CHAIN,)
    assert view.accessibleName() == "the same in words"
    assert not view.grab().isNull()


def _near(color: QColor, other: QColor) -> bool:
    return all(abs(a - b) <= 16 for a, b in zip(color.getRgb()[:3], other.getRgb()[:3], strict=True))


def lines(layout: QTextLayout) -> Iterator[str]:
    for k in range(layout.lineCount()):
        line = layout.lineAt(k)
        yield layout.text()[line.textStart() : line.textStart() + line.textLength()].strip(" ")


def laid_out(label: QLabel, width: int) -> QTextLayout:
    """The text of a label as Qt breaks it at word boundaries."""
    layout = QTextLayout(QLabel.text(label), label.font())
    layout.setTextOption(QTextOption())
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
    layout.endLayout()
    return layout


@each("sentence", [SAID, SAID_ZH])
@each("kind", [WrappedLabel, SentenceView])
def test_no_line_ends_inside_a_size(qtbot, sentence, kind):
    widget = kind()
    qtbot.addWidget(widget)
    if isinstance(widget, SentenceView):
        widget.set_sentence(runs("{said}", said=strong(sentence)))
    else:
        widget.setText(sentence)
    assert widget.text() == sentence
    several = 0
    for width in range(150, 700, 7):
        of_label = isinstance(widget, WrappedLabel)
        broken = list(lines(laid_out(widget, width) if of_label else widget._laid_out(width)[0]))
        several += len(broken) > 1
        assert [line for line in broken if line.startswith(("×", "·")) or line.endswith(("×", "·"))] == []
    assert several > 50


def test_a_label_is_as_high_as_its_lines(qtbot):
    label = WrappedLabel()
    qtbot.addWidget(label)
    label.setText(SAID)
    label.setFixedWidth(200)
    label.show()
    QApplication.processEvents()
    assert label.height() >= label.heightForWidth(200) > 2 * label.fontMetrics().lineSpacing()


@each("text", [("e", "^", "−∞", " = 0"), ("h", "_", "t−1", " and h")])
def test_a_script_stands_without_the_parentheses_that_hold_it_together(text, qtbot):
    """The lesson on masks wrote e to the power of (−∞)."""
    before, mark, script, after = text
    written, drawn = SentenceView(), SentenceView()
    written.set_sentence([SentenceRun(f"{before}{mark}({script}){after}")])
    drawn.set_sentence([SentenceRun(before), SentenceRun(script, script=mark), SentenceRun(after)])
    for view in (written, drawn):
        qtbot.addWidget(view)
        view.resize(200, 40)
    assert written.grab().toImage() == drawn.grab().toImage()
    assert written.text() == written.accessibleName() == f"{before}{mark}({script}){after}"


def test_a_formula_without_a_place_to_break_becomes_smaller(qtbot):
    view = shown(qtbot, r"\frac{111111111111111111111111111111}{2}", 100)
    assert view.lines(100) == 1
    assert view.heightForWidth(100) < view.heightForWidth(400)


def problem(**fields: Any) -> Problem:
    rng = np.random.default_rng(5)
    return Problem(
        query=rng.standard_normal((3, 4)), key=rng.standard_normal((5, 4)), value=rng.standard_normal((5, 2)), **fields
    )


@each(
    ("scale", "latex", "text"),
    [
        (0.25, "0.25", "0.25"), (1e-5, r"1 \cdot 10^{-5}", "1e−5"), (0.123456, "0.123456", "0.123456"),
        (0.12345678, "0.123456...", "0.123456…"), (-1.23456789e-7, r"-1.234567... \cdot 10^{-7}", "−1.234567…e−7"),
        (-3.0, "-3", "−3"),
    ],
)  # fmt: skip
def test_a_typed_scale_is_stated_as_it_is(scale, latex, text):
    evaluation = DenseEvaluation(problem(scale=scale))
    assert rf"= {latex} \cdot " in stage_latex(evaluation, "scaled")
    assert f"softmax({text} · " in formula_text(evaluation)


# --- Formulas as a screen reader says them ---


@each(
    ("latex", "said"),
    [
        (r"a_{1,1} = \frac{e^{1.155}}{e^{0.577} + e^{1.155}} = 0.6405", "a₁,₁ = e^1.155/(e^0.577 + e^1.155) = 0.6405"),
        (r"s'_{10,13} = \frac{q_{10} \cdot k_{13}}{\sqrt{32}} = 4.885", "s′₁₀,₁₃ = (q₁₀ · k₁₃)/√32 = 4.885"),
        (r"\sum_c \left(x_c - \mu\right)^{2}", "∑_c (x_c − μ)^2"),
        (r"\sum_{j} e^{s'_{10,j} - \max}", "∑_j e^(s′_(10,j) − max)"),
        (r"1.25 \cdot 10^{-7}", "1.25 · 10^−7"),
        (r"\frac{e^{s'_{2,1} - \max}}{Z}", "e^(s′₂,₁ − max)/Z"),
    ],
)
def test_every_command_has_its_words(latex, said):
    assert spoken(latex) == said


@each("sign", [sign for sign in (*SIGNS, *GREEK) if sign.startswith("\\")])
def test_what_is_typeset_as_a_sign_is_said_as_one(sign):
    assert len(spoken(sign)) == 1
