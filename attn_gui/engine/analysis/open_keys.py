"""How many keys each row may see, which a query sees, and which mask layer closes a cell. They are counted row by row,
so that nothing n × m is held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, overflow_limit, overflowed
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.nodes import Fetch, Node
from attn_gui.engine.graph.sources import BoxReadable, layer_cells
from attn_gui.engine.masks import Layer, Sizes
from attn_gui.engine.problem import Problem

AT_ONCE = 1 << 20  # cells of a layer that are read at a time

Place = tuple[int, int, slice]  # item, head, rows


class OpenKeys(NamedTuple):
    """Keys that the enabled layers leave to every row, as three arrays (items, heads, n).

    `counts`: keys that are open; a bias of −∞ closes, too, as do biases beyond the problem's dtype. `largest`,
    `smallest`: of the sums of the tables of biases over them, −∞ without an open key. Items and heads are 1 where no
    layer tells them apart.
    """

    counts: Array
    largest: Array
    smallest: Array


def open_keys(problem: Problem, cancelled: Callable[[], bool] = bool) -> OpenKeys | None:
    """Return the open keys of every row; None if cancelled."""
    sizes = problem.map_shape
    layers = [layer for layer in problem.mask if layer.enabled and (layer.table or not layer.adds)]
    items, heads = (max([1, *(layer.extent(axis, sizes) for layer in layers)]) for axis in (0, 1))
    runs = [layer for layer in layers if not layer.adds and layer.run(np.arange(1), sizes) is not None]
    cells = [(layer.adds, layer_cells(layer, sizes)) for layer in layers if layer not in runs]
    counts = np.zeros((items, heads, problem.n), np.int64)
    largest, smallest = np.zeros(counts.shape), np.zeros(counts.shape)
    step, limit = max(1, AT_ONCE // problem.m) if cells else problem.n, overflow_limit(problem.dtype)
    for item, head in np.ndindex(items, heads):
        for low in range(0, problem.n, step):
            if cancelled():
                return None
            place = item, head, slice(low, min(low + step, problem.n))
            first, stop = _common_run(runs, place, sizes)
            counts[place] = np.maximum(stop - first, 0)
            if cells:
                counts[place], largest[place], smallest[place] = _counted(cells, place, first, stop, problem.m, limit)
    largest[counts == 0] = smallest[counts == 0] = -inf
    return OpenKeys(counts, largest, smallest)


def _common_run(layers: Sequence[Layer], place: Place, sizes: Sizes) -> tuple[Array, Array]:
    """Return the first key that all of these layers open in each row, and the one after the last."""
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
    cells: Sequence[tuple[bool, BoxReadable]], place: Place, first: Array, stop: Array, m: int, limit: float
) -> tuple[Array, Array, Array]:
    """Return the open keys of some rows, and the largest and the smallest bias over them, by their cells."""
    keys = np.arange(m)
    is_open = (keys >= first[:, None]) & (keys < stop[:, None])
    bias = np.zeros((1, 1))
    for adds, readable in cells:
        part = _read(readable, place)
        if adds:
            bias = bias + part
        else:
            is_open &= part
    bias = overflowed(bias, limit)
    is_open &= ~np.isneginf(bias)
    return is_open.sum(axis=1), np.where(is_open, bias, -inf).max(axis=1), np.where(is_open, bias, inf).min(axis=1)


def _read(cells: BoxReadable, place: Place) -> Array:
    """Return the cells of some rows, (rows, m) or as broadcasts to it."""
    item, head, rows = place
    wanted = (slice(item, item + 1), slice(head, head + 1), rows, slice(None))[4 - len(cells.shape) :]
    every = indices.whole(cells.shape)
    box = tuple(all_ if all_.stop == 1 or cut.stop is None else cut for cut, all_ in zip(wanted, every, strict=True))
    found = np.asarray(cells[box])
    return found.reshape(found.shape[-2:] if found.ndim > 1 else (1, -1))


# --- around one cell -----------------------------------------------------------------------------
def seen_keys(evaluation: Evaluation, fetch: Fetch, index: tuple[int, ...]) -> Array:
    """Return flags of the keys that the query of a cell sees: not behind a mask, and not at a score of −∞.

    A key that was given a weight by hand counts whatever its score is, and so does every key of given weights.
    """
    row = (*indices.cell(index[:3]), slice(0, evaluation.problem.m))
    if evaluation.logits is None:
        return np.ones(evaluation.problem.m, bool)
    logits, weights = (fetch(name, row).reshape(-1) for name in (evaluation.logits, evaluation.weights))
    seen = ~np.isneginf(logits) | (weights != 0)
    allowed = evaluation.allowed(index[0], index[1], row[2], row[3])
    return np.asarray(seen if allowed is None else seen & allowed[0])


def sink_share(evaluation: Evaluation, fetch: Fetch, index: tuple[int, ...]) -> float:
    """Return the share of a row of weights that the sink of its head takes; 0 without a sink."""
    problem, node = evaluation.problem, evaluation.node(evaluation.computed(evaluation.weights))
    if problem.sink is None or evaluation.logits is None:
        return 0.0
    logits = fetch(evaluation.logits, (*indices.cell(index[:3]), slice(0, problem.m))).reshape(-1)
    temperature = None if problem.temperature is None else np.asarray(problem.temperature)
    with np.errstate(all="ignore"):
        return float(node.stage.forward(np.append(logits, problem.sink[index[1]]), temperature, None)[-1])


def closing_layer(evaluation: Evaluation, node: Node, index: tuple[int, ...]) -> int | None:
    """Return the position of the first mask layer that closes a cell of a map; None for an open one.

    A number that was put in its place by hand opens it from the stage on in which it was put.
    """
    if not node.stage.behind_mask or not evaluation.closes:
        return None
    if not node.stage.per_head:  # of all heads together: closed where each of them is
        batch, *place = index
        own = evaluation.node(evaluation.weights)
        heads = [closing_layer(evaluation, own, (batch, head, *place)) for head in range(evaluation.problem.num_heads)]
        return None if None in heads else heads[0]
    if _put_by_hand(evaluation, node, index):
        return None
    return next((k for k, open_ in evaluation.layers_at(index) if not open_), None)


def _put_by_hand(evaluation: Evaluation, node: Node, index: tuple[int, ...]) -> bool:
    """Return whether a cell was replaced, or one that it reads behind the mask; one that is multiplied stays closed."""
    until = evaluation.nodes[: evaluation.nodes.index(node) + 1]
    behind = [one for one in until if isinstance(one, InterventionNode) and one.stage.behind_mask]
    return any(step.record.replaces for one in behind for step, _ in one.touching(indices.cell(index)))
