"""A person in front of the window: finds things by their names, presses keys and clicks, looks at pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QTableView, QWidget

from attn_gui.app.program import Program


class Person:
    """Everything goes through the widgets' object names and real events."""

    def __init__(self, program: Program) -> None:
        self.window: QMainWindow = program.window

    def find(self, name: str, kind: type[QWidget] = QWidget) -> QWidget:
        found = self.window.findChild(kind, name)
        assert found is not None, f"nothing is named {name}"
        return found

    def action(self, name: str) -> QAction:
        found = self.window.findChild(QAction, f"action.{name}")
        assert found is not None, f"no action {name}"
        return found

    def table(self, field: str) -> QTableView:
        table = self.find(f"table.{field}", QTableView)
        assert isinstance(table, QTableView)
        return table

    def number(self, field: str, row: int, column: int) -> float:
        model = self.table(field).model()
        return float(model.data(model.index(row, column), Qt.ItemDataRole.EditRole))

    def go_to(self, field: str, row: int, column: int) -> QTableView:
        """Click a cell of a table."""
        table = self.table(field)
        index = table.model().index(row, column)
        table.scrollTo(index)
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
        return table

    def type_into(self, field: str, row: int, column: int, text: str) -> None:
        """Click a cell, type, press Enter."""
        table = self.go_to(field, row, column)
        QTest.keyClicks(table.viewport() if not table.hasFocus() else table, text[0])
        editor = QApplication.focusWidget()
        assert editor is not None
        QTest.keyClicks(editor, text[1:])
        QTest.keyClick(editor, Qt.Key.Key_Return)

    def size(self, name: str, value: int) -> None:
        """Type a size into its box and press Enter."""
        box = self.find(f"control.{name}")
        box.setFocus()
        QTest.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(box, str(value))
        QTest.keyClick(box, Qt.Key.Key_Return)

    def value(self, stage: str, row: int, column: int) -> float:
        return float(self.find(f"heatmap.{stage}").cell_at(row, column)[0])

    def pixel(self, stage: str, row: int, column: int) -> tuple[QColor, QColor]:
        """(as painted near the corner of the cell, as the map says it is drawn)."""
        heatmap = self.find(f"heatmap.{stage}")
        place = heatmap.cell_rect(row, column)
        image = heatmap.grab().toImage()
        ratio = image.devicePixelRatio()
        point = QPoint(place.left() + place.width() // 4, place.top() + place.height() // 4)
        return image.pixelColor((point.toPointF() * ratio).toPoint()), heatmap.cell_at(row, column)[1]

    def click_cell(self, stage: str, row: int, column: int) -> None:
        heatmap = self.find(f"heatmap.{stage}")
        QTest.mouseClick(heatmap.viewport(), Qt.MouseButton.LeftButton, pos=heatmap.cell_rect(row, column).center())

    def clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)


@pytest.fixture
def launch(qtbot: object, qapp: QApplication) -> Iterator[Callable[..., Person]]:
    """Start the program, with a file if one is given; closed without questions at the end."""
    programs: list[Program] = []

    def start(path: Path | None = None, lang: str = "en", width: int = 1440, height: int = 900) -> Person:
        program = Program(qapp, lang=lang)
        programs.append(program)
        program.begin(path)
        program.window.resize(width, height)
        program.window.show()
        QTest.qWaitForWindowExposed(program.window)
        return Person(program)

    yield start
    for program in programs:
        program.end()
