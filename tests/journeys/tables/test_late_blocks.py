"""Blocks that are still read or made when something else is chosen: they go where they were meant to go."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtTest import QTest

from attn_gui import Problem, save
from attn_gui.app.editing import edit_runner
from attn_gui.app.tables import table_blocks
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import memory
from attn_gui.formats.text import text_table
from tests.failing import each
from tests.journeys.gate import Gate

READ = text_table._read
BLOCK = "7\t8\n9\t4"


@pytest.fixture
def gate(monkeypatch):
    """What is read is large, and held up."""
    found = Gate()
    monkeypatch.setattr(table_blocks, "LARGE_TEXT", 0)
    monkeypatch.setattr(text_table, "_read", found.before(text_table._read))
    yield found
    found.open()


@pytest.fixture
def person(launch, tmp_path):
    """In front of two items with two heads."""
    normal = np.random.default_rng(5).normal
    arrays = {name: normal(size=(2, 20, 20)) for name in ("query", "key", "value")}
    bias = {"kind": "bias", "values": np.zeros((2, 2, 20, 20))}
    save(Problem(**arrays, num_heads=2, batch_axis=True, mask=(bias,)), tmp_path / "a.attn")
    person = launch(tmp_path / "a.attn")
    person.wait()
    return person


def settle(person, gate):
    gate.open()
    end = time.monotonic() + 120
    while person.program.late.table_blocks.reading.busy or person.program.runner.busy:
        assert time.monotonic() < end
        QTest.qWait(2)
    person.wait()


def asked(person, gate, ask):
    ask()
    gate.await_work()


def paste(person):
    person.clipboard(BLOCK)
    person.press("Ctrl+V")


def test_a_block_goes_into_the_item_and_the_head_that_was_on_show(person, gate, tmp_path, monkeypatch):
    before = person.program.document.snapshot()
    person.go_to("query", 3, 4)
    asked(person, gate, lambda: paste(person))
    person.program.view.set(batch=1)
    settle(person, gate)
    query = person.program.document.problem.query
    assert query[0, 3:5, 4:6].tolist() == [[7, 8], [9, 4]]
    assert np.array_equal(query[1], before.query[1])

    person.again("a pasted block goes into the head that was on show")
    gate.close()
    person.go_to("mask.0.values", 3, 4)
    asked(person, gate, lambda: paste(person))
    person.program.view.set(head=1)
    settle(person, gate)
    values = person.program.document.problem.mask[0].values
    assert values[0, 0, 3:5, 4:6].tolist() == [[7, 8], [9, 4]]
    assert not values[0, 1].any()

    person.again("an imported block goes into the item that was on show")
    gate.close()
    (tmp_path / "a.csv").write_text("7,8\n9,4\n")
    before = person.program.document.snapshot()
    person.go_to("query", 5, 5)  # another cell than before: the table is the one in use again
    asked(person, gate, lambda: person.program.late.table_blocks.import_path(tmp_path / "a.csv"))
    person.program.view.set(batch=1)
    settle(person, gate)
    query = person.program.document.problem.query
    assert query[0, :2, :2].tolist() == [[7, 8], [9, 4]]
    assert np.array_equal(query[1], before.query[1])

    person.again("a block for a table that is gone is said to be dropped")
    gate.close()
    person.go_to("mask.0.values", 3, 4)
    asked(person, gate, lambda: paste(person))
    person.program.document.apply(SetFields({"mask": ()}, Label("no mask")))
    settle(person, gate)
    assert "is gone: 2 × 2 numbers were dropped." in person.banner()

    person.again("a block for an item that is gone is said to be dropped")
    gate.close()
    person.program.view.set(batch=1)
    person.go_to("query", 3, 4)
    asked(person, gate, lambda: paste(person))
    person.size("batch_size", 1)
    before = person.program.document.snapshot()
    settle(person, gate)
    assert "is gone: 2 × 2 numbers were dropped." in person.banner()
    assert person.program.document.problem == before

    person.again("of two large blocks the first is said to be dropped")
    gate.close()
    (tmp_path / "a.csv").write_text("7,8\n9,4\n")
    person.go_to("query", 3, 4)
    asked(person, gate, lambda: person.program.late.table_blocks.import_path(tmp_path / "a.csv"))
    paste(person)
    assert person.banner() == "a.csv was dropped: another block was asked for before it was read."
    settle(person, gate)
    assert len(person.steps()) == 2
    assert person.program.document.problem.query[0, 3:5, 4:6].tolist() == [[7, 8], [9, 4]]

    person.again("a number pasted meanwhile leaves a large import alone")
    gate.close()
    (tmp_path / "a.csv").write_text("7,8\n9,4\n")
    person.go_to("query", 0, 0)
    asked(person, gate, lambda: person.program.late.table_blocks.import_path(tmp_path / "a.csv"))
    monkeypatch.setattr(table_blocks, "LARGE_TEXT", 100)
    monkeypatch.setattr(text_table, "_read", READ)
    person.clipboard("5")
    person.go_to("value", 0, 0)
    person.press("Ctrl+V")
    assert person.number("value", 0, 0) == 5
    settle(person, gate)
    assert person.program.document.problem.query[0, :2, :2].tolist() == [[7, 8], [9, 4]]

    person.again("a large fill goes into the item that was on show")
    gate.close()
    monkeypatch.setattr(edit_runner, "LARGE", 1000)
    monkeypatch.setattr(memory._Reporter, "made", gate.after(memory._Reporter.made))
    before = person.program.document.snapshot()
    person.go_to("query", 0, 0)
    person.press("Ctrl+A")
    asked(person, gate, lambda: person.do("clear"))
    person.program.view.set(batch=1)
    settle(person, gate)
    query = person.program.document.problem.query
    assert not query[0].any()
    assert np.array_equal(query[1], before.query[1])


# --- maps ----------------------------------------------------------------------------------------
def pasted_into_weights(person, gate):
    person.show_stage("weights")
    person.click_cell("weights", 3, 4)
    asked(person, gate, lambda: paste(person))


@each("other", ["cell", "stage", "head", "item", "nothing"])
def test_a_block_pasted_into_a_map_goes_to_the_cell_that_was_chosen(person, gate, other):
    person.again(other)
    gate.close()
    pasted_into_weights(person, gate)
    if other == "cell":
        person.click_cell("weights", 9, 9)
    elif other == "stage":
        person.show_stage("scores")
        person.click_cell("scores", 1, 1)
    elif other == "nothing":
        person.program.view.set(cell=None)
    else:
        person.program.view.set(**{"head" if other == "head" else "batch": 1})
    chosen = person.program.view.look.cell
    settle(person, gate)
    (record,) = person.program.document.problem.interventions
    box = record.box(("batch", "head", "query", "key"), (2, 2, 20, 20))
    assert record.stage == "weights"
    assert box == (slice(0, 1), slice(0, 1), slice(3, 5), slice(4, 6))
    assert person.program.view.look.cell == chosen
    assert person.program.view.look.block is None


def test_a_block_for_a_cell_that_is_gone_or_not_seen_is_said_to_be_dropped(person, gate):
    pasted_into_weights(person, gate)
    person.size("n", 2)
    settle(person, gate)
    assert person.banner() == "A[3, 4] is gone: 2 × 2 numbers were dropped."
    assert not person.program.document.problem.interventions

    person.again("a block for a map is not put in unseen")
    gate.close()
    pasted_into_weights(person, gate)
    person.do("pin")
    person.do("show_before")
    settle(person, gate)
    assert "show Now first" in person.banner()
    assert not person.program.document.problem.interventions
