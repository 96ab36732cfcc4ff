"""Warnings about a mask and what ends them (rows without an open key, a bias of −10000); how many keys a row may see.

A new rule is one function and its place in RULES. Sentences are English templates of the context "Masks"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, overflow_limit, overflowed
from attn_gui.engine.errors import MINUS, Note, short_power
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.nodes import Fetch, Node
from attn_gui.engine.graph.sources import BoxReadable, layer_cells
from attn_gui.engine.masks import ALIGN, Aligned, Layer, Sizes, holds_switches
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.languages import N_

# --- open keys ------------------------------------------------------------------------------------
# They are counted row by row, so that nothing n × m is held.

AT_ONCE = 1 << 20  # cells of a layer that are read at a time

RowsPlace = tuple[int, int, slice]  # item, head, rows


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


def _common_run(layers: Sequence[Layer], place: RowsPlace, sizes: Sizes) -> tuple[Array, Array]:
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
    cells: Sequence[tuple[bool, BoxReadable]], place: RowsPlace, first: Array, stop: Array, m: int, limit: float
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


def _read(cells: BoxReadable, place: RowsPlace) -> Array:
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


# --- warnings -------------------------------------------------------------------------------------
SUNK = -1e4  # a bias so low is meant as −∞: that of BERT's masks, and beyond it those of float16, bfloat16 and float32

SWALLOWS = 1e20  # beside a bias so large the scores are lost in rounding

RowPlace = tuple[int, int, int]  # item, head, row


class LintFinding(NamedTuple):
    """One line: `rule` its key, `note` its words, `place` the first row that it speaks of.

    `remedy` is a few words for what would end it: `change` of the parameters of layer `layer` of the mask, or, without
    one, `creation.mask_cells.with_booleans` for it.
    """

    rule: str
    note: Note
    place: RowPlace | None = None
    layer: int | None = None
    change: Mapping[str, Any] | None = None
    remedy: str = ""


# --- rules ---------------------------------------------------------------------------------------
# Each yields what it finds in the mask of a problem, given the counts of open keys of all rows.
def _closed_rows(problem: Problem, rows: OpenKeys) -> Iterator[LintFinding]:
    """Find rows without an open key: zeros, not NaN and not the average."""
    count, place = _places(rows.counts == 0)
    if place is not None:
        one = N_("Masks", "Row {row} has no open key: its weights and its output are 0.")
        many = N_("Masks", "{count} rows have no open key, row {row} first: weights and output are 0.")
        yield LintFinding("closed_rows", Note(one if count == 1 else many, {"count": count, "row": place[2]}), place)


def _sunk_rows(problem: Problem, rows: OpenKeys) -> Iterator[LintFinding]:
    """Find rows closed by a large negative number alone, as Hugging Face's masks do it: they stay open."""
    _, place = _places(np.isfinite(rows.largest) & (rows.largest <= SUNK))
    if place is None:
        return
    value, smallest = float(rows.largest[place]), float(rows.smallest[place])
    words = N_(
        "Masks", "{value} is added to every open key of row {row}: finite, so it closes none, and the scores decide."
    )
    if smallest < value:
        words = N_("Masks", "{value} or less is added to every open key of row {row}: finite, so it closes none.")
    elif value <= -SWALLOWS:
        words = N_(
            "Masks", "{value} is added to every open key of row {row}: finite, so the weights are even and not 0."
        )
    note = Note(words, {"value": short_power(f"{value:.3g}").replace("-", MINUS), "row": place[2]})
    low = (k for k, layer in enumerate(problem.mask) if layer.enabled and _lowest(layer) <= SUNK)
    layer = next(low, None)  # several layers may be as low only together
    remedy = "" if layer is None else N_("Masks", "Close them with True and False")
    yield LintFinding("sunk_rows", note, place, layer, remedy=remedy)


def _added_switches(problem: Problem, rows: OpenKeys) -> Iterator[LintFinding]:
    """Find biases of 0 and 1 alone: booleans that were meant to open and close keys are added to the scores."""
    remedy = N_("Masks", "Open keys at 1, close them at 0")
    for place, note in added_switches(problem):
        yield LintFinding("added_switches", note, None, place, remedy=remedy)


def added_switches(problem: Problem) -> Iterator[tuple[int, Note]]:
    """Yield (position, what is said of it) of every enabled bias that holds 0 and 1 alone."""
    words = N_(
        "Masks", "Layer {number} ({layer}) looks like a boolean mask: its 0 and 1 are added to scores and close no key."
    )
    for place, layer in enumerate(problem.mask):
        if layer.enabled and holds_switches(layer):
            yield place, Note(words, {"number": place, "layer": Note(layer.label)})


def _unclear_alignment(problem: Problem, rows: OpenKeys) -> Iterator[LintFinding]:
    """Find rules of positions where queries and keys differ in number: which of them belong together is a choice."""
    n, m = problem.n, problem.m
    words = {
        "start": N_("Masks", "{layer}: {n} queries, {m} keys; query 0 belongs to key 0."),
        "end": N_("Masks", "{layer}: {n} queries, {m} keys; query {last} belongs to key {last_key}."),
    }
    other = {
        "start": ("end", N_("Masks", "Line up the last ones")),
        "end": ("start", N_("Masks", "Line up the first ones")),
    }
    for position, layer in enumerate(problem.mask):
        if layer.enabled and isinstance(layer, Aligned) and n != m:
            values = {"layer": Note(layer.label), "n": n, "m": m, "last": n - 1, "last_key": m - 1}
            align, remedy = other[layer.align]
            yield LintFinding(
                "alignment", Note(words[layer.align], values), None, position, {ALIGN.name: align}, remedy
            )


def _crowded_keys(problem: Problem, rows: OpenKeys) -> Iterator[LintFinding]:
    """Find more open keys than a query has numbers to move their odds with."""
    most, count = problem.d_k + 1, int(rows.counts.max())
    linear = SCORES[problem.score].slope(problem.score_params) is not None
    if count > most and linear and NORMALIZERS[problem.normalize].elementary:
        words = N_(
            "Masks",
            "Up to {count} keys are open in a row, and d_k = {width}: a weight can surely be set to a target, the "
            "other odds kept, only where at most {most} are open.",
        )
        yield LintFinding("crowded", Note(words, {"count": count, "width": problem.d_k, "most": most}))


RULES = (_closed_rows, _sunk_rows, _added_switches, _unclear_alignment, _crowded_keys)


def lint(problem: Problem, cancelled: Callable[[], bool] = bool) -> tuple[LintFinding, ...] | None:
    """Return every line of every rule, in the order of the catalog; None if cancelled."""
    rows = open_keys(problem, cancelled)
    return None if rows is None else tuple(found for rule in RULES for found in rule(problem, rows))


def _lowest(layer: Layer) -> float:
    """Return the lowest finite bias of a table of them; 0 of any other layer."""
    flat = layer.cells.reshape(-1) if layer.adds and layer.cells is not None else np.zeros(1)
    parts = (flat[low : low + AT_ONCE] for low in range(0, len(flat), AT_ONCE))
    return min(float(np.min(part, initial=0.0, where=np.isfinite(part))) for part in parts)


def _places(flags: Array) -> tuple[int, RowPlace | None]:
    """Return the number of rows that are meant, and the first of them, by its row."""
    items, heads, found = (part.tolist() for part in np.nonzero(flags))
    first = min(zip(found, items, heads, strict=True), default=None)
    return len(found), None if first is None else (first[1], first[2], first[0])
