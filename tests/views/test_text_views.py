"""Typeset formulas: crisp, in the colors of their roles, broken where they may break, readable as text and in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage, QTextLayout, QTextOption
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.stage_formulas import stage_latex
from attn_gui.figure.typesetting import AXIS, GREEK, SCALES, SIGNS, TALLER, forms, glyph, split_chain, typeset
from attn_gui.views.lesson_panel import StepText
from attn_gui.views.spine.spine_items import formula_text
from attn_gui.views.spoken_formulas import map_words, spoken
from attn_gui.views.text_views import FormulaView, Link, SentenceRun, SentenceView, WrappedLabel, runs, strong
from attn_gui.views.theme import apply_theme, style_text
from tests.failing import each

CHAIN = r"a_{10,13} = \frac{e^{s'_{10,13}-\max}}{Z} = \frac{e^{4.885-4.885}}{1.6367} = 0.6110"
pytestmark = pytest.mark.usefixtures("qapp")

LONG = (
    r"o = \frac{1}{4.9} \cdot "
    r"\left(e^{0.5} \cdot 2 + e^{1.1} \cdot \left({-4}\right) + \cdots + 3 \cdot 7\right) = 3.2"
)
SAID = "A block of 60 × 40 does not fit into W_Q (16 × 384 = 16 × 12 · 32) at row 12, so nothing was written."
SAID_ZH = "形状为 60 × 40 的数据块放不进 W_Q（16 × 384 = 16 × 12 · 32），从第 12 行起，所以什么也没有写入。"


def colors_in(image: QImage) -> list[QColor]:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return [QColor.fromRgb(int(rgb)) for rgb in np.unique(np.frombuffer(image.constBits(), np.uint32))]


def shown(qtbot: QtBot, latex: str, width: int = 400) -> FormulaView:
    view = FormulaView()
    qtbot.addWidget(view)
    view.set_formula(latex, "the same in words")
    view.resize(width, view.heightForWidth(width))
    view.show()
    return view


def test_a_chain_is_cut_before_each_equals_sign_and_nowhere_else():
    assert split_chain(CHAIN) == (
        "a_{10,13}",
        r"= \frac{e^{s'_{10,13}-\max}}{Z}",
        r"= \frac{e^{4.885-4.885}}{1.6367}",
        "= 0.6110",
    )
    assert split_chain(r"Z = \sum_{j=0}^{m} \left(a=b\right)") == ("Z", r"= \sum_{j=0}^{m} \left(a=b\right)")
    assert split_chain("= -3.2 + 4 - 5", "=+-") == ("= -3.2", "+ 4", "- 5")


def ink(latex: str, role: str) -> list[tuple[float, float]]:
    """Left and right of every outline of a role, from left to right, in em."""
    path = typeset(latex).paths.get(role)
    boxes = [polygon.boundingRect() for polygon in path.toSubpathPolygons()] if path is not None else []
    return sorted((box.left(), box.right()) for box in boxes)


@each(
    ("latex", "query", "key"),
    [
        (r"\frac{q_{10} \cdot k_{13}}{\sqrt{d_k}}", "q_{10}", "k_{13}"),
        (r"\mathrm{softmax}\left(Q K^T\right) V", "Q", "K^T V"),
        (r"w^Q_{e,4} + b^K_{4} + W_Q", "", ""),
        (r"e^{q_1 k_2}", "q_1", "k_2"),
    ],
)
def test_only_queries_and_keys_are_colored_with_their_indices(latex, query, key):
    for words, role in ((query, "query"), (key, "key")):
        assert len(ink(latex, role)) == len(ink(words, role))
        assert not ink(words, "text")


def test_numbers_stand_as_in_print():
    """A power is smaller and raised, a fraction is centered on the height of the minus, an index is lowered."""
    plain, power, index = typeset("2"), typeset("e^{2}"), typeset("a_{2}")
    assert power.ascent > plain.ascent
    assert index.descent > 0.1 > plain.descent
    assert typeset("e^{22}").width - power.width == pytest.approx(plain.width * SCALES[1])
    fraction = typeset(r"\frac{1}{2}")
    assert fraction.ascent - AXIS == pytest.approx(fraction.descent + AXIS, abs=0.2)


def test_a_sign_is_close_to_its_number_and_an_operator_is_not():
    assert typeset("-3").width < typeset("2-3").width - typeset("2").width - 0.2
    assert typeset("{-3}").width == pytest.approx(typeset("-3").width)
    assert typeset("= -3").width == pytest.approx(typeset("{} = {}").width + typeset("-3").width, abs=0.3)
    assert typeset("e^{2-3}").width < typeset("e^{2}").width + typeset("-3").width * SCALES[1] + 0.01


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
        found = colors_in(image)
        for role in (theme.query, theme.key, theme.text):
            assert any(_near(color, role) for color in found), (scheme, role.name())
    apply_theme(qapp, "light")


def test_a_chain_breaks_at_equals_when_the_panel_is_narrow(qtbot):
    view = shown(qtbot, CHAIN)
    assert view.lines(400) == 1
    assert view.lines(232) == 2
    assert view.heightForWidth(232) > view.heightForWidth(400)
    assert view.sizeHint().width() > 232


def test_a_long_sum_breaks_at_its_signs_and_stays_within_the_width(qtbot):
    terms = r" + ".join(rf"0.12{k} \cdot 0.34{k}" for k in range(6))
    view = shown(qtbot, rf"o_{{1}} = \sum_j a_j v_j = {terms} = 0.5", 232)
    assert view.lines(232) >= 4
    image = view.grab().toImage()
    assert len({image.pixelColor(image.width() - 1, y).name() for y in range(image.height())}) == 1


def test_a_formula_that_cannot_be_typeset_is_told_and_the_old_one_stays(qtbot):
    view = shown(qtbot, CHAIN)
    with pytest.raises(ValueError, match="cannot typeset"):
        view.set_formula(r"\frac{1}{", "broken")
    assert view.latex() == (CHAIN,)
    assert view.accessibleName() == "the same in words"
    assert not view.grab().isNull()


def _near(color: QColor, other: QColor) -> bool:
    return all(abs(a - b) <= 16 for a, b in zip(color.getRgb()[:3], other.getRgb()[:3], strict=True))


def test_a_sum_in_parentheses_that_is_too_wide_breaks_at_its_signs(qtbot):
    view = FormulaView()
    qtbot.addWidget(view)
    view.set_formula(LONG, "")
    wide = view.sizeHint().width()
    assert view.lines(wide) == 1
    assert view.lines(wide * 0.55) > 2
    assert len({piece.size for piece in view._laid_out(wide * 0.55)}) == 1  # nothing is made smaller


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


@each("name", ["blocks.0.attn.hook_pattern", "worked-example-worksheets.pdf"])
def test_a_long_name_breaks_behind_its_parts(qtbot, name):
    label = WrappedLabel()
    qtbot.addWidget(label)
    label.setText(f"Arrays not used: {name}.")
    layout = laid_out(label, label.fontMetrics().horizontalAdvance(name[:-2]))
    ends = [line.strip("\u200b") for line in lines(layout)][:-1]
    assert ends
    assert all(end.endswith((".", "-", "_", " used:")) for end in ends), ends


def test_a_list_of_endings_breaks_behind_each_of_them(qtbot):
    label = WrappedLabel()
    qtbot.addWidget(label)
    label.setText("或将 .attn、.npz、.safetensors、.md、.tex、.csv 文件拖放到窗口")
    assert label.text() == "或将 .attn、.npz、.safetensors、.md、.tex、.csv 文件拖放到窗口"
    layout = laid_out(label, label.fontMetrics().horizontalAdvance(".safetensors、.m"))
    assert layout.lineCount() > 3
    assert all(layout.lineAt(row).naturalTextWidth() <= layout.lineAt(row).width() for row in range(layout.lineCount()))
    assert any(line.startswith(".safetensors") for line in lines(layout))


@each("text", ("HEX", "H_Q", "E^m[1]"))
def test_a_link_stands_on_the_line_of_the_label_beside_it(text, qtbot):
    """Beside "comes from" the names of cells stood three pixels too high."""
    link, label = Link(text), QLabel("HEX")
    style_text(label, "body")
    for widget in (link, label):
        qtbot.addWidget(widget)
        widget.resize(60, link.sizeHint().height())
    assert top_of_ink(link) == top_of_ink(label)


def top_of_ink(widget: QWidget) -> int:
    """The first row of the first letter, which is a capital."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())[:, :7]
    return int(np.flatnonzero((rows != rows[0, 0]).any(axis=1))[0])


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


def test_words_that_scroll_are_cut_between_their_lines_alone(qtbot):
    """Under the verdict on a wrong answer a line of the step's text stood cut in half."""
    page = StepText()
    body = QWidget(page.viewport())
    column, views = QVBoxLayout(body), [SentenceView(body), SentenceView(body)]
    for view in views:
        view.set_sentence([strong("MMMM " * 30)])
        column.addWidget(view)
    page.hold(body)
    qtbot.addWidget(page)
    page.show()

    def cells() -> Iterator[tuple[bool, bool]]:
        """For every line in sight whether it is all there, and whether anything of it is painted."""
        image = page.viewport().grab().toImage()
        for view in views:
            for line in view.lines():
                place = line.translated(view.mapTo(page.viewport(), QPoint()))
                if image.rect().intersects(place):
                    yield image.rect().contains(place), len(colors_in(image.copy(place & image.rect()))) > 1

    for height in range(60, 110, 7):
        page.resize(300, height)
        for value in range(0, page.verticalScrollBar().maximum() + 1, 5):
            page.verticalScrollBar().setValue(value)
            assert all(whole == painted for whole, painted in cells()), (height, value)
    assert page.verticalScrollBar().maximum() > 50


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
