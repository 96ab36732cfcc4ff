"""Levels and colors: picked at a color bar, for one matrix wherever it is shown, and for one document."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QMenu, QRadioButton

from attn_gui.figure.display import Levels
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.levels_popup import LevelsPopup
from tests.failing import each


def bar_of(person, name):
    """The visible color bar of a map."""
    heatmap = person.find(name)
    return next(bar for bar in person.window.findChildren(ColorBar) if bar._heatmap is heatmap and bar.isVisible())


def open_levels(person, name="heatmap.weights"):
    person.click(bar_of(person, name))
    return next(popup for popup in person.window.findChildren(LevelsPopup) if popup.isVisible())


def type_levels(person, low, high, name):
    popup = open_levels(person, name)
    for edit, text in zip(popup.findChildren(QLineEdit), (low, high), strict=False):
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


@pytest.fixture
def person(launch):
    return launch("worked-example.npz")


@each("mode", ["product", "all_stages"])
def test_an_end_of_a_color_bar_is_dragged_wherever_the_matrix_is_shown(person, mode):
    person.again(mode)
    person.show_stage("scores")
    person.do(mode)
    heatmap = person.find("heatmap.query") if mode == "all_stages" else person.find("operand.left")
    bar, before = bar_of(person, heatmap.objectName()), heatmap.levels
    drag(person, bar, QPoint(bar.width() - 4, 4), QPoint(-bar.width() // 4, 0))
    assert heatmap.levels.high == pytest.approx(before.high / 2, rel=0.1)
    assert heatmap.levels.low == -heatmap.levels.high  # of signed numbers 0 stays in the middle
    assert person.find("heatmap.query").levels == person.find("operand.left").levels == heatmap.levels
    assert bar.rule() == "typed"
    assert not person.window.findChildren(LevelsPopup)
    assert not person.window.isWindowModified()


def test_levels_are_dragged_typed_and_do_not_reach_the_next_document(person, tmp_path):
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

    person.again("levels are written with a minus sign and typed with either")
    person.show_stage("scores")
    for typed in ("-3.5", "\N{MINUS SIGN}3.5"):
        type_levels(person, "-1", "4", "heatmap.scores")
        low = open_levels(person, "heatmap.scores").findChildren(QLineEdit)[0]
        low.setFocus()
        person.press("Ctrl+A")
        person.type(typed)
        person.press("Esc")
        assert person.find("heatmap.scores").levels == Levels(-3.5, 4.0), typed
        ends = [edit.text() for edit in open_levels(person, "heatmap.scores").findChildren(QLineEdit)]
        assert "\N{MINUS SIGN}3.5" in ends
        assert not [text for text in ends if "-" in text]
        person.press("Esc")

    person.again("numbers said elsewhere have a minus sign")
    # A typed scale in the formula and in the history, and the differences that verification found.
    person.pick("scale", "typed")
    person.overwrite(person.find("control.scale_value"), "-0.25")
    person.wait()
    assert "\N{MINUS SIGN}0.25" in person.steps()[-1]
    person.do("verify")
    page = person.find("inspector")
    person.wait()
    assert [label.text() for label in page.findChildren(QLabel) if "e-" in label.text()] == []

    person.again("levels and colors do not reach the next document")
    person.show_stage("scores")
    type_levels(person, "-500", "700", "heatmap.scores")
    type_levels(person, "-3", "4", "operand.left")
    assert person.find("heatmap.scores").levels == Levels(-500.0, 700.0)
    assert person.find("heatmap.query").levels == Levels(-3.0, 4.0)
    popup = open_levels(person, "heatmap.scores")
    person.click(popup.findChild(QRadioButton, "levels.locked"))
    person.press("Esc")
    person.save_as(tmp_path / "a.attn")
    person.program.files.begin_with_example("thinking")
    person.look()
    for name in ("heatmap.scores", "operand.left", "heatmap.query"):
        assert person.find(name).shown.color_scale.rule == "auto"
    person.open(tmp_path / "a.attn")
    assert person.find("heatmap.scores").shown.color_scale.rule == "locked"
    assert person.find("heatmap.scores").levels == Levels(-500.0, 700.0)
    assert person.find("operand.left").levels == Levels(-3.0, 4.0)
    assert person.find("operand.left").shown.color_scale.rule == "typed"


def test_the_levels_open_within_the_window_and_the_bar_says_by_which(launch):
    person = launch()
    for size in ((1440, 900), (1024, 700)):
        person.window.resize(*size)
        QTest.qWait(1)
        for name in ("heatmap.weights", "operand.left", "operand.result"):
            popup = open_levels(person, name)
            assert person.window.rect().contains(popup.geometry()), (size, name)
            person.press("Esc")
            assert not popup.isVisible()

    person.again("a curve of fifty keys is seen at once and the bar says by which levels", "nadaraya-watson.npz")
    heatmap = person.find("heatmap.weights")
    lightest = min(heatmap.cell_at(row, row)[1].lightness() for row in range(50))
    assert lightest < 100
    assert bar_of(person, "heatmap.weights").rule() == "0 … largest"
    QTest.mouseClick(
        open_levels(person).findChild(QRadioButton, "levels.full"), Qt.MouseButton.LeftButton, pos=QPoint(8, 8)
    )
    assert heatmap.levels == Levels(0.0, 1.0)


@each(("name", "mode"), [("heatmap.weights", "product"), ("operand.left", "product"), ("heatmap.scores", "all_stages")])
def test_the_levels_of_the_map_with_the_keyboard_open_from_the_menu(person, name, mode):
    person.again(name)
    person.do(mode)
    heatmap = person.find(name)
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


def test_the_levels_are_found_by_their_words_and_open_from_the_room_of_a_model_too(person):
    """Its layer on the table comes back into sight with them."""
    person.click_cell("weights", 1, 1)
    for words in ("levels", "colors", "颜色", "色阶"):

        def look_for(_dialog, words=words):
            person.type(words)
            person.press("Return")

        person.answering(QDialog, look_for, lambda: person.do("search_actions"))
        popup = next(popup for popup in person.window.findChildren(LevelsPopup) if popup.isVisible())
        assert popup.isAncestorOf(person.focus()), words
        person.press("Esc")
    person.program.late.models.open_known("toy-induction")
    person.wait()
    person.do("model")
    person.wait()
    person.do("levels")
    popup = next(popup for popup in person.window.findChildren(LevelsPopup) if popup.isVisible())
    assert popup.isAncestorOf(person.focus())
