"""Any order of edits, undos and redos: what was once there comes back bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from attn_gui.document.document import Document, DocumentChange
from attn_gui.document.edits import Edit, Edits, Label, SetCells, SetFields
from attn_gui.engine.creation.resize import resize
from attn_gui.engine.problem import Problem

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
            {"scale": data.draw(st.sampled_from([None, 1.0, 2.0]))},
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
    settings = settings(deadline=None, max_examples=40, stateful_step_count=25, database=None)
