"""The mouse around a table's cells: menus, headers, column widths, the number format."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from attn_gui import Problem
from attn_gui.views.tables.table_view import FEW, MEASURED_ROWS

LEFT = Qt.MouseButton.LeftButton
COLUMNS = 100


def header_click(table, side, section):
    header = table.verticalHeader() if side == "row" else table.horizontalHeader()
    place = header.sectionViewportPosition(section) + header.sectionSize(section) // 2
    QTest.mouseClick(header.viewport(), LEFT, pos=QPoint(9, place) if side == "row" else QPoint(place, 7))


def selected(table):
    return {(index.row(), index.column()) for index in table.selectedIndexes()}


def menu_opened(person, ask):
    """The menu that `ask` opens, which may wait for it to close, by the words of its entries."""
    met, clock = [], QTimer(person.window, interval=5)

    def look():
        if (menu := QApplication.activePopupWidget()) is not None:
            clock.stop()
            entries = {action.text().replace("&", "").split("(")[0]: action for action in menu.actions()}
            met.append(entries)
            menu.close()

    clock.timeout.connect(look)
    clock.start()
    ask()
    person.until(lambda: bool(met))
    return met[0]


def menu_of(person, table, reason=QContextMenuEvent.Reason.Mouse):
    """The menu that a right click or its key opens on the current cell."""
    place = table.visualRect(table.currentIndex()).center()
    event = QContextMenuEvent(reason, place, table.viewport().mapToGlobal(place))
    target = table.viewport() if reason == QContextMenuEvent.Reason.Mouse else table
    return menu_opened(person, lambda: QApplication.sendEvent(target, event))


def test_cells_are_selected_by_menu_keys_headers_and_the_corner(person):
    person.go_to("key", 0, 0)
    table = person.go_to("query", 0, 1)
    entries = menu_of(person, table)
    assert entries.keys() == menu_of(person, table, QContextMenuEvent.Reason.Keyboard).keys()
    assert {"Cut", "Paste", "Fill down", "Decimals", "Fit columns to their numbers"} <= entries.keys()
    entries["Select row"].trigger()
    assert selected(table) == {(0, 0), (0, 1), (0, 2)}
    entries["Set to zero"].trigger()
    assert person.numbers("query")[0] == ["0", "0", "0"]
    person.go_to("query", 1, 2)
    entries["Select column"].trigger()
    assert selected(table) == {(0, 2), (1, 2)}
    entries["Select all"].trigger()
    assert len(selected(table)) == 6

    person.again("keys select row and column")
    table = person.go_to("query", 1, 1)
    person.press("Shift+Space")
    assert selected(table) == {(1, 0), (1, 1), (1, 2)}
    person.go_to("query", 1, 1)
    person.press("Ctrl+Space")
    assert selected(table) == {(0, 1), (1, 1)}
    person.press("Ctrl+A")
    assert len(selected(table)) == 6

    person.again("headers and corner select")
    table = person.go_to("query", 0, 0)
    header_click(table, "row", 1)
    assert selected(table) == {(1, 0), (1, 1), (1, 2)}
    assert table.hasFocus()
    header_click(table, "column", 2)
    assert selected(table) == {(0, 2), (1, 2)}
    QTest.mouseClick(table.findChild(QAbstractButton), LEFT)
    assert len(selected(table)) == 6
    person.press("Del")
    assert person.numbers("query") == [["0"] * 3] * 2

    person.again("a header has the menu for its row or column")
    table = person.table("query")
    for side, cells in (("row", {(1, 0), (1, 1), (1, 2)}), ("column", {(0, 1), (1, 1)})):
        table.clearSelection()  # of a part of which the menu would be otherwise
        header = table.verticalHeader() if side == "row" else table.horizontalHeader()
        place = header.sectionViewportPosition(1) + header.sectionSize(1) // 2
        where = QPoint(9, place) if side == "row" else QPoint(place, 7)
        assert "Paste" in menu_opened(person, lambda ask=header.customContextMenuRequested, at=where: ask.emit(at))
        assert selected(table) == cells

    person.again("a header click enters what is typed")
    table = person.go_to("query", 0, 0)
    person.type("8")
    header_click(table, "row", 1)
    assert person.number("query", 0, 0) == 8
    person.press("Del")
    assert person.numbers("query") == [["8", "0", "1"], ["0", "0", "0"]]

    person.again("a column is drawn wider fitted and put back")
    table = person.go_to("query", 0, 0)
    usual = table.columnWidth(1)
    draw_wider(table, 1, 40)
    assert table.columnWidth(1) == usual + 40
    person.type_into("query", 0, 0, "123456.789")
    person.program.window.inputs.panels["query"].set_theme(
        person.program.window.inputs.panels["query"].view.cells._theme
    )
    assert table.columnWidth(1) == usual + 40  # measured again, and kept
    person.select("query", 0, 0, 1, 3)
    menu_of(person, table)["Fit columns to their numbers"].trigger()
    assert table.columnWidth(1) < table.columnWidth(0)
    menu_of(person, table)["Usual column widths"].trigger()
    assert len({table.columnWidth(column) for column in range(3)}) == 1

    person.again("tiny numbers and the scientific format can be read")

    def text(row, column):
        return person.table("query").model().index(row, column).data()

    person.type_into("query", 0, 0, "1e-7")
    assert text(0, 0) == "1.0e−7"
    assert text(0, 1) == "0.000"
    person.do("scientific")
    assert text(0, 0) == "1.000e−7"
    assert text(1, 1) == "1.000e0"
    person.do("decimals_2")
    assert text(1, 1) == "1.00e0"
    assert person.number("query", 0, 0) == 1e-7
    assert len(person.steps()) == 2
    person.do("scientific")
    assert text(0, 0) == "1e−7"

    person.again("a box of the ruler chooses its head", "minilm-layer2.npz")
    panel = person.program.window.inputs.panels["query"]
    ruler = panel.findChild(type(panel._ruler))
    QTest.mouseClick(ruler, LEFT, pos=ruler.box(5).center())
    assert person.program.view.look.head == 5


def draw_wider(table, column, pixels):
    """Drag the right edge of a column's header."""
    header = table.horizontalHeader()
    edge = QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) - 1, 7)
    QTest.mousePress(header.viewport(), LEFT, pos=edge)
    QTest.mouseMove(header.viewport(), edge + QPoint(pixels // 2, 0))
    QTest.mouseMove(header.viewport(), edge + QPoint(pixels, 0))
    QTest.mouseRelease(header.viewport(), LEFT, pos=edge + QPoint(pixels, 0))


def widths(table):
    return [table.columnWidth(column) for column in range(table.model().columnCount())]


def test_the_view_is_there_after_a_restart(launch):
    person = launch("worked-example.npz")
    for action in ("decimals_4", "scientific", "values", "all_stages"):
        person.do(action)
    columns = person.program.window.columns
    columns.setSizes([426, 390, 624])
    kept = columns.sizes()
    splitter = person.program.window.inputs._splitter
    person.program.window.inputs.set_heights({"query": 400, "key": 120, "value": 120})
    heights = [size for size in splitter.sizes() if size]
    person.window.close()
    again = launch("worked-example.npz")
    look = again.program.view.look
    assert (look.decimals, look.scientific, look.values, look.mode) == (4, True, False, "all")
    assert again.action("scientific").isChecked()
    assert again.program.window.columns.sizes() == pytest.approx(kept, abs=2)
    found = [size for size in again.program.window.inputs._splitter.sizes() if size]
    assert found == pytest.approx(heights, abs=6)


def test_a_drawn_column_is_as_wide_after_a_row_more_a_restart_and_when_its_table_comes_later(launch):
    person = launch("worked-example.npz")
    table = person.table("query")
    usual = table.columnWidth(0)
    draw_wider(table, 0, 60)
    person.size("n", 3)
    person.wait()
    assert widths(table) == [usual + 60, usual, usual]
    person.press("Ctrl+Z")
    person.again("a table that comes later", "thinking-machines.npz")
    drawn = person.table("w_query").columnWidth(1) + 30
    draw_wider(person.table("w_query"), 1, 30)
    person.window.close()
    again = launch("worked-example.npz")
    assert widths(again.table("query")) == [usual + 60, usual, usual]
    assert widths(again.table("key")) == [usual] * 3
    again.size("d_k", 4)
    again.wait()
    assert len(set(widths(again.table("query")))) == 1  # other columns
    again.press("Ctrl+Z")
    again.wait()
    assert widths(again.table("query")) == [usual + 60, usual, usual]
    again.go_to("query", 0, 0)
    menu_of(again, again.table("query"))["Usual column widths"].trigger()
    again.again("the table that comes later", "thinking-machines.npz")
    assert again.table("w_query").columnWidth(1) == drawn
    again.do("reset_layout")
    assert len(set(widths(again.table("w_query")))) == 1
    again.window.close()
    last = launch("worked-example.npz")
    assert widths(last.table("query")) == [usual] * 3
    last.again("the table that comes later", "thinking-machines.npz")
    assert len(set(widths(last.table("w_query")))) == 1


@pytest.fixture
def wide(launch):
    """Numbers of many lengths in many columns."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(300, COLUMNS)) * 10.0 ** rng.integers(-8, 9, COLUMNS)
    person = launch(None)
    person.program.document.open(Problem(query=numbers, key=numbers[:2], value=numbers[:2]), None, "wide")
    person.wait()
    return person


def act(table, name):
    next(action for action in table.actions() if action.objectName() == f"action.{name}").trigger()


def widest(table, column):
    """The width of the longest text, each measured for itself."""
    model = table.model()
    return max(table.cells.width_of([model.index(row, column).data()]) for row in range(MEASURED_ROWS))


def test_many_columns_are_fitted_a_few_a_turn_until_there_is_a_newer_wish(wide, monkeypatch, qtbot):
    table = wide.go_to("query", 0, 0)
    usual, blocks, told = widths(table), [], []
    texts, keep = table.model().texts, wide.program.settings.put  # texts: the panel measures numbers of its own
    monkeypatch.setattr(table.model(), "texts", lambda *place: (blocks.append(place), texts(*place))[1])
    monkeypatch.setattr(wide.program.settings, "put", lambda *kept: (told.append(kept), keep(*kept))[1])
    table.columnsDrawn.connect(lambda: told.append("drawn"))
    table.selectAll()
    table.horizontalScrollBar().setValue(50)
    act(table, "fit_columns")
    assert blocks == [(slice(0, MEASURED_ROWS), slice(50, 50 + FEW))]
    fitted = widths(table)
    assert (fitted[:50], fitted[50 + FEW :]) == (usual[:50], usual[50 + FEW :])
    qtbot.waitUntil(lambda: bool(told))
    assert len(blocks) == -(-50 // FEW) * 2
    assert len(told) == 2  # one word of it, one write
    assert widths(table) == [widest(table, column) for column in range(COLUMNS)]

    # a newer wish ends the fitting
    for newer in (
        lambda: act(table, "usual_columns"),
        lambda: table.columns.drawn.emit(0, 200),
        lambda: wide.size("d_k", COLUMNS + 1),
    ):
        act(table, "usual_columns")
        width = table.columnWidth(COLUMNS - 1)
        table.selectAll()
        act(table, "fit_columns")
        newer()
        for _ in range(COLUMNS // FEW + 2):
            QTest.qWait(1)
        assert table.columnWidth(COLUMNS - 1) == width
