"""The walk along Qt's focus chain leaves every widget as it was."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QGraphicsView, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from attn_gui.views.zones import stops


def test_a_widget_outlives_the_one_before_it_in_the_chain(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    column, first, view = QVBoxLayout(window), QPushButton("x"), QGraphicsView()
    for widget in (first, view):
        column.addWidget(widget)
    viewport = view.viewport()
    window.show()
    assert stops(window) == [first, view]
    first.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not isValid(first)
    assert isValid(view)
    assert isValid(viewport)
    assert stops(window) == [view]
