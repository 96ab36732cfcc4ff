"""Edits of a document as plain records: the only things that `Document.apply` takes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from attn_gui.engine.arrays import Box
from attn_gui.engine.graph.indices import join
from attn_gui.formats.file_sentences import quoted

if TYPE_CHECKING:
    from attn_gui.models.study import Study

__all__ = ["Change", "Edit", "Edits", "Label", "Refusal", "SetCells", "SetFields", "SetStudy", "filled", "quoted"]


# --- phrases --------------------------------------------------------------------------------------
# Sentences that can be said again after the language was switched.


_HAN = re.compile("[\u4e00-\u9fff]")
_BEGIN, _END = "\ue000", "\ue001"  # of what is filled in; no text has these
_MEETING = re.compile(f"(?<=[\u4e00-\u9fff]){_BEGIN}(?=[A-Za-z0-9])|(?<=[A-Za-z0-9]){_END}(?=[\u4e00-\u9fff])")


class _Filling:
    """A value between two marks, formatted as it would be alone."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        return f"{_BEGIN}{format(self._value, spec)}{_END}"


def filled(template: str, values: Mapping[str, object]) -> str:
    """The template with its {places} filled in; a blank parts Latin letters that come to stand beside Chinese ones."""
    if not _HAN.search(template):
        return template.format(**values)
    said = template.format(**{name: _Filling(value) for name, value in values.items()})
    return _MEETING.sub(" ", said).replace(_BEGIN, "").replace(_END, "")


@dataclass(frozen=True)
class Label:
    """The name of an edit in the history: `str(label)` is in the language of the moment.

    `source` is the English text, marked with `QT_TRANSLATE_NOOP("History", "…")`; `args` fill its {places} and may be
    labels themselves.
    """

    source: object  # a text; Qt's stubs say that QT_TRANSLATE_NOOP gives an object
    args: Mapping[str, object] = field(default_factory=dict)
    context: str = "History"

    def __str__(self) -> str:
        return filled(QCoreApplication.translate(self.context, str(self.source)), self.args)


class Refusal(ValueError):
    """Input that is not taken, with one sentence that says why.

    `str(error)` is the English sentence, `error.sentence()` the same in the language of the moment. `template` is the
    English text, marked with `QT_TRANSLATE_NOOP("Sentences", "…")`, and `values` what fills its {places}.
    """

    def __init__(self, template: object, **values: object) -> None:
        self.template = str(template)
        super().__init__(self.template.format(**values))
        self.values = values

    def sentence(self) -> str:
        return filled(QCoreApplication.translate("Sentences", self.template), self.values)


# --- edits ----------------------------------------------------------------------------------------


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
