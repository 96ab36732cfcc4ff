"""The draft: the entered fields, one working array for every matrix, and the steps that change them in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QT_TRANSLATE_NOOP

from attn_gui.document.edits import Change, Edit, Edits, SetCells, SetFields, SetStudy
from attn_gui.document.history import Step
from attn_gui.document.number_text import NO_SWITCH
from attn_gui.document.ownership import Working, changed_names, given_up, owned, same_bytes
from attn_gui.document.phrases import Label, Refusal
from attn_gui.document.states.past_states import StateBeside
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.problem import Problem

if TYPE_CHECKING:
    from attn_gui.models.studies.study import Study


class EditError(Refusal):
    """An edit that does not fit the document: no such field, a box outside the array, a number that does not fit."""


class Draft:
    """The working arrays of the open document; `problem` looks at them through read-only views.

    Every edit becomes a step that is tried before it is kept: one that fails leaves everything as it was.
    """

    def __init__(self, problem: Problem) -> None:
        self.state = owned(problem.fields(), {})
        self.writes = 0  # raised before the first cell is written, for those who read in another thread

    @property
    def problem(self) -> Problem:
        return self.state.problem

    def begin(self, problem: Problem) -> None:
        """Copy another problem in; nothing of the old one is kept."""
        self.state = owned(problem.fields(), {})

    def adopt(self, problem: Problem, study: Study | None = None) -> None:
        """Go on in the memory of another problem, to which no other reference is kept: nothing is copied."""
        self.state = replace(owned(problem.fields(), given_up(problem)), study=study)

    def do(self, edit: Edit, fresh: Sequence[Array] = ()) -> tuple[Step, Change] | None:
        """Carry out `edit`; None if it changes nothing. Raises ShapeError or ValueError with nothing changed.

        `fresh` arrays belong to the caller alone and are not copied.
        """
        if isinstance(edit, Edits):
            return self._do_all(edit, fresh)
        if isinstance(edit, SetCells):
            step = self._cells_step(edit, fresh)
        else:
            step = self._fields_step(edit, fresh, edit.study if isinstance(edit, SetStudy) else self.state.study)
        return None if step is None else (step, step.redo())

    def _do_all(self, edits: Edits, fresh: Sequence[Array]) -> tuple[Step, Change] | None:
        done: list[tuple[Step, Change]] = []
        try:
            for edit in edits.edits:
                done += filter(None, [self.do(edit, fresh)])
        except BaseException:
            for step, _change in reversed(done):
                step.undo()
            raise
        if not done:
            return None
        return _Steps(tuple(step for step, _ in done), edits.label), Change.merged([change for _, change in done])

    def _cells_step(self, edit: SetCells, fresh: Sequence[Array]) -> Step | None:
        array = self.state.arrays.get(edit.field)
        if array is None:
            raise EditError(QT_TRANSLATE_NOOP("Sentences", "The problem has no array named {field}."), field=edit.field)
        box = _checked_box(edit.field, edit.box, array.shape)
        old = np.array(array[box])
        owned_by = (edit.values, getattr(edit.values, "base", None))
        taken = edit.values.dtype == array.dtype and any(one is own for one in fresh for own in owned_by)
        new = edit.values if taken else cast_cells(edit.values, array.dtype)
        if new.shape != old.shape:
            raise EditError(
                QT_TRANSLATE_NOOP("Sentences", "{field}: expected numbers of shape {expected}, got {got}."),
                field=edit.field,
                expected=old.shape,
                got=new.shape,
            )
        if same_bytes(old, new):
            return None
        return _CellsStep(lambda: self._to_write(edit.field), edit.field, box, old, new, edit.label)

    def _to_write(self, field: str) -> Array:
        self.writes += 1
        return self.state.arrays[field]

    def _fields_step(self, edit: SetFields | SetStudy, fresh: Sequence[Array], study: Study | None) -> Step | None:
        fields = {**self.state.fields, **edit.fields}
        present = {name: value for name, value in fields.items() if value is not None}
        after = replace(owned(present, self.state.arrays, fresh), study=study)
        names = changed_names(self.state, after)
        moved = after.study is not self.state.study
        looks = isinstance(edit, SetStudy) and edit.looks
        return _FieldsStep(self, self.state, after, names, edit.label, looks) if names or moved else None


def _checked_box(field: str, box: Box, shape: tuple[int, ...]) -> Box:
    fits = len(box) == len(shape) and all(
        axis.step in (None, 1) and 0 <= axis.start <= axis.stop <= length
        for axis, length in zip(box, shape, strict=True)
    )
    if not fits:
        raise EditError(
            QT_TRANSLATE_NOOP("Sentences", "{field}: the cells lie outside its shape {shape}."),
            field=field,
            shape=shape,
        )
    return tuple(slice(int(axis.start), int(axis.stop)) for axis in box)


def cast_cells(values: Array, dtype: np.dtype[Any]) -> Array:
    """A contiguous copy of `values` in `dtype`; refused if a number would become another one there."""
    given = np.asarray(values)
    with np.errstate(over="ignore", invalid="ignore"):
        new = np.array(given, dtype=dtype, order="C")
    if dtype.kind == "b" and not np.array_equal(new, given):
        raise EditError(NO_SWITCH)
    if dtype.kind == "f":
        check_finite(new, given)
    return new


def check_finite(new: Array, given: Array) -> None:
    """Raise EditError where a number is infinite that was made of one that is not."""
    if bool((np.isinf(new) & np.isfinite(given)).any()):
        raise EditError(QT_TRANSLATE_NOOP("Sentences", "A number is too large for {dtype}."), dtype=new.dtype.name)


@dataclass(frozen=True, eq=False)
class _CellsStep:
    """Holds the old and the new cells and nothing else of the array."""

    array: Callable[[], Array]
    field: str
    box: Box
    old: Array
    new: Array
    label: Label

    @property
    def cost(self) -> int:
        return self.old.nbytes + self.new.nbytes

    apart = looks = False

    def redo(self) -> Change:
        return self._write(self.new)

    def undo(self) -> Change:
        return self._write(self.old)

    def back(self, state: StateBeside) -> None:
        state.write(self.field, self.box, self.old)

    def forth(self, state: StateBeside) -> None:
        state.write(self.field, self.box, self.new)

    def _write(self, cells: Array) -> Change:
        self.array()[self.box] = cells
        return Change({self.field: (self.box,)})


@dataclass(frozen=True, eq=False)
class _FieldsStep:
    """Holds the working arrays that leave and that come, and hands them back: nothing is copied.

    The arrays that left rest untouched until they return, so going back is exact.
    """

    draft: Draft
    before: Working
    after: Working
    names: tuple[str, ...]
    label: Label
    looks: bool

    @property
    def cost(self) -> int:
        """Bytes that it keeps alone: what came is the present state's, or what the next step has taken away."""
        before, after = self.before.memory(), self.after.memory()
        return sum(size for key, size in before.items() if key not in after)

    def redo(self) -> Change:
        self.draft.state = self.after
        return self._change()

    def undo(self) -> Change:
        self.draft.state = self.before
        return self._change()

    def back(self, state: StateBeside) -> None:
        state.state = self.before

    def forth(self, state: StateBeside) -> None:
        state.state = self.after

    @property
    def apart(self) -> bool:
        """Whether the states before and after are of different places in a model."""
        return self.before.study is not self.after.study

    def _change(self) -> Change:
        return Change(dict.fromkeys(self.names, None), study=self.apart)


@dataclass(frozen=True, eq=False)
class _Steps:
    steps: tuple[Step, ...]
    label: Label

    @property
    def cost(self) -> int:
        return sum(step.cost for step in self.steps)

    @property
    def apart(self) -> bool:
        return any(step.apart for step in self.steps)

    @property
    def looks(self) -> bool:
        return all(step.looks for step in self.steps)

    def redo(self) -> Change:
        return Change.merged([step.redo() for step in self.steps])

    def undo(self) -> Change:
        return Change.merged([step.undo() for step in reversed(self.steps)])

    def back(self, state: StateBeside) -> None:
        for step in reversed(self.steps):
            step.back(state)

    def forth(self, state: StateBeside) -> None:
        for step in self.steps:
            step.forth(state)
