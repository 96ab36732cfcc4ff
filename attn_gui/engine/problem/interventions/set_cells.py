"""Set: cells take given numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.checks import as_array
from attn_gui.engine.problem.errors import Note, ShapeError
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP, spoken

from .intervention import Axes, Intervention, Slopes

TOLD = QT_TRANSLATE_NOOP("Interventions", "{cells} set to {value}")
TOLD_MANY = QT_TRANSLATE_NOOP("Interventions", "{cells} set to {count} numbers")


@dataclass(frozen=True, eq=False, kw_only=True)
class Set(Intervention):
    """`values`, a number or an array that broadcasts to the cells, stand there instead of what was computed."""

    values: Any

    kind = "set"
    label = QT_TRANSLATE_NOOP("Interventions", "set")
    about = QT_TRANSLATE_NOOP("Interventions", "Cells take given numbers")
    numbers = "values"
    replaces = True
    code = "{given}"
    needed = ("values",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "values", as_array("set.values", self.values, axes=range(5)))

    def carried_out(self, own: Any, given: Any, taken: Any) -> Any:
        return given

    def slopes(self, own: Array, given: Any, taken: Any) -> Slopes:
        return None, 1.0, None

    def told(self, cells: object) -> Note:
        if self.values.size == 1:
            return Note(TOLD, {"cells": cells, "value": spoken(self.values.item())})
        return Note(TOLD_MANY, {"cells": cells, "count": self.values.size})

    def fit(self, name: str, axes: Axes, shape: tuple[int, ...]) -> None:
        super().fit(name, axes, shape)
        expected = _lengths(self.box(axes, shape))
        found = self.values.shape
        fits = len(found) <= len(expected) and all(
            length in (1, wanted) for length, wanted in zip(found[::-1], expected[::-1], strict=False)
        )
        if not fits:
            raise ShapeError(
                sentences.SET_VALUES, matrices=(f"{name}.values", self.stage), axes=axes, expected=expected, got=found
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

    def settled(self, name: str, dtype: np.dtype[Any], copy: bool) -> Self:
        return self.changed(values=as_array(f"{name}.values", self.values, dtype, axes=range(5), copy=copy))


def _lengths(box: Box) -> tuple[int, ...]:
    return tuple(cut.stop - cut.start for cut in box)
