"""The difference of two long problems, which draws its pictures itself: strips of both maps at a time, none kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.plane import Picture, Pooling
from attn_gui.engine.evaluation.streaming.blocks import edges, largest, reduced

from .difference import Difference

AT_ONCE = 1 << 20  # cells of a map that are subtracted at a time
Part = tuple[slice, slice] | None


class PooledDifference(Difference):
    """After − before of two evaluations that hold no maps: a block's largest change is found from its cells."""

    # --- pictures --------------------------------------------------------------------------------
    def pooled(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: Part = None) -> Picture:
        """(values, allowed) of a picture of a stage in rows × columns blocks, or of a part of its blocks.

        Of each block the difference of largest magnitude over cells that either leaves open, sign kept; NaN wins.
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

    # --- what is known ---------------------------------------------------------------------------
    def is_map(self, stage: str) -> bool:
        """Whether a stage has both a query and a key axis."""
        return self.node(stage).stage.square

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Cells of both maps that have to be computed for these rows; nothing of a picture is kept."""
        return sum(side.lacking(name, batch, head, rows, 0) for side, name in self._sides(stage))

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Whether cells of these rows can be read without computing whole rows of weights in either."""
        return all(side.ready(name, batch, head, rows) for side, name in self._sides(stage))

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """The entropies after: a mean of differences would not say which rows see a key."""
        return self._sides(self.stages[0])[1][0].entropies(batch, head, rows)

    def _sides(self, stage: str) -> tuple[tuple[Pooling, str], tuple[Pooling, str]]:
        before, after = self.pair(stage)
        assert isinstance(self.before, Pooling)
        assert isinstance(self.after, Pooling)
        return (self.before, before), (self.after, after)


def _strips(down: Array, width: int) -> Iterator[Array]:
    """The edges of some rows of blocks after the other, of no more cells than are subtracted at a time."""
    most, first = max(1, AT_ONCE // max(1, width)), 0
    while first < len(down) - 1:
        stop = int(np.searchsorted(down, down[first] + most, side="right")) - 1
        stop = max(stop, first + 1)
        yield down[first : stop + 1]
        first = stop


def _blocks(ufunc: np.ufunc, cells: Array, down: Array, across: Array) -> Array:
    return np.asarray(reduced(ufunc, reduced(ufunc, cells, down).T, across).T)
