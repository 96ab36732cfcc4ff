"""Painting the mask with the mouse, and dropping a matrix on a table."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication


def test_a_click_with_the_mask_tool_closes_and_opens_a_cell(launch):
    person = launch()
    person.action("mask_tool").trigger()
    person.click_cell("weights", 2, 3)
    assert math.isinf(person.value("masked", 2, 3))
    assert person.value("weights", 2, 3) == 0
    person.click_cell("weights", 2, 3)
    assert math.isfinite(person.value("masked", 2, 3))
    person.action("undo").trigger()
    assert person.value("weights", 2, 3) == 0
    person.action("mask_tool").trigger()
    person.click_cell("weights", 4, 5)
    assert person.value("weights", 4, 5) > 0


def test_a_matrix_dropped_on_a_table_goes_into_it(launch, tmp_path):
    person = launch()
    path = tmp_path / "block.csv"
    np.savetxt(path, np.arange(6.0).reshape(2, 3), delimiter=",")
    table, data = person.table("key"), QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    place = table.viewport().mapTo(person.window, QPoint(20, 20))
    how = Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(person.window, QDragEnterEvent(place, *how))
    QApplication.sendEvent(person.window, QDropEvent(QPointF(place), *how))
    assert [[person.number("key", i, j) for j in range(3)] for i in range(2)] == [[0, 1, 2], [3, 4, 5]]
    person.action("undo").trigger()
    assert person.number("key", 1, 2) != 5
