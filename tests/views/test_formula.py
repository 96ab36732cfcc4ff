"""Typeset formulas: crisp, in the colors of their roles, broken where they may break, readable as text."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QColor, QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from attn_gui.figure.tokens import THEMES
from attn_gui.views.formula import FormulaView, formula_svg
from attn_gui.views.theme import apply_theme
from attn_gui.views.typeset import RoleColors, color_roles, split_chain, typeset, unfenced

CHAIN = r"a_{10,13} = \frac{e^{s'_{10,13}-\max}}{Z} = \frac{e^{4.885-4.885}}{1.6367} = 0.6110"
COLORS = RoleColors("#101010", "#200000", "#002000")


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


def test_a_chain_is_cut_before_each_equals_sign_and_nowhere_else() -> None:
    assert split_chain(CHAIN) == (
        "a_{10,13}", r"= \frac{e^{s'_{10,13}-\max}}{Z}", r"= \frac{e^{4.885-4.885}}{1.6367}", "= 0.6110")
    assert split_chain(r"Z = \sum_{j=0}^{m} \left(a=b\right)") == ("Z", r"= \sum_{j=0}^{m} \left(a=b\right)")
    assert split_chain("= -3.2 + 4 - 5", "=+-") == ("= -3.2", "+ 4", "- 5")


@pytest.mark.parametrize(
    ("latex", "query", "key"),
    [(r"\frac{q_{10} \cdot k_{13}}{\sqrt{d_k}}", ["q_{10}"], ["k_{13}"]),
     (r"\mathrm{softmax}\left(Q K^T\right) V", ["Q"], ["K^T", "V"]),
     (r"w^Q_{e,4} + b^K_{4} + W_Q", [], []),
     (r"e^{q_1 k_2}", ["q_1"], ["k_2"])],
)
def test_only_queries_and_keys_are_colored(latex: str, query: list[str], key: list[str]) -> None:
    colored = color_roles(latex, COLORS)
    for letters, color in ((query, COLORS.query), (key, COLORS.key)):
        assert colored.count(color) == len(letters)
        for word in letters:
            assert f"{{\\color{{{color}}}{{{word}}}}}" in colored


def test_the_roles_are_painted_in_the_colors_of_the_theme(qtbot: QtBot, qapp: QApplication) -> None:
    for scheme in ("light", "dark"):
        apply_theme(qapp, scheme)
        view = shown(qtbot, "s = q_{111} k_{222}")
        image = view.grab().toImage()
        theme = THEMES[scheme]
        found = colors_in(image)
        for role in (theme.query, theme.key, theme.text):
            assert any(_near(color, role) for color in found), (scheme, role.name())
    apply_theme(qapp, "light")


def test_a_chain_breaks_at_equals_when_the_panel_is_narrow(qtbot: QtBot) -> None:
    view = shown(qtbot, CHAIN)
    assert view.lines(400) == 1
    assert view.lines(232) == 2
    assert view.heightForWidth(232) > view.heightForWidth(400)
    assert view.sizeHint().width() > 232


def test_a_long_sum_breaks_at_its_signs_and_stays_within_the_width(qtbot: QtBot) -> None:
    terms = r" + ".join(rf"0.12{k} \cdot 0.34{k}" for k in range(6))
    view = shown(qtbot, rf"o_{{1}} = \sum_j a_j v_j = {terms} = 0.5", 232)
    assert view.lines(232) >= 4
    image = view.grab().toImage()
    edge = {image.pixelColor(image.width() - 1, y).name() for y in range(image.height())}
    assert len(edge) == 1


def test_a_formula_without_a_place_to_break_becomes_smaller(qtbot: QtBot) -> None:
    view = shown(qtbot, r"\frac{111111111111111111111111111111}{2}", 100)
    assert view.lines(100) == 1
    assert view.heightForWidth(100) < view.heightForWidth(400)


def test_the_formula_can_be_read_as_text(qtbot: QtBot) -> None:
    assert shown(qtbot, CHAIN).accessibleName() == "the same in words"


def test_a_formula_that_cannot_be_typeset_is_told_and_the_old_one_stays(qtbot: QtBot) -> None:
    view = shown(qtbot, CHAIN)
    with pytest.raises(ValueError, match="cannot typeset"):
        view.set_formula(r"\frac{1}{", "broken")
    assert view.latex() == (CHAIN,)
    assert view.accessibleName() == "the same in words"
    assert not view.grab().isNull()


def test_the_svg_has_every_glyph(qapp: QApplication) -> None:
    svg = formula_svg(r"O = \mathrm{softmax}\left(\frac{Q K^T}{\sqrt{d_k}}\right) V", 15, QColor("black"))
    assert QSvgRenderer(QByteArray(svg)).isValid()
    assert svg.count(b"<path") == len("O=softmax") + 2 + len("QKT") + len("dk") + 1 + len("V")
    assert b"<symbol" not in svg


def test_typesetting_is_kept() -> None:
    assert typeset(CHAIN, 15, COLORS) is typeset(CHAIN, 15, COLORS)


def _near(color: QColor, other: QColor) -> bool:
    return all(abs(a - b) <= 16 for a, b in zip(color.getRgb()[:3], other.getRgb()[:3], strict=True))


LONG = (
    r"o = \frac{1}{4.9} \cdot "
    r"\left(e^{0.5} \cdot 2 + e^{1.1} \cdot \left({-4}\right) + \cdots + 3 \cdot 7\right) = 3.2"
)


def test_a_sum_in_parentheses_that_is_too_wide_breaks_at_its_signs(qtbot: QtBot) -> None:
    view = FormulaView()
    qtbot.addWidget(view)
    view.set_formula(LONG, "")
    wide = view.sizeHint().width()
    assert view.lines(wide) == 1
    assert view.lines(wide * 0.55) > 2
    assert all(piece.factor == 1 for piece in view._laid_out(wide * 0.55))  # nothing is made smaller


def test_only_outermost_parentheses_are_opened() -> None:
    side = split_chain(LONG)[1]
    assert split_chain(side, "+") == (side,)
    first, *rest = split_chain(unfenced(side), "+")
    assert first.endswith(r"\lparen e^{0.5} \cdot 2")
    assert rest == [r"+ e^{1.1} \cdot \left({-4}\right)", r"+ \cdots", r"+ 3 \cdot 7\rparen"]
