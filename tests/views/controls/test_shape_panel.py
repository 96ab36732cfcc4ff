"""The shape panel shows every size and signals what a person asks for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.views.controls.shape_panel import ShapePanel, ShapeState
from tests.failing import each

STATE = ShapeState(num_heads=6, num_kv_heads=3, d_k=5, d_v=7, n=11, m=13, d_model=30, head_counts=(1, 2, 3, 6))


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


def test_keys_follow_the_queries_in_self_attention(panel: ShapePanel) -> None:
    panel.set_state(STATE._replace(projected=True, self_attention=True, m=11))
    assert not _box(panel, "m").isEnabled()
    assert "follows n" in _box(panel, "m").toolTip()
    panel.set_state(STATE._replace(projected=True))
    assert _box(panel, "m").isEnabled()
    assert "follows" not in _box(panel, "m").toolTip()


def test_the_compact_form_is_narrower_at_once(panel: ShapePanel) -> None:
    QApplication.processEvents()
    wide = panel.minimumSizeHint().width()
    panel.set_compact(True)
    assert panel.minimumSizeHint().width() < wide - 10
    panel.set_compact(False)
    assert panel.minimumSizeHint().width() == wide


@each("compact", [False, True])
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
