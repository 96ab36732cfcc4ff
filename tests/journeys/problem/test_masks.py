"""Masks: added, painted in every shape, seen as a hatch, switched off, undone; lint below their layers."""

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QMenu, QPushButton, QRadioButton, QSpinBox, QToolButton

from attn_gui.engine import Problem
from attn_gui.views.product.product import ProductPicture
from tests.failing import share
from tests.seen import fault

SMALL = "worked-example.npz"
MASKED, HATCH = "#eceef1", "#a9b0ba"  # the light theme's background and lines of what is not allowed
ABOVE = {(i, j) for i in range(16) for j in range(16) if j > i}
TOKENS, M, H, D = 5, 7, 2, 11
FINFO = float(np.finfo(np.float32).min)
N = 16
LEFT = Qt.MouseButton.LeftButton

COVERED = {  # by a gesture from (3, 2) to (5, 6)
    "cell": {(3, 2), (4, 4), (5, 6), (4, 3), (4, 5)},
    "rectangle": {(i, j) for i in range(3, 6) for j in range(2, 7)},
    "row": {(i, j) for i in range(3, 6) for j in range(N)},
    "column": {(i, j) for i in range(N) for j in range(2, 7)},
    "band": {(i, j) for i in range(N) for j in range(N) if -1 <= j - i <= 1},
}


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


def opened(person, *mask, items=()):
    """The window with a problem of these mask layers."""
    rng = np.random.default_rng(0)
    sizes = {"query": TOKENS, "key": M, "value": M}
    arrays = {name: rng.normal(size=(*items, rows, H * D)) for name, rows in sizes.items()}
    person.again(str(mask), Problem(**arrays, num_heads=H, mask=mask, batch_axis=bool(items)))


def lines(person):
    """The sentences of lint on show."""
    if not person.find("panel.mask").isVisible():
        person.click("control.mask")
    return [label.text() for label in person.find("mask.lint").findChildren(QLabel) if label.isVisible()]


def radio(person, blocked):
    button = person.find(f"control.mask_reading.{'blocked' if blocked else 'attend'}", QRadioButton)
    if not button.isVisible():
        person.click("control.mask")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(8, button.height() // 2))


def closed(person):
    """The cells that get no weight."""
    return {(i, j) for i, row in enumerate(person.values("weights")) for j, weight in enumerate(row) if weight == 0}


def drag(person, *cells, lift=True, stage="weights"):
    """Press on the first cell, move over the others, let go on the last."""
    heatmap = person.find(f"heatmap.{stage}")
    places = [heatmap.cell_rect(*cell).center() for cell in cells]
    QTest.mousePress(heatmap, LEFT, pos=places[0])
    for place in places[1:]:
        QTest.mouseMove(heatmap, place)
    if lift:
        QTest.mouseRelease(heatmap, LEFT, pos=places[-1])
    return heatmap


def test_a_mask_is_added_seen_switched_off_undone_and_painted_in_every_shape(launch):
    person = launch()
    assert not person.has("heatmap.masked")
    add(person, "causal")
    assert person.focus() is person.find("mask.0.switch"), "the keyboard goes on at the new layer"
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
    boxes = open_panel(person).findChildren(QCheckBox)
    tick(person, next(box for box in boxes if " on" in box.accessibleName()))
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

    person.do("close_cells_of_mask_0")
    assert len(shut(person)) == 16 * 16
    person.do("swap_cells_of_mask_0")
    assert shut(person) == set()

    person.again("cells stay where they are when the first are masked")
    person.window.resize(1366, 700)
    person.show_stage("weights")
    heatmap = person.find("heatmap.weights")
    before = heatmap.mapTo(person.window, heatmap.placement.cells.topLeft()), heatmap.placement.cells.size()
    add(person, "causal")
    person.press("Esc")
    assert {MASKED, HATCH} & person.colors("weights", 0, 1)
    heatmap = person.find("heatmap.weights")
    after = heatmap.mapTo(person.window, heatmap.placement.cells.topLeft()), heatmap.placement.cells.size()
    assert after == before
    assert not fault(person.window.findChild(ProductPicture).maps.bar("weights"))

    person.again("a click of the mouse paints nothing unasked")
    drag(person, (3, 2), (5, 6))
    assert closed(person) == set()
    assert len(person.steps()) == 1

    # what a drag covers is shown before the button is let go
    person.do("brush_rectangle")
    before = person.pixel("weights", 4, 4)[0]
    outside = person.colors("weights", 8, 8)
    heatmap = drag(person, (3, 2), (5, 6), lift=False)
    assert heatmap.overlay.marks.painted == ((slice(3, 6), slice(2, 7)),)
    assert len(person.colors("weights", 4, 4)) > 1  # hatched
    assert person.colors("weights", 8, 8) == outside
    assert closed(person) == set()
    person.press("Esc")
    assert person.pixel("weights", 4, 4)[0] == before
    QTest.mouseRelease(heatmap, LEFT, pos=heatmap.cell_rect(5, 6).center())
    assert closed(person) == set()
    assert len(person.steps()) == 1
    assert person.action("mask_tool").isChecked()
    person.press("Esc")
    assert not person.action("mask_tool").isChecked()
    assert not person.find("brush").isVisible()

    # the line of the brush names its shapes and puts it away
    person.do("mask_tool")
    names = [button.text() for button in person.find("brush").findChildren(QToolButton) if button.text()]
    assert names == ["cells", "rectangle", "rows", "columns", "diagonal band"]
    person.click(person.button("columns", "brush"))
    drag(person, (0, 4), (0, 4))
    assert closed(person) == {(i, 4) for i in range(N)}
    close = next(
        b for b in person.find("brush").findChildren(QToolButton) if b.accessibleName() == "Put the brush away"
    )
    person.click(close)
    assert not person.find("brush").isVisible()

    query, allowed = np.arange(24.0).reshape(2, 4, 3), np.ones((2, 1, 4, 4), bool)
    person.again(
        "two items", Problem(query=query, key=query, value=query, mask=[{"kind": "custom", "allowed": allowed}])
    )
    person.do("brush_cell")
    for item, cell in ((1, (2, 3)), (0, (1, 0))):
        person.size("batch", item)
        drag(person, cell)
        allowed[(item, 0, *cell)] = False
        assert (person.program.document.problem.mask[0].allowed == allowed).all(), item

    person.again("the keyboard paints the same")
    person.do("brush_band")
    person.find("heatmap.weights").setFocus()
    person.do("mask_tool")
    person.click_cell("weights", 3, 2)
    person.do("mask_tool")
    person.press("Space", "Down", "Down", "Right", "Right", "Right", "Right", "Space")
    assert closed(person) == COVERED["band"]
    assert len(person.steps()) == 2
    person.press("Ctrl+Z")

    for shape in share(COVERED, 3):
        print(shape)
        person.do(f"brush_{shape}")
        assert person.action("mask_tool").isChecked()
        drag(person, (3, 2), (5, 6))
        assert closed(person) >= {(3, 2), (5, 6)}
        assert closed(person) == COVERED[shape]
        assert len(person.steps()) == 2
        before = closed(person)
        drag(person, (3, 2), (5, 6))
        assert closed(person) == set()
        person.press("Ctrl+Z")
        assert closed(person) == before
        person.press("Ctrl+Z")
        assert closed(person) == set()
        assert not person.has("heatmap.masked")

    problem = person.program.document.problem
    layer = {"kind": "custom", "allowed": np.ones((problem.n, problem.m), bool)}
    # It was closed in the custom layer, too, unseen, by whoever wanted to open it.
    for custom in share((False, True), 2):
        masks = ["causal", layer] if custom else "causal"
        person.again(f"a cell that another layer closes is not painted: {masks}", problem.replace(mask=masks))
        before = person.program.document.problem
        person.do("brush_cell")
        heatmap = drag(person, (0, 3), (2, 3))
        assert person.program.document.problem == before
        assert len(person.steps()) == 1
        assert "the causal mask closes it" in person.banner()
        heatmap.setFocus()
        person.press("Esc")  # closes the line, and leaves the brush
        assert person.banner() == ""
        drag(person, (0, 3), (2, 3))
        drag(person, (0, 3), (4, 3))  # what is open on the way is closed
        assert len(person.steps()) == 2
        assert person.banner() == "", "it is about what was done before"
        assert shut(person) == ABOVE | {(3, 3), (4, 3)}
        person.press("Ctrl+Z")
        drag(person, (3, 3), (4, 3))
        drag(person, (0, 3), (4, 3))  # what only the custom mask closes is opened
        assert shut(person) == ABOVE
        person.do("brush_column")
        drag(person, (0, 3))
        assert shut(person) == ABOVE | {(i, 3) for i in range(N)}
        assert person.steps()[2:] == ["opened cells (0, 3) … (4, 3)", "closed columns (0, 3) … (0, 3)"]

    layer = {"kind": "custom", "allowed": np.tile(np.arange(N) != 2, (N, 1))}
    line = {"kind": "custom", "allowed": np.ones((1, N), bool)}  # one row for all
    person.again("the other layer is of the same kind", problem.replace(mask=[layer, "causal", line]))
    person.do("brush_cell")
    drag(person, (5, 2))
    assert "layer 0 of the mask (custom) closes it" in person.banner()
    drag(person, (0, 3))  # its row stands for all, of which some are seen to change
    assert shut(person) == ABOVE | {(i, j) for i in range(N) for j in (2, 3)}


def test_layers_are_stacked_moved_removed_typed_into_and_what_they_close_is_said(launch, tmp_path):
    person = launch(SMALL)
    add(person, "causal")
    person.press("Esc")
    person.choose_cell("masked", 0, 1)
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

    person.again("layers are stacked moved and removed")
    add(person, "causal")
    panel = add(person, "custom")
    assert person.focus() is person.find("mask.1.switch")
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

    # lint says what is closed or even, and leads there or out
    allowed = np.ones((2, H, TOKENS, M), bool)
    allowed[1, 0, 3] = False
    opened(person, {"kind": "custom", "allowed": allowed}, items=(2,))
    person.size("head", 1)
    assert lines(person) == ["Row 3 has no open key: its weights and its output are 0."]
    person.click(person.button("Go to the row", "panel.mask"))
    assert not person.find("panel.mask").isVisible()
    assert (person.find("control.batch").value(), person.find("control.head").value()) == (1, 0)
    heatmap = person.find("heatmap.masked")
    assert heatmap.hasFocus()
    assert heatmap.chosen == (3, 0)
    assert math.isinf(person.value("masked", 3, 0))

    # a row closed by a finite number is even until it is closed with booleans
    values = np.zeros((TOKENS, M))
    values[2] = FINFO
    opened(person, {"kind": "bias", "values": values})
    assert lines(person) == ["−3.4e38 is added to every open key of row 2: finite, so the weights are even and not 0."]
    assert [person.value("weights", 2, j) for j in range(M)] == [1 / M] * M
    person.click(person.button("Close them with True and False", "panel.mask"))
    assert [person.value("weights", 2, j) for j in range(M)] == [0.0] * M
    assert lines(person) == ["Row 2 has no open key: its weights and its output are 0."]
    assert not person.has("table.mask.0.values")
    person.press("Ctrl+Z")
    assert [person.value("weights", 2, j) for j in range(M)] == [1 / M] * M

    # the alignment is said and turned
    opened(person, {"kind": "causal"})
    assert lines(person) == ["causal: 5 queries, 7 keys; query 0 belongs to key 0."]
    person.click(person.button("Line up the last ones", "panel.mask"))
    assert person.steps()[-1] == "changed mask causal"
    assert lines(person) == ["causal: 5 queries, 7 keys; query 4 belongs to key 6."]
    assert person.value("weights", 4, 6) > 0
    person.press("Ctrl+Z")
    assert person.value("weights", 4, 6) == 0
    assert lines(person) == ["causal: 5 queries, 7 keys; query 0 belongs to key 0."]

    # true reads both ways and no cell changes
    allowed = np.ones((TOKENS, M), bool)
    allowed[1, 2] = allowed[3, 4] = False
    opened(person, {"kind": "custom", "allowed": allowed})
    before = person.values("weights")
    assert person.number("mask.0.allowed", 1, 2) == 0
    radio(person, blocked=True)
    assert person.number("mask.0.allowed", 1, 2) == 1
    assert person.number("mask.0.allowed", 0, 0) == 0
    assert person.values("weights") == before
    assert len(person.steps()) == 1  # no step of its own
    person.press("Esc")
    person.program.window.inputs.show_field("mask.0.allowed")
    person.type_into("mask.0.allowed", 0, 5, "1")
    assert person.value("weights", 0, 5) == 0
    person.press("Ctrl+Z")
    assert person.values("weights") == before
    person.select("mask.0.allowed", 1, 1, 1, 3)
    person.do("copy")
    assert person.clipboard() == "0\t1\t0"
    person.do("paste")
    assert person.values("weights") == before
    path = tmp_path / "mask.csv"
    np.savetxt(path, ~allowed, fmt="%d", delimiter=",")
    person.program.late.target.use("mask.0.allowed")
    person.program.late.table_blocks.import_path(path)
    assert person.values("weights") == before
    assert "True = blocked" in person.status()
    radio(person, blocked=False)
    assert person.number("mask.0.allowed", 1, 2) == 0

    allowed = np.ones((TOKENS, M), bool)
    allowed[1, 2] = False
    arrays = {"query": np.ones((TOKENS, 2)), "key": np.ones((M, 2)), "value": np.ones((M, 3)), "mask": allowed}
    np.savez(tmp_path / "foreign.npz", **arrays)
    person.drop(tmp_path / "foreign.npz")
    person.wait()
    assert "Mask read as True = may attend" in person.status()
    assert person.value("weights", 1, 2) == 0
