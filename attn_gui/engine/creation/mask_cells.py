"""New cells of mask layers: opened, closed, swapped, mirrored, or taken over from a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.memory import made
from attn_gui.engine.problem.masks import Custom, Layer, holds_switches, layer_from_mapping

FILLS = ("open", "close", "swap", "transpose")


def refilled(layer: Layer, how: str) -> Layer:
    """A custom layer with all its cells open, closed, swapped, or mirrored at the diagonal: a row is a column then."""
    cells = layer.cells
    assert cells is not None, "a rule has no cells to fill"

    old = np.atleast_2d(cells).swapaxes(-1, -2) if how == "transpose" else cells

    def write(new: Array) -> None:
        if how == "swap":
            np.logical_not(old, out=new)
        else:
            new[...] = old if how == "transpose" else how == "open"

    return layer.changed(**{layer.table: made(old.shape, bool, write)})


def with_booleans(layer: Layer, sunk: float) -> tuple[Layer, ...]:
    """A bias in two layers: booleans that close where it is `sunk` or lower, and what is left of it, if anything is.

    One of 0 and 1 alone becomes booleans, 1 for an open cell.
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

    closed = Custom(enabled=layer.enabled, allowed=made(values.shape, bool, flags))
    if switches or not np.any(values, where=values > sunk):
        return (closed,)
    return closed, layer.changed(**{layer.table: made(values.shape, kind, write)})


def layer_of(mapping: Mapping[str, Any], dtype: str) -> Layer:
    """The layer that a mapping describes, its cells copied where they are one value told often, or not of `dtype`."""
    layer = layer_from_mapping(mapping)
    cells, kind = layer.cells, np.dtype(dtype if layer.adds else bool)
    if cells is None or (cells.flags.c_contiguous and cells.dtype == kind):
        return layer
    return layer.changed(**{layer.table: made(cells.shape, kind, lambda new: np.copyto(new, cells))})
