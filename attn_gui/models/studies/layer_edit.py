"""Edit of a layer: what of a layer that was taken out of a model is other than the model has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import same
from attn_gui.engine.comparison import leaves_of, with_leaves
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.problem import Problem

BY_HAND = "interventions"
"""The field of a problem that is shown record by record."""
PRECISION = "dtype"


@dataclass(frozen=True, eq=False)
class Cells:
    """Changed cells of an array: their flat places and their numbers, both of shape (count,)."""

    places: Array
    values: Array

    def is_like(self, other: Cells) -> bool:
        """Whether both have the same numbers in the same places."""
        return same(self.places, other.places) and same(self.values, other.values)

    def put_into(self, array: Array) -> Array:
        """A copy of an array with these cells in it; those beyond its end are left out."""
        found = np.array(array, order="C")
        inside = self.places < found.size
        found.reshape(-1)[self.places[inside]] = self.values[inside]
        return found


@dataclass(frozen=True, eq=False)
class LayerEdit:
    """Cells of arrays by dotted name, and fields that are other as a whole.

    Cells stand apart from the array that they were typed into, so that an edit of x holds as well when the layers below
    give another x.
    """

    cells: Mapping[str, Cells] = field(default_factory=dict)
    fields: Mapping[str, object] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is other."""
        return bool(self.cells or self.fields)

    @property
    def interventions(self) -> tuple[Intervention, ...]:
        """The layer's interventions, in order."""
        found = self.fields.get(BY_HAND, ())
        assert isinstance(found, tuple)
        return found

    def with_field(self, name: str, value: object) -> LayerEdit:
        """Changes with another value of a field."""
        return LayerEdit(self.cells, {**self.fields, name: value})

    def without(self, name: str) -> LayerEdit:
        """Changes with an array, or a field, as the model has it."""
        cells = {known: part for known, part in self.cells.items() if known != name}
        return LayerEdit(cells, {known: part for known, part in self.fields.items() if known != name})

    def passed_down(self, name: str, slopes: Array) -> Array:
        """A gradient by an array as one by what the model has in its place: typed cells do not come from there."""
        typed = self.cells.get(name)
        return slopes if typed is None else Cells(typed.places, np.zeros(len(typed.places))).put_into(slopes)

    def is_like(self, other: LayerEdit) -> bool:
        """Whether both change the same, to the bit."""
        fields, cells = self.fields.keys() == other.fields.keys(), self.cells.keys() == other.cells.keys()
        return (
            fields
            and cells
            and all(same(value, other.fields[name]) for name, value in self.fields.items())
            and all(part.is_like(other.cells[name]) for name, part in self.cells.items())
        )

    @classmethod
    def between(cls, base: Problem, problem: Problem) -> LayerEdit:
        """The edit that makes `problem` of `base`, to the bit.

        Another precision is one field: as cells, all of x would stay what it is for this text and the layers below.
        """
        precision = {} if base.dtype == problem.dtype else {PRECISION: problem.dtype}
        old, new = leaves_of(with_precision(base, problem.dtype)), leaves_of(problem)
        whole = {_root(name) for name in old.keys() ^ new.keys()}
        whole |= {_root(name) for name in old.keys() & new.keys() if not _alike(old[name], new[name])}
        cells = {
            name: _cells(old[name], new[name])
            for name in new
            if _root(name) not in whole and isinstance(new[name], np.ndarray) and not same(old[name], new[name])
        }
        kept = problem.replace() if whole else problem  # whoever writes into the arrays of `problem` leaves those alone
        return cls(cells, precision | {root: getattr(kept, root) for root in sorted(whole)})

    def of(self, base: Problem) -> Problem:
        """`base` with this edit in it. Raises ShapeError or another ValueError where they do not fit together."""
        if not self:
            return base
        base = with_precision(base, self.fields.get(PRECISION, base.dtype))
        arrays = leaves_of(base)
        put = {name: cells.put_into(arrays[name]) for name, cells in self.cells.items() if name in arrays}
        return Problem.of({**with_leaves(base, put), **self.fields})


def with_precision(base: Problem, dtype: object) -> Problem:
    """A problem in another precision; the same object where it has that. Raises ValueError for what is none."""
    return base if base.dtype == dtype else base.replace(**{PRECISION: dtype})


def _root(name: str) -> str:
    return name.partition(".")[0]


def _alike(old: Any, new: Any) -> bool:
    """Whether two leaves differ in cells at most."""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        return bool(old.shape == new.shape and old.dtype == new.dtype)
    return same(old, new)


def _cells(old: Array, new: Array) -> Cells:
    mine, theirs = (np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}") for array in (new, old))
    places = np.flatnonzero(mine != theirs)
    return Cells(places, np.ascontiguousarray(new).reshape(-1)[places])
