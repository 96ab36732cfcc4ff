"""The shape panel shows every size and signals what a person asks for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QComboBox, QLabel, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.views.controls.shape_panel import ShapePanel, ShapeState

STATE = ShapeState(num_heads=6, num_kv_heads=3, d_k=5, d_v=7, n=11, m=13, d_model=30, head_counts=(1, 2, 3, 6))
NAMES = ("num_heads", "num_kv_heads", "d_k", "d_v", "n", "m", "d_model", "batch_size")


@pytest.fixture
def panel(qtbot: QtBot) -> ShapePanel:
    panel = ShapePanel()
    qtbot.addWidget(panel)
    panel.set_state(STATE)
    panel.resize(314, 150)
    panel.show()
    panel.activateWindow()
    return panel


def _box(panel: QWidget, name: str) -> QSpinBox:
    return panel.findChild(QSpinBox, f"control.{name}")


def _sizes(panel: ShapePanel) -> list[tuple[str, int]]:
    record: list[tuple[str, int]] = []
    panel.sizeCommitted.connect(lambda name, value: record.append((name, value)))
    return record


def test_every_size_is_found_by_its_name_and_shown(panel: ShapePanel) -> None:
    shown = {name: _box(panel, name).value() for name in NAMES}
    assert shown == {
        "num_heads": 6,
        "num_kv_heads": 3,
        "d_k": 5,
        "d_v": 7,
        "n": 11,
        "m": 13,
        "d_model": 30,
        "batch_size": 1,
    }


def test_setting_the_state_says_nothing(panel: ShapePanel) -> None:
    said: list[object] = []
    for signal in (panel.sizeCommitted, panel.dtypePicked, panel.keepPicked, panel.itemPicked):
        signal.connect(lambda *values: said.append(values))
    panel.set_state(STATE._replace(num_heads=2, d_k=15, n=17, batch_size=4, item=3, dtype="float32", keep="d_k"))
    assert said == []
    assert _box(panel, "batch").value() == 3


@pytest.mark.parametrize("name", ["d_k", "d_v", "n", "m", "batch_size"])
def test_a_typed_size_is_asked_for_once(qtbot: QtBot, panel: ShapePanel, name: str) -> None:
    record = _sizes(panel)
    box = _box(panel, name)
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "9")
    qtbot.keyClick(box, Qt.Key.Key_Tab)
    assert record == [(name, 9)]


def test_heads_step_through_the_counts_that_divide(qtbot: QtBot, panel: ShapePanel) -> None:
    record = _sizes(panel)
    box = _box(panel, "num_heads")
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert box.value() == 3
    box.selectAll()
    refused: list[str] = []
    panel.refused.connect(refused.append)
    qtbot.keyClicks(box, "4")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert record == []
    assert refused == ["4 heads cannot share 30 columns of Q and 42 of V evenly. Possible: 1, 2, 3, 6. Esc keeps 6."]


def test_any_count_of_heads_will_do_when_d_k_is_kept(qtbot: QtBot, panel: ShapePanel) -> None:
    panel.set_state(STATE._replace(keep="d_k", head_counts=()))
    record = _sizes(panel)
    box = _box(panel, "num_heads")
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "4")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert record == [("num_heads", 4)]


def test_kv_heads_share_out_the_heads(qtbot: QtBot, panel: ShapePanel) -> None:
    box = _box(panel, "num_kv_heads")
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert box.value() == 6


def test_keep_d_model_is_a_switch(qtbot: QtBot, panel: ShapePanel) -> None:
    picked: list[bool] = []
    panel.keepPicked.connect(picked.append)
    switch = panel.findChild(QAbstractButton, "control.d_model_fixed")
    assert switch.isChecked()
    qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
    qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert picked == [False, True]


def test_precision_is_picked_by_key(qtbot: QtBot, panel: ShapePanel) -> None:
    picked: list[str] = []
    panel.dtypePicked.connect(picked.append)
    combo = panel.findChild(QComboBox, "control.dtype")
    assert combo.currentData() == "float64"
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert picked == ["float32"]


def test_keys_follow_the_queries_in_self_attention(panel: ShapePanel) -> None:
    panel.set_state(STATE._replace(projected=True, self_attention=True, m=11))
    assert not _box(panel, "m").isEnabled()
    assert "follows n" in _box(panel, "m").toolTip()
    panel.set_state(STATE._replace(projected=True))
    assert _box(panel, "m").isEnabled()
    assert "follows" not in _box(panel, "m").toolTip()


def test_d_model_is_shown_in_direct_problems_and_set_in_projected_ones(qtbot: QtBot, panel: ShapePanel) -> None:
    record = _sizes(panel)
    box = _box(panel, "d_model")
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Up)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert record == []
    assert box.buttonSymbols() == QAbstractSpinBox.ButtonSymbols.NoButtons
    assert any(label.text() == "= 6 · 5" for label in panel.findChildren(QLabel))
    panel.set_state(STATE._replace(projected=True, d_model=12))
    assert any(label.text() == "→ 6 · 5" for label in panel.findChildren(QLabel))
    qtbot.keyClick(box, Qt.Key.Key_Up)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert record == [("d_model", 13)]


def test_the_item_is_picked_at_every_step(qtbot: QtBot, panel: ShapePanel) -> None:
    picked: list[int] = []
    panel.itemPicked.connect(picked.append)
    box = _box(panel, "batch")
    assert not box.isEnabled()
    panel.set_state(STATE._replace(batch_size=3))
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Up)
    qtbot.keyClick(box, Qt.Key.Key_Up)
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert picked == [1, 2]


def test_tab_goes_through_the_boxes_in_reading_order(qtbot: QtBot, panel: ShapePanel) -> None:
    panel.set_state(STATE._replace(batch_size=2, projected=True))
    _box(panel, "n").setFocus()
    order = []
    for _ in range(11):
        focus = QApplication.focusWidget()
        assert focus is not None
        order.append(focus.objectName().removeprefix("control."))
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert order == [
        "n",
        "m",
        "d_k",
        "d_v",
        "num_heads",
        "num_kv_heads",
        "batch",
        "batch_size",
        "dtype",
        "d_model",
        "d_model_fixed",
    ]


def test_the_compact_form_is_narrower_at_once(panel: ShapePanel) -> None:
    QApplication.processEvents()
    wide = panel.minimumSizeHint().width()
    panel.set_compact(True)
    assert panel.minimumSizeHint().width() < wide - 10
    panel.set_compact(False)
    assert panel.minimumSizeHint().width() == wide


@pytest.mark.parametrize("compact", [False, True])
def test_nothing_is_cut_off_even_with_long_numbers(panel: ShapePanel, compact: bool) -> None:
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


def test_every_control_has_a_name_to_be_read_out(panel: ShapePanel) -> None:
    for name in (*NAMES, "batch", "dtype"):
        control = panel.findChild(QWidget, f"control.{name}")
        assert control.accessibleName()
        assert control.toolTip()
