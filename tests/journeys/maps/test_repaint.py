"""An edit or a click has painted what it changed, and the rest of the window is left alone."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QAbstractAnimation, QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from attn_gui.views.map import cells_item
from attn_gui.views.map.colorbar import ColorBar
from tests.failing import each


class Painted(QObject):
    """Whose paint events come by, and how many of their pixels are painted."""

    def __init__(self):
        super().__init__()
        self.forget()

    def forget(self):
        self.widgets, self.pixels = [], Counter()

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.widgets.append(watched)
            self.pixels[watched] += sum(rect.width() * rect.height() for rect in event.region())
        return False


@pytest.fixture
def painted(qapp):
    found = Painted()
    yield found
    qapp.removeEventFilter(found)


def rest(person, qtbot):
    """Wait for what an edit or a click leaves for later: levels taken anew, outlines that fade, lists that follow."""

    def quiet():
        timers = (timer.isActive() and timer.isSingleShot() for timer in person.window.findChildren(QTimer))
        moving = (
            one.state() == QAbstractAnimation.State.Running for one in person.window.findChildren(QAbstractAnimation)
        )
        return not any(timers) and not any(moving)

    qtbot.waitUntil(quiet)
    QApplication.processEvents()


@pytest.fixture
def person(launch):
    return launch()


@each("mode", ["product", "all_stages"])
def test_an_edit_paints_no_panel_that_it_does_not_change(qapp, person, painted, qtbot, mode):
    qapp.removeEventFilter(painted)
    painted.forget()
    person.again(mode)
    person.do(mode)
    person.type_into("query", 3, 99, "1.5")
    rest(person, qtbot)
    table = person.go_to("query", 4, 99)
    person.type("2")
    QApplication.processEvents()
    qapp.installEventFilter(painted)
    person.press("Return")
    QApplication.processEvents()
    touched = set(painted.widgets)
    assert table.viewport() in touched
    assert person.find("heatmap.weights") in touched
    inspector = person.find("inspector").findChildren(QWidget)
    others = [person.table(field).viewport() for field in ("key", "value")]
    still = [person.find(f"heatmap.{field}") for field in ("key", "value")]
    controls = person.find("control.num_heads")
    assert not touched & {*inspector, *others, *still, controls}


def click(heatmap, row, column):
    QTest.mouseClick(heatmap, Qt.MouseButton.LeftButton, pos=heatmap.cell_rect(row, column).center())
    for _ in range(5):
        QApplication.processEvents()


@each("mode", ["product", "all_stages"])
def test_a_click_paints_the_marks_that_move_and_writes_no_value_again(qapp, person, painted, monkeypatch, qtbot, mode):
    qapp.removeEventFilter(painted)
    painted.forget()
    person.again(mode)
    person.do(mode)
    heatmap = person.find("heatmap.weights")
    click(heatmap, 9, 4)
    rest(person, qtbot)
    written = []
    monkeypatch.setattr(cells_item, "paint_values", lambda *_: written.append(1))
    qapp.installEventFilter(painted)
    click(heatmap, 9, 5)  # the same query
    assert person.program.view.look.cell == ("weights", 9, 5)
    assert not written
    assert 0 < painted.pixels[heatmap] < share(heatmap, 0.5)
    assert painted.pixels[heatmap.parentWidget()] < share(heatmap.parentWidget(), 0.15)
    shown = [bar for bar in person.window.findChildren(ColorBar) if bar.isVisible()]
    others = [person.window.heads, person.window.history, person.find("control.num_heads")]
    assert shown
    assert not set(painted.widgets) & {*shown, *others, person.table("query").viewport()}
    assert painted.pixels[person.find("inspector.terms").viewport()] <= share(person.find("inspector.terms"), 1)


def share(widget, part):
    return part * widget.width() * widget.height()


def test_an_edit_paints_a_color_bar_that_says_something_else_and_a_click_no_tool_bar(qapp, person, painted, qtbot):
    person.click_cell("weights", 3, 4)  # from now on there is a cell of which a gradient can be shown
    rest(person, qtbot)
    qapp.installEventFilter(painted)
    person.click_cell("weights", 5, 6)
    rest(person, qtbot)
    toolbar = person.find("toolbar")
    assert painted.widgets
    assert not [widget for widget in painted.widgets if widget is toolbar or toolbar.isAncestorOf(widget)]

    person.again("a color bar is painted where an edit changes what it says")
    qapp.removeEventFilter(painted)
    bar = person.window.product.maps.bar("weights")
    for number, said in (("2", False), ("nan", True)):
        rest(person, qtbot)
        person.go_to("query", 4, 99)
        person.type(number)
        QApplication.processEvents()
        painted.widgets.clear()
        qapp.installEventFilter(painted)
        person.press("Return")
        QApplication.processEvents()
        qapp.removeEventFilter(painted)
        assert person.find("heatmap.weights") in painted.widgets
        assert (bar in painted.widgets) == bool(bar.counts) == said
