"""New cells of mask layers: opened, closed, swapped, mirrored, or taken over from a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.problem.masks import Custom, Layer, layer_from_mapping

from .memory import made

FILLS = ("open", "close", "swap", "transpose")


def refilled(layer: Layer, how: str) -> Layer:
    """A custom layer with all its cells open, closed, swapped, or mirrored at the diagonal; its shape stays."""
    cells = layer.cells
    assert cells is not None, "a rule has no cells to fill"

    def write(new: Array) -> None:
        if how == "swap":
            np.logical_not(cells, out=new)
        else:
            new[...] = cells.swapaxes(-1, -2) if how == "transpose" else how == "open"

    return layer.changed(**{layer.table: made(cells.shape, bool, write)})


def closing(place: tuple[int, int], shape: tuple[int, int]) -> Layer:
    """A custom layer that closes one cell."""

    def write(new: Array) -> None:
        new.fill(True)
        new[place] = False

    return Custom(allowed=made(shape, bool, write))


def layer_of(mapping: Mapping[str, Any], dtype: str) -> Layer:
    """The layer that a mapping describes, its cells copied where they are one value told often, or not of `dtype`."""
    layer = layer_from_mapping(mapping)
    cells, kind = layer.cells, np.dtype(dtype if layer.adds else bool)
    if cells is None or (cells.flags.c_contiguous and cells.dtype == kind):
        return layer
    return layer.changed(**{layer.table: made(cells.shape, kind, lambda new: np.copyto(new, cells))})
