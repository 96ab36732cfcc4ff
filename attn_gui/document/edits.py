"""Edits and their undo: cells, fields, a model's layer; refusals, and the names of steps as they are filled in."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QUndoCommand

from attn_gui.document.working_arrays import (
    DocumentChange,
    Draft,
    WorkingArrays,
    changed_names,
    same_bytes,
    with_own_memory,
)
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import Note
from attn_gui.formats.file_messages import quoted
from attn_gui.languages import N_

if TYPE_CHECKING:
    from attn_gui.models.study import Study

__all__ = [
    "DocumentChange",
    "Edit",
    "EditError",
    "Edits",
    "Label",
    "Refusal",
    "SetCells",
    "SetFields",
    "SetStudy",
    "fill_template",
    "quoted",
]

_HAN = re.compile("[\u4e00-\u9fff]")
_BEGIN, _END = "\ue000", "\ue001"  # of what is filled in; no text has these
_APART = re.compile(f"(?<=[\u4e00-\u9fff]) (?={_BEGIN}[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff]{_END}) (?=[\u4e00-\u9fff])")
_MEETING = re.compile(f"(?<=[\u4e00-\u9fff]){_BEGIN}(?=[A-Za-z0-9])|(?<=[A-Za-z0-9]){_END}(?=[\u4e00-\u9fff])")

NO_SWITCH = N_("A cell that allows or not takes 1 or 0.")


# --- phrases --------------------------------------------------------------------------------------
class _Filling:
    """A value between two marks, formatted as it would be without them."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        return f"{_BEGIN}{format(self._value, spec)}{_END}"


def fill_template(template: str, values: Mapping[str, object]) -> str:
    """Return the template with its {places} filled in, with a blank between Latin letters and Chinese ones, and none
    between Chinese ones."""
    if not _HAN.search(template):
        return template.format(**values)
    said = template.format(**{name: _Filling(value) for name, value in values.items()})
    return _MEETING.sub(" ", _APART.sub("", said)).replace(_BEGIN, "").replace(_END, "")


@dataclass(frozen=True)
class Label:
    """The name of an edit in the history; `str(label)` is in the present language.

    `source` is the English text, marked with `N_("History", "…")`; `args` fill its {places} and may be
    labels themselves.
    """

    source: str
    args: Mapping[str, object] = dataclasses.field(default_factory=dict)
    context: str = "History"

    def __str__(self) -> str:
        return fill_template(QCoreApplication.translate(self.context, self.source), self.args)


class Refusal(ValueError):
    """Input that is refused, with one sentence that says why.

    `str(error)` is the sentence in English, `error.sentence()` in the present language. `template` is the English text,
    marked with `N_("…")`, and `values` fill its {places}.
    """

    def __init__(self, template: object, **values: object) -> None:
        self.template = str(template)
        super().__init__(self.template.format(**values))
        self.values = values

    def sentence(self) -> str:
        return fill_template(QCoreApplication.translate("Sentences", self.template), self.values)


class EditError(Refusal):
    """An edit that does not fit the document: no such field, a box outside the array, a number that does not fit."""


# --- edits ----------------------------------------------------------------------------------------
class Edit(QUndoCommand):
    """A change to a document; a prepared copy of it is the step that undoes and redoes it, bit for bit.

    `prepared` raises for what does not fit before anything is changed, since Qt does not let undo and redo fail.
    Methods that a kind of edit has to define raise NotImplementedError here, as a class of Qt's cannot be an `abc`
    class, too.
    """

    label: Label
    draft: Draft | None = None  # that undo and redo write into
    notes: Sequence[Note] = ()  # on what it loses, to be said whenever it is done

    def __post_init__(self) -> None:
        super().__init__()

    def prepared(self, draft: Draft, fresh: Sequence[Array]) -> Edit | None:
        """Return a copy with what it writes and what it overwrites; None if it changes nothing.

        `fresh` arrays belong to the caller alone and are not copied. Raises ShapeError or another ValueError.
        """
        raise NotImplementedError

    def apply_to(self, draft: Draft) -> None:
        """Carry it out in the document, or in another state."""
        raise NotImplementedError

    def revert_in(self, draft: Draft) -> None:
        """Write back what it has overwritten."""
        raise NotImplementedError

    @property
    def change(self) -> DocumentChange:
        """What differs before and after."""
        raise NotImplementedError

    @property
    def cost(self) -> int:
        """The bytes that only this step keeps."""
        raise NotImplementedError

    @property
    def moves_in_model(self) -> bool:
        """Whether it moves to another place in a model."""
        return False

    @property
    def navigates(self) -> bool:
        """Whether it only puts another layer of a model on the table."""
        return False

    def copied(self, **known: object) -> Self:
        """Return a new Qt command with the same contents; one that has been pushed belongs to its stack."""
        copy = type(self).__new__(type(self))
        QUndoCommand.__init__(copy, self.text())
        vars(copy).update(vars(self), draft=None, **known)
        return copy

    def set_text(self) -> None:
        """Set its name in the present language, on one line."""
        self.setText(" ".join(str(self.label).split()))

    def redo(self) -> None:
        self._go(self.apply_to)

    def undo(self) -> None:
        self._go(self.revert_in)

    def _go(self, write: Callable[[Draft], None]) -> None:
        if self.draft is None:
            return
        try:
            write(self.draft)
            self.draft.changes.append(self.change)
        except Exception:  # an exception that leaves this call ends the program: PySide 6.10.3 crashes on it
            sys.excepthook(*sys.exc_info())


@dataclass(eq=False)
class SetCells(Edit):
    """New numbers for one box of one array; `values` has the box's shape, `field` is a dotted name.

    `box` has one slice for each of the array's own axes, with step 1, inside the array.
    """

    field: str
    box: Box
    values: NDArray[Any]
    label: Label
    old: NDArray[Any] = dataclasses.field(init=False, repr=False)  # what stood there, once prepared

    def prepared(self, draft: Draft, fresh: Sequence[Array]) -> SetCells | None:
        array = draft.state.arrays.get(self.field)
        if array is None:
            raise EditError(N_("The problem has no array named {field}."), field=self.field)
        box = _checked_box(self.field, self.box, array.shape)
        old = np.array(array[box])
        owned_by = (self.values, getattr(self.values, "base", None))
        taken = self.values.dtype == array.dtype and any(one is own for one in fresh for own in owned_by)
        new = self.values if taken else cast_cells(self.values, array.dtype)
        if new.shape != old.shape:
            raise EditError(
                N_("{field}: expected numbers of shape {expected}, got {got}."),
                field=self.field,
                expected=old.shape,
                got=new.shape,
            )
        return None if same_bytes(old, new) else self.copied(box=box, values=new, old=old)

    def apply_to(self, draft: Draft) -> None:
        draft.write(self.field, self.box, self.values)

    def revert_in(self, draft: Draft) -> None:
        draft.write(self.field, self.box, self.old)

    @property
    def change(self) -> DocumentChange:
        return DocumentChange({self.field: (self.box,)})

    @property
    def cost(self) -> int:
        return self.old.nbytes + self.values.nbytes


class _FieldsEdit(Edit):
    """An edit that keeps the states before and after and swaps their arrays, without copies.

    Arrays that have left are not touched until they return, so that undo is exact.
    """

    fields: Mapping[str, object]
    before: WorkingArrays
    after: WorkingArrays
    names: tuple[str, ...]

    def _with(self, draft: Draft, fresh: Sequence[Array], study: Study | None) -> Self | None:
        before = draft.state
        present = {name: value for name, value in {**before.fields, **self.fields}.items() if value is not None}
        after = replace(with_own_memory(present, before.arrays, fresh), study=study)
        names = changed_names(before, after)
        if not names and study is before.study:
            return None
        return self.copied(fields={}, before=before, after=after, names=names)  # arrays of the caller are not held

    def apply_to(self, draft: Draft) -> None:
        draft.state = self.after

    def revert_in(self, draft: Draft) -> None:
        draft.state = self.before

    @property
    def change(self) -> DocumentChange:
        return DocumentChange(dict.fromkeys(self.names, None), study=self.moves_in_model)

    @property
    def cost(self) -> int:
        """The bytes of arrays that have left; those that came are counted by the present state, or by the next step."""
        before, after = self.before.memory(), self.after.memory()
        return sum(size for key, size in before.items() if key not in after)

    @property
    def moves_in_model(self) -> bool:
        return self.before.study is not self.after.study


@dataclass(eq=False)
class SetFields(_FieldsEdit):
    """New values for whole fields of the problem, by undotted names; None removes a field."""

    fields: Mapping[str, object]
    label: Label
    notes: Sequence[Note] = ()

    def prepared(self, draft: Draft, fresh: Sequence[Array]) -> SetFields | None:
        return self._with(draft, fresh, draft.state.study)


@dataclass(eq=False)
class SetStudy(_FieldsEdit):
    """Move to another place in a model, or change what is around it: fields as in `SetFields`, and their study.

    The study is None where the fields are of no model. `navigates`: another layer is put on the table, which modifies
    nothing.
    """

    fields: Mapping[str, object]
    study: Study | None
    label: Label
    navigates: bool = False

    def prepared(self, draft: Draft, fresh: Sequence[Array]) -> SetStudy | None:
        return self._with(draft, fresh, self.study)


@dataclass(eq=False)
class Edits(Edit):
    """Several edits as one step, in order; later ones may rely on shapes that earlier ones made."""

    edits: tuple[Edit, ...]
    label: Label

    def prepared(self, draft: Draft, fresh: Sequence[Array]) -> Edits | None:
        done: list[Edit] = []
        try:
            for edit in self.edits:
                if (step := edit.prepared(draft, fresh)) is not None:
                    step.apply_to(draft)
                    done.append(step)
        finally:  # whether or not all fit: they are carried out together
            for step in reversed(done):
                step.revert_in(draft)
        return self.copied(edits=tuple(done)) if done else None

    def apply_to(self, draft: Draft) -> None:
        for edit in self.edits:
            edit.apply_to(draft)

    def revert_in(self, draft: Draft) -> None:
        for edit in reversed(self.edits):
            edit.revert_in(draft)

    @property
    def change(self) -> DocumentChange:
        return DocumentChange.merged([edit.change for edit in self.edits])

    @property
    def cost(self) -> int:
        return sum(edit.cost for edit in self.edits)

    @property
    def moves_in_model(self) -> bool:
        return any(edit.moves_in_model for edit in self.edits)

    @property
    def navigates(self) -> bool:
        return all(edit.navigates for edit in self.edits)


# --- checks ---------------------------------------------------------------------------------------
def _checked_box(field: str, box: Box, shape: tuple[int, ...]) -> Box:
    fits = len(box) == len(shape) and all(
        axis.step in (None, 1) and 0 <= axis.start <= axis.stop <= length
        for axis, length in zip(box, shape, strict=True)
    )
    if not fits:
        raise EditError(
            N_("{field}: the cells lie outside its shape {shape}."),
            field=field,
            shape=shape,
        )
    return tuple(slice(int(axis.start), int(axis.stop)) for axis in box)


def cast_cells(values: Array, dtype: np.dtype[Any]) -> Array:
    """Return a contiguous copy of `values` in `dtype`. Raises EditError if a number would become another one."""
    given = np.asarray(values)
    with np.errstate(over="ignore", invalid="ignore"):
        new = np.array(given, dtype=dtype, order="C")
    if dtype.kind == "b" and not np.array_equal(new, given):
        raise EditError(NO_SWITCH)
    if dtype.kind == "f":
        check_finite(new, given)
    return new


def check_finite(new: Array, given: Array) -> None:
    """Raise EditError where a number has become infinite that was computed from a finite one."""
    if bool((np.isinf(new) & np.isfinite(given)).any()):
        raise EditError(N_("A number is too large for {dtype}."), dtype=new.dtype.name)
