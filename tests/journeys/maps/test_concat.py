"""The map of all heads side by side."""

from __future__ import annotations

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel


def test_a_cell_of_another_head_can_be_chosen_in_concat(launch):
    person = launch()
    person.click("node.concat")
    heatmap = person.find("heatmap.concat")
    assert heatmap.isVisible()
    QTest.mouseMove(heatmap, heatmap.cell_rect(4, 300).center())
    person.click_cell("concat", 4, 300)
    status = [label.text() for label in person.window.statusBar().findChildren(QLabel)]
    assert any("(4, 300)" in text for text in status)
    assert any("[4, 300]" in label.text() for label in person.find("inspector").findChildren(QLabel))
