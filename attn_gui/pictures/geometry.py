"""Cells of a map in whole pixels, where they fit, are pooled or zoomed: where each begins, those cut at the edge."""

from __future__ import annotations

import math
from bisect import bisect_right

import numpy as np
import numpy.typing as npt

Edges = npt.NDArray[np.intp]

Window = tuple[float, float, float, float]
"""First row, row after the last, first column, column after the last; cut cells count in part."""


class Span:
    """One axis of a map: the cells [low, high) over a number of pixels, cut into bins.

    A bin is one cell over one or more pixels, or, where cells are smaller than pixels, one pixel over several cells.
    Bin b holds the cells from `cell_edges[b]` to `cell_edges[b + 1]` and the pixels from `pixel_edges[b]` to
    `pixel_edges[b + 1]`.
    """

    __slots__ = (
        *("_cells_at", "_pixels_at", "_sizes"),
        *("bins", "cell_edges", "cell_size", "count", "high", "low", "pixel_edges", "pixels", "pooled"),
    )

    def __init__(self, count: int, pixels: int, low: float = 0.0, high: float | None = None) -> None:
        self.count, self.pixels = count, max(0, pixels)
        self.low = min(max(0.0, low), float(count))
        self.high = float(count) if high is None else min(max(self.low, high), float(count))
        self.pooled = self.high - self.low > self.pixels
        self.cell_size = self.pixels / (self.high - self.low) if self.high > self.low else 0.0  # less than 1 if pooled
        if self.pixels == 0 or self.high <= self.low:
            self.cell_edges = self.pixel_edges = np.zeros(1, np.intp)
        elif self.pooled:
            self.pixel_edges = np.arange(self.pixels + 1, dtype=np.intp)
            cells = self.low + self.pixel_edges * (self.high - self.low) / self.pixels
            self.cell_edges = np.floor(cells).astype(np.intp)
            self.cell_edges[-1] = math.ceil(self.high)
        else:
            self.cell_edges = np.arange(math.floor(self.low), math.ceil(self.high) + 1, dtype=np.intp)
            pixels_at = (self.cell_edges - self.low) * self.pixels / (self.high - self.low)
            self.pixel_edges = np.clip(np.floor(pixels_at + 0.5), 0, self.pixels).astype(np.intp)
        self.bins = len(self.cell_edges) - 1
        self._cells_at, self._pixels_at = self.cell_edges.tolist(), self.pixel_edges.tolist()  # quicker one by one
        self._sizes = np.diff(self.pixel_edges)

    @property
    def whole(self) -> bool:
        """Whether the window shows all cells."""
        return self.low == 0 and self.high == self.count

    @property
    def shown(self) -> slice:
        """The cells in the window, including those cut at its edges."""
        return slice(int(self.cell_edges[0]), int(self.cell_edges[-1]))

    def bins_of(self, cells: slice) -> slice:
        """Return the bins that show any of these cells; empty if none is in the window."""
        edges = self._cells_at
        first, last = max(cells.start, edges[0]), min(cells.stop, edges[-1]) - 1
        if last < first:
            return slice(0, 0)
        if not self.pooled:  # one cell a bin
            return slice(first - edges[0], last + 1 - edges[0])
        return slice(bisect_right(edges, first) - 1, bisect_right(edges, last))

    def cells_of(self, bins: slice) -> slice:
        return slice(self._cells_at[bins.start], self._cells_at[bins.stop])

    def pixels_of(self, bins: slice) -> slice:
        return slice(self._pixels_at[bins.start], self._pixels_at[bins.stop])

    def pixels_of_cells(self, cells: slice) -> slice:
        """Return the pixels of these cells; empty if none is in the window."""
        return self.pixels_of(self.bins_of(cells))

    def firsts(self, bins: slice) -> list[int]:
        """Return the first pixel of each of these bins, but for the first in view and those cut to no pixel."""
        return [first for first in self._pixels_at[bins.start : bins.stop] if 0 < first < self.pixels]

    def bin_at(self, pixel: int) -> int | None:
        """Return the bin at a pixel, None outside the axis."""
        if not 0 <= pixel < self.pixels or not self.bins:
            return None
        return bisect_right(self._pixels_at, pixel) - 1

    def sizes(self, bins: slice) -> Edges:
        """Return how many pixels each of these bins has."""
        return self._sizes[bins]
