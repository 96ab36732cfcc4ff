"""A document: what is edited, told and given, and which places it has."""

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_gui.document.document import Document, EditError
from attn_gui.document.edits import Edits, Label, SetCells, SetFields
from attn_gui.document.matrix_model import table_box, table_cells
from attn_gui.engine import FieldError, Problem, arrays
from attn_gui.engine.problem import ShapeError
from tests.failing import each

Make = Callable[..., Problem]
LABEL = Label("edit", {})


def cells(field: str, row: int, column: int, values: Any) -> SetCells:
    block = np.atleast_2d(np.asarray(values))
    box = (slice(row, row + block.shape[0]), slice(column, column + block.shape[1]))
    return SetCells(field, box, block, LABEL)


def test_an_edit_writes_its_cells_in_place_and_tells_their_box(heard: Any, direct: Make) -> None:
    h = heard(direct())
    before, query = h.document.problem, h.document.problem.query
    assert h.document.apply(cells("query", 1, 2, [[9.0, 8.0]]))
    assert query[1, 2:4].tolist() == [9.0, 8.0]
    assert h.document.problem is before
    (change,) = h.changes
    assert change.fields == {"query": ((slice(1, 2), slice(2, 4)),)}
    assert not change.opened
    assert h.document.generation == 1
    assert h.document.modified
    assert h.titles == 1


def test_an_edit_that_changes_nothing_is_no_step(heard: Any, direct: Make) -> None:
    h = heard(direct(scale=2.0))
    problem = h.document.problem
    for edit in (
        cells("query", 1, 2, problem.query[1:2, 2:4]),
        cells("query", 1, 2, np.empty((0, 3))),
        SetFields({"scale": 2.0, "query": problem.query.copy(), "softcap": None}, LABEL),
        Edits((cells("key", 0, 0, problem.key[:1, :1]), SetFields({}, LABEL)), LABEL),
    ):
        assert not h.document.apply(edit)
    assert (h.changes, h.document.stack.count(), h.document.modified, h.titles) == ([], 0, False, 0)


def test_signed_zeros_and_payloads_of_nan_differ_and_come_back(heard: Any, direct: Make) -> None:
    odd = np.frombuffer(np.array([0x7FF8DEADBEEF0001], np.uint64).tobytes())[0]
    query = np.array([[0.0, odd, 1.0]])
    h = heard(direct(query=query, key=query, value=query, num_heads=1))
    start = h.document.problem.query.tobytes()
    assert h.document.apply(cells("query", 0, 0, [[-0.0]]))
    assert h.document.apply(cells("query", 0, 1, [[np.nan]]))
    h.document.stack.setIndex(0)
    assert h.document.problem.query.tobytes() == start
    assert not h.document.modified


def test_the_document_never_shares_memory_with_what_it_was_given(heard: Any, direct: Make) -> None:
    values = np.full((7, 6), 2.0)
    h = heard(direct(query=values))
    edit = cells("query", 0, 0, values[:1, :1] + 1)
    h.document.apply(edit)
    h.document.apply(SetFields({"key": values}, LABEL))
    values[:] = -1
    edit.values[:] = -1
    assert h.document.problem.query[0, :2].tolist() == [3.0, 2.0]
    assert h.document.problem.key[0, 0] == 2.0
    with pytest.raises(ValueError, match="read-only"):
        h.document.problem.query[0, 0] = 1
    h.document.stack.undo()
    h.document.stack.undo()
    h.document.stack.redo()
    assert h.document.problem.query[0, 0] == 3.0
    h.document.stack.redo()
    key = h.document.problem.key
    h.document.apply(SetFields({"query": key, "key": key}, LABEL))
    h.document.apply(cells("query", 0, 0, [[42.0]]))
    assert h.document.problem.key[0, 0] == 2.0


def test_fields_are_replaced_whole_and_unchanged_matrices_stay_where_they_are(heard: Any, masked: Make) -> None:
    h = heard(masked())
    key, allowed = h.document.problem.key, h.document.problem.mask[0].allowed
    h.document.apply(SetFields({"scale": 1.0, "query": np.zeros((5, 6))}, LABEL))
    assert set(h.changes[0].fields) == {"scale", "query"}
    assert all(boxes is None for boxes in h.changes[0].fields.values())
    h.document.apply(SetFields({"mask": h.document.problem.mask[1:]}, LABEL))
    assert set(h.changes[1].fields) >= {"mask", "mask.0.allowed", "mask.1.values"}
    h.document.apply(cells("key", 0, 0, [[5.0]]))
    assert key[0, 0] == 5.0
    h.document.stack.undo()
    h.document.stack.undo()
    h.document.apply(cells("mask.0.allowed", 0, 6, [[True]]))
    assert allowed[0, 6]
    h.document.apply(Edits((SetFields({"query": np.ones((5, 6))}, LABEL), cells("query", 0, 0, [[5.0]])), LABEL))
    assert h.changes[-1].fields["query"] is None


@each(
    ("edit", "error"),
    [
        (cells("nothing", 0, 0, [[1.0]]), EditError),
        (cells("context", 0, 0, [[1.0]]), EditError),
        (cells("query", 4, 5, [[1.0, 2.0]]), EditError),
        (SetCells("query", (slice(-1, 5), slice(0, 1)), np.ones((1, 1)), LABEL), EditError),
        (SetCells("query", (slice(0, 1),), np.ones((1,)), LABEL), EditError),
        (SetCells("query", (slice(3, 2), slice(0, 2)), np.ones((0, 2)), LABEL), EditError),
        (SetCells("query", (slice(0, 4, 2), slice(0, 1)), np.ones((4, 1)), LABEL), EditError),
        (SetCells("query", (slice(0, 2), slice(0, 2)), np.ones((1, 2)), LABEL), EditError),
        (cells("mask.0.allowed", 0, 0, [[0.5]]), EditError),
        (SetFields({"key": np.ones((7, 5))}, LABEL), ShapeError),
        (SetFields({"num_heads": 4}, LABEL), ShapeError),
        (SetFields({"query": None}, LABEL), ValueError),
        (SetFields({"scale": np.nan}, LABEL), ValueError),
        (SetFields({"score": "loud"}, LABEL), ValueError),
        (SetFields({"queries": np.ones((5, 6))}, LABEL), TypeError),
        (SetFields({"query": [["a"]]}, LABEL), TypeError),
        (Edits((cells("query", 0, 0, [[5.0]]), SetFields({"num_heads": 4}, LABEL)), LABEL), ShapeError),
        (Edits((SetFields({"scale": 3.0}, LABEL), cells("query", 9, 9, [[5.0]])), LABEL), EditError),
    ],
)
def test_an_edit_that_does_not_fit_changes_nothing(heard: Any, masked: Make, edit: Any, error: type) -> None:
    h = heard(masked())
    start, problem = h.document.snapshot(), h.document.problem
    with pytest.raises(error) as refusal:
        h.document.apply(edit)
    assert "\n" not in str(refusal.value)
    assert h.document.problem == start
    assert h.document.problem is problem
    assert (h.changes, h.document.stack.count(), h.document.modified) == ([], 0, False)


def test_a_number_too_large_for_single_precision_is_refused(heard: Any, direct: Make) -> None:
    h = heard(direct(dtype="float32"))
    with pytest.raises(EditError, match="too large for float32"):
        h.document.apply(cells("query", 0, 0, [[1e39]]))
    assert h.document.apply(cells("query", 0, 0, [[np.inf, np.nan]]))


def test_opening_begins_another_document(heard: Any, direct: Make, tmp_path: Path) -> None:
    h = heard(direct(), name="one")
    h.document.apply(cells("query", 0, 0, [[7.0]]))
    other = direct(num_heads=1, query_tokens=["a", "b", "c", "d", "e"])
    h.document.open(other, tmp_path / "two.attn", "two")
    assert h.document.problem == other
    assert (h.document.path, h.document.name, h.document.modified) == (tmp_path / "two.attn", "two", False)
    assert h.document.stack.count() == 0
    assert h.changes[-1].opened
    assert set(h.changes[-1].fields) == {"query", "key", "value"}
    h.document.apply(cells("query", 0, 0, [[7.0]]))
    assert other.query[0, 0] != 7.0


def test_saving_moves_the_point_that_counts_as_unchanged(heard: Any, direct: Make, tmp_path: Path) -> None:
    h = heard(direct())
    h.document.apply(cells("query", 0, 0, [[7.0]]))
    h.document.mark_saved(tmp_path / "work.attn")
    assert (h.document.name, h.document.modified) == ("work", False)
    h.document.stack.undo()
    assert h.document.modified
    h.document.apply(cells("query", 0, 0, [[8.0]]))
    h.document.stack.undo()
    assert h.document.modified
    h.document.open(direct())
    assert not h.document.modified


def test_a_snapshot_rests_and_a_reader_follows(heard: Any, direct: Make) -> None:
    r = np.random.default_rng(0)
    h = heard(direct(query=r.normal(size=(3, 5, 6)), key=r.normal(size=(3, 7, 6)), value=r.normal(size=(3, 7, 22))))
    read, bias = h.document.reader("query", 2), h.document.reader("mask.0.values")
    snapshot = h.document.snapshot()
    h.document.apply(SetCells("query", (slice(2, 3), slice(0, 1), slice(0, 1)), np.full((1, 1, 1), 7.0), LABEL))
    assert read()[0, 0] == 7.0
    assert snapshot.query[2, 0, 0] != 7.0
    assert bias() is None
    h.document.open(direct(mask=({"kind": "bias", "values": np.ones((5, 7))},)))
    assert read().shape == (5, 6)
    assert bias().shape == (5, 7)
    with pytest.raises(ValueError, match="read-only"):
        read()[0, 0] = 1


def test_a_cell_of_a_large_matrix_costs_a_few_rows_of_memory(heard: Any, direct: Make) -> None:
    query = np.random.default_rng(0).normal(size=(4096, 512))
    h = heard(direct(query=query, key=query[:16], value=query[:16], num_heads=8))
    row = 512 * 8

    def peak(act: Callable[[], object]) -> int:
        tracemalloc.reset_peak()
        start = tracemalloc.get_traced_memory()[0]
        act()
        return tracemalloc.get_traced_memory()[1] - start

    tracemalloc.start()
    try:
        h.document.apply(cells("query", 7, 7, [[1.0]]))
        stack = h.document.stack
        acts = [lambda: h.document.apply(cells("query", 4000, 500, [[2.0]])), stack.undo, stack.redo]
        assert max(map(peak, acts)) < 3 * row
        assert peak(lambda: h.document.apply(SetFields({"scale": 2.0}, LABEL))) < 20 * row
    finally:
        tracemalloc.stop()
    assert h.document.problem.query[4000, 500] == 2.0


def test_a_problem_that_is_adopted_is_not_copied_and_is_edited_like_any_other(heard: Any, direct: Make) -> None:
    h = heard(direct(), name="one")
    h.document.apply(cells("query", 0, 0, [[7.0]]))
    other = direct(mask=({"kind": "bias", "values": np.ones((5, 7))},))
    arrays, start = other.arrays(), direct().query[0, 0]
    h.document.adopt(other, name="two")
    assert (h.document.name, h.document.modified, h.changes[-1].opened) == ("two", False, True)
    for name, array in h.document.problem.arrays().items():
        assert np.shares_memory(array, arrays[name])
        assert not array.flags.writeable
    h.document.apply(cells("query", 0, 0, [[9.0]]))
    h.document.apply(cells("mask.0.values", 4, 6, [[3.0]]))
    assert (h.document.problem.query[0, 0], h.document.problem.mask[0].values[4, 6]) == (9.0, 3.0)
    h.document.stack.setIndex(0)
    assert (h.document.problem.query[0, 0], h.document.problem.mask[0].values[4, 6]) == (start, 1.0)


def test_copies_of_the_document_and_of_its_past_are_weighed_before_they_are_taken(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = Document(Problem(*(np.ones((4, 4)) for _ in range(3))))
    for number in (2.0, 3.0):
        document.apply(cells("query", 0, 0, number))
    past = document.past(2)
    assert [state.query[0, 0] for state in past.problems()] == [1, 2, 3]
    past = document.past(2)
    monkeypatch.setattr(arrays, "available", lambda: 100)
    for take in (document.snapshot, lambda: document.past(2), past.problems):
        with pytest.raises(FieldError, match="of new numbers; at most 25 bytes"):
            take()


def test_what_takes_the_place_of_the_step_that_was_saved_is_unsaved_and_that_is_told(
    heard: Any, direct: Make, tmp_path: Path
) -> None:
    document, told = heard(direct()).document, []
    document.apply(SetFields({"scale": 2.0}, LABEL))
    document.mark_saved(tmp_path / "a.attn")
    document.titleChanged.connect(lambda: told.append(document.modified))
    assert document.apply_instead(SetFields({"scale": 3.0}, LABEL))
    assert document.modified
    assert told[-1:] == [True]


def test_a_size_with_as_many_tokens_is_applied_without_a_look_at_each(heard: Any, direct: Make) -> None:
    document, events, count = heard(direct()).document, list[str](), 65_536
    grown = SetFields({"query": np.ones((count, 6)), "query_tokens": tuple(map(str, range(count)))}, LABEL)
    sys.setprofile(lambda _frame, event, _argument: events.append(event))
    try:
        document.apply(grown)
        document.stack.undo()
    finally:
        sys.setprofile(None)
    assert len(events) < count / 2


@each("shape", [(5, 7), (1, 7), (2, 5, 7), (1, 5, 7), (3, 2, 5, 7), (3, 1, 5, 7), (1, 2, 5, 1)])
def test_a_cell_typed_into_the_table_of_a_mask_lands_where_that_table_shows_it(
    heard: Any, direct: Callable[..., Problem], shape: tuple[int, ...]
) -> None:
    r = np.random.default_rng(0)
    batched = [r.normal(size=(3, *size)) for size in ((5, 6), (7, 6), (7, 22))]
    given = dict(zip(("query", "key", "value"), batched, strict=True))
    h = heard(direct(**given, mask=({"kind": "bias", "values": r.normal(size=shape)},)))
    field, item, head = "mask.0.values", 2, 1
    read = h.document.reader(field, item, head)
    row, column = read().shape[0] - 1, read().shape[1] - 1
    box = table_box(field, shape, slice(row, row + 1), slice(column, column + 1), item, head)
    h.document.apply(SetCells(field, box, np.full((1,) * len(box), 7.0), Label("typed")))
    assert read()[row, column] == 7.0
    (told,) = h.changes[0].fields[field]
    assert table_cells(field, shape, told, item, head) == (slice(row, row + 1), slice(column, column + 1))


def test_a_vector_is_a_table_of_one_row() -> None:
    assert table_box("b_query", (6,), slice(0, 1), slice(2, 4)) == (slice(2, 4),)
    assert table_cells("b_query", (6,), (slice(2, 4),)) == (slice(0, 1), slice(2, 4))


@pytest.fixture
def document(qapp: object) -> Document:
    return Document(Problem(query=np.ones((2, 1)), key=np.ones((2, 1)), value=np.ones((2, 1)), query_tokens=("a", "b")))
