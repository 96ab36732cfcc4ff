"""Attention as regression: the curve beside its weights, and a kernel fitted to the points."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QTabBar, QToolButton

REGRESSION = "nadaraya-watson.npz"
PATIENCE = 120.0


def tabs(person):
    bar = person.find("inspector").findChild(QTabBar)
    return {bar.tabText(k): k for k in range(bar.count()) if bar.isTabVisible(k)}, bar


def turn(person, name):
    places, bar = tabs(person)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(places[name]).center())


@pytest.fixture
def person(launch):
    found = launch(REGRESSION)
    turn(found, "Curve")
    return found


def page(person):
    return person.window.inspector.curve


def said(person):
    return " ".join(label.text() for label in page(person).findChildren(QLabel) if label.isVisible())


def settle(person, until):
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end, "it does not come"
        QApplication.processEvents()
        time.sleep(0.002)


def test_only_a_regression_has_a_curve(launch):
    person = launch()
    assert "Curve" not in tabs(person)[0]
    again = launch(REGRESSION)
    assert "Curve" in tabs(again)[0]
    again.size("d_k", 2)
    assert "Curve" not in tabs(again)[0]
    again.press("Ctrl+Z")
    assert "Curve" in tabs(again)[0]


def test_the_curve_is_what_the_maps_hold(person):
    problem, plot = person.program.document.problem, page(person).plot
    assert plot.shown_points == list(zip(problem.key[:, 0], problem.value[:, 0], strict=True))
    x, y = plot.shown_line
    assert x.tolist() == sorted(problem.query[:, 0])
    assert y.tolist() == [person.value("head_output", row, 0) for row in np.argsort(problem.query[:, 0], kind="stable")]


def test_an_edit_moves_the_curve(person):
    before = page(person).plot.shown_line[1]
    person.type_into("value", 4, 0, "9")
    assert page(person).plot.shown_points[4][1] == 9.0
    assert (page(person).plot.shown_line[1] > before).all()


def test_a_click_on_the_plot_chooses_the_query_and_shows_what_counts_for_it(person):
    plot = page(person).plot
    assert len(set(plot.shown_shades)) == 1
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.place_of(2.02, 2.0))
    assert person.program.view.look.cell[:3] == ("head_output", 20, 0)
    shades, weights = plot.shown_shades, person.values("weights")[20]
    assert shades[int(np.argmax(weights))] == max(shades) == 255
    assert shades[int(np.argmin(weights))] == min(shades) < 60


def test_the_fitted_width_predicts_better_and_is_one_step(person):
    settle(person, lambda: "0.6516" in said(person))
    person.click("button.fit")
    settle(person, lambda: len(person.steps()) == 2)
    assert person.steps()[1].startswith("w fitted to the points: ")
    w = person.program.document.problem.score_params["w"]
    assert w > 1.5
    settle(person, lambda: "…" not in said(person))
    error = float(said(person).split("error ")[1].split()[0])
    assert error < 0.4
    person.press("Ctrl+Z")
    assert person.program.document.problem.score_params["w"] == 1.0
    settle(person, lambda: "0.6516" in said(person))


def test_a_width_that_fits_already_stays(person):
    person.click("button.fit")
    settle(person, lambda: len(person.steps()) == 2)
    person.click("button.fit")
    settle(person, lambda: "No other w" in person.status())
    assert len(person.steps()) == 2


def test_there_is_no_width_to_fit_without_a_kernel(person):
    person.pick("score", "dot")
    assert not person.find("button.fit").isVisible()
    assert page(person).plot.isVisible()


@pytest.mark.parametrize(("lang", "name"), [("en", "Curve"), ("zh", "曲线")])
def test_the_curve_is_found_in_a_narrow_window_with_large_letters(launch, lang, name):
    person = launch(REGRESSION, lang=lang, width=1024, height=700)
    for _ in range(3):
        person.program.look.step_zoom(1)
    assert person.program.look.zoom == 1.5
    person.window.resize(1024, 700)
    settle(person, lambda: person.window.width() == 1024)
    (places, bar), arrows = tabs(person), person.find("inspector").findChild(QTabBar).findChildren(QToolButton)
    if any(arrow.isVisible() for arrow in arrows):
        on = next(arrow for arrow in arrows if arrow.arrowType() == Qt.ArrowType.RightArrow)
        assert len(inks(on)) > 2  # there is something to aim at
        while on.isEnabled():
            QTest.mouseClick(on, Qt.MouseButton.LeftButton)
    room = min((arrow.x() for arrow in arrows if arrow.isVisible()), default=bar.width())
    words = bar.fontMetrics().horizontalAdvance(name)
    assert bar.tabRect(places[name]).left() >= 0
    assert bar.tabRect(places[name]).left() + words <= room
    turn(person, name)
    assert page(person).isVisible()


def inks(widget):
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
