"""Edits of a document as plain records: the only things that `Document.apply` takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from attn_gui.document.phrases import Label
from attn_gui.engine.arrays import Box
from attn_gui.engine.graph.indices import join

if TYPE_CHECKING:
    from attn_gui.models.studies.study import Study

__all__ = ["Change", "Edit", "Edits", "Label", "SetCells", "SetFields", "SetStudy"]


@dataclass(frozen=True, eq=False)
class SetCells:
    """New numbers for one box of one array; `values` has the box's shape, `field` is dotted inside records.

    `box` has one slice an axis in the array's own axes, with steps of 1, inside the array.
    """

    field: str
    box: Box
    values: NDArray[Any]
    label: Label


@dataclass(frozen=True, eq=False)
class SetFields:
    """New values for whole fields of the problem, under their undotted names; None takes a field away."""

    fields: Mapping[str, object]
    label: Label


@dataclass(frozen=True, eq=False)
class Edits:
    """Several edits as one step, in order; a later one may rely on the shapes that an earlier one made."""

    edits: tuple[Edit, ...]
    label: Label


@dataclass(frozen=True, eq=False)
class SetStudy:
    """Move to another place in a model, or change what is around it: fields as in `SetFields`, and their study;
    None where they are of no model. `looks`: only another layer is put on the table, which modifies nothing."""

    fields: Mapping[str, object]
    study: Study | None
    label: Label
    looks: bool = False


Edit = SetCells | SetFields | SetStudy | Edits


@dataclass(frozen=True)
class Change:
    """The effect of an edit, an undo or a redo.

    `fields` maps each field to the boxes with new numbers, or to None: added, removed or replaced as a whole,
    its shape may differ. `opened`: everything is new, this is another document. `study`: so is the place in a model.
    """

    fields: dict[str, tuple[Box, ...] | None] = field(default_factory=dict)
    opened: bool = False
    study: bool = False

    @classmethod
    def merged(cls, changes: Sequence[Change]) -> Change:
        """One change for several in a row."""
        fields: dict[str, tuple[Box, ...] | None] = {}
        for name, boxes in (item for change in changes for item in change.fields.items()):
            known = fields.get(name, ())
            fields[name] = None if boxes is None or known is None else tuple(join((*known, *boxes)))
        return cls(fields, any(change.opened for change in changes), any(change.study for change in changes))
