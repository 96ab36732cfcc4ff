"""The whole computation again, in plain loops over Python floats, to verify the engine. Imports the problem only.

Nothing is vectorized, nothing is shared with the stages: a mistake would have to be made twice, in two ways.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

from attn_gui.engine.problem.problem import Problem

from .by_hand_reference import KINDS, carried_out, interventions_of
from .formulas_reference import (
    ADDING,
    NOTHING,
    OPENING,
    SCORES,
    Unknown,
    added_by,
    layer_of,
    of_item,
    opens,
    prepared,
    rows_of_head,
    score_of,
    turned_row,
)
from .plain_rows import Row, Rows, dot, joined, layer_norm, linear, softmax

PLAIN, MAPS = ("batch", "row", "column"), ("batch", "head", "query", "key")
HEADS, HIDDEN = ("batch", "head", "query", "column"), ("batch", "query", "column")
STAGES = (
    "query",
    "key",
    "value",
    "rotated_query",
    "rotated_key",
    "scores",
    "scaled",
    "capped",
    "biased",
    "masked",
    "weights",
    "head_output",
    "concat",
    "output",
    "residual",
    "normalized",
    "block_output",
)


def refuse_unknown(problem: Problem, stages: Iterable[str] = STAGES) -> None:
    """Raise Unknown for what cannot be computed here: a guess would bless or blame what it knows nothing of."""
    layers = [layer.kind for layer in problem.mask if layer.enabled]
    by_hand = [record.kind for record in problem.interventions if record.enabled]
    asked: tuple[tuple[str, Iterable[str], Sequence[str]], ...] = (
        ("score", [problem.score], SCORES),
        ("mask layer", layers, OPENING + ADDING),
        ("intervention", by_hand, KINDS),
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
        for name, rows in zip(("key", "rotated_key", "value"), loops.side(item, g)[:3], strict=True):
            again = name in given  # the rows to give are computed in any case
            asked_for = loops.head(name, item, g, keys, NOTHING) if again else [rows[j] for j in keys]
            plain.setdefault(name, []).append(asked_for)
        for head in range(g * share, (g + 1) * share):
            query, turned = loops.turned("query", item, head, queries, NOTHING)
            plain.setdefault("query", []).append(query)
            plain.setdefault("rotated_query", []).append(turned)
            rows_of_head = []
            for i, q in zip(queries, turned, strict=True):
                pause()
                rows_of_head.append(loops.attend(item, head, i, q))
            for name in rows_of_head[0]:
                maps.setdefault(name, []).append([row[name] for row in rows_of_head])
    found: dict[str, Any] = {name: joined(parts) for name, parts in plain.items()} | maps
    if problem.rotary_theta is None:
        del found["rotated_query"], found["rotated_key"]
    concat = joined(maps["head_output"])
    ends = [loops.ending(item, i, row) for i, row in zip(queries, concat, strict=True)]
    return found | {name: [end[name] for end in ends] for name in ends[0]}


class _Reached(Exception):
    """The row that was asked for, before its interventions."""

    def __init__(self, row: Row) -> None:
        self.row = row


class _Loops:
    """The loops of one problem. `stop` names a stage whose row is asked for as it is before its interventions."""

    def __init__(self, problem: Problem, item: int, given: Mapping[str, Any]) -> None:
        self.problem, self.item, self.given = problem, item, given
        self.share = problem.num_heads // problem.num_kv_heads
        self._sides: dict[tuple[int, int], tuple[Rows, Rows, Rows, Rows, list[Any]]] = {}
        block = problem.block or {}
        self._last = layer_of(block["w_linear"], block.get("b_linear")) if block else None
        self._output = None if problem.w_output is None else layer_of(problem.w_output, problem.b_output)

    def by_hand(
        self, stage: str, axes: Sequence[str], place: tuple[int, ...], row: Row, stop: str = "", first: int = 0
    ) -> Row:
        """The row of a stage after its interventions."""
        if stage == stop:
            raise _Reached(row)
        records = interventions_of(self.problem, stage)
        return carried_out(records, axes, place, row, lambda index: self.computed(stage, index), first)

    def computed(self, stage: str, index: tuple[int, ...]) -> float:
        """One cell of any stage before its interventions, computed anew from the start."""
        *place, column = index
        try:
            if stage in ("query", "key", "value", "rotated_query", "rotated_key"):
                part = stage.removeprefix("rotated_")
                width = self._width(part)
                head, column = divmod(column, width)
                given = self.given if place[0] == self.item else NOTHING
                self.turned(part, place[0], head, [place[1]], given, stop=stage)
            elif len(place) == 3:
                item, head, i = place
                self.attend(item, head, i, self.turned("query", item, head, [i], NOTHING)[1][0], stop=stage)
            else:
                item, i = place
                heads = range(self.problem.num_heads)
                queries = [self.turned("query", item, head, [i], NOTHING)[1][0] for head in heads]
                rows = [self.attend(item, head, i, q)["head_output"] for head, q in zip(heads, queries, strict=True)]
                self.ending(item, i, [number for row in rows for number in row], stop=stage)
        except _Reached as reached:
            return float(reached.row[column])
        raise Unknown("stage", stage)

    # --- Q, K, V ---------------------------------------------------------------------------------
    def _width(self, name: str) -> int:
        heads = self.problem.num_heads if name == "query" else self.problem.num_kv_heads
        matrix = getattr(self.problem, f"w_{name}" if self.problem.projected else name)
        return int(matrix.shape[-1]) // heads

    def side(self, item: int, group: int) -> tuple[Rows, Rows, Rows, Rows, list[Any]]:
        """K, K turned, V, K prepared for scores, and the columns of V, of one K/V head; the last two are remembered."""
        if (item, group) not in self._sides:
            given = self.given if item == self.item else NOTHING
            key, turned = self.turned("key", item, group, range(self.problem.m), given)
            value = self.head("value", item, group, range(self.problem.m), given)
            columns = [array("d", column) for column in zip(*value, strict=True)]
            kept = list(self._sides.items())[-1:]
            self._sides = dict(
                [*kept, ((item, group), (key, turned, value, prepared(self.problem, turned, "key"), columns))]
            )
        return self._sides[item, group]

    def head(
        self, name: str, item: int, head: int, rows: Sequence[int], given: Mapping[str, Any], stop: str = ""
    ) -> Rows:
        """The rows of one head of query, key or value."""
        found, first = rows_of_head(self.problem, name, item, head, rows, given), head * self._width(name)
        return [self.by_hand(name, PLAIN, (item, i), row, stop, first) for i, row in zip(rows, found, strict=True)]

    def turned(
        self, name: str, item: int, head: int, rows: Sequence[int], given: Mapping[str, Any], stop: str = ""
    ) -> tuple[Rows, Rows]:
        """The rows of one head, as they are and turned by their positions."""
        theta, found = self.problem.rotary_theta, self.head(name, item, head, rows, given, stop)
        if theta is None:
            return found, found
        first, stage = head * self._width(name), f"rotated_{name}"
        turned = [turned_row(row, i, theta) for row, i in zip(found, rows, strict=True)]
        return found, [
            self.by_hand(stage, PLAIN, (item, i), row, stop, first) for i, row in zip(rows, turned, strict=True)
        ]

    # --- one row of one head ---------------------------------------------------------------------
    def attend(self, item: int, head: int, i: int, query: Row, stop: str = "") -> dict[str, Row]:
        """scores → × scale → softcap → + bias → mask → softmax(· / temperature) → · V, for one query."""
        problem, place = self.problem, (item, head, i)
        *_, keys, columns = self.side(item, head // self.share)
        found: dict[str, Row] = {}

        def keep(stage: str, row: Row) -> Row:
            found[stage] = self.by_hand(stage, HEADS if stage == "head_output" else MAPS, place, row, stop)
            return found[stage]

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
        weights = keep("weights", softmax(logits, problem.temperature or 1.0))
        seen = [weight != 0 for weight in weights]
        shares = list(compress(weights, seen))
        keep("head_output", [dot(shares, compress(column, seen)) for column in columns])
        return found | {"allowed": [float(open_) for open_ in allowed]}

    # --- what follows the heads ------------------------------------------------------------------
    def ending(self, item: int, i: int, row: Row, stop: str = "") -> dict[str, Row]:
        """One row of everything from the heads side by side to the block's end."""
        problem, found = self.problem, {}

        def keep(stage: str, row: Row) -> Row:
            found[stage] = self.by_hand(stage, HIDDEN, (item, i), row, stop)
            return found[stage]

        row = keep("concat", row)
        row = keep("output", row if self._output is None else linear(row, *self._output))
        if self._last is None:
            return found
        block = problem.block
        row = keep("residual", [a + b for a, b in zip(row, of_item(problem.x, item)[i].tolist(), strict=True)])
        weight, bias = block["ln_weight"].tolist(), block["ln_bias"].tolist()
        row = keep("normalized", layer_norm(row, weight, bias, block["ln_eps"]))
        keep("block_output", linear(row, *self._last))
        return found
