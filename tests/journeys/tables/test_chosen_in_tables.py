"""A cell chosen in a map is found again in the tables: its row and its column are brought into sight and marked."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from attn_gui.views.theme import current_theme

EXAMPLE = "minilm-layer2.npz"
WIDTH = 32


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
        person.show_stage(stage)
        person.click_cell(stage, 5, 19)
        QApplication.processEvents()
        assert in_sight_now(table)
        first = table.rowAt(0)
        assert colors(table, first, column) != colors(table, first, column - 1)

    person.again("a cell whose column is in sight leaves the table where it is")
    person.show_stage("query")
    person.click_cell("query", 5, 19)
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
        person.show_stage(stage)
        person.click_cell(stage, row, column)
        QApplication.processEvents()
        assert chips(person, "x") == marked, stage

    person.again("a chosen cell that goes leaves no word behind", "worked-example.npz")
    # Many steps back at once: the status hears of the smaller problem before the cell is given up.
    person.size("n", 9)
    person.show_stage("head_output")
    person.click_cell("head_output", 6, 0)
    person.size("d_v", 5)
    person.size("d_v", 2)
    person.program.document.stack.setIndex(0)
    person.wait()
    assert "(6, 0)" not in person.status()

    person.again("a cell that goes with its stage", "worked-example.npz")
    person.size("batch_size", 2)
    next(a for a in person.window.mask_panel.kinds.actions() if a.data() == "alibi").trigger()
    person.show_stage("biased")
    person.click_cell("biased", 1, 0)
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
