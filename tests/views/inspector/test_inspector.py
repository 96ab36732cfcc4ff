"""The panel as a whole: place, formula, neighbors, copying, the first page, keyboard."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.engine import Problem
from attn_gui.views.inspector.cell_links import Relations
from attn_gui.views.inspector.cell_relations import ReachedBoxes, reaches
from attn_gui.views.inspector.inspector import Inspector
from attn_gui.views.inspector.terms import TermsView
from attn_gui.views.text_views import FormulaView, Link
from attn_gui.views.widgets import FittingPage
from tests.failing import each

Make = Callable[..., Problem]
Shown = Callable[..., Inspector]


def links(inspector: Inspector) -> dict[str, Link]:
    return {link.text(): link for link in inspector.findChildren(Link) if link.isVisible()}


def page_of(inspector: Inspector) -> FittingPage:
    """The explanation, without the page that covers it in a lesson."""
    return inspector.findChild(FittingPage, "inspector.page")


def formula(inspector: Inspector) -> str:
    return " ".join(page_of(inspector).findChild(FormulaView).latex())


def words(inspector: Inspector) -> set[str]:
    return {label.text() for label in inspector.findChildren(QLabel) if label.isVisible()}


def table(inspector: Inspector) -> TermsView:
    return inspector.findChild(TermsView)


def neighbors(inspector: Inspector) -> list[str]:
    """What a cell comes from and reaches, in order."""
    return [link.text() for link in inspector.findChild(Relations).findChildren(Link) if link.isVisible()]


def activate(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.activateWindow()
    qtbot.waitUntil(inspector.isActiveWindow)


@each(
    ("stage", "row", "column", "expected"),
    [
        ("scores", 2, 3, ["Q[2, ·]", "K[3, ·]", "S′[2, 3]", "A[2, ·]", "O[2, ·]", "concat[2, 2 … 3]"]),
        ("scaled", 2, 3, ["Q[2, ·]", "K[3, ·]", "A[2, ·]", "O[2, ·]", "concat[2, 2 … 3]"]),
        ("head_output", 2, 1, ["A[2, ·]", "V[·, 3]", "concat[2, 3]"]),
        ("query", 2, 1, ["S[2, ·]", "S′[2, ·]", "A[2, ·]", "O[2, ·]", "concat[2, 2 … 3]"]),
        ("key", 2, 1, ["S[·, 2]", "S′[·, 2]", "A[·, ·]", "O[·, ·]", "concat[·, 2 … 3]"]),
    ],
)
def test_rows_and_columns_are_one_link_to_the_last_stage(
    shown: Shown, make: Make, stage: str, row: int, column: int, expected: list[str]
) -> None:
    assert neighbors(shown(make(), stage, row, column)) == expected


def test_one_equation_stays_for_the_next_cell_that_has_one_and_other_cells_are_copied_as_they_are(
    shown: Shown, make: Make, explain_in: Callable[..., None]
) -> None:
    inspector, copied = shown(make(), "weights", 2, 1), list[str]()
    inspector.copyRequested.connect(copied.append)
    one, copy = (inspector.findChild(QPushButton, f"inspector.{name}") for name in ("one_equation", "copy"))
    QTest.keyClick(one, Qt.Key.Key_Space)
    for stage in ("weights", "scores", "head_output"):  # scores are no such sum
        explain_in(inspector, make(), stage, 2, 1)
        copy.menu().actions()[0].trigger()
    assert copied == ["query_text", "text", "query_text"]
    assert r"\frac{1}{Z}" in formula(inspector)


def test_what_is_no_rectangle_is_counted(shown: Shown, make_projected: Make) -> None:
    inspector = shown(make_projected(), "query", 2, 1)
    x = ReachedBoxes(
        "scores",
        ((slice(0, 1), slice(0, 2), slice(2, 3), slice(0, 5)), (slice(0, 1), slice(0, 2), slice(0, 5), slice(2, 3))),
        (1, 2, 5, 5),
    )
    assert reaches((x,), head=1)[0].text == "S, 9 cells"
    assert reaches((x,), head=1)[0].index == (0, 1, 2, 0)
    assert "S[2, ·]" in neighbors(inspector)


def one_equation(inspector: Inspector) -> QPushButton:
    return inspector.findChild(QPushButton, "inspector.one_equation")


def test_everything_is_reached_by_tab_in_reading_order(
    shown: Shown, make: Make, explain_in: Callable[..., None], qtbot: QtBot
) -> None:
    inspector = shown(make(), "weights", 2, 1)
    explain_in(inspector, make(), "weights", 2, 1, trail=[("scaled", 2, 1)])
    activate(inspector, qtbot)
    links(inspector)["S′[2, 1]"].setFocus()
    met = []
    for _ in range(10):
        here = QApplication.focusWidget()
        met.append(here.objectName() or here.text())
        QTest.keyClick(here, Qt.Key.Key_Tab)
    assert met[0] == "S′[2, 1]"
    assert met[1:3] == ["inspector.walk", "inspector.terms"]
    assert met[3].startswith("S′[2, 1] = ")
    assert met[4:] == [
        "O[2, ·]",
        "concat[2, 2 … 3]",
        "inspector.origin",
        "inspector.reach",
        "inspector.copy",
        "inspector.one_equation",
    ]


def test_following_an_edit_keeps_the_keyboard_where_it_is(
    shown: Shown, make: Make, explain_in: Callable[..., None], qtbot: QtBot
) -> None:
    inspector = shown(make(), "weights", 2, 1)
    activate(inspector, qtbot)
    link = links(inspector)["O[2, ·]"]
    link.setFocus()
    explain_in(inspector, make(scale=0.5), "weights", 2, 1)
    assert QApplication.focusWidget() is link


def test_the_first_page_offers_steps_and_the_way_to_the_start_page(qtbot: QtBot) -> None:
    inspector = Inspector()
    qtbot.addWidget(inspector)
    inspector.resize(326, 700)
    inspector.show()
    qtbot.waitExposed(inspector)
    assert "No cell chosen" in words(inspector)
    found = links(inspector)
    assert set(found) == {"Start page"}
    with qtbot.waitSignal(inspector.startRequested):
        QTest.keyClick(found["Start page"], Qt.Key.Key_Space)


def test_what_does_not_fit_scrolls_as_one_and_nothing_gives_way(shown: Shown, make: Make) -> None:
    inspector = shown(make(), "weights", 2, 1, width=248)
    page = inspector.findChild(FittingPage, "inspector.page")
    parts, relations, terms = (
        page_of(inspector).findChildren(FormulaView)[1],
        inspector.findChild(Relations),
        table(inspector),
    )
    for height in (900, 500, 300, 200):
        inspector.resize(248, height)
        QApplication.processEvents()
        assert terms.verticalScrollBar().maximum() == 0
        for widget in (parts, relations, terms, *relations.links()):
            page.ensureWidgetVisible(widget)
            assert widget.isVisible()
            assert not widget.visibleRegion().isEmpty(), (height, widget)
    inspector.resize(248, 400)
    QApplication.processEvents()
    assert page.verticalScrollBar().maximum() > 0
    page.verticalScrollBar().setValue(0)
    _wheel_over(terms)
    assert page.verticalScrollBar().value() > 0


def _wheel_over(widget: QAbstractScrollArea) -> None:
    """One notch down over a table, which goes on to whoever can scroll."""
    window = widget.window()
    place = widget.viewport().mapTo(window, QPoint(9, 9))
    QTest.wheelEvent(window.windowHandle(), QPointF(place), QPoint(0, -120))
    QApplication.processEvents()


def test_a_long_trail_keeps_where_it_began(shown: Shown, make: Make, explain_in: Callable[..., None]) -> None:
    inspector = shown(make(), "weights", 2, 1)
    explain_in(inspector, make(), "query", 2, 0, trail=[("head_output", 2, k % 2) for k in range(6)])
    assert "O[2, 0]" in links(inspector)
    assert "… ›" in words(inspector)
    assert len([link for text, link in links(inspector).items() if text.startswith("O[2, ")]) <= 4


def test_a_link_to_a_row_leads_to_the_term_that_matters_most(shown: Shown, make: Make, qtbot: QtBot) -> None:
    query, key = np.full((5, 6), 0.1), np.full((7, 6), 0.1)
    query[2, 5] = key[1, 5] = 3.0  # head 1, column 2 of it
    inspector = shown(make(query=query, key=key), "scores", 2, 1)
    with qtbot.waitSignal(inspector.cellRequested) as caught:
        QTest.mouseClick(links(inspector)["Q[2, ·]"], Qt.MouseButton.LeftButton)
    assert caught.args == ["query", (0, 2, 5)]


@each("width", [232, 302])
def test_no_word_is_cut_at_the_widths_of_the_look(shown: Shown, make: Make, width: int) -> None:
    inspector = shown(make(), "scaled", 2, 1, width=width)
    assert inspector.minimumSizeHint().width() <= width
    for widget in inspector.findChildren(QWidget):
        if widget.isVisible() and isinstance(widget, (Link, QPushButton, QLabel)):
            assert widget.width() >= widget.sizeHint().width(), widget.text()
