"""Interventions: frozen records that know which cells of a stage they change, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.checks import as_switch, as_whole, echo, kind_of, told
from attn_gui.engine.problem.errors import FieldError, FieldTypeError, Note, ShapeError
from attn_gui.engine.problem.records import Kinded, Record

Axes = tuple[str, ...]
Slopes = tuple[Any, Any, Any]  # derivatives by own, given and taken; None where it does not read them


@dataclass(frozen=True, eq=False, kw_only=True)
class Intervention(Kinded):
    """Cells of one stage, changed once it is computed; texts are English, of the context "Interventions".

    A kind reads, cell by cell, what stands there (`own`), a number of its own (`given`, its parameter `numbers`) and
    the computed cell of another place (`taken`, at its `source`): its whole arithmetic is `carried_out` and `slopes`.
    """

    stage: str
    at: Any = field(default_factory=dict)
    enabled: bool = True

    listed: ClassVar[str] = "interventions"
    label: ClassVar[str] = ""  # in lists
    about: ClassVar[str] = ""  # what it does, in half a line
    numbers: ClassVar[str] = ""  # the parameter that holds its own numbers, an array or one number
    replaces: ClassVar[bool] = False  # whether nothing of what was computed there is left
    rounds: ClassVar[bool] = False  # whether its arithmetic rounds
    code: ClassVar[str] = ""  # its arithmetic in a script: of {own}, {given} and {taken}; "" where there is none
    needed: ClassVar[tuple[str, ...]] = ()  # the parameters that must be given

    def __post_init__(self) -> None:
        if not isinstance(self.stage, str):
            raise FieldTypeError(sentences.NOT_NAME, field=f"{self.kind}.stage", got=kind_of(self.stage))
        as_switch(f"{self.kind}.enabled", self.enabled)
        object.__setattr__(self, "stage", str(self.stage))
        object.__setattr__(self, "at", as_place(f"{self.kind}.at", self.at))

    # --- its arithmetic, cell by cell ------------------------------------------------------------
    def carried_out(self, own: Any, given: Any, taken: Any) -> Any:
        """The new cells, for arrays that broadcast, and for expressions in their place."""
        raise NotImplementedError

    def slopes(self, own: Array, given: Any, taken: Any) -> Slopes:
        """Derivatives of the new cells by own, given and taken."""
        raise NotImplementedError

    # --- in words --------------------------------------------------------------------------------
    def told(self, cells: object) -> Note:
        """Words for its change of cells, of which the name is given; a template of the context "Interventions"."""
        raise NotImplementedError

    # --- its numbers -----------------------------------------------------------------------------
    @property
    def cells(self) -> Any:
        """Its own numbers: an array, one number, or None."""
        return getattr(self, self.numbers) if self.numbers else None

    def field(self, position: int) -> str:
        """The dotted name of its numbers in a problem; without any, its own."""
        return f"{self.name_at(position)}.{self.numbers}" if self.numbers else self.name_at(position)

    @property
    def rule(self) -> tuple[object, ...]:
        """Kind, stage, switch, place and shape: everything but its numbers."""
        return self.kind, self.stage, self.enabled, tuple(self.at.items()), np.shape(self.cells)

    # --- its cells -------------------------------------------------------------------------------
    def box(self, axes: Axes, shape: tuple[int, ...]) -> Box:
        """The cells that it changes, of a stage with these axes."""
        return tuple(_cut(self.at.get(axis), length) for axis, length in zip(axes, shape, strict=True))

    def origin(self, box: Box, axes: Axes) -> Box | None:
        """The computed cells that it takes for some of its cells, to be broadcast to them; None where it takes none."""
        return None

    def fit(self, name: str, axes: Axes, shape: tuple[int, ...]) -> None:
        """Raise FieldError or ShapeError if the cells do not belong to a stage of these axes."""
        fit_place(f"{name}.at", self.stage, self.at, axes, shape)

    def resized(self, axes: Axes, before: tuple[int, ...], after: tuple[int, ...]) -> Self | None:
        """The record for a stage of another shape: cut to what is left of its cells; None where nothing is."""
        at = dict(self.at)
        for axis, old, new in zip(axes, before, after, strict=True):
            cut = _cut(at.get(axis), old)
            if cut.start >= new:
                return None
            if cut.stop > new and axis in at:
                at[axis] = (cut.start, new)
            if axis not in at and new > old and self.spans(axes.index(axis) - len(axes), old):
                at[axis] = (0, old)  # its numbers are those of the cells that were there
        kept = self.changed(at=Record(at))
        box = kept.box(axes, after)
        return kept.cut(tuple(slice(0, cut.stop - cut.start) for cut in box))

    def led(self, moved: Mapping[str, Array]) -> Self | None:
        """The record where the cells along some axes have other places; `moved` has their old ones, −1 for new cells.

        None where it takes cells that are gone; its own cells are led by who asks.
        """
        return self

    def spans(self, axis: int, length: int) -> bool:
        """Whether it has a number of its own for each of the cells along an axis."""
        return False

    def cut(self, box: Box) -> Self:
        """The record with the numbers alone that go to a box of its own cells, which count from its first one."""
        return self

    # --- as a record -----------------------------------------------------------------------------
    def settled(self, name: str, dtype: np.dtype[Any], copy: bool) -> Self:
        """The record with its arrays read-only and of the problem's dtype."""
        return self


def as_place(field: str, given: object) -> Record:
    """A mapping from axes to whole numbers, or to (start, stop) of a stretch that is not empty."""
    if not isinstance(given, Mapping):
        raise FieldTypeError(sentences.NOT_RECORD, field=field, got=kind_of(given))
    return Record({_axis(field, axis): _place(f"{field}.{axis}", place) for axis, place in given.items()})


def _axis(field: str, axis: object) -> str:
    if not isinstance(axis, str) or hasattr(Record, axis):  # a record's entries are its attributes, too
        raise FieldTypeError(sentences.NOT_NAME, field=field, got=told(axis))
    return axis


def _place(field: str, place: object) -> int | tuple[int, int]:
    if not isinstance(place, (tuple, list)):
        return as_whole(field, place)
    if len(place) != 2:
        raise FieldError(sentences.STRETCH, field=field, got=f"{len(place)} numbers")
    start, stop = (as_whole(field, end) for end in place)
    if start >= stop:
        raise FieldError(sentences.STRETCH, field=field, got=f"({start}, {stop})")
    return start, stop


def _cut(place: int | tuple[int, int] | None, length: int) -> slice:
    if place is None:
        return slice(0, length)
    return slice(place, place + 1) if isinstance(place, int) else slice(*place)


def fit_place(field: str, stage: str, place: Record, axes: Axes, shape: tuple[int, ...]) -> None:
    """Raise FieldError for an axis that the stage does not have, ShapeError for a place outside it."""
    lengths = dict(zip(axes, shape, strict=True))
    for axis, wanted in place.items():
        if axis not in lengths:
            raise FieldError(sentences.NO_AXIS, field=field, stage=stage, got=echo(axis), choices=axes)
        cut = _cut(wanted, 0)
        if cut.start < 0 or cut.stop > lengths[axis]:
            raise ShapeError(
                sentences.OUTSIDE,
                matrices=(field, stage),
                axes=(axis,),
                expected=lengths[axis],
                got=wanted,
                axis=axis,
            )


def as_stage(field: str, stage: str, known: Axes) -> str:
    """The stage, if the problem has it. Raises FieldError."""
    if stage not in known:
        raise FieldError(sentences.NOT_A_STAGE, field=field, choices=known, got=told(stage))
    return stage
