"""A part of a matrix that belongs to a cell elsewhere in the chain."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.engine.arrays import Box
from attn_gui.engine.graph.indices import Axes


class Part(NamedTuple):
    """Cells of one matrix that belong to a cell: a stage, or a field by its dotted name, with its axes as letters."""

    name: str
    box: Box
    axes: Axes

    def line(self, axis: int) -> int | None:
        """The one row (axis −2) or column (axis −1) that it lies in; None where it runs through several."""
        if len(self.box) < -axis:
            return None
        cut = self.box[axis]
        return cut.start if cut.stop - cut.start == 1 else None

    def owner(self, axis: int) -> str:
        """The letter of that axis: i of queries, j of keys."""
        return self.axes[axis]
