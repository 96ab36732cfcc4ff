"""Curves in the window: read, zoomed and moved; attention as regression, and a kernel fitted to the points."""

import re

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolTip

from attn_gui.app import pages
from attn_gui.figure.design_tokens import THEMES
from tests.journeys.gate import Gate
from tests.seen import pixels_of

LEFT = Qt.MouseButton.LeftButton
NOTCH = QPoint(0, 120)


@pytest.fixture
def person(launch):
    def begin(person):
        person.do("curve")
        person.settle("pages")
        QTest.keyClick(canvas_of(person), "0")  # what a part before has zoomed stays so

    return launch("nadaraya-watson.npz").beginning(begin)


def canvas_of(person, page="curve"):
    return person.find(f"page.{page}").canvas


def in_window(canvas, place):
    return canvas.mapTo(canvas.window(), place)


def move(canvas, place):
    QTest.mouseMove(canvas.window().windowHandle(), in_window(canvas, place))
    QApplication.processEvents()


def wheel(canvas, place, notches=1, modifiers=Qt.KeyboardModifier.NoModifier):
    at = QPointF(in_window(canvas, place))
    QTest.wheelEvent(canvas.window().windowHandle(), at, NOTCH * notches, QPoint(), modifiers)
    QApplication.processEvents()


def click(canvas, place):
    QTest.mouseClick(canvas.window().windowHandle(), LEFT, pos=in_window(canvas, place))
    QApplication.processEvents()


def double_click(canvas, place):
    QTest.mouseDClick(canvas.window().windowHandle(), LEFT, pos=in_window(canvas, place))
    QTest.mouseRelease(canvas.window().windowHandle(), LEFT, pos=in_window(canvas, place))
    QApplication.processEvents()


def drag(canvas, start, by):
    handle = canvas.window().windowHandle()
    QTest.mousePress(handle, LEFT, pos=in_window(canvas, start))
    for step in range(1, 11):
        QTest.mouseMove(handle, in_window(canvas, start + by * step / 10))
        QTest.qWait(12)  # pyqtgraph takes a hundred moves a second
    QTest.mouseRelease(handle, LEFT, pos=in_window(canvas, start + by))
    QApplication.processEvents()


def query_under(canvas, place):
    move(canvas, place)
    return int(re.match(r"query (\d+):", canvas.accessibleDescription())[1])


def middle_of(canvas, field=0, column=25):
    return canvas.place_of(field, 0, column).toPoint()


def found_in(picture, color):
    return {(int(x), int(y)) for y, x in np.argwhere(pixels_of(picture) == color.rgb())}


def test_the_curve_is_what_the_maps_hold_follows_edits_and_is_read_zoomed_moved_and_clicked(person, gate, qtbot):
    gate.open()
    canvas, problem = canvas_of(person), person.program.document.problem
    move(canvas, middle_of(canvas, column=20))
    wanted = f"query 20: {problem.query[20, 0]:.4g} → {person.value('head_output', 20, 0):.4g}"
    assert canvas.accessibleDescription().startswith(wanted)
    assert QToolTip.text() == wanted

    # a wheel zooms where the pointer is and a double click shows all of it again
    place, beside = middle_of(canvas), middle_of(canvas) + QPoint(60, 0)
    apart = query_under(canvas, beside) - query_under(canvas, place)
    move(canvas, QPoint(2, 2))
    before = canvas.grab().toImage()
    move(canvas, place)
    wheel(canvas, place, 6)
    assert query_under(canvas, place) == 25
    assert 0 < query_under(canvas, beside) - 25 <= apart / 2
    double_click(canvas, beside)
    assert query_under(canvas, beside) - query_under(canvas, place) == apart
    person.program.view.set(cell=None)
    canvas.clearFocus()  # and with it its ring
    person.settle("pages")
    move(canvas, QPoint(2, 2))
    assert canvas.grab().toImage() == before

    # keys point and zoom, too
    canvas.setFocus()
    person.press("Right", "Right", "Right")
    pointed = canvas.accessibleDescription()
    assert pointed.startswith("query ")
    person.press(*"++++")
    assert canvas.accessibleDescription() == pointed
    assert not all(plot.whole for plot in canvas._plots.values())

    # a drag moves what is zoomed and chooses nothing
    person.press("0")
    place = middle_of(canvas)
    move(canvas, place)
    wheel(canvas, place, 8)
    drag(canvas, place, QPoint(-60, 0))
    assert person.program.view.look.cell is None
    assert query_under(canvas, place - QPoint(60, 0)) == 25
    assert query_under(canvas, place) > 25

    # an edit moves the curve
    before, image = content(person).outputs, page(person).canvas.grab().toImage()
    person.type_into("value", 4, 0, "9")
    assert content(person).values[4] == 9.0
    assert (content(person).outputs > before).all()
    assert page(person).canvas.grab().toImage() != image

    # a click on the plot chooses the query and shows what counts for it
    QTest.keyClick(canvas, "0")
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

    person.again("the fitted width predicts better and is one step and stays where it fits already")
    person.until(lambda: "0.6516" in said(person))
    person.click("button.fit")
    person.until(lambda: len(person.steps()) == 2)
    assert person.steps()[1].startswith("w fitted to the points: ")
    assert person.program.document.problem.score_params["w"] > 1.5
    person.until(lambda: "…" not in said(person))
    assert float(said(person).split("error ")[1].split()[0]) < 0.4
    person.press("Ctrl+Z")
    assert person.program.document.problem.score_params["w"] == 1.0
    person.until(lambda: "0.6516" in said(person))
    person.press("Ctrl+Y")
    person.until(lambda: "0.6516" not in said(person))
    person.click("button.fit")  # it fits already
    person.until(lambda: "No other w" in person.status())
    assert len(person.steps()) == 2
    person.pick("score", "dot")
    assert not person.find("button.fit").isVisible()
    assert page(person).canvas.isVisible()

    gate.close()
    person.again("a fit is told and can be canceled")
    person.click("button.fit")
    gate.await_work()
    assert not person.find("button.fit").isEnabled()
    qtbot.waitUntil(person.find("fitting.progress").isVisible)
    assert "Fitting w" in person.status()
    person.click("fitting.cancel")
    assert person.find("button.fit").isEnabled()
    person.let_work_end()
    person.settle()
    assert len(person.steps()) == 1


@pytest.mark.parametrize(
    ("example", "page", "color", "scheme", "lang"),
    [
        ("nadaraya-watson.npz", "curve", "query", "dark", "zh"),
        ("worked-example.npz", "sqrt_d_k", "query", "light", "en"),
    ],
)
def test_every_page_of_curves_looks_as_its_file_does(launch, example, page, color, scheme, lang):
    person = launch(example, lang=lang)
    person.program.appearance.set_scheme(scheme)
    person.do(page)
    person.settle("pages")
    canvas = canvas_of(person, page)
    assert canvas._plots
    move(canvas, QPoint(2, 2))
    for plot in canvas._plots.values():
        assert not plot.viewport().visibleRegion().isEmpty()
    image = QImage(canvas.size(), QImage.Format.Format_RGB32)
    image.fill(THEMES[scheme].surface)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    canvas.drawing.paint_all(painter)
    painter.end()
    ink = getattr(THEMES[scheme], color)
    live, painted = found_in(canvas.grab().toImage(), ink), found_in(image, ink)
    near = {(x + right, y + down) for x, y in live for right in (-1, 0, 1) for down in (-1, 0, 1)}
    assert len(painted) > 50
    assert len(painted - near) < 0.1 * len(painted)
    assert 0.7 < len(live) / len(painted) < 1.4


def page(person):
    return person.find("page.curve")


def content(person):
    QTest.qWait(1)  # the edit is painted first
    return page(person).canvas._content


def said(person):
    return " ".join(label.text() for label in page(person).findChildren(QLabel) if label.isVisible())


@pytest.fixture
def gate(monkeypatch):
    """Holds every fit up until it is opened, as many points would."""
    found, fit_width = Gate(), pages.fit_width

    def fit(points, tell):
        found.hold_telling(tell)
        return fit_width(points)

    monkeypatch.setattr(pages, "fit_width", fit)
    yield found
    found.open()
