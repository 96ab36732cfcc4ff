"""The mask panel: every gesture is one list of layers, and the keyboard never gets lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from attn_gui.engine.creation.mask_cells import refilled
from attn_gui.engine.masks import MASKS, Layer, layer_from_mapping
from attn_gui.views.controls.mask_panel import LintLine, MaskPanel
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
        self.layers = (*self.layers[:place], refilled(self.layers[place], how), *self.layers[place + 1 :])
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


@pytest.mark.parametrize("kind", list(MASKS))
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


def test_a_switch_is_one_step_and_keeps_the_focus(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "causal"}, {"kind": "alibi"})
    switch = host.child(QCheckBox, "causal layer on")
    assert switch.hasFocus()
    qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert [layer.enabled for layer in host.layers] == [False, True]
    assert host.done == [("switch", "causal")]
    assert switch.hasFocus()


def test_a_limit_is_typed_or_taken_away(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "window", "left": 2})
    before = host.child(QSpinBox, "keys before")
    before.setFocus()
    before.selectAll()
    qtbot.keyClicks(before, "-1")
    qtbot.keyClick(before, Qt.Key.Key_Return)
    assert (host.layers[0].left, host.layers[0].right) == (-1, None)
    assert not host.child(QSpinBox, "keys after").isEnabled()
    qtbot.keyClick(host.child(QCheckBox, "keys after: no limit"), Qt.Key.Key_Space)
    assert host.layers[0].right == 0
    qtbot.keyClick(host.child(QCheckBox, "keys before: no limit"), Qt.Key.Key_Space)
    assert host.layers[0].left is None
    assert host.done == [("change", "window")] * 3


def test_the_alignment_is_picked_and_its_rule_said(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "causal"})
    combo = host.child(QComboBox, "lined up at")
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert host.layers[0].align == "end"
    assert "open where j ≤ i + 2" in _words(host.panel)


@pytest.mark.parametrize(("typed", "lengths"), [("4", (4,)), ("7,1, 0", (7, 1, 0)), ("3 3 3", (3, 3, 3))])
def test_lengths_are_one_for_all_or_one_for_each(qtbot: QtBot, typed: str, lengths: tuple[int, ...]) -> None:
    host = Host(qtbot, {"kind": "padding", "lengths": (6, 6, 6)})
    _type(qtbot, host.child(QLineEdit, "lengths"), typed)
    assert host.layers[0].lengths == lengths


@pytest.mark.parametrize("typed", ["4, 5", "8", "-1", "x", "9" * 5000])
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


def test_the_order_of_layers_has_no_buttons_since_it_has_no_effect(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "causal"}, {"kind": "window", "left": 1}, {"kind": "alibi"})
    names = {button.accessibleName() for button in host.panel.findChildren(QToolButton) if button.isVisible()}
    assert names == {"Remove causal", "Remove window", "Remove ALiBi", "Close"}


def test_true_is_read_the_other_way_in_words_alone(qtbot: QtBot) -> None:
    cells = np.array([[True, False, True], [True, True, True]])
    host = Host(qtbot, {"kind": "causal"}, {"kind": "custom", "allowed": cells})
    picked: list[bool] = []
    host.panel.blockedPicked.connect(picked.append)
    button = host.child(QRadioButton, "True = blocked")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(8, button.height() // 2))
    assert picked == [True]
    assert host.done == []
    host.panel.set_blocked(True)
    shown = [label.text() for label in host.panel.findChildren(QLabel) if label.isVisible()]
    assert "blocked unless j ≤ i" in shown
    assert "blocked: 1 of 6 cells" in shown
    assert any(text.startswith("As in nn.MultiheadAttention;") for text in shown)
    host.panel.set_blocked(False)
    shown = [label.text() for label in host.panel.findChildren(QLabel) if label.isVisible()]
    assert {"open where j ≤ i", "open: 5 of 6 cells"} <= set(shown)


def test_lines_of_lint_are_shown_with_what_can_be_done(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "causal"})
    asked: list[tuple[str, int]] = []
    host.panel.lint.goRequested.connect(lambda number: asked.append(("go", number)))
    host.panel.lint.remedyRequested.connect(lambda number: asked.append(("remedy", number)))
    host.panel.set_findings(
        [LintLine("Something.", False, ""), LintLine("A row.", True, ""), LintLine("A layer.", False, "Turn it")]
    )
    buttons = [button for button in host.panel.lint.findChildren(QPushButton) if button.isVisible()]
    assert [(button.text(), button.accessibleDescription()) for button in buttons] == [
        ("Go to the row", "A row."),
        ("Turn it", "A layer."),
    ]
    for button in buttons:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked == [("go", 1), ("remedy", 2)]
    host.panel.set_findings([])
    assert not host.panel.lint.isVisible()


def test_a_layer_is_removed_and_the_focus_goes_on(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "causal"}, {"kind": "alibi"})
    qtbot.mouseClick(host.child(QToolButton, "Remove ALiBi"), Qt.MouseButton.LeftButton)
    assert host.kinds() == ["causal"]
    assert host.child(QToolButton, "Remove causal").hasFocus()
    qtbot.keyClick(host.child(QToolButton, "Remove causal"), Qt.Key.Key_Space)
    assert host.kinds() == []
    assert host.panel.add.hasFocus()
    assert "No layer: every query sees every key." in _words(host.panel)


@pytest.mark.parametrize(
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


def test_a_press_inside_and_on_its_box_do_not_count_as_elsewhere(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "causal"})
    host.anchor.clicked.connect(lambda: host.panel.popup_below(host.anchor))
    qtbot.mouseClick(host.panel, Qt.MouseButton.LeftButton)
    assert host.panel.isVisible()
    qtbot.mouseClick(host.anchor, Qt.MouseButton.LeftButton)
    assert not host.panel.isVisible()
    qtbot.mouseClick(host.anchor, Qt.MouseButton.LeftButton)
    assert host.panel.isVisible()


def test_undo_goes_on_working_while_it_is_open(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "causal"})
    undone: list[bool] = []
    action = QAction(host)
    action.setShortcut(QKeySequence(QKeySequence.StandardKey.Undo))
    action.triggered.connect(lambda: undone.append(True))
    host.addAction(action)
    qtbot.keyClick(host.child(QCheckBox, "causal layer on"), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone == [True]


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


def test_setting_layers_says_nothing(qtbot: QtBot) -> None:
    host = Host(qtbot, {"kind": "window", "left": 2, "right": 1})
    for layers in ([{"kind": "window", "align": "end", "enabled": False}], [{"kind": "padding", "lengths": (2,)}], []):
        host.panel.set_layers([layer_from_mapping(layer) for layer in layers], N, M, BATCH)
    assert host.done == []


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


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        ({"kind": "causal"}, "open where j ≤ i"),
        ({"kind": "causal", "align": "end"}, "open where j ≤ i + 2"),
        ({"kind": "window", "left": 3, "right": 0, "align": "end"}, "open where i − 1 ≤ j ≤ i + 2"),
        ({"kind": "window"}, "open everywhere"),
        ({"kind": "prefix", "length": 2}, "open where j < 2 or j ≤ i"),
        ({"kind": "padding", "lengths": (2, 6, 4)}, "open where j < 2 … 6"),
        ({"kind": "custom", "allowed": np.eye(N, M, dtype=bool)}, "open: 5 of 35 cells"),
    ],
)
def test_every_rule_is_said_in_symbols(qtbot: QtBot, layer: Mapping[str, Any], said: str) -> None:
    assert said in _words(Host(qtbot, layer).panel)


def _words(panel: QWidget) -> list[str]:
    return [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]


def _type(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


@pytest.mark.parametrize(
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
