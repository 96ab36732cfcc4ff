"""An edit has painted what it changed, and the rest of the window is left alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget


class Painted(QObject):
    """Whose paint events come by."""

    def __init__(self):
        super().__init__()
        self.widgets = []

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.widgets.append(watched)
        return False


@pytest.fixture
def painted(qapp):
    found = Painted()
    yield found
    qapp.removeEventFilter(found)


@pytest.mark.parametrize("mode", ["product", "all_stages"])
def test_an_edit_paints_no_panel_that_it_does_not_change(qapp, launch, painted, mode):
    person = launch()
    person.do(mode)
    person.type_into("query", 3, 99, "1.5")
    for _ in range(5):
        QApplication.processEvents()
    table = person.go_to("query", 4, 99)
    person.type("2")
    QApplication.processEvents()
    qapp.installEventFilter(painted)
    person.press("Return")
    QApplication.processEvents()
    touched = set(painted.widgets)
    assert table.viewport() in touched
    assert person.find("heatmap.weights").viewport() in touched
    inspector = person.find("inspector").findChildren(QWidget)
    others = [person.table(field).viewport() for field in ("key", "value")]
    still = [person.find(f"heatmap.{field}").viewport() for field in ("key", "value")]
    controls = person.find("control.num_heads")
    assert not touched & {*inspector, *others, *still, controls}
