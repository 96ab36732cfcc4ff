"""Lint below the layers of a mask, with a way there or a way out; and True, which reads both ways."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QRadioButton

from attn_gui.engine import Problem

N, M, H, D = 5, 7, 2, 11
FINFO = float(np.finfo(np.float32).min)


@pytest.fixture
def opened(launch):
    """A window with a problem of these mask layers."""

    person = launch()

    def start(*mask):
        rng = np.random.default_rng(0)
        arrays = {name: rng.normal(size=(rows, H * D)) for name, rows in (("query", N), ("key", M), ("value", M))}
        person.again(str(mask), Problem(**arrays, num_heads=H, mask=mask))
        return person

    return start


def lines(person):
    """The sentences of lint on show."""
    if not person.find("panel.mask").isVisible():
        person.click("control.mask")
    return [label.text() for label in person.find("mask.lint").findChildren(QLabel) if label.isVisible()]


def test_lint_says_what_is_closed_or_even_and_leads_there_or_out(opened, qtbot):
    allowed = np.ones((H, N, M), bool)
    allowed[1, 3] = False
    person = opened({"kind": "custom", "allowed": allowed})
    assert lines(person) == ["Row 3 has no open key: its weights and its output are 0."]
    person.click(person.button("Go to the row", "panel.mask"))
    assert not person.find("panel.mask").isVisible()
    assert person.find("control.head").value() == 1
    heatmap = person.find("heatmap.masked")
    assert heatmap.hasFocus()
    assert heatmap.chosen == (3, 0)
    assert math.isinf(person.value("masked", 3, 0))

    # a row closed by a finite number is even until it is closed with booleans
    values = np.zeros((N, M))
    values[2] = FINFO
    person = opened({"kind": "bias", "values": values})
    assert lines(person) == ["−3.4e+38 is added to every open key of row 2: finite, so the weights are even and not 0."]
    assert [person.value("weights", 2, j) for j in range(M)] == [1 / M] * M
    person.click(person.button("Close them with True and False", "panel.mask"))
    assert [person.value("weights", 2, j) for j in range(M)] == [0.0] * M
    assert lines(person) == ["Row 2 has no open key: its weights and its output are 0."]
    assert not person.has("table.mask.0.values")
    person.press("Ctrl+Z")
    assert [person.value("weights", 2, j) for j in range(M)] == [1 / M] * M

    # what else a bias adds stays a bias
    values = np.zeros((N, M))
    values[2], values[1, 4] = FINFO, 2.5
    person = opened({"kind": "bias", "values": values})
    lines(person)
    person.click(person.button("Close them with True and False", "panel.mask"))
    assert person.number("mask.1.values", 1, 4) == 2.5
    assert person.number("mask.1.values", 2, 0) == 0
    assert person.number("mask.0.allowed", 2, 0) == 0

    # the alignment is said and turned
    person = opened({"kind": "causal"})
    assert lines(person) == ["causal: 5 queries, 7 keys; query 0 belongs to key 0."]
    person.click(person.button("Line up the last ones", "panel.mask"))
    assert person.steps()[-1] == "changed mask causal"
    assert lines(person) == ["causal: 5 queries, 7 keys; query 4 belongs to key 6."]
    assert person.value("weights", 4, 6) > 0
    person.press("Ctrl+Z")
    assert person.value("weights", 4, 6) == 0
    assert lines(person) == ["causal: 5 queries, 7 keys; query 0 belongs to key 0."]

    # it is said in both languages
    person = opened({"kind": "padding", "lengths": 0})
    assert lines(person) == ["5 rows have no open key, row 0 first: weights and output are 0."]
    person.do("language_zh")
    QApplication.processEvents()
    assert lines(person) == ["有 5 行没有开放的键，最先是第 0 行：权重和输出都是 0。"]

    # a long mask is looked over beside the window
    length = 1300
    arrays = {name: np.zeros((length, 2)) for name in ("query", "key", "value")}
    after = {"kind": "window", "left": -1, "right": None}  # keys after the query alone
    person.again("a long mask", Problem(**arrays, mask=(after,)))
    person.click("control.mask")
    qtbot.waitUntil(lambda: lines(person) != [], timeout=60_000)
    assert lines(person)[0] == f"Row {length - 1} has no open key: its weights and its output are 0."

    # the way to a closed row of another item leads to that item
    rng, items = np.random.default_rng(0), 2
    arrays = {name: rng.normal(size=(items, rows, D)) for name, rows in (("query", N), ("key", M), ("value", M))}
    allowed = np.ones((items, 1, N, M), bool)
    allowed[1, 0, 3] = False
    person.again("two items", Problem(**arrays, mask=[{"kind": "custom", "allowed": allowed}]))
    lines(person)
    person.click(person.button("Go to the row", "panel.mask"))
    assert person.program.view.look.batch == 1
    assert person.find("heatmap.masked").chosen == (3, 0)


def radio(person, blocked):
    button = person.find(f"control.mask_reading.{'blocked' if blocked else 'attend'}", QRadioButton)
    if not button.isVisible():
        person.click("control.mask")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(8, button.height() // 2))


def test_true_reads_both_ways_and_no_cell_changes(opened, tmp_path, launch):
    allowed = np.ones((N, M), bool)
    allowed[1, 2] = allowed[3, 4] = False
    person = opened({"kind": "custom", "allowed": allowed})
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

    # a block that takes the place of a mask is read as it is shown
    # Where a matrix had to be made to fit, True = blocked was taken for True = may attend.
    allowed = np.tril(np.ones((N, M), bool))
    person = opened({"kind": "custom", "allowed": allowed})
    radio(person, blocked=True)
    person.press("Esc")
    person.program.window.inputs.show_field("mask.0.allowed")
    larger = ~np.tril(np.ones((N + 1, M + 1), bool))
    person.go_to("mask.0.allowed", 0, 0)
    QApplication.clipboard().setText("\n".join("\t".join(map(str, row)) for row in larger.astype(int)))
    person.do("paste")
    offers = [button.text() for button in person.find("banner").buttons()]
    resize = next(button for button in person.find("banner").buttons() if f"to {N} × {M}" in button.text())
    person.click(resize)
    assert np.array_equal(person.program.document.problem.mask[0].allowed, allowed), offers

    # the reading is remembered
    person = opened({"kind": "causal"})
    radio(person, blocked=True)
    again = launch()
    again.click("control.mask")
    assert again.find("control.mask_reading.blocked", QRadioButton).isChecked()


def test_a_file_of_booleans_says_which_way_they_were_read(launch, tmp_path):
    allowed = np.ones((N, M), bool)
    allowed[1, 2] = False
    arrays = {"query": np.ones((N, 2)), "key": np.ones((M, 2)), "value": np.ones((M, 3)), "mask": allowed}
    np.savez(tmp_path / "foreign.npz", **arrays)
    person = launch(tmp_path / "foreign.npz")
    assert "Mask read as True = may attend" in person.status()
    assert person.value("weights", 1, 2) == 0
    assert "Mask read" not in launch().status()
