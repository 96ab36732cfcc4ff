"""A long document: its tables are there before its maps are, and hold its numbers and no others."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QTableView

from attn_gui.engine import Problem


def problem(rows):
    numbers = np.random.default_rng(rows).standard_normal((3, rows, 24))
    return Problem(query=numbers[0], key=numbers[1], value=numbers[2], num_heads=4)


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
