"""Cells of a mask layer opened, closed, swapped, mirrored; brush shapes (rectangle, rows, band); a bias as booleans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from attn_gui.engine.arrays import Array, new_array
from attn_gui.engine.graph import indices
from attn_gui.engine.masks import Custom, Layer, holds_switches, layer_from_mapping
from attn_gui.languages import N_

FILLS = ("open", "close", "swap", "transpose")

AT_ONCE = 1 << 20  # cells that are looked at at a time
MOST_ROWS = 1 << 10  # parts, one under another, that the area of a diagonal band is made of at most

Cell = tuple[int, int]
Path = Sequence[Cell]
Area = tuple[slice, slice]
Flags = npt.NDArray[np.bool_]


# --- cells ----------------------------------------------------------------------------------------
def fill_layer(layer: Layer, how: str) -> Layer:
    """Return a custom layer with all cells open, closed, swapped, or mirrored at the diagonal."""
    cells = layer.cells
    assert cells is not None, "a rule has no cells to fill"

    old = np.atleast_2d(cells).swapaxes(-1, -2) if how == "transpose" else cells

    def write(new: Array) -> None:
        if how == "swap":
            np.logical_not(old, out=new)
        else:
            new[...] = old if how == "transpose" else how == "open"

    return layer.changed(**{layer.table: new_array(old.shape, bool, write)})


def with_booleans(layer: Layer, sunk: float) -> tuple[Layer, ...]:
    """Return the two layers that a bias can be written as: booleans, closed where it is `sunk` or lower, and the rest.

    The rest is missing where nothing is left of it. A bias of 0 and 1 alone becomes booleans, 1 for an open cell.
    """
    values = layer.cells
    assert values is not None, "a rule has no cells"
    switches = holds_switches(layer)
    bound = 0.0 if switches else sunk
    kind = values.dtype

    def write(new: Array) -> None:
        np.copyto(new, values)
        new[values <= bound] = 0

    def flags(new: Array) -> None:
        np.less_equal(values, bound, out=new)
        np.logical_not(new, out=new)

    closed = Custom(enabled=layer.enabled, allowed=new_array(values.shape, bool, flags))
    if switches or not np.any(values, where=values > sunk):
        return (closed,)
    return closed, layer.changed(**{layer.table: new_array(values.shape, kind, write)})


def layer_of(mapping: Mapping[str, Any], dtype: str) -> Layer:
    """Return the layer of a mapping; its cells are copied if they are one value broadcast, or not of `dtype`."""
    layer = layer_from_mapping(mapping)
    cells, kind = layer.cells, np.dtype(dtype if layer.adds else bool)
    if cells is None or (cells.flags.c_contiguous and cells.dtype == kind):
        return layer
    return layer.changed(**{layer.table: new_array(cells.shape, kind, lambda new: np.copyto(new, cells))})


# --- brush shapes ---------------------------------------------------------------------------------
# Shapes of the brush that opens and closes cells of a mask; a new one is one class and its entry in SHAPES.
#
# A gesture is a path: the cells that it went through, of which most shapes look at the first and the last.
class BrushShape:
    """The shape that a gesture covers, along `path`, its cells; texts are English, of the context "Masks"."""

    key: ClassVar[str]
    label: ClassVar[str]
    about: ClassVar[str]

    def area(self, path: Path, n: int, m: int) -> Area:
        """Return a rectangle that holds all covered cells."""
        rows, columns = zip(*(path[0], path[-1]), strict=True)
        return slice(min(rows), max(rows) + 1), slice(min(columns), max(columns) + 1)

    def areas(self, path: Path, n: int, m: int) -> tuple[Area, ...]:
        """Return the covered cells as rectangles for an outline; of very many rows several share one."""
        return (self.area(path, n, m),)

    def covered(self, path: Path, rows: slice, columns: slice) -> Flags:
        """Return booleans: the covered cells at given rows and columns."""
        return np.ones((rows.stop - rows.start, columns.stop - columns.start), bool)


class TouchedCells(BrushShape):
    """Exactly the cells that the gesture went through."""

    key = "cell"
    label = N_("Masks", "cells")
    about = N_("Masks", "Every cell that is passed")

    def area(self, path: Path, n: int, m: int) -> Area:
        rows, columns = zip(*path, strict=True)
        return slice(min(rows), max(rows) + 1), slice(min(columns), max(columns) + 1)

    def areas(self, path: Path, n: int, m: int) -> tuple[Area, ...]:
        return tuple((slice(row, row + 1), slice(column, column + 1)) for row, column in dict.fromkeys(path))

    def covered(self, path: Path, rows: slice, columns: slice) -> Flags:
        found = np.zeros((rows.stop - rows.start, columns.stop - columns.start), bool)
        for row, column in path:
            if rows.start <= row < rows.stop and columns.start <= column < columns.stop:
                found[row - rows.start, column - columns.start] = True
        return found


class PaintedRectangle(BrushShape):
    """The rectangle from the first cell to the last."""

    key = "rectangle"
    label = N_("Masks", "rectangle")
    about = N_("Masks", "All cells from one corner to the other")


class PaintedRows(BrushShape):
    """The whole rows from the first cell to the last."""

    key = "row"
    label = N_("Masks", "rows")
    about = N_("Masks", "Whole rows: all keys of a query")

    def area(self, path: Path, n: int, m: int) -> Area:
        return super().area(path, n, m)[0], slice(0, m)


class PaintedColumns(BrushShape):
    """The whole columns from the first cell to the last."""

    key = "column"
    label = N_("Masks", "columns")
    about = N_("Masks", "Whole columns: a key for all queries")

    def area(self, path: Path, n: int, m: int) -> Area:
        return slice(0, n), super().area(path, n, m)[1]


class PaintedBand(BrushShape):
    """The diagonals from that of the first cell to that of the last."""

    key = "band"
    label = N_("Masks", "diagonal band")
    about = N_("Masks", "All diagonals from one cell's to the other's")

    def area(self, path: Path, n: int, m: int) -> Area:
        low, high = _diagonals(path)
        return slice(max(0, -high), max(0, min(n, m - low))), slice(max(0, low), max(0, min(m, n + high)))

    def areas(self, path: Path, n: int, m: int) -> tuple[Area, ...]:
        low, high = _diagonals(path)
        rows, _ = self.area(path, n, m)
        step = -(-(rows.stop - rows.start) // MOST_ROWS) or 1
        parts = indices.in_parts(rows, step)
        return tuple((part, slice(max(0, part.start + low), min(m, part.stop + high))) for part in parts)

    def covered(self, path: Path, rows: slice, columns: slice) -> Flags:
        low, high = _diagonals(path)
        i, j = np.ogrid[rows, columns]
        return np.asarray((low <= j - i) & (j - i <= high))


SHAPES: dict[str, BrushShape] = {
    shape.key: shape for shape in (TouchedCells(), PaintedRectangle(), PaintedRows(), PaintedColumns(), PaintedBand())
}


def line(first: Cell, last: Cell) -> list[Cell]:
    """Return the cells on the line from one to the other, since a quick hand skips some."""
    steps = max(abs(last[0] - first[0]), abs(last[1] - first[1]), 1)
    down, right = (np.rint(np.linspace(a, b, steps + 1)).astype(int).tolist() for a, b in zip(first, last, strict=True))
    return list(zip(down, right, strict=True))


def paint_cells(cells: Array, shape: BrushShape, path: Path, area: Area, opens: bool) -> Array:
    """Return new cells of a layer for an area: opened or closed where they are covered, else unchanged.

    `cells` (…, rows, columns); an axis of length 1 stands for all rows, or for all columns.
    """
    rows, columns = area

    def write(new: Array) -> None:
        new[...] = cells
        new = np.atleast_2d(new)
        step = max(1, AT_ONCE // max(1, columns.stop - columns.start))
        for part in indices.in_parts(rows, step):
            flags = shape.covered(path, part, columns)
            if new.shape[-1] == 1:
                flags = np.asarray(flags.any(axis=1, keepdims=True))
            if new.shape[-2] == 1:
                new[..., 0, :][..., flags.any(axis=0)] = opens
            else:
                new[..., part.start - rows.start : part.stop - rows.start, :][..., flags] = opens

    return new_array(cells.shape, bool, write)


def covered_parts(shape: BrushShape, path: Path, cells: Array, n: int, m: int) -> Iterator[tuple[Area, Flags]]:
    """Yield ((rows, columns), booleans) of a map, some rows at a time: the cells that painting changes in a layer.

    `cells` (…, rows, columns) are the layer's own; an axis of length 1 stands for all rows, or for all columns. The
    booleans broadcast to the area.
    """
    down, across = shape.area(path, n, m)
    one_row, one_column = (length == 1 for length in np.atleast_2d(cells).shape[-2:])
    rows, columns = slice(0, n) if one_row else down, slice(0, m) if one_column else across

    def covered(part: slice) -> Flags:
        sides = 1 if one_row else part.stop - part.start, 1 if one_column else across.stop - across.start
        return paint_cells(np.zeros(sides, bool), shape, path, (part, across), opens=True)

    same = covered(down) if one_row else None
    step = max(1, AT_ONCE // max(1, columns.stop - columns.start))
    for part in indices.in_parts(rows, step):
        yield (part, columns), covered(part) if same is None else same


def first_layer(shape: BrushShape, path: Path, n: int, m: int) -> Layer:
    """Return a new custom layer that closes the covered cells."""
    rows, columns = shape.area(path, n, m)

    def write(new: Array) -> None:
        new.fill(True)
        new[rows, columns] = paint_cells(new[rows, columns], shape, path, (rows, columns), opens=False)

    return Custom(allowed=new_array((n, m), bool, write))


def _diagonals(path: Path) -> tuple[int, int]:
    """Return the smallest and largest j − i of the first and the last cell."""
    found = [column - row for row, column in (path[0], path[-1])]
    return min(found), max(found)
