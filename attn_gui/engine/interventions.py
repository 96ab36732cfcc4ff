"""Kinds of changes by hand (set, scale, copy): cells, values, limits, words; whether weights stay within 0 to 1. A new
kind is one class and its entry in INTERVENTIONS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from attn_gui.engine import checks, errors
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import FieldError, FieldTypeError, Note, ShapeError, spoken
from attn_gui.languages import N_

Axes = tuple[str, ...]
Slopes = tuple[Any, Any, Any]  # derivatives by own, given and taken; None where it does not read them

COPIED = N_("Interventions", "{cells} taken from {source}")
AND = N_("Interventions", "{cells}, {place}")
PLACES = {
    "batch": N_("Interventions", "item {place}"),
    "head": N_("Interventions", "head {place}"),
    "query": N_("Interventions", "query {place}"),
    "key": N_("Interventions", "key {place}"),
    "row": N_("Interventions", "row {place}"),
    "column": N_("Interventions", "column {place}"),
}
"""A place on each axis that a stage can have."""

SCALED = N_("Interventions", "{cells} × {factor}")

SET = N_("Interventions", "{cells} set to {value}")
TOLD_MANY = N_("Interventions", "{cells} set to {count} numbers")

MOST = 256  # interventions of a problem
MOST_CELLS = 1 << 22  # numbers that they hold, all together


# --- base -----------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False, kw_only=True)
class Intervention(checks.TaggedRecord):
    """A change of cells of one stage after it is computed; texts are English, of the context "Interventions".

    For each cell a kind can use its computed number (`own`), a number of the record (`given`, its parameter `table`)
    and the computed number of another cell (`taken`, at its `source`). `carried_out` and `slopes` are its whole
    arithmetic.
    """

    stage: str
    at: Any = field(default_factory=dict)
    enabled: bool = True

    listed: ClassVar[str] = "interventions"
    replaces: ClassVar[bool] = False  # whether nothing of what was computed there is left
    rounds: ClassVar[bool] = False  # whether its arithmetic rounds
    code: ClassVar[str] = ""  # its arithmetic in a script: of {own}, {given} and {taken}; "" where there is none

    def __post_init__(self) -> None:
        if not isinstance(self.stage, str):
            raise FieldTypeError(errors.NOT_NAME, field=f"{self.kind}.stage", got=checks.kind_of(self.stage))
        checks.as_switch(f"{self.kind}.enabled", self.enabled)
        object.__setattr__(self, "stage", str(self.stage))
        object.__setattr__(self, "at", as_place(f"{self.kind}.at", self.at))

    # --- its arithmetic, cell by cell ------------------------------------------------------------
    def carried_out(self, own: Any, given: Any, taken: Any) -> Any:
        """Return the new cells, for arrays that broadcast as well as for expressions."""
        raise NotImplementedError

    def slopes(self, own: Array, given: Any, taken: Any) -> Slopes:
        """Return the derivatives of the new cells by own, given and taken; None for 0."""
        raise NotImplementedError

    @property
    def keeps_fractions(self) -> bool:
        """Whether numbers between 0 and 1 always stay between them."""
        return False

    # --- in words --------------------------------------------------------------------------------
    def description(self, cells: object) -> Note:
        """Return words for the change of cells called `cells`; a template of the context "Interventions"."""
        raise NotImplementedError

    # --- its numbers -----------------------------------------------------------------------------
    @property
    def rule(self) -> tuple[object, ...]:
        """Kind, stage, whether enabled, place and shape: everything but its numbers."""
        return self.kind, self.stage, self.enabled, tuple(self.at.items()), np.shape(self.cells)

    # --- its cells -------------------------------------------------------------------------------
    def box(self, axes: Axes, shape: tuple[int, ...]) -> Box:
        """Return the cells that it changes in a stage with these axes."""
        return tuple(_cut(self.at.get(axis), length) for axis, length in zip(axes, shape, strict=True))

    def origin(self, box: Box, axes: Axes) -> Box | None:
        """Return the computed cells that it copies into `box`, which broadcast to it; None where it copies none."""
        return None

    def fit(self, name: str, axes: Axes, shape: tuple[int, ...]) -> None:
        """Raise FieldError or ShapeError if the cells do not belong to a stage of these axes."""
        fit_place(f"{name}.at", self.stage, self.at, axes, shape)

    def resized(self, axes: Axes, before: tuple[int, ...], after: tuple[int, ...]) -> Self | None:
        """Return the record for a stage of another shape, cut to the cells that are left; None where none is."""
        at = dict(self.at)
        for axis, old, new in zip(axes, before, after, strict=True):
            cut = _cut(at.get(axis), old)
            if cut.start >= new:
                return None
            if cut.stop > new and axis in at:
                at[axis] = (cut.start, new)
            if axis not in at and new > old and self.spans(axes.index(axis) - len(axes), old):
                at[axis] = (0, old)  # its numbers are those of the cells that were there
        kept = self.changed(at=checks.Record(at))
        box = kept.box(axes, after)
        return kept.cut(tuple(slice(0, cut.stop - cut.start) for cut in box))

    def relocated(self, moved: Mapping[str, Array]) -> Self | None:
        """Return the record with its source moved; `moved` gives the old place of every new cell along some axes, −1
        for new.

        None where its source is gone. Its own cells are moved by the caller.
        """
        return self

    def spans(self, axis: int, length: int) -> bool:
        """Return whether it has one number for each of the `length` cells along an axis."""
        return False

    def cut(self, box: Box) -> Self:
        """Return the record with only the numbers for a part of its cells, counted from its first one."""
        return self


def as_place(field: str, given: object) -> checks.Record:
    """Return a mapping from axes to whole numbers or ranges (start, stop). Raises FieldError, FieldTypeError."""
    if not isinstance(given, Mapping):
        raise FieldTypeError(errors.NOT_RECORD, field=field, got=checks.kind_of(given))
    return checks.Record({_axis(field, axis): _place(f"{field}.{axis}", place) for axis, place in given.items()})


def _axis(field: str, axis: object) -> str:
    if not isinstance(axis, str) or hasattr(checks.Record, axis):  # a record's entries are its attributes, too
        raise FieldTypeError(errors.NOT_NAME, field=field, got=checks.described(axis))
    return axis


def _place(field: str, place: object) -> int | tuple[int, int]:
    if not isinstance(place, (tuple, list)):
        return checks.as_whole(field, place)
    if len(place) != 2:
        raise FieldError(errors.STRETCH, field=field, got=f"{len(place)} numbers")
    start, stop = (checks.as_whole(field, end) for end in place)
    if start >= stop:
        raise FieldError(errors.STRETCH, field=field, got=f"({start}, {stop})")
    return start, stop


def _cut(place: int | tuple[int, int] | None, length: int) -> slice:
    if place is None:
        return slice(0, length)
    return slice(place, place + 1) if isinstance(place, int) else slice(*place)


def fit_place(field: str, stage: str, place: checks.Record, axes: Axes, shape: tuple[int, ...]) -> None:
    """Raise FieldError for an axis that the stage does not have, ShapeError for a place outside it."""
    lengths = dict(zip(axes, shape, strict=True))
    for axis, wanted in place.items():
        if axis not in lengths:
            raise FieldError(errors.NO_AXIS, field=field, stage=stage, got=checks.echo(axis), choices=axes)
        cut = _cut(wanted, 0)
        if cut.start < 0 or cut.stop > lengths[axis]:
            raise ShapeError(
                errors.OUTSIDE,
                matrices=(field, stage),
                axes=(axis,),
                expected=lengths[axis],
                got=wanted,
                axis=axis,
            )


def as_stage(field: str, stage: str, known: Axes) -> str:
    """Return the name of a stage that the problem has. Raises FieldError."""
    if stage not in known:
        raise FieldError(errors.NOT_A_STAGE, field=field, choices=known, got=checks.described(stage))
    return stage


@dataclass(frozen=True, eq=False, kw_only=True)
class Copy(Intervention):
    """Cells become the computed ones of another head, row or item: `source` maps axes to indices, other axes stay."""

    source: Any

    kind = "copy"
    label = N_("Interventions", "copy")
    about = N_("Interventions", "Cells take what was computed in another place")
    replaces = True
    code = "{taken}"

    def __post_init__(self) -> None:
        super().__post_init__()
        source = as_place("copy.source", self.source)
        if not source:
            raise FieldError(errors.NEEDS, field="copy", other="source")
        for axis, place in source.items():
            if not isinstance(place, int):
                raise FieldError(errors.ONE_PLACE, field=f"copy.source.{axis}", got=str(place))
        object.__setattr__(self, "source", source)

    @property
    def rule(self) -> tuple[object, ...]:
        return (*super().rule, tuple(self.source.items()))

    def description(self, cells: object) -> Note:
        places = [Note(PLACES[axis], {"place": place}) for axis, place in self.source.items()]
        whole = Note(COPIED, {"cells": cells, "source": places[0]})
        for place in places[1:]:
            whole = Note(AND, {"cells": whole, "place": place})
        return whole

    def carried_out(self, own: Any, given: Any, taken: Any) -> Any:
        return taken

    @property
    def keeps_fractions(self) -> bool:
        return True

    def slopes(self, own: Array, given: Any, taken: Any) -> Slopes:
        return None, None, 1.0

    def origin(self, box: Box, axes: Axes) -> Box | None:
        return tuple(
            slice(self.source[axis], self.source[axis] + 1) if axis in self.source else cut
            for axis, cut in zip(axes, box, strict=True)
        )

    def resized(self, axes: Axes, before: tuple[int, ...], after: tuple[int, ...]) -> Self | None:
        lengths = dict(zip(axes, after, strict=True))
        if any(place >= lengths[axis] for axis, place in self.source.items()):
            return None
        return super().resized(axes, before, after)

    def relocated(self, moved: Mapping[str, Array]) -> Self | None:
        source = dict(self.source)
        for axis in source.keys() & moved.keys():
            now = np.flatnonzero(moved[axis] == source[axis])
            if not now.size:
                return None
            source[axis] = int(now[0])
        return self.changed(source=checks.Record(source))

    def fit(self, name: str, axes: Axes, shape: tuple[int, ...]) -> None:
        super().fit(name, axes, shape)
        fit_place(f"{name}.source", self.stage, self.source, axes, shape)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scale(Intervention):
    """Every cell times `factor`: 0 switches a head off."""

    factor: float

    kind = "scale"
    label = N_("Interventions", "scale")
    about = N_("Interventions", "Cells are multiplied by a factor")
    table = "factor"
    rounds = True
    code = "{own} * {given}"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "factor", checks.as_number("scale.factor", self.factor))

    def description(self, cells: object) -> Note:
        return Note(SCALED, {"cells": cells, "factor": spoken(self.factor)})

    def carried_out(self, own: Any, given: Any, taken: Any) -> Any:
        return own * given

    @property
    def keeps_fractions(self) -> bool:
        return 0 <= self.factor <= 1

    def slopes(self, own: Array, given: Any, taken: Any) -> Slopes:
        return given, own, None

    def normalized(self, name: str, dtype: np.dtype[Any], copy: bool) -> Self:
        return self.changed(factor=checks.as_number(f"{name}.factor", self.factor))


@dataclass(frozen=True, eq=False, kw_only=True)
class Set(Intervention):
    """Cells become `values`, a number or an array that broadcasts to them."""

    values: Any

    kind = "set"
    label = N_("Interventions", "set")
    about = N_("Interventions", "Cells take given numbers")
    table = "values"
    replaces = True
    code = "{given}"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "values", checks.as_array("set.values", self.values, axes=range(5)))

    def carried_out(self, own: Any, given: Any, taken: Any) -> Any:
        return given

    @property
    def keeps_fractions(self) -> bool:
        return bool(((self.values >= 0) & (self.values <= 1)).all())

    def slopes(self, own: Array, given: Any, taken: Any) -> Slopes:
        return None, 1.0, None

    def description(self, cells: object) -> Note:
        if self.values.size == 1:
            return Note(SET, {"cells": cells, "value": spoken(self.values.item())})
        return Note(TOLD_MANY, {"cells": cells, "count": self.values.size})

    def fit(self, name: str, axes: Axes, shape: tuple[int, ...]) -> None:
        super().fit(name, axes, shape)
        expected = tuple(cut.stop - cut.start for cut in self.box(axes, shape))
        found = self.values.shape
        fits = len(found) <= len(expected) and all(
            length in (1, wanted) for length, wanted in zip(found[::-1], expected[::-1], strict=False)
        )
        if not fits:
            raise ShapeError(
                errors.SET_VALUES, matrices=(f"{name}.values", self.stage), axes=axes, expected=expected, got=found
            )

    def spans(self, axis: int, length: int) -> bool:
        shape = self.values.shape
        return len(shape) >= -axis and shape[axis] == length > 1

    def cut(self, box: Box) -> Self:
        cuts = zip(self.values.shape, box[len(box) - self.values.ndim :], strict=True)
        own = tuple(slice(0, 1) if length == 1 else cut for length, cut in cuts)
        if own == tuple(slice(0, length) for length in self.values.shape):
            return self
        return self.changed(values=np.ascontiguousarray(self.values[own]))

    def normalized(self, name: str, dtype: np.dtype[Any], copy: bool) -> Self:
        return self.changed(values=checks.as_array(f"{name}.values", self.values, dtype, axes=range(5), copy=copy))


# --- kinds ----------------------------------------------------------------------------------------
INTERVENTIONS: dict[str, type[Intervention]] = {entry.kind: entry for entry in (Set, Scale, Copy)}


def intervention_from_mapping(mapping: Mapping[str, Any] | Intervention, name: str = "interventions") -> Intervention:
    """Return a record from {"kind": …, parameters}; a record is returned as it is. Raises ValueError or TypeError."""
    if isinstance(mapping, Intervention):
        return mapping
    return Intervention.of_mapping(mapping, name, INTERVENTIONS, errors.UNKNOWN_INTERVENTION, blank=True)


def normalized_interventions(given: object, dtype: np.dtype[Any], copy: bool) -> tuple[Intervention, ...]:
    """Return all interventions as records of a problem. Raises for too many, and for too many numbers in them."""
    if isinstance(given, (str, Mapping, Intervention)) or not isinstance(given, Sequence):
        raise FieldTypeError(errors.NOT_INTERVENTIONS, field="interventions", got=checks.kind_of(given))
    if len(given) > MOST:
        raise FieldError(errors.TOO_MANY_INTERVENTIONS, field="interventions", got=len(given), most=MOST)
    names = [Intervention.name_at(k) for k in range(len(given))]
    records = [intervention_from_mapping(one, name) for one, name in zip(given, names, strict=True)]
    count = sum(np.size(record.cells) for record in records if record.cells is not None)
    if count > MOST_CELLS:
        raise FieldError(errors.TOO_MANY_NUMBERS, field="interventions", got=f"{count:,}", most=f"{MOST_CELLS:,}")
    return tuple(record.normalized(name, dtype, copy) for record, name in zip(records, names, strict=True))
