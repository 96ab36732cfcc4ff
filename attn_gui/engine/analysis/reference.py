"""The whole computation again, in plain loops over Python floats, to verify the engine. Imports the problem only.

Nothing is vectorized, nothing is shared with the stages: a mistake would have to be made twice, in two ways.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple

from attn_gui.engine.problem.problem import Problem

from .block_reference import CHOICES, Ending, layer_of, norm_of
from .by_hand_reference import KINDS, carried_out, interventions_of
from .formulas_reference import (
    ADDING,
    NOTHING,
    OPENING,
    SCORES,
    Unknown,
    added_by,
    of_item,
    opens,
    prepared,
    rows_of_head,
    score_of,
    turned_row,
)
from .plain_rows import Row, Rows, dot, held, joined, linear, rms_norm, softmax

PLAIN, MAPS = ("batch", "row", "column"), ("batch", "head", "query", "key")
HEADS, HIDDEN = ("batch", "head", "query", "column"), ("batch", "query", "column")
SIDES = ("query", "key", "value", "normed_query", "normed_key", "rotated_query", "rotated_key")
SCORING = ("scores", "scaled", "capped", "biased", "masked", "weights")
ENDING = ("residual", "normalized", "up", "gate", "activated", "down", "block_residual", "block_output")
STAGES = ("normed_x", "normed_context", *SIDES, *SCORING, "head_output", "concat", "output", *ENDING)


def refuse_unknown(problem: Problem, stages: Iterable[str] = STAGES) -> None:
    """Raise Unknown for what cannot be computed here: a guess would bless or blame what it knows nothing of."""
    layers = [layer.kind for layer in problem.mask if layer.enabled]
    blocks = [value for value in (problem.block or {}).values() if isinstance(value, str)]
    by_hand = [record.kind for record in problem.interventions if record.enabled]
    asked: tuple[tuple[str, Iterable[str], Sequence[str]], ...] = (
        ("score", [problem.score], SCORES),
        ("mask layer", layers, OPENING + ADDING),
        ("intervention", by_hand, KINDS),
        ("block", blocks, CHOICES),
        ("stage", stages, STAGES),
    )
    for kind, names, known in asked:
        for name in names:
            if name not in known:
                raise Unknown(kind, name)


def reference(
    problem: Problem,
    item: int = 0,
    queries: Sequence[int] | None = None,
    keys: Sequence[int] | None = None,
    given: Mapping[str, Any] = NOTHING,
    pause: Callable[[], object] = bool,
) -> dict[str, Any]:
    """Every stage of one batch item as nested lists, and `allowed`: rows, or heads of rows; float64 whatever the dtype.

    `queries` (one at least) and `keys` say which rows to give (None: all). `given` may hold the item's "key" and
    "value" matrices, (m, h_kv·d_k) and (m, h_kv·d_v), to be taken as they are where projecting them takes too long.
    `pause` is called before each row of a head; what it raises ends the work. Raises Unknown, see `refuse_unknown`.
    """
    refuse_unknown(problem)
    queries = range(problem.n) if queries is None else queries
    keys = range(problem.m) if keys is None else keys
    loops = _Loops(problem, item, given)
    plain: dict[str, list[Rows]] = {}
    maps: dict[str, list[Rows]] = {}
    share = problem.num_heads // problem.num_kv_heads
    for g in range(problem.num_kv_heads):
        kept = loops.side(item, g)
        for name, rows in (*kept.keys.items(), *([("value", kept.value)] if kept.value else [])):
            again = name in given  # the rows to give are computed in any case
            asked_for = loops.head(name, item, g, keys, NOTHING) if again else [rows[j] for j in keys]
            plain.setdefault(name, []).append(asked_for)
        for head in range(g * share, (g + 1) * share):
            steps = loops.steps("query", item, head, queries, NOTHING)
            for name, rows in steps.items():
                plain.setdefault(name, []).append(rows)
            rows_of_head = []
            for i, q in zip(queries, last(steps) or [[]] * len(queries), strict=True):
                pause()
                rows_of_head.append(loops.attend(item, head, i, q))
            for name in rows_of_head[0]:
                maps.setdefault(name, []).append([row[name] for row in rows_of_head])
    found: dict[str, Any] = {name: joined(parts) for name, parts in plain.items()} | maps
    found |= {name: [loops.source(name, item, i) for i in rows] for name, rows in loops.normed(queries, keys)}
    if "head_output" not in maps:
        return found
    concat = joined(maps["head_output"])
    ends = [loops.ending(item, i, row) for i, row in zip(queries, concat, strict=True)]
    return found | {name: [end[name] for end in ends] for name in ends[0]}


def last(steps: Mapping[str, Rows]) -> Rows:
    """The rows as the scores read them; none where the weights are given."""
    return list(steps.values())[-1] if steps else []


class _Side(NamedTuple):
    """One K/V head: K step by step, V, K prepared for scores, and the columns of V."""

    keys: dict[str, Rows]
    value: Rows
    prepared: Rows
    columns: list[Any]


class _Reached(Exception):
    """The row that was asked for, before its interventions."""

    def __init__(self, row: Row) -> None:
        self.row = row


class _Loops:
    """The loops of one problem. `stop` names a stage whose row is asked for as it is before its interventions."""

    def __init__(self, problem: Problem, item: int, given: Mapping[str, Any]) -> None:
        self.problem, self.item, self.given = problem, item, given
        self.share = problem.num_heads // problem.num_kv_heads
        self._valueless = problem.weights is not None and problem.value is None
        self.limit = 2.0**128 - 2.0**103 if problem.dtype == "float32" else math.inf  # the next is 2^128, an overflow
        self._sides: dict[tuple[int, int], _Side] = {}
        self._sources: dict[tuple[str, int, int], Row] = {}
        self._ending = None if problem.block is None else Ending(problem)
        pre = problem.block is not None and problem.block["kind"] == "pre"
        self._norm = norm_of(problem.block, 1) if pre else None
        self._output = None if problem.w_output is None else layer_of(problem.w_output, problem.b_output)

    def by_hand(
        self, stage: str, axes: Sequence[str], place: tuple[int, ...], row: Row, stop: str = "", first: int = 0
    ) -> Row:
        """The row of a stage after its interventions; a number that the problem's dtype cannot hold is ±∞."""
        row = held(row, self.limit)
        if stage == stop:
            raise _Reached(row)
        records = interventions_of(self.problem, stage)
        changed = carried_out(records, axes, place, row, lambda index: self.computed(stage, index), first)
        return held(changed, self.limit)

    def computed(self, stage: str, index: tuple[int, ...]) -> float:
        """One cell of any stage before its interventions, computed anew from the start."""
        *place, column = index
        try:
            if stage in ("normed_x", "normed_context"):
                self.source(stage, place[0], place[1], stop=stage)
            elif stage in SIDES:
                part = stage.rpartition("_")[2]
                width = self._width(part)
                head, column = divmod(column, width)
                given = self.given if place[0] == self.item else NOTHING
                self.steps(part, place[0], head, [place[1]], given, stop=stage)
            elif len(place) == 3:
                item, head, i = place
                self.attend(item, head, i, self.query(item, head, i), stop=stage)
            else:
                item, i = place
                heads = range(self.problem.num_heads)
                rows = [self.attend(item, head, i, self.query(item, head, i))["head_output"] for head in heads]
                self.ending(item, i, [number for row in rows for number in row], stop=stage)
        except _Reached as reached:
            return float(reached.row[column])
        raise Unknown("stage", stage)

    # --- the sequences ---------------------------------------------------------------------------
    def normed(self, queries: Sequence[int], keys: Sequence[int]) -> list[tuple[str, Sequence[int]]]:
        """The sequences that are normalized before they are projected, with the rows to give."""
        if self._norm is None:
            return []
        return [("normed_x", queries), *([] if self.problem.context is None else [("normed_context", keys)])]

    def source(self, stage: str, item: int, i: int, stop: str = "") -> Row:
        """A row of X or of the second sequence as the projections read it."""
        if stop or (stage, item, i) not in self._sources:
            matrix = of_item(self.problem.context if stage == "normed_context" else self.problem.x, item)
            row: Row = matrix[i].tolist()
            if self._norm is not None:
                row = self.by_hand(stage, PLAIN, (item, i), self._norm(row), stop)
            self._sources[stage, item, i] = row
        return self._sources[stage, item, i]

    # --- Q, K, V ---------------------------------------------------------------------------------
    def _width(self, name: str) -> int:
        heads = self.problem.num_heads if name == "query" else self.problem.num_kv_heads
        matrix = getattr(self.problem, f"w_{name}" if self.problem.projected else name)
        return int(matrix.shape[-1]) // heads

    def side(self, item: int, group: int) -> _Side:
        """One K/V head; the last two are remembered."""
        if (item, group) not in self._sides:
            given = self.given if item == self.item else NOTHING
            keys = self.steps("key", item, group, range(self.problem.m), given)
            value = [] if self._valueless else self.head("value", item, group, range(self.problem.m), given)
            columns = [array("d", column) for column in zip(*value, strict=True)]
            found = _Side(keys, value, prepared(self.problem, last(keys), "key") if keys else [], columns)
            self._sides = dict([*list(self._sides.items())[-1:], ((item, group), found)])
        return self._sides[item, group]

    def head(
        self, name: str, item: int, head: int, rows: Sequence[int], given: Mapping[str, Any], stop: str = ""
    ) -> Rows:
        """The rows of one head of query, key or value."""
        second = name != "query" and self.problem.context is not None
        sequence = "normed_context" if second else "normed_x"
        found = rows_of_head(self.problem, name, item, head, rows, given, lambda i: self.source(sequence, item, i))
        first = head * self._width(name)
        return [self.by_hand(name, PLAIN, (item, i), row, stop, first) for i, row in zip(rows, found, strict=True)]

    def steps(
        self, name: str, item: int, head: int, rows: Sequence[int], given: Mapping[str, Any], stop: str = ""
    ) -> dict[str, Rows]:
        """The rows of one head: as they are, normalized, and turned by their positions, where they are."""
        if self.problem.weights is not None and name != "value":
            return {}
        problem, first = self.problem, head * self._width(name)
        found = {name: self.head(name, item, head, rows, given, stop)}

        def step(stage: str, change: Callable[[Row, int], Row]) -> None:
            changed = [change(row, i) for row, i in zip(last(found), rows, strict=True)]
            placed = zip(rows, changed, strict=True)
            found[stage] = [self.by_hand(stage, PLAIN, (item, i), row, stop, first) for i, row in placed]

        weight = getattr(problem, f"{name}_norm")
        if weight is not None:
            zeros = [0.0] * len(weight)
            step(f"normed_{name}", lambda row, i: rms_norm(row, weight.tolist(), zeros, problem.qk_norm_eps))
        theta, frequencies = problem.rotary_theta, problem.rotary_frequencies
        if theta is not None or frequencies is not None:
            step(f"rotated_{name}", lambda row, i: turned_row(row, i, theta, frequencies))
        return found

    def query(self, item: int, head: int, i: int) -> Row:
        """One row of Q as the scores read it; empty where the weights are given."""
        rows = last(self.steps("query", item, head, [i], NOTHING))
        return rows[0] if rows else []

    # --- one row of one head ---------------------------------------------------------------------
    def attend(self, item: int, head: int, i: int, query: Row, stop: str = "") -> dict[str, Row]:
        """scores → × scale → softcap → + bias → mask → softmax(· / temperature) → · V, for one query."""
        problem, place = self.problem, (item, head, i)
        *_, keys, columns = self.side(item, head // self.share)
        found: dict[str, Row] = {}

        def keep(stage: str, row: Row) -> Row:
            found[stage] = self.by_hand(stage, HEADS if stage == "head_output" else MAPS, place, row, stop)
            return found[stage]

        if problem.weights is not None:
            matrix = problem.weights[item] if problem.weights.ndim == 4 else problem.weights
            weights, allowed = keep("weights", matrix[head][i].tolist()), [True] * problem.m
        else:
            weights, allowed = self._compared(place, query, keys, keep)
        if columns:
            seen = [weight != 0 for weight in weights]
            shares = list(compress(weights, seen))
            keep("head_output", [dot(shares, compress(column, seen)) for column in columns])
        return found | {"allowed": [float(open_) for open_ in allowed]}

    def _compared(
        self, place: tuple[int, int, int], query: Row, keys: Rows, keep: Callable[[str, Row], Row]
    ) -> tuple[Row, list[bool]]:
        """The weights of one query, from its scores on, and which keys are open to it."""
        problem = self.problem
        sink = -math.inf if problem.sink is None else float(problem.sink[place[1]])
        layers = [layer for layer in problem.mask if layer.enabled]
        biases = [layer for layer in layers if layer.kind in ADDING]
        masks = [layer for layer in layers if layer not in biases]
        scale = problem.scale
        if scale is None:
            scale = 1 / math.sqrt(len(query)) if problem.score == "dot" else 1.0
        asked = prepared(problem, [query], "query")[0]
        logits = keep("scores", [score_of(problem, asked, key) for key in keys])
        logits = keep("scaled", [score * scale for score in logits])
        if problem.softcap is not None:
            logits = keep("capped", [problem.softcap * math.tanh(s / problem.softcap) for s in logits])
        if biases:
            added = [sum(added_by(problem, layer, *place, j) for layer in biases) for j in range(problem.m)]
            logits = keep("biased", [s + more for s, more in zip(logits, added, strict=True)])
        allowed = [all(opens(problem, layer, *place, j) for layer in masks) for j in range(problem.m)]
        if masks:
            logits = keep("masked", [s if open_ else -math.inf for s, open_ in zip(logits, allowed, strict=True)])
        return keep("weights", softmax(logits, problem.temperature or 1.0, sink)), allowed

    # --- what follows the heads ------------------------------------------------------------------
    def ending(self, item: int, i: int, row: Row, stop: str = "") -> dict[str, Row]:
        """One row of everything from the heads side by side to the block's end."""
        problem, found = self.problem, {}

        def keep(stage: str, row: Row) -> Row:
            found[stage] = self.by_hand(stage, HIDDEN, (item, i), row, stop)
            return found[stage]

        row = keep("concat", row)
        row = keep("output", row if self._output is None else linear(row, *self._output))
        if self._ending is not None:
            self._ending.rows(row, of_item(problem.x, item)[i].tolist(), keep)
        return found
