"""Panels of sizes and masks, and fields: what is typed or done is handed on once, or refused with a sentence."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from attn_gui.app.state.settings import set_language
from attn_gui.engine.creation.mask_cells import fill_layer
from attn_gui.engine.masks import MASKS, Layer, layer_from_mapping
from attn_gui.views.controls.count_box import CountBox, ItemBox, SizeBox
from attn_gui.views.controls.mask_panel import MaskPanel
from attn_gui.views.controls.shape_panel import ShapePanel, ShapeState
from attn_gui.views.controls.typed_field import NumberField, RefusalTip
from attn_gui.views.names import mask_summary
from attn_gui.views.widgets import ChoiceBox
from tests.failing import each

STATE = ShapeState(num_heads=6, num_kv_heads=3, d_k=5, d_v=7, n=11, m=13, d_model=30, head_counts=(1, 2, 3, 6))
N, M, BATCH = 5, 7, 3
SAID = ("text", "toolTip", "accessibleName")


@pytest.fixture
def panel(qtbot):
    panel = ShapePanel()
    qtbot.addWidget(panel)
    panel.set_state(STATE)
    panel.resize(314, 150)
    panel.show()
    panel.activateWindow()
    return panel


def _box(panel: QWidget, name: str) -> QSpinBox:
    return panel.findChild(QSpinBox, f"control.{name}")


def test_keys_follow_the_queries_in_self_attention(panel):
    panel.set_state(STATE._replace(projected=True, self_attention=True, m=11))
    assert not _box(panel, "m").isEnabled()
    assert "follows n" in _box(panel, "m").toolTip()
    panel.set_state(STATE._replace(projected=True))
    assert _box(panel, "m").isEnabled()
    assert "follows" not in _box(panel, "m").toolTip()


@each("compact", [False, True])
def test_nothing_is_cut_off_even_with_long_numbers(panel, compact):
    panel.set_compact(compact)
    panel.set_state(STATE._replace(num_heads=128, d_k=128, d_v=128, n=16384, m=16384, d_model=16384, batch_size=128))
    QApplication.processEvents()  # the foot says first what it needs
    panel.resize(panel.minimumSizeHint())
    QApplication.processEvents()
    seen = [child for child in panel.findChildren(QWidget) if child.isVisible() and child.objectName() != "refusal"]
    assert len(seen) > 20
    for child in seen:
        assert panel.rect().contains(child.geometry().translated(child.parentWidget().mapTo(panel, QPoint(0, 0))))
        if isinstance(child, (QLabel, QSpinBox, QAbstractButton, QComboBox)):
            assert child.width() >= child.minimumSizeHint().width(), child.objectName()
    for box in panel.findChildren(QSpinBox):
        line = box.lineEdit()
        assert line.width() >= line.fontMetrics().horizontalAdvance(line.text()), box.objectName()


def an_item_box(parent):
    box = ItemBox(parent)
    box.set_items(4, 90)
    return box


KINDS = {
    "count": lambda parent: CountBox(parent, maximum=99),
    "size": lambda parent: SizeBox(parent, maximum=99),
    "item": an_item_box,
}


class FieldHost(QWidget):
    """A window with a field, another place to go to, and a record of what the field said."""

    def __init__(self, qtbot, make):
        super().__init__()
        self.qtbot, self.field, self.elsewhere = qtbot, make(self), QLineEdit(self)
        column = QVBoxLayout(self)
        for widget in (self.field, self.elsewhere):
            column.addWidget(widget)
        self.resize(420, 160)
        self.committed, self.refused = [], []
        if hasattr(self.field, "committed"):
            self.field.committed.connect(self.committed.append)
            self.field.refused.connect(self.refused.append)
        qtbot.addWidget(self)
        self.show()
        self.activateWindow()
        qtbot.waitUntil(self.isActiveWindow)
        self.field.setFocus()

    def write(self, text):
        self.field.selectAll()
        if text:
            self.qtbot.keyClicks(self.field, text)
        else:
            self.press(Qt.Key.Key_Delete)

    def press(self, key):
        self.qtbot.keyClick(self.field, key)

    def enter(self, text):
        self.write(text)
        self.press(Qt.Key.Key_Return)

    @property
    def tip(self):
        return next((tip for tip in self.findChildren(RefusalTip) if tip.isVisible()), None)


@each("kind", KINDS)
@each("text", ["1,5", "1.5", "1 5", "1e1", "1'5", "2x", "-3", "1234"])
def test_what_is_no_count_is_refused_as_it_was_typed(qtbot, kind, text):
    host = FieldHost(qtbot, KINDS[kind])
    box, before = host.field, host.field.value()
    stays = f"“{text}” was not taken; {before} stays."
    for leave, said in ((lambda: host.press(Qt.Key.Key_Escape), None), (host.elsewhere.setFocus, stays)):
        box.setFocus()
        host.write(text)
        assert box.cleanText() == text
        host.press(Qt.Key.Key_Return)
        assert box.cleanText() == text
        assert host.tip is not None
        leave()
        assert (box.value(), box.cleanText()) == (before, str(before))
        assert (host.tip and host.tip.text()) == said
    box.setFocus()
    assert host.tip is None


@each(
    ("options", "text", "committed", "said"),
    [
        ({}, "0.25", [0.25], None),
        ({}, "1/8", [0.125], None),
        ({}, "-2", [-2.0], None),
        ({"optional": True, "positive": True}, "", [None], None),
        ({}, "1,500", [], "point"),
        *(({"positive": True}, text, [], "above 0") for text in ("0", "-1", "inf", "nan")),
    ],
)
def test_a_number_is_handed_on_once_or_refused(qtbot, options, text, committed, said):
    host = FieldHost(qtbot, lambda parent: NumberField(parent, **options))
    host.field.set_value(30.0)
    host.enter(text)
    host.elsewhere.setFocus()
    assert host.committed == committed
    assert host.field.value() == (committed or [30.0])[0]
    assert all(said in sentence for sentence in host.refused) if said else not host.refused


def test_a_refused_text_stays_to_be_mended_until_it_is_left(qtbot):
    host = FieldHost(qtbot, NumberField)
    host.field.set_dtype("float32")
    host.field.set_value(float.fromhex("0x1.99999ap-4"))
    assert host.field.text() == "0.1", "its own digits"
    for leave in (lambda: host.press(Qt.Key.Key_Escape), host.elsewhere.setFocus):
        host.field.setFocus()
        host.enter("abc")
        assert host.field.selectedText() == "abc"
        assert host.tip.text() == host.refused[-1]
        leave()
        assert (host.field.text(), host.committed) == ("0.1", [])


# --- A visit to a size box is one gesture, and what cannot be is refused with a sentence ---


@pytest.fixture
def host(qtbot):
    host = FieldHost(qtbot, SizeBox)
    host.elsewhere.setFocus()
    host.field.set_value(16)
    host.field.setFocus()
    return host


def test_escape_restores_the_number_before_the_visit(host):
    host.press(Qt.Key.Key_Up)
    host.press(Qt.Key.Key_Escape)
    assert host.field.text() == "16"
    assert host.field.property("tone") == ""
    host.elsewhere.setFocus()
    assert host.committed == []


def test_a_number_out_of_range_is_refused_with_its_range(host):
    for typed in ("0", "99999"):
        host.enter(typed)
        assert host.refused[-1] == f"{typed} is out of range: 1 to 65536. Esc keeps 16."
        assert host.field.lineEdit().selectedText() == typed
        assert host.tip.accessibleName() == host.refused[-1]
        assert host.rect().contains(host.tip.geometry())
    host.field.set_allowed((1, 2, 65536, 131072))
    for typed in ("65535", "131072"):
        host.enter(typed)
    assert host.refused[2:] == [
        "65535 is not possible. Possible: 1, 2, 65536. Esc keeps 16.",
        "131072 is out of range: 1 to 65536. Esc keeps 16.",
    ]
    assert host.committed == []


def test_a_number_of_the_document_above_the_range_is_held_until_another_one_is_typed(host):
    host.field.set_value(70000)
    assert (host.field.text(), host.field.value()) == ("70000", 70000)
    assert host.field.commit_typed()
    host.elsewhere.setFocus()
    assert (host.field.text(), host.committed, host.refused) == ("70000", [], [])
    host.field.setFocus()
    host.press(Qt.Key.Key_Down)
    host.press(Qt.Key.Key_Return)
    assert host.committed == [69999]
    host.field.set_value(3)
    host.enter("70000")
    assert host.refused == ["70000 is out of range: 1 to 65536. Esc keeps 3."]


def test_a_list_that_was_put_away_opens_again_at_what_is_chosen(qtbot):
    box = ChoiceBox(["dot", "additive", "cosine"])
    qtbot.addWidget(box)
    box.show()
    for _ in range(2):
        box.showPopup()
        assert box.view().currentIndex().data() == "dot"
        qtbot.keyClick(box.view(), Qt.Key.Key_Down)
        qtbot.keyClick(box.view(), Qt.Key.Key_Escape)
    assert box.currentData() == "dot"


def test_a_list_of_shorter_words_needs_less_room(qtbot):
    box = ChoiceBox(["dot"])
    qtbot.addWidget(box)
    box.setSizeAdjustPolicy(box.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    widths = []
    for letters in (20, 4):
        box.setMinimumContentsLength(letters)
        widths.append(box.minimumSizeHint().width())
    assert widths[1] < widths[0]


def test_the_wheel_turns_no_size(host):
    for focus in (host.field, host.elsewhere):
        focus.setFocus()
        place = host.field.mapTo(host, host.field.rect().center())
        QTest.wheelEvent(host.windowHandle(), QPointF(place), QPoint(0, 120))
        QApplication.processEvents()
    assert host.field.value() == 16
    assert host.committed == []


class MaskHost(QWidget):
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


def test_an_open_panel_follows_the_language(qtbot, qapp):
    def said(host: MaskHost) -> list[str]:
        words = [part for part in host.panel.findChildren(QWidget) if part.isVisible()]
        return [getattr(one, name)() for one in words for name in SAID if hasattr(one, name)]

    layers = [{"kind": kind, **cls.first(N, M, BATCH)} for kind, cls in MASKS.items()]
    switched = MaskHost(qtbot, *layers)
    before = said(switched)
    set_language(qapp, "zh")
    QApplication.processEvents()
    fresh = MaskHost(qtbot, *layers)
    assert said(switched) == said(fresh) != before
    set_language(qapp, "en")


@each("typed", ["4, 5", "8", "-1", "x", "9" * 5000])
def test_impossible_lengths_are_refused_and_nothing_changes(qtbot, typed):
    host = MaskHost(qtbot, {"kind": "padding", "lengths": (6, 6, 6)})
    field = host.child(QLineEdit, "lengths")
    refused: list[str] = []
    field.refused.connect(refused.append)
    _type(qtbot, field, typed)
    assert host.done == []
    assert len(refused) == 1
    assert refused[0].startswith(("Lengths are whole numbers from 0 to 7", "Items: 3, lengths: 2"))
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "6, 6, 6"
    assert host.panel.isVisible()


@each(
    ("place", "expected"), [(0, [[1, 1], [1, 1]]), (1, [[0, 0], [0, 0]]), (2, [[0, 0], [1, 0]]), (3, [[1, 0], [1, 1]])]
)
def test_custom_cells_are_filled(qtbot, place, expected):
    host = MaskHost(qtbot, {"kind": "custom", "allowed": np.array([[True, True], [False, True]])}, n=2, m=2, batch=1)
    host.button("Fill").menu().actions()[place].trigger()
    np.testing.assert_array_equal(host.layers[0].allowed, np.array(expected, bool))
    assert host.done == [("fill", "custom")]


def test_painting_and_tables_are_asked_for_by_place(qtbot):
    layers = (
        {"kind": "causal"},
        {"kind": "custom", "allowed": np.ones((N, M), bool)},
        {"kind": "bias", "values": np.zeros((N, M))},
    )
    host = MaskHost(qtbot, *layers)
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


def test_escape_closes_and_gives_the_focus_back(qtbot):
    host = MaskHost(qtbot, {"kind": "causal"})
    qtbot.keyClick(host.child(QCheckBox, "causal layer on"), Qt.Key.Key_Escape)
    assert not host.panel.isVisible()
    assert host.anchor.hasFocus()


def test_a_press_elsewhere_closes_it_and_counts(qtbot):
    host = MaskHost(qtbot, {"kind": "window", "left": 2})
    before = host.child(QSpinBox, "keys before")
    before.setFocus()
    qtbot.keyClick(before, Qt.Key.Key_Up)
    qtbot.mouseClick(host.elsewhere, Qt.MouseButton.LeftButton)
    assert not host.panel.isVisible()
    assert host.elsewhere.hasFocus()
    assert host.layers[0].left == 3  # what was being typed is not lost


def test_tab_goes_round_inside(qtbot):
    host = MaskHost(qtbot, {"kind": "window", "left": 2, "right": 1})
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


def test_it_stays_in_a_small_window_and_scrolls(qtbot):
    host = MaskHost(qtbot, *[{"kind": "window", "left": k} for k in range(9)])
    host.anchor.move(700, 4)
    host.panel.close_panel()
    host.panel.popup_below(host.anchor)
    assert host.rect().contains(host.panel.geometry())
    host.resize(420, 300)
    QApplication.processEvents()
    assert host.panel.geometry().bottom() <= host.height()


def test_the_summary_names_what_is_on():
    off = layer_from_mapping({"kind": "window", "enabled": False})
    causal, alibi = (layer_from_mapping({"kind": kind}) for kind in ("causal", "alibi"))
    assert mask_summary([off]) == "none"
    assert mask_summary([off, causal, alibi]) == "causal + 1"


LONG_TEXT = 100


def _type(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    pasted = text[:-1] if len(text) > LONG_TEXT else ""  # thousands of keys take seconds
    field.insert(pasted)
    qtbot.keyClicks(field, text.removeprefix(pasted))
    assert field.text() == text
    qtbot.keyClick(field, Qt.Key.Key_Return)


@each(
    "layer",
    [
        {"kind": "window", "left": 10**20, "right": -(10**20)},
        {"kind": "window", "left": 70_000, "right": -(2**31)},
        {"kind": "prefix", "length": 10**12},
    ],
)
def test_whole_numbers_of_any_size_are_shown_and_stay(qtbot, layer):
    host = MaskHost(qtbot, layer)
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
