"""The mouse around tables: menus, headers, rows and columns put in or taken out, cells found again, rows in sight."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QTableView

from attn_gui import Problem
from attn_gui.engine import new_problem
from attn_gui.formats import save
from attn_gui.views.tables.table_view import FEW, MEASURED_ROWS
from attn_gui.views.theme import current_theme

LEFT = Qt.MouseButton.LeftButton
COLUMNS = 100
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


def select(person, field, rows, columns):
    """The rectangle between two cells, by a click and Shift with the arrows."""
    table = person.go_to(field, rows[0], columns[0])
    for key, count in (("Shift+Down", rows[1] - rows[0]), ("Shift+Right", columns[1] - columns[0])):
        person.press(*[key] * count)
    chosen = table.selectionModel()
    assert isinstance(chosen, QItemSelectionModel)
    assert len(chosen.selectedIndexes()) == (rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1)


def test_tokens_and_columns_come_and_go_as_one_step(launch):
    person = launch()  # the MiniLM layer: 16 tokens, 12 heads of 32 columns
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

    person.again("rows go with their masks")
    select(person, "query", (2, 3), (1, 1))
    person.do("delete_rows")
    problem = person.program.document.problem
    assert problem.n == 14
    person.do("undo")
    assert person.program.document.problem.n == 16

    person.again("a column goes from every head")
    before = person.program.document.problem
    select(person, "query", (0, 0), (33, 33))  # the second column of head 1
    person.do("delete_columns")
    problem = person.program.document.problem
    assert (problem.d_k, problem.query.shape[1], problem.key.shape[1]) == (31, 12 * 31, 12 * 31)
    kept = [column for column in range(12 * 32) if column % 32 != 1]
    assert np.array_equal(problem.query, before.query[:, kept])
    person.do("undo")
    assert person.program.document.problem == before

    person.again("columns of two heads are refused")
    select(person, "query", (0, 0), (31, 32))
    person.do("delete_columns")
    assert "one head" in person.banner()
    assert person.program.document.problem.d_k == 32

    person.again("all rows cannot go")
    person.go_to("value", 0, 0)
    person.press("Ctrl+A")
    person.do("delete_rows")
    assert person.banner()
    assert person.program.document.problem.m == 16

    arrays = {name: np.arange(12.0).reshape(3, 4) for name in ("query", "key", "value")}
    row = {"kind": "scale", "stage": "concat", "at": {"query": 0, "column": (0, 4)}, "factor": 2}
    block = {"kind": "set", "stage": "scores", "at": {"head": 0, "query": (0, 2), "key": (0, 2)}, "values": np.eye(2)}
    by_hand = Problem(**arrays, num_heads=2, interventions=[row, block])
    person.again("numbers set by hand have no rows that come or go", by_hand)
    person.window.inputs.show_field("interventions.1.values")
    person.go_to("interventions.1.values", 0, 0)
    for action in ("insert_rows", "delete_columns"):
        person.do(action)
        assert "cannot come or go by themselves" in person.banner()
    assert len(person.steps()) == 1

    arrays = {name: np.arange(24.0).reshape(3, 8) for name in ("query", "key", "value")}
    problem = Problem(**arrays, rotary_frequencies=(1, 0.5, 0.25, 0.125))
    person.again("frequencies do not go with columns of queries", problem)
    person.window.inputs.show_field("rotary_frequencies")
    select(person, "rotary_frequencies", (0, 0), (0, 1))
    person.do("delete_columns")
    assert "cannot come or go by themselves" in person.banner()
    assert person.program.document.problem == problem


def test_tables_of_a_long_document_are_shown_and_typed_into_before_it_is_computed(launch):
    person = launch()
    long = problem(701)
    person.program.document.open(long, name="long")
    assert person.program.computation.pending
    model = person.table("query").model()
    assert (model.rowCount(), model.columnCount()) == (701, 24)
    assert float(model.index(700, 23).data().replace("−", "-")) == np.round(long.query[700, 23], 3)

    person.again("what is typed before the maps are there goes where it is seen to go")
    person.program.document.open(problem(701), name="long")
    person.type_into("query", 3, 2, "2.5")  # head 0
    assert person.program.document.problem.query[3, 2] == 2.5
    assert person.table("query").model().index(3, 2).data() == "2.500"
    person.wait()
    person.program.view.set(head=0)
    assert person.value("query", 3, 2) == 2.5


def in_sight(table, row, column):
    index = table.model().index(row, column)
    return table.viewport().rect().contains(table.visualRect(index))


def colors(table, row, column):
    """Every color of a cell's left and right border."""
    rect = table.visualRect(table.model().index(row, column))
    image = table.viewport().grab(rect).toImage()
    return {image.pixelColor(x, y).name() for x in (0, image.width() - 1) for y in range(image.height())}


def test_the_column_of_a_chosen_cell_comes_into_sight_and_leaves_no_word_when_it_goes(launch):
    person = launch(EXAMPLE)
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

    person.again("a cell whose column is in sight leaves the table where it is")
    person.choose_cell("query", 5, 19)
    table = person.table("query")
    left = table.columnAt(0)
    person.click_cell("query", 6, 18)
    person.click_cell("query", 7, 19)
    assert table.columnAt(0) == left
    person.click_cell("query", 7, 2)
    assert in_sight(table, 7, person.program.view.look.head * WIDTH + 2)

    person.again("the tables begin at the head that the maps show")
    head = person.program.view.look.head
    assert head > 0
    for field in ("query", "key", "value"):
        assert person.table(field).columnAt(0) == head * WIDTH

    person.again("in self attention the key is a row of x too", "thinking-machines.npz")
    assert person.program.document.problem.self_attention
    for stage, row, column, marked in (
        ("query", 1, 0, {"query": 1}),
        ("key", 1, 0, {"key": 1}),
        ("value", 1, 2, {"key": 1}),
        ("scores", 0, 1, {"query": 0, "key": 1}),
        ("weights", 1, 0, {"query": 1, "key": 0}),
        ("weights", 1, 1, {"query": 1}),
    ):
        person.choose_cell(stage, row, column)
        QApplication.processEvents()
        assert chips(person, "x") == marked, stage

    person.again("a chosen cell that goes leaves no word behind", "worked-example.npz")
    # Many steps back at once: the status hears of the smaller problem before the cell is given up.
    person.size("n", 9)
    person.choose_cell("head_output", 6, 0)
    person.size("d_v", 5)
    person.size("d_v", 2)
    person.program.document.stack.setIndex(0)
    person.wait()
    assert "(6, 0)" not in person.status()

    person.again("a cell that goes with its stage", "worked-example.npz")
    person.size("batch_size", 2)
    next(a for a in person.window.mask_panel.kinds.actions() if a.data() == "alibi").trigger()
    person.choose_cell("biased", 1, 0)
    person.program.view.set(batch=1)
    person.program.document.stack.setIndex(0)
    person.wait()
    assert "(1, 0)" not in person.status()


def chips(person, field):
    """The rows of a table whose token wears the color of a role, by role."""
    table, theme = person.table(field), current_theme()
    header = table.verticalHeader()
    image = header.viewport().grab().toImage()
    found = {}
    for row in range(table.model().rowCount()):
        seen = image.pixelColor(1, header.sectionViewportPosition(row) + 2)
        found |= {role: row for role in ("query", "key") if seen == getattr(theme, f"{role}_soft")}
    return found


def shown_rows(person) -> dict[str, int]:
    """Whole rows in sight of every table in sight."""
    panels = person.program.window.inputs.panels
    return {
        field: min(panel.view.visible_rows(), panel.view.model().rowCount())
        for field, panel in panels.items()
        if panel.isVisible()
    }


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_rows_are_in_sight_and_the_window_fits_a_small_screen(launch, lang):
    person = launch("smollm2-layer10.npz", lang, 1440, 900)
    person.window.resize(1024, 700)
    QApplication.processEvents()
    assert (person.window.width(), person.window.height()) == (1024, 700)

    person.again("small tables stand above one another on a low screen", "worked-example.npz")  # two rows each
    person.window.resize(1366, 700)
    person.until(lambda: shown_rows(person) == {"query": 2, "key": 2, "value": 2})

    six = new_problem("direct", n=6, m=6, num_heads=2, d_k=4, d_v=4, fill="integers", seed=1)
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


def test_a_single_column_keeps_its_width_when_the_table_begins_to_scroll(launch, tmp_path):
    save(new_problem("direct", n=2, m=9, d_k=3, d_v=1, fill="random"), tmp_path / "one.npz")
    person = launch(tmp_path / "one.npz", width=1366, height=1000)
    person.wait()
    table = person.table("value")
    width = table.columnWidth(0)
    person.window.resize(1366, 700)
    for _ in range(5):
        QApplication.processEvents()
    assert table.verticalScrollBar().isVisible()
    assert table.columnWidth(0) == width
    assert table.viewport().width() >= width


def problem(rows):
    numbers = np.random.default_rng(rows).standard_normal((3, rows, 24))
    return Problem(query=numbers[0], key=numbers[1], value=numbers[2], num_heads=4)


def test_a_table_comes_back_with_the_numbers_of_its_document(launch):
    person = launch("transformer-layer.npz")
    person.do("decimals_4")
    person.go_to("block.w_up", 3, 20)
    shown, fields = person.numbers("block.w_up"), sorted(person.window.inputs.panels)
    person.program.files.begin_with_example("worked")
    person.wait()
    assert not any(person.has(f"table.{field}") for field in fields if field not in person.window.inputs.panels)
    assert {table.objectName() for table in person.window.inputs.findChildren(QTableView) if table.isVisible()} == {
        f"table.{field}" for field, panel in person.window.inputs.panels.items() if panel.isVisible()
    }
    person.do("decimals_2")
    person.program.files.begin_with_example("layer")
    person.wait()
    assert sorted(person.window.inputs.panels) == fields
    table = person.table("block.w_up")
    assert person.numbers("block.w_up") == shown
    assert len(str(table.model().index(0, 0).data()).split(".")[1]) == 2
    assert not table.selectionModel().hasSelection()
    assert (table.verticalScrollBar().value(), table.horizontalScrollBar().value()) == (0, 0)
    person.window.inputs.show_field("block.w_up")
    person.type_into("block.w_up", 0, 1, "0.25")
    assert person.program.document.problem.block.w_up[0, 1] == 0.25


def test_the_next_document_begins_at_the_top_left_of_its_tables(launch):
    rng = np.random.default_rng(0)
    person = launch()
    for heads in (1, 2):
        wide = Problem(
            query=rng.normal(size=(60, 40)), key=rng.normal(size=(60, 40)), value=np.eye(60), num_heads=heads
        )
        for name in ("one", "next"):
            person.again(f"{name}, {heads} heads", wide)
            table = person.table("query")
            bars = table.verticalScrollBar(), table.horizontalScrollBar()
            head = person.program.view.look.head
            assert [bar.value() for bar in bars] == [0, 20 * head], (name, head)
            person.go_to("query", 59, 39)
            assert min(bar.value() for bar in bars) > 0
