"""Attention as regression: the curve beside its weights, and a kernel fitted to the points."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QTabBar, QToolButton

REGRESSION = "nadaraya-watson.npz"
PATIENCE = 120.0


@pytest.fixture
def person(launch):
    return launch(REGRESSION).beginning(lambda person: person.do("curve"))


def page(person):
    return person.find("page.curve")


def content(person):
    QTest.qWait(1)  # the edit is painted first
    return page(person).canvas._content


def said(person):
    return " ".join(label.text() for label in page(person).findChildren(QLabel) if label.isVisible())


def settle(person, until):
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end, "it does not come"
        QApplication.processEvents()
        time.sleep(0.002)


def test_the_curve_is_what_the_maps_hold_and_follows_edits_and_clicks(person):
    problem, shown = person.program.document.problem, content(person)
    assert shown.keys.tolist() == problem.key[:, 0].tolist()
    assert shown.values.tolist() == problem.value[:, 0].tolist()
    assert shown.queries.tolist() == problem.query[:, 0].tolist()
    assert shown.outputs.tolist() == [person.value("head_output", row, 0) for row in range(problem.n)]

    person.again("an edit moves the curve")
    before, image = content(person).outputs, page(person).canvas.grab().toImage()
    person.type_into("value", 4, 0, "9")
    assert content(person).values[4] == 9.0
    assert (content(person).outputs > before).all()
    assert page(person).canvas.grab().toImage() != image

    person.again("a click on the plot chooses the query and shows what counts for it")
    canvas = page(person).canvas
    field, queries = canvas.drawing.fields[0], content(person).queries
    assert content(person).weights is None
    texts = [field.spot(0, column).cell.row for column in range(field.columns)]
    assert texts == sorted(texts)
    assert set(texts) <= set(range(len(queries)))
    column = texts.index(20) + texts.count(20) // 2
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(0, 0, column).toPoint())
    assert person.program.view.look.cell[:3] == ("head_output", 20, 0)
    assert content(person).row == 20
    assert content(person).weights.tolist() == person.values("weights")[20]

    person.again("only a regression has a curve")
    person.size("d_k", 2)
    assert not person.action("curve").isEnabled()
    person.press("Ctrl+Z")
    assert person.action("curve").isEnabled()
    person.program.files.begin_with_example("minilm")
    person.wait()
    assert not person.action("curve").isEnabled()


def test_the_fitted_width_predicts_better_and_is_one_step_and_stays_where_it_fits_already(person):
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
    person.press("Ctrl+Y")
    settle(person, lambda: "0.6516" not in said(person))
    person.click("button.fit")  # it fits already
    settle(person, lambda: "No other w" in person.status())
    assert len(person.steps()) == 2
    person.pick("score", "dot")
    assert not person.find("button.fit").isVisible()
    assert page(person).canvas.isVisible()


@pytest.mark.parametrize(("lang", "name"), [("en", "Pages"), ("zh", "页面")])
def test_the_pages_are_found_in_a_narrow_window_with_large_letters(launch, lang, name):
    person = launch(REGRESSION, lang=lang, width=1024, height=700)
    for _ in range(3):
        person.program.appearance.step_zoom(1)
    assert person.program.appearance.zoom == 1.5
    person.window.resize(1024, 700)
    settle(person, lambda: person.window.width() == 1024)
    bar = person.find("inspector").findChild(QTabBar)
    places, arrows = {bar.tabText(k): k for k in range(bar.count())}, bar.findChildren(QToolButton)
    if any(arrow.isVisible() for arrow in arrows):
        on = next(arrow for arrow in arrows if arrow.arrowType() == Qt.ArrowType.RightArrow)
        assert len(inks(on)) > 2  # there is something to aim at
        while on.isEnabled():
            QTest.mouseClick(on, Qt.MouseButton.LeftButton)
    room = min((arrow.x() for arrow in arrows if arrow.isVisible()), default=bar.width())
    words = bar.fontMetrics().horizontalAdvance(name)
    assert bar.tabRect(places[name]).left() >= 0
    assert bar.tabRect(places[name]).left() + words <= room
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(places[name]).center())
    assert person.find("panel.pages").isVisible()


def inks(widget):
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
