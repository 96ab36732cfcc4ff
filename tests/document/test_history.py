"""History, snapshots beside it, and any order of edits, undos and redos: what was there comes back bit by bit."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from attn_gui.document import history
from attn_gui.document.document import Document, DocumentChange
from attn_gui.document.edits import Edit, Edits, Label, Refusal, SetCells, SetFields
from attn_gui.document.history import MOST_BY_ITSELF
from attn_gui.engine import Problem
from attn_gui.engine.creation.resize import resize
from attn_gui.formats.snapshots import MOST, nbytes
from tests.failing import each, examples

Make = Callable[..., Problem]


def typed(row: int, column: int, value: float, label: Label | None = None) -> SetCells:
    box = (slice(row, row + 1), slice(column, column + 1))
    return SetCells("query", box, np.array([[value]]), label or Label("Typed {cell}", {"cell": (row, column)}))


def test_the_oldest_steps_are_forgotten_when_history_grows_too_large(heard: Any, direct: Make) -> None:
    h = heard(direct(), history_bytes=40_000)
    column = [h.document.problem.query[0, 0]]
    for k in range(200):
        h.document.apply(typed(0, 0, float(k)))
        column.append(float(k))
    stack = h.document.stack
    assert 20 < stack.count() < 40
    assert stack.index() == stack.count()
    assert {stack.text(step) for step in range(stack.count())} == {"Typed (0, 0)"}
    while stack.canUndo():
        assert h.document.problem.query[0, 0] == column.pop()
        stack.undo()
    assert h.document.modified
    assert h.document.problem.query[0, 0] == column[-1]


def test_one_step_larger_than_the_limit_can_still_be_undone(heard: Any, direct: Make) -> None:
    h = heard(direct(), history_bytes=5_000)
    h.document.apply(typed(0, 0, 1.0))
    small = h.document.problem.query.copy()
    h.document.apply(SetFields({"query": np.vstack([small, np.ones((200, 6))])}, Label("Grew")))
    assert h.document.stack.count() == 2, "what came is held by the document, not by its history"
    h.document.apply(SetFields({"query": small}, Label("Shrank")))
    assert h.document.stack.count() == 1
    h.document.stack.undo()
    assert h.document.problem.query.shape == (205, 6)
    assert h.document.problem.query[0, 0] == 1.0


@each("saved_at", [0, 30])
def test_forgetting_keeps_the_saved_point_where_it_was(heard: Any, direct: Make, saved_at: int) -> None:
    h = heard(direct(), history_bytes=39_500)
    for k in range(40):
        if k == saved_at:
            h.document.mark_saved(Path("saved.attn"))
        h.document.apply(typed(0, 0, float(k)))
    dropped = 40 - h.document.stack.count()
    assert 0 < dropped < 30
    assert h.document.modified
    if saved_at == 0:
        h.document.stack.setIndex(0)
        assert h.document.modified
    else:
        h.document.stack.setIndex(saved_at - dropped)
        assert not h.document.modified


def test_what_was_undone_is_no_longer_counted(heard: Any, direct: Make) -> None:
    h = heard(direct(), history_bytes=20_000)
    for k in range(60):
        h.document.apply(typed(0, 0, float(k)))
        h.document.stack.undo()
        assert not h.document.modified
    for k in range(3):
        h.document.apply(typed(0, 0, float(k)))
    assert h.document.stack.count() == 3


# --- snapshots of a document ----------------------------------------------------------------------


@pytest.fixture
def document(qapp):
    rng = np.random.default_rng(5)
    return Document(Problem(**{name: rng.normal(size=(4, 6)) for name in ("query", "key", "value")}))


def type_number(document, number, name="typed"):
    document.apply(SetCells("query", (slice(0, 1), slice(0, 1)), np.array([[number]]), Label(name)))


def first(snapshot):
    return snapshot.problem().query[0, 0]


def test_taking_naming_and_deleting_are_unsaved_changes_that_leave_the_history_alone(document, tmp_path):
    told = []
    document.titleChanged.connect(lambda: told.append(document.modified))
    type_number(document, 1.0)
    document.mark_saved(tmp_path / "a.attn")
    taken = document.snapshots.take(document.problem, "one")
    assert (told[-1], document.modified, document.stack.count()) == (True, True, 1)
    document.mark_saved(tmp_path / "a.attn", snapshots=document.snapshots.all)
    assert not document.modified
    document.snapshots.replace(taken, replace(taken, name="two", note="why"))
    assert document.modified
    place = document.snapshots.remove(document.snapshots.all[0])
    assert document.snapshots.all == ()
    document.snapshots.put_back(place, taken)
    assert not document.modified, "it is what was saved"
    document.stack.undo()
    assert document.snapshots.all == (taken,)
    assert first(taken) == 1.0


def test_an_edit_after_undo_keeps_what_would_be_lost_under_the_name_of_its_last_step(document):
    for number in (1.0, 2.0, 3.0):
        type_number(document, number, f"step {number:g}")
    for _ in range(2):
        document.stack.undo()
    type_number(document, 9.0)
    (kept,) = document.snapshots.all
    assert (kept.name, kept.by_itself, first(kept), document.problem.query[0, 0]) == ("step 3", True, 3.0, 9.0)
    document.stack.undo()
    assert document.problem.query[0, 0] == 1.0
    type_number(document, 9.0)
    type_number(document, 3.0)
    document.stack.undo()
    assert len(document.snapshots.all) == 2
    type_number(document, 5.0)
    assert [first(each) for each in document.snapshots.all] == [3.0, 9.0], "3 is there already"


def test_of_those_kept_by_themselves_the_oldest_go_and_no_other(document):
    document.snapshots.take(document.problem, "mine")
    for number in range(MOST_BY_ITSELF + 5):
        type_number(document, 100.0 + number)
        document.stack.undo()
    type_number(document, 1.0)
    names = [first(each) for each in document.snapshots.all if each.by_itself]
    assert names == [105.0 + number for number in range(MOST_BY_ITSELF)]
    assert document.snapshots.all[0].name == "mine"
    assert nbytes(document.snapshots.all) < 8 * document.problem.query.nbytes + 1000 * MOST_BY_ITSELF


def test_whoever_reads_beside_the_document_never_sees_what_is_kept_of_undone_steps(document, monkeypatch):
    """While it was packed, the undone numbers stood in the very arrays that a journal was written from."""
    seen = []
    real = history.packed

    def reading(*given, **named):
        seen.append(document.problem.query[0, 0])
        return real(*given, **named)

    start = document.problem.query[0, 0]
    type_number(document, 1.0)
    type_number(document, 3.0)
    for _ in range(2):
        document.stack.undo()
    writes = document.writes
    monkeypatch.setattr(history, "packed", reading)
    type_number(document, 2.0)
    assert seen == [start], "neither of the numbers that were undone"
    assert document.writes == writes + 1
    assert first(document.snapshots.all[0]) == 3.0


def test_names_are_told_apart_and_their_number_is_limited(document):
    taken = [document.snapshots.take(document.problem, "same").name for _ in range(3)]
    assert taken == ["same", "same (2)", "same (3)"]
    for _ in range(MOST - 3):
        document.snapshots.put_back(0, document.snapshots.all[0])
    with pytest.raises(Refusal, match="500 snapshots"):
        document.snapshots.take(document.problem, "more")
    type_number(document, 1.0)
    document.stack.undo()
    type_number(document, 2.0)  # loses a step, which a full list does not keep
    assert len(document.snapshots.all) == MOST


def test_a_step_that_is_taken_back_by_its_own_gesture_leaves_nothing_behind(document):
    """The title kept its star, and redo offered a step that was gone."""
    before, titles = document.problem.query[0, 0], []
    document.titleChanged.connect(lambda: titles.append(document.modified))
    type_number(document, 1.0)
    assert titles[-1]
    cell = slice(0, 1), slice(0, 1)
    assert not document.apply_instead(SetCells("query", cell, np.array([[before]]), Label("drawn back")))
    assert not titles[-1]
    assert (document.stack.count(), document.stack.canRedo()) == (0, False)
    type_number(document, 2.0)
    assert document.snapshots.all == ()
    document.stack.undo()
    assert document.problem.query[0, 0] == before


# --- any order of edits ---------------------------------------------------------------------------
LABEL = Label("edit", {})
NUMBERS = st.floats(width=32) | st.sampled_from([-0.0, 0.0, np.nan, np.inf])
Bytes = dict[str, tuple[str, tuple[int, ...], bytes]]


def image(problem: Problem) -> tuple[Bytes, str]:
    """Every byte of a problem."""
    arrays = {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in problem.arrays().items()}
    lists = ("mask", "interventions")
    rest = {name: value for name, value in problem.fields().items() if name not in arrays and name not in lists}
    by_hand = [(*record.rule[:3], sorted(record.rule[3]), *record.rule[4:]) for record in problem.interventions]
    return arrays, repr((rest, [(layer.kind, layer.enabled) for layer in problem.mask], by_hand))


class UndoMachine(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        r = np.random.default_rng(1)
        layers = ({"kind": "custom", "allowed": np.ones((5, 7), bool)}, {"kind": "bias", "values": np.zeros((1, 7))})
        self.document = Document(
            Problem(
                query=r.normal(size=(5, 6)),
                key=r.normal(size=(7, 6)),
                value=r.normal(size=(7, 22)),
                num_heads=2,
                mask=layers,
            )
        )
        self.told = 0
        self.document.changed.connect(self.note)
        self.shown = {name: array.copy() for name, array in self.document.problem.arrays().items()}
        self.images = [image(self.document.problem)]
        self.at = 0
        self.by_hand = (
            {"kind": "set", "stage": "weights", "at": {"head": 0, "query": 0, "key": 0}, "values": -0.0},
            {"kind": "set", "stage": "scores", "at": {"head": 0, "query": (0, 1)}, "values": [[np.nan]]},
            {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.5},
            {"kind": "copy", "stage": "weights", "at": {"query": (0, 1)}, "source": {"head": 0}},
        )

    def note(self, change: DocumentChange) -> None:
        """Follow the document by what it tells, as a view does."""
        self.told += 1
        now = self.document.problem.arrays()
        for name, boxes in change.fields.items():
            if boxes is None:
                self.shown.pop(name, None)
                if name in now:
                    self.shown[name] = now[name].copy()
            for box in boxes or ():
                self.shown[name][box] = now[name][box]

    def done(self, edit: Edit) -> None:
        dropped = self.images[self.at + 1 :][-1:]
        if self.document.apply(edit):
            kept = [image(each.problem()) for each in self.document.snapshots.all]
            assert all(lost in kept for lost in dropped), "what undo would lose is a snapshot"
            self.images[self.at + 1 :] = [image(self.document.problem)]
            self.at += 1

    def cells(self, data: st.DataObject) -> SetCells:
        arrays = self.document.problem.arrays()
        name = data.draw(st.sampled_from(sorted(arrays)))
        array = arrays[name]
        box = []
        for length in array.shape:
            start = data.draw(st.integers(0, length - 1))
            box.append(slice(start, data.draw(st.integers(start + 1, length))))
        values = np.empty(array[tuple(box)].shape)
        values[...] = data.draw(st.booleans() if array.dtype == bool else NUMBERS)
        return SetCells(name, tuple(box), values, LABEL)

    def fields(self, data: st.DataObject) -> SetFields:
        problem = self.document.problem
        choices: list[dict[str, Any]] = [
            {"scale": data.draw(st.sampled_from([None, 1.0, 0.0, -0.0]))},
            {"dtype": data.draw(st.sampled_from(["float32", "float64"]))},
            {"query": problem.query[::-1]},
            {"mask": tuple({**layer.to_mapping(), "enabled": not layer.enabled} for layer in problem.mask)},
            {"mask": problem.mask[1:]},
            {"interventions": problem.interventions[1:]},
            {"interventions": (*problem.interventions, *self.by_hand)},
            {"interventions": tuple(one.changed(enabled=not one.enabled) for one in problem.interventions)},
        ]
        return SetFields(data.draw(st.sampled_from(choices)), LABEL)

    @rule(data=st.data())
    def edit_cells(self, data: st.DataObject) -> None:
        self.done(self.cells(data))

    @precondition(lambda self: self.at > 0)
    @rule(data=st.data())
    def edit_instead_of_the_last_step(self, data: st.DataObject) -> None:
        self.document.stack.undo()  # which arrays there are then
        edit = self.cells(data)
        self.document.stack.redo()
        told = self.told
        did = self.document.apply_instead(edit)
        assert self.told == told + 1
        self.images[self.at :] = [image(self.document.problem)] if did else []
        self.at -= not did

    @rule(data=st.data())
    def edit_fields(self, data: st.DataObject) -> None:
        self.done(self.fields(data))

    @rule(
        size=st.sampled_from(["n", "m", "d_k", "d_v", "num_heads"]),
        count=st.integers(1, 8),
        keep=st.sampled_from(["d_model", "d_k"]),
    )
    def change_a_size(self, size: str, count: int, keep: Any) -> None:
        try:
            resized = resize(self.document.problem, keep=keep, **{size: count})
        except ValueError:
            return  # a number of heads that cannot share the columns
        self.done(SetFields(resized.fields, LABEL))
        assert getattr(self.document.problem, size) == count

    @rule(data=st.data())
    def edit_several(self, data: st.DataObject) -> None:
        query = SetFields({"query": self.document.problem.query[::-1]}, LABEL)
        self.done(Edits((query, SetCells("query", (slice(0, 1), slice(0, 1)), np.ones((1, 1)), LABEL)), LABEL))

    @rule()
    def edit_badly(self) -> None:
        good = SetCells("key", (slice(0, 1), slice(0, 1)), np.full((1, 1), 123.0), LABEL)
        with pytest.raises(ValueError, match="heads"):
            self.document.apply(Edits((good, SetFields({"num_heads": 97}, LABEL)), LABEL))

    @precondition(lambda self: self.at > 0)
    @rule()
    def undo(self) -> None:
        self.document.stack.undo()
        self.at -= 1

    @precondition(lambda self: self.at < len(self.images) - 1)
    @rule()
    def redo(self) -> None:
        self.document.stack.redo()
        self.at += 1

    @rule(data=st.data())
    def go_anywhere(self, data: st.DataObject) -> None:
        self.at = data.draw(st.integers(0, len(self.images) - 1))
        self.document.stack.setIndex(self.at)

    @invariant()
    def is_what_it_was(self) -> None:
        assert image(self.document.problem) == self.images[self.at]
        assert self.document.modified == (self.at > 0)
        assert self.document.stack.count() == len(self.images) - 1

    @invariant()
    def has_told_everything(self) -> None:
        now = self.document.problem.arrays()
        assert set(self.shown) == set(now)
        for name, array in now.items():
            assert self.shown[name].tobytes() == array.tobytes(), name

    def teardown(self) -> None:
        if hasattr(self, "document"):
            self.document.stack.setIndex(0)
            assert image(self.document.problem) == self.images[0]
            assert not self.document.modified


@pytest.mark.usefixtures("qapp")
class TestUndo(UndoMachine.TestCase):  # type: ignore[name-defined,misc]  # hypothesis makes the class
    settings = settings(deadline=None, max_examples=examples(25), stateful_step_count=25, database=None)
