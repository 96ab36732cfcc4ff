"""Open keys of every row of the maps, counted row by row: nothing n × m is held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.sources import Readable, layer_cells
from attn_gui.engine.problem.layers import Layer, Sizes
from attn_gui.engine.problem.problem import Problem

AT_ONCE = 1 << 20  # cells of a layer that are read at a time

Place = tuple[int, int, slice]  # item, head, rows


class OpenKeys(NamedTuple):
    """Keys that the enabled layers leave to every row, as three arrays (items, heads, n).

    `counts`: keys that are open; a bias of −∞ closes, too. `largest`, `smallest`: of the sums of the tables of biases
    over them, −∞ without an open key. Items and heads are 1 where no layer tells them apart.
    """

    counts: Array
    largest: Array
    smallest: Array


def open_keys(problem: Problem, cancelled: Callable[[], bool] = bool) -> OpenKeys | None:
    """The open keys of every row; None if cancelled."""
    sizes = problem.map_shape
    layers = [layer for layer in problem.mask if layer.enabled and (layer.table or not layer.adds)]
    items, heads = (max([1, *(layer.extent(axis, sizes) for layer in layers)]) for axis in (0, 1))
    runs = [layer for layer in layers if not layer.adds and layer.run(np.arange(1), sizes) is not None]
    cells = [(layer.adds, layer_cells(layer, sizes)) for layer in layers if layer not in runs]
    counts = np.zeros((items, heads, problem.n), np.int64)
    largest, smallest = np.zeros(counts.shape), np.zeros(counts.shape)
    step = max(1, AT_ONCE // problem.m) if cells else problem.n
    for item, head in np.ndindex(items, heads):
        for low in range(0, problem.n, step):
            if cancelled():
                return None
            place = item, head, slice(low, min(low + step, problem.n))
            first, stop = _common_run(runs, place, sizes)
            counts[place] = np.maximum(stop - first, 0)
            if cells:
                counts[place], largest[place], smallest[place] = _counted(cells, place, first, stop, problem.m)
    largest[counts == 0] = smallest[counts == 0] = -inf
    return OpenKeys(counts, largest, smallest)


def _common_run(layers: Sequence[Layer], place: Place, sizes: Sizes) -> tuple[Array, Array]:
    """The first key that all of these layers open in each row, and the one after the last."""
    item, _, rows = place
    numbers = np.arange(rows.start, rows.stop)
    first, stop = np.zeros(len(numbers), np.int64), np.full(len(numbers), sizes[3])
    for layer in layers:
        found = layer.run(numbers, sizes)
        assert found is not None, "it opens one run of keys"
        low, high = (np.atleast_2d(part) for part in found)
        first = np.maximum(first, low[min(item, len(low) - 1)])
        stop = np.minimum(stop, high[min(item, len(high) - 1)])
    return first, stop


def _counted(
    cells: Sequence[tuple[bool, Readable]], place: Place, first: Array, stop: Array, m: int
) -> tuple[Array, Array, Array]:
    """The open keys of some rows, and the largest and the smallest bias over them, by their cells."""
    keys = np.arange(m)
    is_open = (keys >= first[:, None]) & (keys < stop[:, None])
    bias = np.zeros((1, 1))
    for adds, readable in cells:
        part = _read(readable, place)
        if adds:
            bias = bias + part
        else:
            is_open &= part
    is_open &= ~np.isneginf(bias)
    return is_open.sum(axis=1), np.where(is_open, bias, -inf).max(axis=1), np.where(is_open, bias, inf).min(axis=1)


def _read(cells: Readable, place: Place) -> Array:
    """The cells of some rows, (rows, m) or as broadcasts to it."""
    item, head, rows = place
    wanted = (slice(item, item + 1), slice(head, head + 1), rows, slice(None))[4 - len(cells.shape) :]
    whole = [slice(0, length) for length in cells.shape]
    box = tuple(all_ if all_.stop == 1 or cut.stop is None else cut for cut, all_ in zip(wanted, whole, strict=True))
    found = np.asarray(cells[box])
    return found.reshape(found.shape[-2:] if found.ndim > 1 else (1, -1))
