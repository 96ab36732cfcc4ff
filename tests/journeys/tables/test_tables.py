"""The mouse around tables: menus, headers, rows and columns put in or taken out, cells found again, rows in sight."""

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from attn_gui import Problem
from attn_gui.engine.creation.create import new_fields
from tests.seen import colors_of

LEFT = Qt.MouseButton.LeftButton
EXAMPLE = "minilm-layer2.npz"
WIDTH = 32
SCREENS = [(1440, 900), (1366, 700), (1024, 700)]


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
            met.append({action.text().replace("&", "").split("(")[0]: action for action in menu.actions()})
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


def test_cells_are_selected_rows_and_columns_come_and_go_and_are_in_sight(person):
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

    person.again("tokens and columns come and go as one step", EXAMPLE)
    # the MiniLM layer: 16 tokens, 12 heads of 32 columns
    before = person.program.document.problem
    select(person, "key", (4, 5), (0, 0))
    person.do("insert_rows")
    problem = person.program.document.problem
    assert (problem.n, problem.m) == (16, 18)
    assert not problem.key[4:6].any()
    assert np.array_equal(problem.key[6], before.key[4])
    assert problem.key_tokens[6:] == before.names_of_keys[4:]
    assert person.steps()[-1] == "inserted K[4 … 5, ·]"
    assert person.find("heatmap.weights").shape == (16, 18)
    person.do("undo")
    assert person.program.document.problem == before

    # a column goes from every head
    before = person.program.document.problem
    select(person, "query", (0, 0), (33, 33))  # the second column of head 1
    person.do("delete_columns")
    problem = person.program.document.problem
    assert (problem.d_k, problem.query.shape[1], problem.key.shape[1]) == (31, 12 * 31, 12 * 31)
    kept = [column for column in range(12 * 32) if column % 32 != 1]
    assert np.array_equal(problem.query, before.query[:, kept])
    person.do("undo")
    assert person.program.document.problem == before

    # columns of two heads are refused
    select(person, "query", (0, 0), (31, 32))
    person.do("delete_columns")
    assert "one head" in person.banner()
    assert person.program.document.problem.d_k == 32

    # all rows cannot go
    person.go_to("value", 0, 0)
    person.press("Ctrl+A")
    person.do("delete_rows")
    assert person.banner()
    assert person.program.document.problem.m == 16

    person.again("the column of a chosen cell comes into sight", EXAMPLE)
    person.program.view.set(head=2)
    column = 2 * WIDTH + 19

    def in_sight_now(table):
        return column in range(table.columnAt(0), table.columnAt(0) + table.visible_columns())

    for stage, field in (("query", "query"), ("key", "key"), ("value", "value"), ("head_output", "value")):
        table = person.table(field)
        table.scrollTo(table.model().index(0, 0))
        assert not in_sight_now(table)
        person.choose_cell(stage, 5, 19)
        QApplication.processEvents()
        assert in_sight_now(table)
        first = table.rowAt(0)
        assert colors(table, first, column) != colors(table, first, column - 1)

    person.do("example_minilm")  # the tables begin at the head that the maps show
    person.wait()
    head = person.program.view.look.head
    assert head > 0
    for field in ("query", "key", "value"):
        assert person.table(field).columnAt(0) == head * WIDTH

    person.again("rows are in sight and the window fits a small screen", "smollm2-layer10.npz")
    person.window.resize(1024, 700)
    QApplication.processEvents()
    assert (person.window.width(), person.window.height()) == (1024, 700)

    person.again("small tables stand above one another on a low screen", "worked-example.npz")  # two rows each
    person.window.resize(1366, 700)
    person.until(lambda: shown_rows(person) == {"query": 2, "key": 2, "value": 2})

    six = Problem.over(new_fields("direct", n=6, m=6, num_heads=2, d_k=4, d_v=4, fill="integers", seed=1))
    person.again("six rows are in sight", six)
    for size in ((1366, 700), *SCREENS, (1366, 700)):  # the tables share the column again where there is room
        person.window.resize(*size)
        person.until(lambda size=size: [*shown_rows(person).values()] == [6] * (3 if size == (1440, 900) else 1))
        assert (person.window.width(), person.window.height()) == size
    for zoom in (1.0, 1.25, 1.5):
        while person.program.appearance.zoom < zoom:
            person.do("zoom_in")
        person.window.resize(1024, 700)
        QTest.qWait(80)
        assert (person.window.width(), person.window.height()) == (1024, 700), zoom
        assert min(shown_rows(person).values()) >= (6 if zoom == 1 else 1), zoom

    person.do("zoom_reset")
    person.again("tables of a long document are shown and typed into before it is computed")
    numbers = np.random.default_rng(701).standard_normal((3, 701, 24))
    long = Problem(query=numbers[0], key=numbers[1], value=numbers[2], num_heads=4)
    person.program.document.open(long, name="long")
    assert person.program.computation.pending
    model = person.table("query").model()
    assert (model.rowCount(), model.columnCount()) == (701, 24)
    assert float(model.index(700, 23).data().replace("−", "-")) == np.round(long.query[700, 23], 3)

    # what is typed before the maps are there goes where it is seen to go
    person.type_into("query", 3, 2, "2.5")  # head 0
    assert person.program.document.problem.query[3, 2] == 2.5
    assert person.table("query").model().index(3, 2).data() == "2.500"
    person.wait()
    person.program.view.set(head=0)
    assert person.value("query", 3, 2) == 2.5


def draw_wider(table, column, pixels):
    """Drag the right edge of a column's header."""
    header = table.horizontalHeader()
    edge = QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) - 1, 7)
    QTest.mousePress(header.viewport(), LEFT, pos=edge)
    QTest.mouseMove(header.viewport(), edge + QPoint(pixels // 2, 0))
    QTest.mouseMove(header.viewport(), edge + QPoint(pixels, 0))
    QTest.mouseRelease(header.viewport(), LEFT, pos=edge + QPoint(pixels, 0))


def test_the_view_is_there_after_a_restart(launch):
    person = launch("worked-example.npz")
    for action in ("decimals_4", "scientific", "values", "all_stages", "history_64"):
        person.do(action)
    assert person.program.document._history.limit == 64 << 20
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
    assert again.action("history_64").isChecked()
    assert again.program.document._history.limit == 64 << 20
    assert again.program.window.columns.sizes() == pytest.approx(kept, abs=2)
    found = [size for size in again.program.window.inputs._splitter.sizes() if size]
    assert found == pytest.approx(heights, abs=6)


def select(person, field, rows, columns):
    """The rectangle between two cells, by a click and Shift with the arrows."""
    table = person.go_to(field, rows[0], columns[0])
    for key, count in (("Shift+Down", rows[1] - rows[0]), ("Shift+Right", columns[1] - columns[0])):
        person.press(*[key] * count)
    chosen = table.selectionModel()
    assert isinstance(chosen, QItemSelectionModel)
    assert len(chosen.selectedIndexes()) == (rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1)


def colors(table, row, column):
    """Every color of a cell's left and right border."""
    rect = table.visualRect(table.model().index(row, column))
    image = table.viewport().grab(rect).toImage()
    return {color.name() for x in (0, image.width() - 1) for color in colors_of(image.copy(x, 0, 1, image.height()))}


def shown_rows(person) -> dict[str, int]:
    """Whole rows in sight of every table in sight."""
    panels = person.program.window.inputs.panels
    return {
        field: min(panel.view.visible_rows(), panel.view.model().rowCount())
        for field, panel in panels.items()
        if panel.isVisible()
    }
