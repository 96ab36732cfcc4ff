"""Layouts that are filled anew: what held the places of the widgets before is deleted."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from attn_gui.views.text_views import FlowLayout, clear, take_widgets


@pytest.fixture
def holder(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def _filled(holder: QWidget, kind: type[QHBoxLayout] | type[FlowLayout]) -> tuple[QLayout, list[QLabel]]:
    layout, labels = kind(holder), [QLabel(text, holder) for text in "abc"]
    for label in labels:
        layout.addWidget(label)
        if isinstance(layout, QHBoxLayout):
            layout.addStretch(1)
    return layout, labels


@pytest.mark.parametrize("kind", [QHBoxLayout, FlowLayout])
def test_what_held_the_places_is_deleted(holder: QWidget, kind: type[QHBoxLayout] | type[FlowLayout]) -> None:
    layout, labels = _filled(holder, kind)
    items = [layout.itemAt(place) for place in range(layout.count())]
    assert take_widgets(layout) == labels
    assert not layout.count()
    assert not any(map(isValid, items))
    assert all(map(isValid, labels))


def test_a_cleared_layout_lets_its_widgets_go(qtbot: QtBot, holder: QWidget) -> None:
    layout, labels = _filled(holder, QHBoxLayout)
    clear(layout)
    qtbot.waitUntil(lambda: not any(map(isValid, labels)))
