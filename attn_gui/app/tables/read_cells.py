"""Matrices that tables read cell by cell where they are: what is computed, and what two states differ by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attn_gui.document.matrix_model import Matrix
from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.differentiation import Gradient
from attn_gui.engine.arrays import Array

Place = tuple[int, int] | tuple[slice, slice]


@dataclass(frozen=True)
class StageCells:
    """A stage without heads, of one item."""

    evaluation: Evaluation
    stage: str
    batch: int
    ndim = 2

    @property
    def shape(self) -> tuple[int, ...]:
        return self.evaluation.shape(self.stage)[-2:]

    @property
    def dtype(self) -> np.dtype[Any]:
        """float64 of a gradient, whatever the problem is computed in."""
        return np.dtype(np.float64 if isinstance(self.evaluation, Gradient) else self.evaluation.problem.dtype)

    def item(self, row: int, column: int) -> Any:
        return self[row, column].item()

    def __getitem__(self, place: Place) -> Any:
        """One number, or the block of two slices."""
        rows, columns = (part if isinstance(part, slice) else slice(part, part + 1) for part in place)
        found = self.evaluation.block(self.stage, self.batch, None, rows, columns)
        return found if isinstance(place[0], slice) else found[0, 0]


@dataclass(frozen=True)
class Difference:
    """Now − before; of switches 1 where one was opened and −1 where it was closed. NaN where there was none."""

    now: Matrix
    before: Matrix | None
    ndim = 2

    @property
    def shape(self) -> tuple[int, ...]:
        return self.now.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        if self.now.dtype.kind == "b":
            return np.dtype(np.float32)
        return self.now.dtype if self.before is None else np.result_type(self.now.dtype, self.before.dtype)

    def item(self, row: int, column: int) -> Any:
        return self[row, column].item()

    def __getitem__(self, place: Place) -> Any:
        """One number, or the block of two slices."""
        now = self.now[place]
        if self.before is None or self.before.shape != self.now.shape:
            return np.full(np.shape(now), np.nan)[()]
        before: Array = self.before[place]
        with np.errstate(all="ignore"):
            return now.astype(self.dtype) - before
