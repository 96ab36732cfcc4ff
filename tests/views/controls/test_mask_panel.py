"""The mask panel: every gesture is one list of layers, and the keyboard never gets lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.engine.creation.mask_cells import fill_layer
from attn_gui.engine.masks import MASKS, Layer, layer_from_mapping
from attn_gui.views.controls.mask_panel import MaskPanel
from attn_gui.views.names import mask_summary
from tests.failing import each

N, M, BATCH = 5, 7, 3


class Host(QWidget):
    """A window with a box that opens the panel, a place beside it, and a document of layers."""

    def __init__(self, qtbot: QtBot, *layers: Mapping[str, Any], n: int = N, m: int = M, batch: int = BATCH) -> None:
        super().__init__()
        self.anchor, self.elsewhere = QPushButton("mask", self), QLineEdit(self)
        self.elsewhere.move(500, 500)
        self.panel = MaskPanel(self)
        self.sizes = (n, m, batch)
        self.done: list[tuple[str, str]] = []
        self.layers: tuple[Layer, ...] = tuple(layer_from_mapping(layer) for layer in layers)
        self.panel.set_layers(self.layers, *self.sizes)
        self.panel.layersChanged.connect(self._on_layers_changed)
        self.panel.fillRequested.connect(self._on_fill_requested)
        self.resize(760, 640)
        qtbot.addWidget(self)
        self.show()
        self.activateWindow()
        qtbot.waitUntil(self.isActiveWindow)
        self.panel.popup_below(self.anchor)

    def _on_layers_changed(self, mappings: tuple[Mapping[str, Any], ...], what: str, kind: str) -> None:
        self.done.append((what, kind))
        self.layers = tuple(layer_from_mapping(mapping) for mapping in mappings)
        self.panel.set_layers(self.layers, *self.sizes)

    def _on_fill_requested(self, place: int, how: str) -> None:
        self.done.append(("fill", self.layers[place].kind))
        self.layers = (*self.layers[:place], fill_layer(self.layers[place], how), *self.layers[place + 1 :])
        self.panel.set_layers(self.layers, *self.sizes)

    def child(self, kind: type, name: str) -> Any:
        named = [child for child in self.panel.findChildren(kind) if child.accessibleName() == name]
        found = [child for child in named if child.isVisible()]
        assert len(found) == 1, name
        return found[0]

    def button(self, text: str) -> QPushButton:
        return next(b for b in self.panel.findChildren(QPushButton) if b.text() == text and b.isVisible())

    def kinds(self) -> list[str]:
        return [layer.kind for layer in self.layers]


@each("kind", list(MASKS))
def test_every_kind_of_the_catalog_can_be_added(qtbot: QtBot, kind: str) -> None:
    host = Host(qtbot)
    action = next(action for action in host.panel.kinds.actions() if action.data() == kind)
    action.trigger()
    assert host.kinds() == [kind]
    assert host.done == [("add", kind)]
    assert host.layers[0].enabled
    focus = QApplication.focusWidget()
    assert isinstance(focus, QCheckBox)
    assert host.panel.isAncestorOf(focus)


@each("typed", ["4, 5", "8", "-1", "x", "9" * 5000])
def test_impossible_lengths_are_refused_and_nothing_changes(qtbot: QtBot, typed: str) -> None:
    host = Host(qtbot, {"kind": "padding", "lengths": (6, 6, 6)})
    field = host.child(QLineEdit, "lengths")
    refused: list[str] = []
    field.refused.connect(refused.append)
    _type(qtbot, field, typed)
    assert host.done == []
    assert len(refused) == 1
    assert refused[0].startswith(("Lengths are whole numbers from 0 to 7", "2 lengths for 3 items"))
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "6, 6, 6"
    assert host.panel.isVisible()


@each(
    ("place", "expected"), [(0, [[1, 1], [1, 1]]), (1, [[0, 0], [0, 0]]), (2, [[0, 0], [1, 0]]), (3, [[1, 0], [1, 1]])]
)
def test_custom_cells_are_filled(qtbot: QtBot, place: int, expected: list[list[int]]) -> None:
    host = Host(qtbot, {"kind": "custom", "allowed": np.array([[True, True], [False, True]])}, n=2, m=2, batch=1)
    menu = host.button("Fill").menu()
    menu.actions()[place].trigger()
    np.testing.assert_array_equal(host.layers[0].allowed, np.array(expected, bool))
    assert host.done == [("fill", "custom")]


def test_cells_that_differ_by_item_keep_their_shape(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "custom", "allowed": np.ones((BATCH, 1, N, M), bool)})
    host.button("Fill").menu().actions()[1].trigger()
    assert host.layers[0].allowed.shape == (BATCH, 1, N, M)
    assert not host.layers[0].allowed.any()
    assert not host.button("Fill").menu().actions()[3].isEnabled()  # no diagonal in 5 × 7


def test_painting_and_tables_are_asked_for_by_place(qtbot: QtBot) -> None:
    layers = (
        {"kind": "causal"},
        {"kind": "custom", "allowed": np.ones((N, M), bool)},
        {"kind": "bias", "values": np.zeros((N, M))},
    )
    host = Host(qtbot, *layers)
    painted: list[int] = []
    tables: list[str] = []
    host.panel.paintRequested.connect(painted.append)
    host.panel.tableRequested.connect(tables.append)
    qtbot.mouseClick(host.button("Paint in the map"), Qt.MouseButton.LeftButton)
    assert painted == [1]
    assert not host.panel.isVisible()
    host.panel.popup_below(host.anchor)
    last = [b for b in host.panel.findChildren(QPushButton) if b.text() == "Show its table" and b.isVisible()][-1]
    last.click()
    assert tables == ["mask.2.values"]


def test_escape_closes_and_gives_the_focus_back(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "causal"})
    qtbot.keyClick(host.child(QCheckBox, "causal layer on"), Qt.Key.Key_Escape)
    assert not host.panel.isVisible()
    assert host.anchor.hasFocus()


def test_a_press_elsewhere_closes_it_and_counts(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "window", "left": 2})
    before = host.child(QSpinBox, "keys before")
    before.setFocus()
    qtbot.keyClick(before, Qt.Key.Key_Up)
    qtbot.mouseClick(host.elsewhere, Qt.MouseButton.LeftButton)
    assert not host.panel.isVisible()
    assert host.elsewhere.hasFocus()
    assert host.layers[0].left == 3  # what was being typed is not lost


def test_tab_goes_round_inside(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "window", "left": 2, "right": 1})
    seen = []
    for _ in range(30):
        focus = QApplication.focusWidget()
        assert focus is not None
        assert host.panel.isAncestorOf(focus)
        if focus in seen:
            break
        seen.append(focus)
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is seen[0]
    assert len(seen) == 10  # switch, remove, two limits of two, alignment, add, how True is read, close
    qtbot.keyClick(seen[0], Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is seen[-1]


def test_it_stays_in_a_small_window_and_scrolls(qtbot: QtBot) -> None:
    host = Host(qtbot, *[{"kind": "window", "left": k} for k in range(9)])
    host.anchor.move(700, 4)
    host.panel.close_panel()
    host.panel.popup_below(host.anchor)
    assert host.rect().contains(host.panel.geometry())
    host.resize(420, 300)
    QApplication.processEvents()
    assert host.panel.geometry().bottom() <= host.height()


@each(
    ("layers", "text"),
    [
        ([], "none"),
        ([{"kind": "causal"}], "causal"),
        ([{"kind": "causal", "enabled": False}], "none"),
        (
            [
                {"kind": "window", "enabled": False},
                {"kind": "causal"},
                {"kind": "alibi"},
                {"kind": "prefix", "length": 2},
            ],
            "causal + 2",
        ),
    ],
)
def test_the_summary_names_what_is_on(layers: list[Mapping[str, Any]], text: str) -> None:
    assert mask_summary([layer_from_mapping(layer) for layer in layers]) == text


def _type(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


@each(
    "layer",
    [
        {"kind": "window", "left": 10**20, "right": -(10**20)},
        {"kind": "window", "left": 70_000, "right": -(2**31)},
        {"kind": "prefix", "length": 10**12},
    ],
)
def test_whole_numbers_of_any_size_are_shown_and_stay(qtbot: QtBot, layer: Mapping[str, Any]) -> None:
    host = Host(qtbot, layer)
    numbers = [value for name, value in layer.items() if name != "kind"]
    boxes = [box for box in host.panel.findChildren(QSpinBox) if box.isVisible()]
    assert [box.lineEdit().text() for box in boxes] == [str(number) for number in numbers]
    for box in boxes:
        box.setFocus()
        qtbot.keyClick(box, Qt.Key.Key_Return)
    host.elsewhere.setFocus()
    assert not host.done
    boxes[0].setFocus()
    boxes[0].selectAll()
    qtbot.keyClicks(boxes[0], "3")
    qtbot.keyClick(boxes[0], Qt.Key.Key_Return)
    assert host.done == [("change", layer["kind"])]
    changed = host.layers[0].to_mapping()
    assert [changed[name] for name in layer if name != "kind"] == [3, *numbers[1:]]


def test_a_huge_limit_survives_its_switch(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "window", "left": 10**20})
    unlimited = next(box for box in host.panel.findChildren(QCheckBox) if box.text() == "no limit")
    unlimited.click()
    assert host.layers[0].to_mapping()["left"] is None
    unlimited.click()
    assert host.layers[0].to_mapping()["left"] == 10**20
