"""Copy: cells take what was computed in another place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import FieldError, Note
from attn_gui.engine.problem.records import Record
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP

from .intervention import Axes, Intervention, Slopes, as_place, fit_place

TOLD = QT_TRANSLATE_NOOP("Interventions", "{cells} taken from {source}")
AND = QT_TRANSLATE_NOOP("Interventions", "{cells}, {place}")
PLACES = {
    "batch": QT_TRANSLATE_NOOP("Interventions", "item {place}"),
    "head": QT_TRANSLATE_NOOP("Interventions", "head {place}"),
    "query": QT_TRANSLATE_NOOP("Interventions", "query {place}"),
    "key": QT_TRANSLATE_NOOP("Interventions", "key {place}"),
    "row": QT_TRANSLATE_NOOP("Interventions", "row {place}"),
    "column": QT_TRANSLATE_NOOP("Interventions", "column {place}"),
}
"""A place on each axis that a stage can have."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Copy(Intervention):
    """The computed cells of another head, row or item: `source` says which, axis by axis; the others are the same."""

    source: Any

    kind = "copy"
    label = QT_TRANSLATE_NOOP("Interventions", "copy")
    about = QT_TRANSLATE_NOOP("Interventions", "Cells take what was computed in another place")
    replaces = True
    code = "{taken}"
    needed = ("source",)

    def __post_init__(self) -> None:
        super().__post_init__()
        source = as_place("copy.source", self.source)
        for axis, place in source.items():
            if not isinstance(place, int):
                raise FieldError(sentences.ONE_PLACE, field=f"copy.source.{axis}", got=str(place))
        object.__setattr__(self, "source", source)

    @property
    def rule(self) -> tuple[object, ...]:
        return (*super().rule, tuple(self.source.items()))

    def told(self, cells: object) -> Note:
        places = [Note(PLACES[axis], {"place": place}) for axis, place in self.source.items()]
        whole = Note(TOLD, {"cells": cells, "source": places[0]})
        for place in places[1:]:
            whole = Note(AND, {"cells": whole, "place": place})
        return whole

    def carried_out(self, own: Any, given: Any, taken: Any) -> Any:
        return taken

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

    def led(self, moved: Mapping[str, Array]) -> Self | None:
        source = dict(self.source)
        for axis in source.keys() & moved.keys():
            now = np.flatnonzero(moved[axis] == source[axis])
            if not now.size:
                return None
            source[axis] = int(now[0])
        return self.changed(source=Record(source))

    def fit(self, name: str, axes: Axes, shape: tuple[int, ...]) -> None:
        super().fit(name, axes, shape)
        fit_place(f"{name}.source", self.stage, self.source, axes, shape)
