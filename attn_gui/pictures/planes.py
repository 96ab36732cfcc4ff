"""The matrix that a map shows, of a step or a field, covered cells, zeros as a dot; its cells in whole pixels."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from attn_gui.engine import Evaluation, Plane, Problem
from attn_gui.engine.arrays import Box, item_of
from attn_gui.engine.evaluation.pooling import pool_parts

MADE_BY = {"w_query": "query", "w_key": "key", "w_value": "value"}
"""Fields of which the columns belong to heads, with the stage whose columns they make."""

Block = tuple[npt.NDArray[Any], npt.NDArray[np.bool_] | None]

Values = npt.NDArray[np.floating]
Allowed = npt.NDArray[np.bool_]
Edges = npt.NDArray[np.intp]

Window = tuple[float, float, float, float]
"""First row, row after the last, first column, column after the last; cut cells count in part."""

AT_ONCE = 1 << 20  # cells that are asked for in one block


class PlaneLike(Protocol):
    """A matrix that is read in blocks: the engine's Plane, or a FieldPlane."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def signed(self) -> bool: ...

    @property
    def column_numbers(self) -> range: ...

    def block(self, rows: slice, columns: slice) -> Block:
        """Return (values, allowed); `allowed` is None where no mask can close cells."""

    def cells(self, box: Box) -> tuple[slice, slice] | None:
        """Return the part of a box of the whole array that the plane shows."""


def number_at(plane: PlaneLike, row: int, column: int) -> tuple[float, bool]:
    """Return (number of a cell, whether it is open)."""
    values, allowed = plane.block(slice(row, row + 1), slice(column, column + 1))
    return float(values[0, 0]), allowed is None or bool(allowed[0, 0])


def zeros_dotted(plane: PlaneLike) -> bool:
    """Return whether numbers that round to 0 are written as a dot: weights, and differences."""
    return not plane.signed or bool(kind_of(plane))


def kind_of(plane: PlaneLike | None) -> str:
    """Return `difference` or `gradient` for a plane of such numbers, else ""."""
    return plane.evaluation.kind if isinstance(plane, Plane | FieldPlane) else ""


def covers(plane: PlaneLike | None) -> bool:
    """Return whether cells of a plane may be left out, which are read as NaN."""
    return isinstance(plane, Plane | FieldPlane) and plane.evaluation.covers


def uncovered(plane: PlaneLike) -> PlaneLike:
    """Return the plane with the cells that are left out, for its levels, so that covering does not change colors."""
    if isinstance(plane, Plane) and plane.evaluation.covers:
        return replace(plane, evaluation=plane.evaluation.behind)
    return plane


class FieldPlane:
    """A matrix of the problem, read through the evaluation, so that edits in place are seen."""

    signed = True

    def __init__(self, evaluation: Evaluation, field: str, batch: int = 0, head: int | None = None) -> None:
        self.evaluation, self.field, self.batch = evaluation, field, batch
        stage = MADE_BY.get(field)
        self.head = head if stage else None
        width = self._matrix().shape[-1]
        whole = slice(0, width)
        self._columns = evaluation.head_columns(stage, head) if stage and head is not None else whole

    @property
    def shape(self) -> tuple[int, int]:
        return self._matrix().shape[0], self._columns.stop - self._columns.start

    @property
    def column_numbers(self) -> range:
        return range(self._columns.start, self._columns.stop)

    def block(self, rows: slice, columns: slice) -> Block:
        start = self._columns.start
        across = slice(start + columns.start, start + columns.stop)
        return self.evaluation.field_block(self.field, self.batch, rows, across), None

    def cells(self, box: Box) -> tuple[slice, slice] | None:
        """Return the part of a box of the field that this plane shows; None for no part."""
        if len(box) == 3 and not box[0].start <= self.batch < box[0].stop:
            return None
        rows, columns = box[-2:]
        start = max(columns.start, self._columns.start) - self._columns.start
        stop = min(columns.stop, self._columns.stop) - self._columns.start
        return (rows, slice(start, stop)) if start < stop else None

    def _matrix(self) -> npt.NDArray[Any]:
        array = matrix_of(self.evaluation.problem, self.field)
        assert array is not None, "a plane shows a matrix that is there"
        return item_of(array, self.batch)


def matrix_of(problem: Problem, name: str) -> npt.NDArray[Any] | None:
    """Return a matrix of the problem by dotted name; None where there is none."""
    record, _, part = name.rpartition(".")
    if not record:
        return getattr(problem, name, None)
    inside = getattr(problem, record)
    return inside.get(part) if inside is not None else None


def pooled(plane: PlaneLike, row_edges: Edges, column_edges: Edges) -> Block:
    """Return a plane pooled into blocks with given edges, read part by part so that no large block is held."""
    return pool_parts(plane.block, row_edges, column_edges, AT_ONCE)


# --- cells in pixels ------------------------------------------------------------------------------


class Span:
    """One axis of a map: the cells [low, high) over a number of pixels, cut into bins.

    A bin is one cell over one or more pixels, or, where cells are smaller than pixels, one pixel over several cells.
    Bin b holds the cells from `cell_edges[b]` to `cell_edges[b + 1]` and the pixels from `pixel_edges[b]` to
    `pixel_edges[b + 1]`.
    """

    __slots__ = (
        *("_cells_at", "_pixels_at"),
        *("bins", "cell_edges", "cell_size", "count", "high", "low", "pixel_edges", "pixels", "pooled", "sizes"),
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
        self.sizes: Edges = np.diff(self.pixel_edges)  # how many pixels each bin has

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
        bins = self.bins_of(cells)
        return slice(self._pixels_at[bins.start], self._pixels_at[bins.stop])

    def firsts(self, bins: slice) -> Edges:
        """Return the first pixel of each of these bins, but for the first in view and those cut to no pixel."""
        edges = self.pixel_edges[bins]
        return edges[(edges > 0) & (edges < self.pixels)]

    def bin_at(self, pixel: int) -> int | None:
        """Return the bin at a pixel, None outside the axis."""
        if not 0 <= pixel < self.pixels or not self.bins:
            return None
        return bisect_right(self._pixels_at, pixel) - 1

    def bins_at(self, first: int, last: int) -> slice:
        """Return the bins at these pixels, from the first to the last, both of the axis."""
        return slice(bisect_right(self._pixels_at, first) - 1, bisect_right(self._pixels_at, last))
