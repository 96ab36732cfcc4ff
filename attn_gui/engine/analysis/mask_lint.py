"""Warnings about a mask and what ends them: rows without an open key, a bias of −10000, 0 and 1 added, alignment. A new
rule is one function and its place in RULES.

Sentences are English templates of the context "Masks".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.errors import Note
from attn_gui.engine.masks import ALIGN, Aligned, Layer, holds_switches
from attn_gui.engine.messages import MINUS, short_power
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.languages import N_

from .open_keys import AT_ONCE, OpenKeys, open_keys

SUNK = -1e4  # a bias so low is meant as −∞: that of BERT's masks, and beyond it those of float16, bfloat16 and float32

SWALLOWS = 1e20  # beside a bias so large the scores are lost in rounding

Place = tuple[int, int, int]  # item, head, row


class LintFinding(NamedTuple):
    """One line: `rule` its key, `note` its words, `place` the first row that it speaks of.

    `remedy` is a few words for what would end it: `change` of the parameters of layer `layer` of the mask, or, without
    one, `creation.mask_cells.with_booleans` for it.
    """

    rule: str
    note: Note
    place: Place | None = None
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


def _places(flags: Array) -> tuple[int, Place | None]:
    """Return the number of rows that are meant, and the first of them, by its row."""
    items, heads, found = (part.tolist() for part in np.nonzero(flags))
    first = min(zip(found, items, heads, strict=True), default=None)
    return len(found), None if first is None else (first[1], first[2], first[0])
