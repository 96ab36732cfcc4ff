"""Curves in the window: read under the pointer, zoomed by a wheel, moved by a drag, whole again by a double click."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from attn_gui.figure.design_tokens import THEMES

LEFT = Qt.MouseButton.LeftButton
NOTCH = QPoint(0, 120)


@pytest.fixture
def person(launch, qtbot):
    def begin(person):
        person.do("curve")
        settle(person, qtbot)
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


def settle(person, qtbot):
    person.wait()
    qtbot.waitUntil(lambda: not person.program.late.pages.busy, timeout=60_000)


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


def pixels(canvas, color):
    """(x, y) of the pixels of a color."""
    return found_in(canvas.grab().toImage(), color)


def found_in(picture, color):
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    found = np.argwhere(rows[:, : image.width()] == color.rgb())
    return {(int(x), int(y)) for y, x in found}


def test_a_plot_is_read_zoomed_moved_and_clicked(person, qtbot):
    canvas, problem = canvas_of(person), person.program.document.problem
    move(canvas, middle_of(canvas, column=20))
    wanted = f"query 20: {problem.query[20, 0]:.4g} → {person.value('head_output', 20, 0):.4g}"
    assert canvas.accessibleDescription().startswith(wanted)
    assert QToolTip.text() == wanted

    person.again("the point under the pointer is marked and no longer once it left")
    canvas = canvas_of(person)
    move(canvas, QPoint(2, 2))
    before = canvas.grab().toImage()
    place = middle_of(canvas, column=20)
    move(canvas, place)
    assert len({y for x, y in pixels(canvas, THEMES["light"].ink) if abs(x - place.x()) <= 1}) > canvas.height() / 3
    move(canvas, QPoint(2, 2))
    assert canvas.grab().toImage() == before

    person.again("a wheel zooms where the pointer is and a double click shows all of it again")
    canvas = canvas_of(person)
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
    settle(person, qtbot)
    move(canvas, QPoint(2, 2))
    assert canvas.grab().toImage() == before

    person.again("a drag moves what is zoomed and chooses nothing")
    canvas = canvas_of(person)
    place = middle_of(canvas)
    move(canvas, place)
    wheel(canvas, place, 8)
    drag(canvas, place, QPoint(-60, 0))
    assert person.program.view.look.cell is None
    assert query_under(canvas, place - QPoint(60, 0)) == 25
    assert query_under(canvas, place) > 25

    person.again("a click in a zoomed plot chooses the query that is seen there")
    canvas = canvas_of(person)
    place = middle_of(canvas)
    move(canvas, place)
    wheel(canvas, place, 8)
    aim = middle_of(canvas, column=27)
    move(canvas, aim)
    click(canvas, aim)
    assert person.program.view.look.cell[:3] == ("head_output", 27, 0)
    assert canvas.hasFocus()

    person.again("keys zoom too and what they point at stays in view")
    canvas = canvas_of(person)
    canvas.setFocus()
    person.press("Right", "Right", "Right")
    before = canvas.accessibleDescription()
    for _ in range(8):
        person.press("+")
    assert canvas.accessibleDescription() == before
    for _ in range(30):
        person.press("Right")
        at = canvas._at[2]
        assert canvas.rect().contains(middle_of(canvas, column=at))
    near = middle_of(canvas, column=at).x() - middle_of(canvas, column=at - 1).x()
    person.press("0")
    assert middle_of(canvas, column=at).x() - middle_of(canvas, column=at - 1).x() < near / 2

    person.again("an edit moves the curve and leaves the zoom")
    canvas = canvas_of(person)
    place = middle_of(canvas)
    move(canvas, place)
    wheel(canvas, place, 4)
    between = middle_of(canvas, column=30) - middle_of(canvas, column=20)
    move(canvas, QPoint(2, 2))
    before = pixels(canvas, THEMES["light"].query)
    person.type_into("value", 25, 0, "5")
    settle(person, qtbot)
    assert middle_of(canvas, column=30) - middle_of(canvas, column=20) == between
    assert pixels(canvas, THEMES["light"].query) != before

    person.again("ctrl and a wheel enlarge the window instead")
    canvas = canvas_of(person)
    move(canvas, middle_of(canvas))
    wheel(canvas, middle_of(canvas), 1, Qt.KeyboardModifier.ControlModifier)
    settle(person, qtbot)
    assert person.program.appearance.zoom > 1
    assert all(plot.whole for plot in canvas._plots.values())


@pytest.mark.parametrize(
    ("example", "page", "color", "scheme", "lang"),
    [
        ("nadaraya-watson.npz", "curve", "query", "dark", "zh"),
        ("nadaraya-watson.npz", "poolings", "query", "light", "zh"),
        ("nadaraya-watson.npz", "sweep", "accent", "dark", "en"),
        ("worked-example.npz", "sqrt_d_k", "query", "light", "en"),
    ],
)
def test_every_page_of_curves_looks_as_its_file_does(launch, qtbot, example, page, color, scheme, lang):
    person = launch(example, lang=lang)
    person.program.appearance.set_scheme(scheme)
    person.do(page)
    settle(person, qtbot)
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


def test_the_scores_of_the_problem_are_a_ring_that_is_open_in_the_middle(launch, qtbot):
    person = launch("worked-example.npz")
    person.do("sqrt_d_k")
    settle(person, qtbot)
    canvas, here = canvas_of(person, "sqrt_d_k"), person.find("page.sqrt_d_k").content.here
    page = canvas.drawing.fields[0].plot.axes.place(*here)
    at = canvas._plots[0].from_page(page).toPoint()
    assert canvas.grab().toImage().pixelColor(at) == THEMES["light"].surface
    assert any(canvas.grab().toImage().pixelColor(at + QPoint(0, -up)).lightness() < 100 for up in range(3, 7))
