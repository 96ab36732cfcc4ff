"""Own copies of K and V, head by head: what stood there before an edit is needed to take its terms out."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.streaming.threads import share
from attn_gui.engine.graph import indices


class Copy:
    """One matrix (batch, row, column) as (batch, K/V head, row, column of the head), with a column of ones behind.

    The ones make a product with K add a number to every key, and a product with V give the sum of the row too.
    """

    def __init__(self, array: Array, heads: int) -> None:
        batch, rows, columns = array.shape
        self.width = columns // heads
        self.cells = np.empty((batch, heads, rows, self.width + 1), array.dtype)
        self.ready = np.zeros((batch, heads), bool)  # a head is copied when it is first computed
        self.wild = np.zeros((batch, heads, rows), bool)  # rows that hold NaN or infinity

    def begin(self, array: Array, batch: int, head: int) -> None:
        """Copy a head for the first time."""
        self.cells[batch, head, :, self.width] = 1
        self.follow(array, batch, head, slice(0, array.shape[1]))
        self.ready[batch, head] = True

    def follow_all(self, array: Array) -> None:
        """Take over all heads that are copied as they are now."""
        places = [(int(batch), int(head)) for batch, head in np.argwhere(self.ready)]
        share(places, lambda place: self.follow(array, *place, slice(0, array.shape[1])))

    def heads(self, box: Box) -> range:
        """The heads that a box of the matrix touches."""
        return range(box[2].start // self.width, -(-box[2].stop // self.width))

    def read(self, box: Box) -> Array:
        """A box of whole heads of the matrix, as float64."""
        parts = [self.cells[box[0], head, box[1], : self.width] for head in self.heads(box)]
        start = box[2].start - self.heads(box)[0] * self.width
        joined = np.concatenate(parts, axis=-1) if len(parts) > 1 else parts[0]
        return joined[..., start : start + indices.shape_of(box)[2]].astype(np.float64)

    def follow(self, array: Array, batch: int, head: int, rows: slice) -> None:
        """Take over rows of one head as they are now."""
        mine = slice(head * self.width, (head + 1) * self.width)
        self.cells[batch, head, rows, : self.width] = array[batch, rows, mine]
        self.wild[batch, head, rows] = ~np.isfinite(self.cells[batch, head, rows]).all(axis=-1)
