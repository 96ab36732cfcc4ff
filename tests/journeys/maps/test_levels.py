"""Levels and colors, picked at a color bar; other forms of the window: all stages or one, large type."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QRadioButton, QTabBar

from attn_gui.figure.colors import Levels
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.levels_popup import LevelsPopup


def bar_of(person, name):
    """The visible color bar of a map."""
    heatmap = person.find(name)
    return next(bar for bar in person.window.findChildren(ColorBar) if bar._heatmap is heatmap and bar.isVisible())


def open_levels(person, name="heatmap.weights"):
    person.click(bar_of(person, name))
    return next(popup for popup in person.window.findChildren(LevelsPopup) if popup.isVisible())


def type_levels(person, low, high, name):
    for edit, text in zip(open_levels(person, name).findChildren(QLineEdit), (low, high), strict=False):
        person.overwrite(edit, text, end="")
    person.press("Esc")


def drag(person, widget, start, way):
    """Move the mouse from a point of a widget with the button down; what lies there gets the events."""
    at = widget.mapTo(person.window, start)
    target = person.window.childAt(at)
    stations = [target.mapFrom(person.window, at + way * step / 6) for step in range(7)]
    QTest.mouseMove(target, stations[0])
    QTest.mousePress(target, Qt.MouseButton.LeftButton, pos=stations[0])
    for station in stations[1:]:
        QTest.mouseMove(target, station)
        person.look()
    QTest.mouseRelease(target, Qt.MouseButton.LeftButton, pos=stations[-1])
    person.look()


def test_levels_are_dragged_typed_and_set_by_keys_and_other_forms_of_the_window_keep_the_keyboard(person, tmp_path):
    person.show_stage("scores")
    heatmap = person.find("operand.left")
    bar, before = bar_of(person, heatmap.objectName()), heatmap.levels
    drag(person, bar, QPoint(bar.width() - 4, 4), QPoint(-bar.width() // 4, 0))
    assert heatmap.levels.high == pytest.approx(before.high / 2, rel=0.1)
    assert heatmap.levels.low == -heatmap.levels.high  # of signed numbers 0 stays in the middle
    assert person.find("heatmap.query").levels == person.find("operand.left").levels == heatmap.levels
    assert bar.rule() == "typed"
    assert not person.window.findChildren(LevelsPopup)
    assert not person.window.isWindowModified()

    person.again("an end is dragged in the histogram")
    heatmap = person.find("heatmap.weights")
    color = heatmap.cell_at(0, 0)[1]
    popup = open_levels(person)
    box = popup.histogram.centralWidget.vb
    (low, high), place = box.viewRange()[0], box.sceneBoundingRect()
    at = place.left() + (heatmap.levels.high / popup.histogram._unit - low) / (high - low) * place.width()
    drag(person, popup.histogram, QPoint(round(at), round(place.center().y())), QPoint(-60, 0))
    assert 0.5 < heatmap.levels.high < 0.95
    assert heatmap.levels.low == 0.0
    assert heatmap.cell_at(0, 0)[1] != color
    assert popup.findChild(QRadioButton, "levels.typed").isChecked()
    assert popup.isVisible()
    person.press("Esc")

    person.again("levels and colors do not reach the next document")
    person.show_stage("scores")
    type_levels(person, "-500", "700", "heatmap.scores")
    type_levels(person, "-3", "4", "operand.left")
    assert person.find("heatmap.scores").levels == Levels(-500.0, 700.0)
    assert person.find("heatmap.query").levels == Levels(-3.0, 4.0)
    popup = open_levels(person, "heatmap.scores")
    assert "\N{MINUS SIGN}500" in [edit.text() for edit in popup.findChildren(QLineEdit)]
    person.click(popup.findChild(QRadioButton, "levels.locked"))
    person.press("Esc")
    person.save_as(tmp_path / "a.attn")
    person.program.files.open_example_unasked("thinking")
    person.look()
    for name in ("heatmap.scores", "operand.left", "heatmap.query"):
        assert person.find(name).shown.color_scale.rule == "auto"
    person.open(tmp_path / "a.attn")
    assert person.find("heatmap.scores").shown.color_scale.rule == "locked"
    assert person.find("heatmap.scores").levels == Levels(-500.0, 700.0)
    assert person.find("operand.left").levels == Levels(-3.0, 4.0)
    assert person.find("operand.left").shown.color_scale.rule == "typed"

    person.again("those of the map with the keyboard open from the menu")
    heatmap = person.find("operand.left")
    heatmap.setFocus()
    menu = person.find("menu.view", QMenu)
    menu.popup(QPoint(0, 0))
    entry = person.action("levels")
    key = QKeySequence.mnemonic(entry.text())
    assert entry in menu.actions()
    QTest.keyClick(menu, Qt.Key(key[0].key()))
    popup = next(popup for popup in person.window.findChildren(LevelsPopup) if popup.isVisible())
    assert popup.isAncestorOf(person.focus())
    QTest.keyClick(person.focus(), Qt.Key.Key_Down)
    person.press("Esc")
    assert not popup.isVisible()
    assert heatmap.shown.color_scale.rule != "auto"

    person.again("the levels open within the window and the bar says by which", "minilm-layer2.npz")
    person.window.resize(1024, 700)
    QTest.qWait(1)
    for name in ("heatmap.weights", "operand.left", "operand.result"):
        popup = open_levels(person, name)
        assert person.window.rect().contains(popup.geometry()), name
        person.press("Esc")
        assert not popup.isVisible()

    person.again("a curve of fifty keys is seen at once and the bar says by which levels", "nadaraya-watson.npz")
    heatmap = person.find("heatmap.weights")
    assert min(heatmap.cell_at(row, row)[1].lightness() for row in range(50)) < 100
    assert bar_of(person, "heatmap.weights").rule() == "0 … largest"
    QTest.mouseClick(
        open_levels(person).findChild(QRadioButton, "levels.full"), Qt.MouseButton.LeftButton, pos=QPoint(8, 8)
    )
    assert heatmap.levels == Levels(0.0, 1.0)

    person.again("the keyboard stays in its map when all stages are shown and when they go", "minilm-layer2.npz")
    person.find("heatmap.weights").setFocus()
    person.do("all_stages")
    assert person.focus() is person.find("heatmap.weights")
    person.find("heatmap.scores").setFocus()
    person.do("product")
    assert person.focus() is person.find("heatmap.weights")  # the only one that is left
    person.press("Right")
    assert "(0, 0)" in person.status()

    # every map of all stages is reached walked and typed into by keys
    person.do("all_stages")
    person.find("heatmap.scores").setFocus()
    met = {person.focus().objectName()}
    for _ in range(2 * len(person.program.computation.evaluation.stages)):
        person.press("Tab")
        met.add(person.focus().objectName())
    assert {"heatmap.scaled", "heatmap.weights", "heatmap.head_output", "heatmap.concat"} <= met
    person.find("heatmap.weights").setFocus()
    person.press("Home", "Right", "Down")
    assert person.program.view.look.cell == ("weights", 1, 1)
    person.press("F2")
    assert isinstance(person.focus(), QLineEdit)
    assert person.find("heatmap.weights").isAncestorOf(person.focus())
    person.press("Esc")
    assert person.focus() is person.find("heatmap.weights")
    assert person.program.view.look.mode == "all"

    person.again("large type makes the window compact instead of larger than the screen", "minilm-layer2.npz")
    explain = person.find("zone.explain").width()
    person.program.appearance.step_zoom(3)
    QApplication.processEvents()
    assert person.window.size().toTuple() == (1440, 900)
    assert person.find("zone.explain").width() > explain
    tabs = person.find("zone.explain").findChild(QTabBar)
    assert tabs.tabRect(tabs.count() - 1).right() < tabs.width()  # no tab is cut
    stage = person.find("heatmap.weights")
    assert min(stage.width(), stage.height()) > 200
    person.do("zoom_reset")
    QApplication.processEvents()
    assert person.find("zone.explain").width() == explain
    assert person.table("key").isVisible()  # all tables again

    person.again("what a small window grew for large type it gives back", "worked-example.npz")
    person.window.resize(1350, 640)
    person.program.appearance.step_zoom(5)
    person.until(lambda: person.window.height() > 640)
    grown = person.window.size()
    person.window.showMaximized()  # which is no size that it was given
    person.until(lambda: person.window.size() != grown)
    person.do("theme_dark")
    person.settle()
    person.window.showNormal()
    person.until(lambda: person.window.size() == grown)
    person.do("zoom_reset")
    person.until(lambda: person.window.size().toTuple() == (1350, 640))
    person.program.appearance.step_zoom(5)
    person.until(lambda: person.window.height() > 640)
    person.window.resize(1350, 1000)  # by hand
    person.do("zoom_reset")
    person.settle()
    assert person.window.size().toTuple() == (1350, 1000)
