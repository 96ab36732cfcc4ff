"""The table of terms: sorted by size, the tail in one row, every number a way to its cell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from attn_gui.engine import Problem, compute
from attn_gui.figure.design_tokens import SIGNED_STOPS, THEMES
from attn_gui.views.inspector.inspector import Inspector
from attn_gui.views.inspector.terms import TermsView
from attn_gui.views.theme import apply_theme, scaled, ui_font
from tests.failing import each
from tests.views.inspector.conftest import KEYS

Make = Callable[..., Problem]
Shown = Callable[..., Inspector]


def table(inspector: Inspector) -> TermsView:
    return inspector.findChild(TermsView)


def texts(view: TermsView) -> list[list[str]]:
    model = view.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())] for row in range(model.rowCount())
    ]


def headers(view: TermsView) -> list[str]:
    return [view.model().headerData(k, Qt.Orientation.Horizontal) for k in range(view.model().columnCount())]


def wide(make: Make, width: int = 32) -> Problem:
    """One head whose dot product of query 2 and key 3 has `width` products of distinct sizes."""
    query, key = np.zeros((5, width)), np.ones((7, width))
    query[2] = [(k + 1) * (-1) ** k for k in range(width)]
    return make(query=query, key=key, value=np.ones((7, 2)), num_heads=1)


@each("normalize", ["none", "sigmoid", "sum"])
def test_weights_of_every_normalization_stand_beside_those_of_the_other_keys(
    shown: Shown, make: Make, normalize: str
) -> None:
    problem = make(normalize=normalize, mask=[{"kind": "causal"}])
    inspector = shown(problem, "weights", 2, 1)
    view, trace = table(inspector), compute(problem)
    keys = [k for k in range(3) if trace["weights"][0, 1, 2, k] != 0]
    order = sorted(keys, key=lambda k: -trace["weights"][0, 1, 2, k])
    assert view.isVisible()
    assert headers(view) == ["key", "s\u1d50", "a"]
    assert [row[0] for row in texts(view)] == [KEYS[k] for k in order]
    for row, k in zip(texts(view), order, strict=True):
        numbers = [float(text.replace("−", "-")) for text in row[1:]]
        assert numbers == pytest.approx([trace[stage][0, 1, 2, k] for stage in ("masked", "weights")], abs=6e-5)
    assert view.terms().signed() == (normalize == "none")


def test_products_name_their_cells_and_stand_by_magnitude(shown: Shown, make: Make) -> None:
    view = table(shown(wide(make, 7), "scores", 2, 3, head=0))
    assert headers(view) == ["", "Q[2, c]", "K[3, c]", "q·k"]
    assert [row[0] for row in texts(view)] == [f"c = {k}" for k in range(6, -1, -1)]
    assert [row[3] for row in texts(view)][:3] == ["7", "−6", "5"]


def test_printed_factors_give_their_printed_product(shown: Shown, make: Make) -> None:
    scores = np.array([[1 / np.sqrt(3), 2 / np.sqrt(3)]])
    worked = make(
        query=np.array([[1.0]]), key=scores.T, value=np.array([[1.0], [3.0]]), num_heads=1, scale=1.0,
        query_tokens=None, key_tokens=None,
    )  # fmt: skip
    rows = texts(table(shown(worked, "head_output", 0, 0, head=0)))
    assert rows == [["1", "0.6405", "3", "1.921"], ["0", "0.3595", "1", "0.360"]]
    for row in texts(table(shown(make(), "head_output", 2, 1))):
        weight, value, product = (float(text.replace("−", "-")) for text in row[1:])
        assert abs(weight * value - product) <= 0.0005 + 1e-9, row
    digits = {len(row[1].partition(".")[2]) for row in rows}
    assert len(digits) == 1


def test_addends_of_different_matrices_are_named_one_by_one(shown: Shown, make: Make, qtbot: QtBot) -> None:
    inspector = shown(make(mask=({"kind": "alibi"},)), "biased", 4, 1)
    view = table(inspector)
    assert headers(view) == ["", "value"]
    assert {row[0] for row in texts(view)} == {"S′[4, 1]", "B[4, 1]"}
    assert view.accessibleName() == "Terms"
    row = [row[0] for row in texts(view)].index("S′[4, 1]")
    with qtbot.waitSignal(inspector.cellRequested) as caught:
        place = view.visualRect(view.model().index(row, 1)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == ["scaled", (0, 1, 4, 1)]


def test_a_long_list_ends_with_its_tail_which_opens(shown: Shown, make: Make, qtbot: QtBot) -> None:
    inspector = shown(wide(make), "scores", 2, 3, head=0)
    view = table(inspector)
    assert view.model().rowCount() == 11
    last = texts(view)[-1]
    assert last[0] == "22 more"
    assert float(last[3].replace("−", "-")) == sum((k + 1) * (-1) ** k for k in range(22))
    assert view.accessibleName() == "Terms q·k, 10 of 32"
    with qtbot.assertNotEmitted(inspector.cellRequested):
        tail = view.visualRect(view.model().index(10, 0)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=tail)
    assert view.model().rowCount() == 32
    assert view.accessibleName() == "Terms q·k"


def test_the_tail_stays_open_within_a_stage_and_closes_for_another(
    shown: Shown, make: Make, explain_in: Callable[..., None]
) -> None:
    inspector = shown(wide(make), "scores", 2, 3, head=0)
    view = table(inspector)
    view.terms().expand()
    explain_in(inspector, wide(make), "scores", 2, 4, head=0)
    assert view.model().rowCount() == 32
    explain_in(inspector, wide(make), "weights", 2, 4, head=0)
    explain_in(inspector, wide(make), "scores", 2, 4, head=0)
    assert view.model().rowCount() == 11


def test_bars_are_colored_by_sign_and_the_chosen_key_stands_out(shown: Shown, make: Make) -> None:
    view = table(shown(wide(make, 7), "scores", 2, 3, head=0))
    stops = dict(SIGNED_STOPS["light"])
    assert _bar(view, 0) == QColor(stops[0.6])
    assert _bar(view, 1) == QColor(stops[-0.6])
    weights = table(shown(make(key=np.zeros((7, 6))), "weights", 2, 0))
    assert _bar(weights, 0) == THEMES["light"].key
    assert _bar(weights, 1) == THEMES["light"].text3


def test_wild_numbers_are_listed_first_and_break_nothing(shown: Shown, make: Make) -> None:
    query = np.ones((5, 6))
    query[2, 3:] = [np.nan, np.inf, 1e300]
    view = table(shown(make(query=query), "scores", 2, 3))
    assert texts(view)[0][3] == "NaN"
    assert texts(view)[1][1] == "+∞"
    assert "e300" in texts(view)[2][1]
    assert not view.grab().isNull()


def test_infinities_of_both_signs_in_the_tail_make_no_number(shown: Shown, make: Make) -> None:
    problem = wide(make)
    query = problem.query.copy()
    query[2, :30] *= np.inf
    view = table(shown(problem.replace(query=query), "scores", 2, 3, head=0))
    assert texts(view)[-1][0] == "22 more"
    assert texts(view)[-1][3] == "NaN"


def _bar(view: TermsView, row: int) -> QColor:
    last = view.model().columnCount() - 1
    rect = view.visualRect(view.model().index(row, last))
    image = view.viewport().grab().toImage()
    return image.pixelColor(rect.left() + view.value_width() + 1, rect.center().y())


@each("zoom", [1.0, 1.5])
@each("width", [232, 302])
def test_no_name_of_a_product_is_cut(
    qapp: QApplication, shown: Shown, make_projected: Make, width: int, zoom: float
) -> None:
    apply_theme(qapp, "light", zoom)
    try:
        view = table(shown(make_projected(), "query", 2, 1, head=0, width=round(width * (zoom + 1) / 2)))
        letters = QFontMetrics(ui_font("body", tabular=True))
        for row in range(view.model().rowCount()):
            for column in range(view.model().columnCount()):
                text = view.model().index(row, column).data()
                room = sum(view.columnWidth(k) for k in range(column, column + view.columnSpan(row, column)))
                assert letters.horizontalAdvance(text) <= room - 2 * scaled(5), text
    finally:
        apply_theme(qapp, "light", 1.0)


def test_what_takes_too_much_room_says_less(shown: Shown, make: Make) -> None:
    inspector = shown(wide(make), "scores", 2, 3, head=0, width=420)
    view = table(inspector)
    assert (headers(view)[0], texts(view)[0][:2]) == ("", ["c = 31", "−32"])
    view.resize(160, 300)
    assert (headers(view)[0], texts(view)[0][0]) == ("c", "31")
    assert texts(view)[-1][0] == "22 more"
    assert view.columnSpan(10, 0) == 3  # the tail has the room of the numbers it has not
    view.resize(400, 300)
    assert texts(view)[0][:2] == ["c = 31", "−32"]


def test_a_name_that_is_cut_is_told_in_full(shown: Shown, make: Make) -> None:
    view = table(shown(make(key_tokens=("a" * 60, *"bcdefg")), "head_output", 2, 1, width=232))
    tips = [view.model().index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in range(7)]
    assert "a" * 60 in tips


def test_the_keyboard_follows_a_term(shown: Shown, make: Make, qtbot: QtBot) -> None:
    inspector = shown(make(), "weights", 2, 1)
    view = table(inspector)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Down)
    key = view.currentIndex().siblingAtColumn(0).data()
    with qtbot.waitSignal(inspector.cellRequested) as caught:
        QTest.keyClick(view, Qt.Key.Key_Return)
    name, index = caught.args
    assert (name, index[:3]) == ("scaled", (0, 1, 2))
    assert ("a", "b", "c", "<b>d</b>", "e", "f", "g")[index[3]] == key


def test_a_symbol_in_the_header_has_its_subscript_low(shown: Shown, make_projected: Make) -> None:
    """It stood as W_Q[c, 1] there, with the sign, and everywhere else with a low Q."""
    view = table(shown(make_projected(), "query", 2, 1))
    section = headers(view).index("W_Q[c, 4]")
    header, metrics = view.horizontalHeader(), QFontMetrics(ui_font("small"))
    place = QRect(header.sectionViewportPosition(section), 0, header.sectionSize(section), header.height())
    image = (
        header.viewport().grab(place.adjusted(2, 2, -2, -2)).toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    )
    ground = image.pixelColor(0, 0)
    columns = [x for x in range(image.width()) if any(image.pixelColor(x, y) != ground for y in range(image.height()))]
    ink = (columns[-1] - columns[0] + 1) / image.devicePixelRatio()
    assert columns, "it is painted"
    assert ink <= metrics.horizontalAdvance("WQ[c, 4]")
