"""Scale: cells are multiplied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.problem.checks import as_number
from attn_gui.engine.problem.errors import Note
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP, spoken

from .intervention import Intervention, Slopes

TOLD = QT_TRANSLATE_NOOP("Interventions", "{cells} × {factor}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Scale(Intervention):
    """Every cell times `factor`: 0 switches a head off."""

    factor: float

    kind = "scale"
    label = QT_TRANSLATE_NOOP("Interventions", "scale")
    about = QT_TRANSLATE_NOOP("Interventions", "Cells are multiplied by a factor")
    numbers = "factor"
    rounds = True
    code = "{own} * {given}"
    needed = ("factor",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "factor", as_number("scale.factor", self.factor))

    def told(self, cells: object) -> Note:
        return Note(TOLD, {"cells": cells, "factor": spoken(self.factor)})

    def carried_out(self, own: Any, given: Any, taken: Any) -> Any:
        return own * given

    def slopes(self, own: Array, given: Any, taken: Any) -> Slopes:
        return given, own, None

    def settled(self, name: str, dtype: np.dtype[Any], copy: bool) -> Self:
        return self.changed(factor=as_number(f"{name}.factor", self.factor))
