"""Masks: added in their panel, seen as a hatch, painted in the map, switched off, undone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QMenu, QPushButton, QSpinBox, QToolButton

from attn_gui.engine import Problem
from attn_gui.views.product.product import ProductPicture
from tests.failing import each
from tests.seen import fault

SMALL = "worked-example.npz"
MASKED, HATCH = "#eceef1", "#a9b0ba"  # the light theme's ground and lines of what is not allowed


def open_panel(person):
    if not person.find("panel.mask").isVisible():
        person.click("control.mask")
    assert person.find("panel.mask").isVisible()
    return person.find("panel.mask")


def add(person, kind):
    """Add a layer by its name in the menu of the panel."""
    panel = open_panel(person)
    menu = next(menu for menu in panel.findChildren(QMenu) if any(a.data() == "causal" for a in menu.actions()))
    action = next(action for action in menu.actions() if action.data() == kind)
    menu.popup(panel.mapToGlobal(panel.rect().center()))
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
    assert not menu.isVisible()
    person.look()
    return panel


def switches(person):
    return [box for box in open_panel(person).findChildren(QCheckBox) if " on" in box.accessibleName()]


def tick(person, box):
    """Click a check box on its square."""
    assert box.isVisible()
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    person.look()


def shut(person):
    """The cells that are not allowed."""
    if not person.has("heatmap.masked"):
        return set()
    return {(i, j) for i, row in enumerate(person.values("masked")) for j, score in enumerate(row) if math.isinf(score)}


ABOVE = {(i, j) for i in range(16) for j in range(16) if j > i}


def test_cells_stay_where_they_are_when_the_first_are_masked(launch):
    person = launch()
    for example in ("minilm-layer2.npz", "worked-example.npz"):
        for size in ((1440, 900), (1366, 700)):
            person.again(example)
            person.window.resize(*size)
            person.show_stage("weights")
            heatmap = person.find("heatmap.weights")
            before = heatmap.mapTo(person.window, heatmap.placement.cells.topLeft()), heatmap.placement.cells.size()
            add(person, "causal")
            person.press("Esc")
            assert {MASKED, HATCH} & person.colors("weights", 0, 1)
            heatmap = person.find("heatmap.weights")
            after = heatmap.mapTo(person.window, heatmap.placement.cells.topLeft()), heatmap.placement.cells.size()
            assert after == before, (example, size)
            assert not fault(person.window.findChild(ProductPicture).maps.bar("weights"))


def test_a_causal_mask_is_added_seen_switched_off_and_undone(launch):
    person = launch()
    assert not person.has("heatmap.masked")
    add(person, "causal")
    assert person.steps()[-1] == "added mask causal"
    assert shut(person) == ABOVE
    assert person.find("control.mask", QPushButton).text().strip() == "causal"
    person.press("Esc")
    assert not person.find("panel.mask").isVisible()
    for stage in ("masked", "weights"):
        person.show_stage(stage)
        assert {MASKED, HATCH} & person.colors(stage, 2, 9)
        assert not {MASKED, HATCH} & person.colors(stage, 9, 2)
        assert person.pixel(stage, 2, 9)[1].name() in (MASKED, HATCH)
    row = [person.value("weights", 3, j) for j in range(16)]
    assert sum(row[:4]) == pytest.approx(1)
    assert row[4:] == [0] * 12
    open_panel(person)
    tick(person, switches(person)[0])
    assert person.steps()[-1] == "switched mask causal"
    assert not person.has("heatmap.masked")
    person.press("Ctrl+Z")
    assert shut(person) == ABOVE
    person.press("Ctrl+Z")
    assert not person.has("heatmap.masked")
    assert person.find("control.mask", QPushButton).text().strip() == "none"

    person.again("a window and its limits")
    panel = add(person, "window")
    for side, limit in (("keys before", "1"), ("keys after", "2")):
        box = next(box for box in panel.findChildren(QSpinBox) if box.accessibleName() == side)
        if not box.isEnabled():
            tick(person, next(b for b in panel.findChildren(QCheckBox) if b.accessibleName() == f"{side}: no limit"))
        person.overwrite(box, limit)
    assert shut(person) == {(i, j) for i in range(16) for j in range(16) if i - j > 1 or j - i > 2}

    person.again("a prefix is seen by all")
    panel = add(person, "prefix")
    length = next(box for box in panel.findChildren(QSpinBox) if box.isVisible())
    begun = length.value()
    for keys in (5, 0):
        person.overwrite(length, str(keys))
        assert shut(person) == {(i, j) for i, j in ABOVE if j >= keys}
    assert person.find("control.mask", QPushButton).text().strip() == "prefix"
    person.press("Ctrl+Z", "Ctrl+Z")
    assert shut(person) == {(i, j) for i, j in ABOVE if j >= begun}

    person.again("space paints a custom mask in the masked map")
    add(person, "custom")
    person.click(person.button("Paint in the map", "panel.mask"))
    heatmap = person.find("heatmap.masked")
    assert heatmap.isVisible()
    assert heatmap.hasFocus()
    assert not person.find("panel.mask").isVisible()
    person.do("mask_tool") if person.action("mask_tool").isChecked() else None  # the keyboard alone from here on
    person.click_cell("masked", 4, 6)
    person.press("Space")
    assert shut(person) == {(4, 6)}
    person.press("Right", "Space", "Down", "Space")
    assert shut(person) == {(4, 6), (4, 7), (5, 7)}
    assert HATCH in person.colors("masked", 4, 6)
    assert person.table("mask.0.allowed").model().rowCount() == 16
    person.press("Space")
    assert shut(person) == {(4, 6), (4, 7)}
    person.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert shut(person) == {(4, 6)}
    assert person.steps()[2:] == ["closed (4, 6)", "closed (4, 7)", "closed (5, 7)", "opened (5, 7)"]


def test_layers_are_stacked_moved_removed_and_typed_into(launch):
    person = launch(SMALL)
    add(person, "causal")
    person.press("Esc")
    person.show_stage("masked")
    person.click_cell("masked", 0, 1)
    assert "causal" in person.explanation()
    assert "not allowed" in person.status()

    person.again("padding per item")
    person.size("m", 5)
    person.size("batch_size", 2)
    panel = add(person, "padding")
    lengths = next(
        line for line in panel.findChildren(QLineEdit) if line.isVisible() and not isinstance(line.parent(), QSpinBox)
    )
    person.overwrite(lengths, "4, 1")
    assert shut(person) == {(0, 4), (1, 4)}
    person.press("Esc")
    person.size("batch", 1)
    assert shut(person) == {(i, j) for i in range(2) for j in range(1, 5)}
    assert person.values("weights")[0] == [1, 0, 0, 0, 0]
    panel = open_panel(person)
    person.overwrite(lengths, "4, 9")
    assert shut(person) == {(i, j) for i in range(2) for j in range(1, 5)}
    person.press("Esc")

    person.again("a row that sees nothing has weights and output of zero")
    panel = add(person, "padding")
    lengths = next(
        line for line in panel.findChildren(QLineEdit) if line.isVisible() and not isinstance(line.parent(), QSpinBox)
    )
    person.overwrite(lengths, "0")
    person.press("Esc")
    assert person.values("weights") == [[0, 0], [0, 0]]
    assert person.values("head_output") == [[0, 0], [0, 0]]
    person.show_stage("weights")
    person.click_cell("weights", 1, 0)
    assert "no key" in person.explanation()

    person.again("layers are stacked moved and removed")
    add(person, "causal")
    panel = add(person, "custom")
    assert person.find("control.mask", QPushButton).text().strip() == "causal + 1"
    assert shut(person) == {(0, 1)}
    remove = next(b for b in panel.findChildren(QToolButton) if b.accessibleName() == "Remove causal" and b.isVisible())
    person.click(remove)
    assert shut(person) == set()
    assert person.has("table.mask.0.allowed")
    person.press("Ctrl+Z")
    assert shut(person) == {(0, 1)}
    assert person.has("table.mask.1.allowed")
    assert person.steps()[1:] == ["added mask causal", "added mask custom", "removed mask causal"]

    person.again("a bias adds and is a table")
    add(person, "bias")
    person.click(person.button("Show its table", "panel.mask"))
    person.type_into("mask.0.values", 1, 0, "2")
    assert person.value("biased", 1, 0) == pytest.approx(person.value("scaled", 1, 0) + 2)
    assert person.value("weights", 1, 0) == pytest.approx(
        1 / (1 + math.exp(person.value("scaled", 1, 1) - person.value("scaled", 1, 0) - 2))
    )

    person.again("a custom mask typed in its table takes one and zero")
    add(person, "custom")
    person.click(person.button("Show its table", "panel.mask"))
    person.type_into("mask.0.allowed", 1, 1, "0")
    assert shut(person) == {(1, 1)}
    person.type_into("mask.0.allowed", 0, 0, "2")
    assert shut(person) == {(1, 1)}
    person.press("Esc")
    person.type_into("mask.0.allowed", 1, 1, "1")
    assert shut(person) == set()

    person.again("causal from the end")
    person.size("m", 5)
    panel = add(person, "causal")
    assert shut(person) == {(i, j) for i in range(2) for j in range(5) if j > i}
    align = next(box for box in panel.findChildren(QComboBox) if box.isVisible())
    person.choose(align, "end")
    assert shut(person) == {(i, j) for i in range(2) for j in range(5) if j > i + 3}
    assert person.steps()[-1] == "changed mask causal"


@pytest.fixture
def person(launch):
    return launch()


@each("allowed", [[[True, True, False]], [[True], [True], [False]], [True, True, False]])
def test_a_layer_of_one_row_or_column_is_mirrored_at_the_diagonal(person, allowed):
    """Its row is as many columns then: it was refused with words of NumPy."""
    arrays = {name: np.arange(6.0).reshape(3, 2) for name in ("query", "key", "value")}
    person.again(str(allowed), Problem(**arrays, mask=[{"kind": "custom", "allowed": allowed}]))
    before = shut(person)
    menus = open_panel(person).findChildren(QMenu)
    next(a for menu in menus for a in menu.actions() if a.text() == "Mirror at the diagonal").trigger()
    person.look()
    assert not person.banner()
    assert shut(person) == {(column, row) for row, column in before} != before
    person.press("Ctrl+Z")
    assert shut(person) == before
