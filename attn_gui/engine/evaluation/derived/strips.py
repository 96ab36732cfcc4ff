"""Pictures of maps that are read and never kept: strips of cells at a time, and of each block its largest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.plane import Picture
from attn_gui.engine.evaluation.streaming.blocks import edges, largest, reduced

AT_ONCE = 1 << 20  # cells of a map that are read at a time
Part = tuple[slice, slice] | None


class PooledByStrips(Evaluation):
    """An evaluation that holds no maps: a block's largest number is found from its cells."""

    # --- pictures --------------------------------------------------------------------------------
    def pooled(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: Part = None) -> Picture:
        """(values, allowed) of a picture of a stage in rows × columns blocks, or of a part of its blocks.

        Of each block the number of largest magnitude over open cells, sign kept; NaN wins.
        """
        height, width = self._lengths(stage, head)
        down, across = edges(height, rows), edges(width, columns)
        if part is not None:
            down, across = down[part[0].start : part[0].stop + 1], across[part[1].start : part[1].stop + 1]
        return self._pooled(stage, batch, head, down, across)

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        """Pool some rows of blocks as `pooled` does, which keeps nothing either."""
        return self.pooled(stage, batch, head, rows, columns, (part, slice(0, columns)))

    def pooled_at(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None:
        """`pooled` over blocks of a map whose edges are given."""
        return self._pooled(stage, batch, head, down, across) if self.is_map(stage) else None

    def _pooled(self, stage: str, batch: int, head: int | None, down: Array, across: Array) -> Picture:
        columns, inside = slice(int(across[0]), int(across[-1])), across - across[0]
        found: list[Array] = []
        opened: list[Array] = []
        for some in _strips(down, columns.stop - columns.start):
            rows = slice(int(some[0]), int(some[-1]))
            values, allowed = self.block(stage, batch, head, rows, columns), None
            if self.node(stage).stage.behind_mask and head is not None:
                allowed = self.allowed(batch, head, rows, columns)
            if allowed is not None:
                values = np.where(allowed, values, values.dtype.type(0))
                opened.append(_blocks(np.logical_or, allowed, some - some[0], inside))
            high, low = (_blocks(ufunc, values, some - some[0], inside) for ufunc in (np.maximum, np.minimum))
            found.append(largest(high, low))
        return np.concatenate(found), np.concatenate(opened) if opened else None

    def _lengths(self, stage: str, head: int | None) -> tuple[int, int]:
        """Rows and columns of what is shown of a stage for a head."""
        *_, rows, columns = self.shape(stage)
        if head is None or self.node(stage).stage.per_head:
            return rows, columns
        mine = self.head_columns(stage, head)
        return rows, mine.stop - mine.start

    def is_map(self, stage: str) -> bool:
        """Whether a stage has both a query and a key axis."""
        return self.node(stage).stage.square


def _strips(down: Array, width: int) -> Iterator[Array]:
    """The edges of some rows of blocks after the other, of no more cells than are read at a time."""
    most, first = max(1, AT_ONCE // max(1, width)), 0
    while first < len(down) - 1:
        stop = int(np.searchsorted(down, down[first] + most, side="right")) - 1
        stop = max(stop, first + 1)
        yield down[first : stop + 1]
        first = stop


def _blocks(ufunc: np.ufunc, cells: Array, down: Array, across: Array) -> Array:
    return np.asarray(reduced(ufunc, reduced(ufunc, cells, down).T, across).T)
