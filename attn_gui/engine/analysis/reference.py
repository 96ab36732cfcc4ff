"""The whole computation again in plain Python loops, with which verifying compares. Imports the problem only.

Nothing is vectorized, nothing is shared with the stages: a mistake would have to be made twice, in two ways.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from operator import mul
from typing import Any, NamedTuple

from attn_gui.engine.problem import Problem

Row = Sequence[float]
Rows = list[Row]

NOTHING: Mapping[str, Rows] = {}
SCORES = ("dot", "additive", "cosine", "gaussian", "average")
NORMALIZATIONS = ("softmax", "none", "sum", "sigmoid")
OPENING, ADDING = ("causal", "window", "prefix", "padding", "custom"), ("bias", "alibi")

Keep = Callable[[str, Row], Row]

KINDS = ("set", "scale", "copy")

PLAIN, MAPS = ("batch", "row", "column"), ("batch", "head", "query", "key")
HEADS, HIDDEN = ("batch", "head", "query", "column"), ("batch", "query", "column")
SIDES = ("query", "key", "value", "normed_query", "normed_key", "rotated_query", "rotated_key")
SCORING = ("scores", "scaled", "capped", "biased", "masked", "weights")
ENDING = ("residual", "normalized", "up", "gate", "activated", "down", "block_residual", "block_output")
STAGES = ("normed_x", "normed_context", *SIDES, *SCORING, "head_output", "concat", "output", *ENDING)


# --- rows of floats -------------------------------------------------------------------------------
def softmax(logits: Row, temperature: float, sink: float = -math.inf) -> Row:
    """Return the softmax of a row: a key at −∞ has no part, a row with no key is zero, NaN or +∞ leave no answer.

    The sink counts in the sum alone.
    """
    if any(math.isnan(s) or s == math.inf for s in (*logits, sink)):
        return [0.0 if s == -math.inf else math.nan for s in logits]
    row_max = max(*logits, sink)
    if max(logits) == -math.inf:
        return [0.0] * len(logits)
    exp_scores = [math.exp((s - row_max) / temperature) for s in logits]
    denominator = sum(exp_scores) + math.exp((sink - row_max) / temperature)
    return [score / denominator for score in exp_scores]


def weights_of(problem: Problem, logits: Row, sink: float) -> Row:
    """Return what the problem's normalization makes of a row of scores; a key at −∞ has no part."""
    temperature = problem.temperature or 1.0
    if problem.normalize == "softmax":
        return softmax(logits, temperature, sink)
    if problem.normalize == "none":
        return [0.0 if s == -math.inf else s for s in logits]
    if problem.normalize == "sigmoid":
        return [sigmoid(s / temperature) for s in logits]
    shares = [0.0 if s == -math.inf else s + 1 if s > 0 else power(math.e, s) for s in logits]
    total = sum(shares)
    return [0.0 if share == 0 else share / total if total < math.inf else math.nan for share in shares]


def sigmoid(s: float) -> float:
    """Return 1 / (1 + e^(−s)); e^s / (1 + e^s) below 0, where e^(−s) may be too large."""
    if math.isnan(s):
        return s
    share = math.exp(-abs(s))
    return 1 / (1 + share) if s >= 0 else share / (1 + share)


def held(row: Row, limit: float) -> Row:
    """Return the row with ±∞ for what reaches a limit, the overflow of the problem's dtype."""
    if max(map(abs, row), default=0.0) < limit:
        return row
    return [math.copysign(math.inf, x) if abs(x) >= limit else x for x in row]


def layer_norm(row: Row, weight: Row, bias: Row, eps: float) -> Row:
    count, size = len(row), _size(row)
    level = [x / size for x in row]
    mean = sum(level) / count
    centered = [x - mean for x in level]
    deviation = _length([*centered, math.sqrt(count * eps) / size]) / math.sqrt(count)
    return [x / deviation * w + b for x, w, b in zip(centered, weight, bias, strict=True)]


def rms_norm(row: Row, weight: Row, bias: Row, eps: float) -> Row:
    count, size = len(row), _size(row)
    level = [x / size for x in row]
    mean_square = _length([*level, math.sqrt(count * eps) / size]) / math.sqrt(count)
    return [x / mean_square * w + b for x, w, b in zip(level, weight, bias, strict=True)]


def _size(row: Row) -> float:
    """Return the size over which a row is taken, so that nothing overflows on the way; never ∞."""
    size = max(1.0, *map(abs, row))
    return size if math.isfinite(size) else 1.0


def _length(row: Row) -> float:
    """Return the Euclidean length; NaN where any number is, which `hypot` forgets beside ∞."""
    return math.nan if any(map(math.isnan, row)) else math.hypot(*row)


def dot(a: Iterable[float], b: Iterable[float]) -> float:
    return sum(map(mul, a, b), 0.0)


def linear(row: Row, columns: Rows, offset: Row) -> Row:
    return [dot(row, column) + b for column, b in zip(columns, offset, strict=True)]


def unit(row: Row) -> Row:
    """Return the row over its length; a row of zeros stays."""
    top = max(map(abs, row))
    level = [x / top for x in row] if top != 0 else row
    length = math.hypot(*level)
    return [x / length for x in level] if length != 0 else row


def power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf


def joined(heads: list[Rows]) -> Rows:
    """Return the heads of every row side by side."""
    return [[number for part in parts for number in part] for parts in zip(*heads, strict=True)]


class UnknownKindError(ValueError):
    """A score, a mask layer, an intervention or a stage that these loops do not know: what `name` is says `kind`."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"The reference does not know the {kind} {name}.")
        self.kind, self.name = kind, name


# --- Q, K, V -------------------------------------------------------------------------------------
def rows_of_head(
    problem: Problem,
    name: str,
    item: int,
    head: int,
    rows: Sequence[int],
    given: Mapping[str, Any],
    read: Callable[[int], Row],
) -> Rows:
    """Return the columns of one head of query, key or value; `read` gives a row that it is projected from."""
    matrix = given.get(name, getattr(problem, name))
    heads = problem.num_heads if name == "query" else problem.num_kv_heads
    if matrix is not None:
        matrix = of_item(matrix, item)
        width = matrix.shape[1] // heads
        mine = slice(head * width, (head + 1) * width)
        return [array("d", matrix[i, mine].astype(float).tobytes()) for i in rows]  # floats only while they are read
    weight, bias = getattr(problem, f"w_{name}"), getattr(problem, f"b_{name}")
    width = weight.shape[1] // heads
    mine = slice(head * width, (head + 1) * width)
    offset = [0.0] * width if bias is None else bias[mine].tolist()
    columns = weight[:, mine].T.tolist()
    return [linear(read(i), columns, offset) for i in rows]


def of_item(matrix: Any, item: int) -> Any:
    return matrix[item] if matrix.ndim == 3 else matrix


def turned_row(row: Row, position: int, theta: float | None, frequencies: Any) -> Row:
    """Return a row turned by its position: columns c and c + d/2 together by position · θ^(−2c/d), or as given."""
    half = len(row) // 2
    if theta is None:
        angles = [position * frequency for frequency in frequencies.tolist()]
    else:
        angles = [position * power(theta, -2 * c / len(row)) for c in range(half)]
    turns = [(math.cos(a), math.sin(a)) if math.isfinite(a) else (math.nan, math.nan) for a in angles]
    first = [row[c] * cos - row[c + half] * sin for c, (cos, sin) in enumerate(turns)]
    return first + [row[c + half] * cos + row[c] * sin for c, (cos, sin) in enumerate(turns)]


# --- scores --------------------------------------------------------------------------------------
def prepared(problem: Problem, rows: Rows, side: str) -> Rows:
    """Return the part of a score that is computed once for each row."""
    if problem.score == "additive":
        columns = problem.score_params[f"w_score_{side}"].T.tolist()
        return [linear(row, columns, [0.0] * len(columns)) for row in rows]
    return [unit(row) for row in rows] if problem.score == "cosine" else rows


def score_of(problem: Problem, query: Row, key: Row) -> float:
    params = problem.score_params
    if problem.score == "additive":
        return dot((math.tanh(a + b) for a, b in zip(query, key, strict=True)), params["w_score"].tolist())
    if problem.score == "gaussian":
        w, norm = float(params["w"]), float(params["key_norm"])
        distance = sum(((a - b) * (a - b) for a, b in zip(query, key, strict=True)), 0.0)
        return -(w * w * (distance if norm == 1 else distance + (norm - 1) * dot(key, key))) / 2
    if problem.score == "average":
        return 0.0
    if problem.score in ("dot", "cosine"):  # of rows that are of length 1 by now
        return dot(query, key)
    raise UnknownKindError("score", problem.score)


# --- mask layers ---------------------------------------------------------------------------------
def opens(problem: Problem, layer: Any, item: int, head: int, i: int, j: int) -> bool:
    if layer.kind == "padding":
        lengths = layer.lengths
        return bool(j < lengths[item if len(lengths) > 1 else 0])
    if layer.kind == "custom":
        return bool(_broadcast(layer.allowed, (item, head, i, j)))
    behind = i + _offset(problem, layer) - j
    if layer.kind == "causal":
        return behind >= 0
    if layer.kind == "prefix":
        return bool(j < layer.length or behind >= 0)
    if layer.kind != "window":
        raise UnknownKindError("mask layer", layer.kind)
    return (layer.left is None or behind <= layer.left) and (layer.right is None or -behind <= layer.right)


def added_by(problem: Problem, layer: Any, item: int, head: int, i: int, j: int) -> float:
    if layer.kind == "bias":
        return float(_broadcast(layer.values, (item, head, i, j)))
    if layer.kind != "alibi":
        raise UnknownKindError("mask layer", layer.kind)
    return -_slope(head, problem.num_heads) * abs(i + _offset(problem, layer) - j)


def _offset(problem: Problem, layer: Any) -> int:
    return problem.m - problem.n if layer.align == "end" else 0


def _broadcast(cells: Any, place: tuple[int, ...]) -> Any:
    """Return the cell of an array whose axes are the last ones of the map, those of length 1 shared by all."""
    own = place[len(place) - cells.ndim :]
    return cells[tuple(0 if length == 1 else k for k, length in zip(own, cells.shape, strict=True))]


def _slope(head: int, heads: int) -> float:
    """Return the slope of ALiBi: 2^(−8k/p), p the power of two ≤ heads; heads beyond p have every other slope of 2p."""
    power = 1
    while 2 * power <= heads:
        power *= 2
    if head < power:
        return float(2 ** (-8 * (head + 1) / power))
    return float(2 ** (-8 * (2 * (head - power) + 1) / (2 * power)))


# --- block ----------------------------------------------------------------------------------------
NORMS = {"layer": layer_norm, "rms": rms_norm}


def gelu(x: float) -> float:
    return x * (1 + math.erf(x / math.sqrt(2))) / 2 if x > 0 else x * math.erfc(-x / math.sqrt(2)) / 2


def gelu_tanh(x: float) -> float:
    return x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))) / 2


def silu(x: float) -> float:
    return x / (1 + math.exp(-x)) if x > -700 else x * math.exp(x)


def relu(x: float) -> float:
    return x if x > 0 or math.isnan(x) else 0.0


ACTIVATIONS = {"gelu": gelu, "gelu_tanh": gelu_tanh, "silu": silu, "relu": relu}
CHOICES = ("linear", "post", "pre", *NORMS, *ACTIVATIONS)
"""Kinds of blocks, of norms and of activations that are known here."""


def layer_of(weight: Any, bias: Any) -> tuple[Rows, Row]:
    """Return the columns of a weight, and what is added to them."""
    columns = weight.T.tolist()
    return columns, [0.0] * len(columns) if bias is None else bias.tolist()


def norm_of(block: Mapping[str, Any], number: int) -> Callable[[Row], Row]:
    """Return one of the two norms of a block with a feed-forward network."""
    weight = block[f"norm{number}_weight"].tolist()
    bias = [0.0] * len(weight) if block.get(f"norm{number}_bias") is None else block[f"norm{number}_bias"].tolist()
    return lambda row: NORMS[block["norm"]](row, weight, bias, block["norm_eps"])


class ReferenceBlock:
    """The stages of a block after the output, for one row after another."""

    def __init__(self, problem: Problem) -> None:
        self.block = block = problem.block
        if block["kind"] == "linear":
            self._last = layer_of(block["w_linear"], block.get("b_linear"))
            return
        self._norms = norm_of(block, 1), norm_of(block, 2)
        parts = ("up", "gate", "down") if block.get("w_gate") is not None else ("up", "down")
        self._layers = {part: layer_of(block[f"w_{part}"], block.get(f"b_{part}")) for part in parts}

    def rows(self, output: Row, x: Row, keep: Keep) -> None:
        """Compute every stage of a row and hand it to `keep`, which gives back what the next one reads."""
        residual = keep("residual", [a + b for a, b in zip(output, x, strict=True)])
        if self.block["kind"] == "linear":
            weight, bias = self.block["ln_weight"].tolist(), self.block["ln_bias"].tolist()
            eps = float(self.block["ln_eps"])
            keep("block_output", linear(keep("normalized", layer_norm(residual, weight, bias, eps)), *self._last))
        elif self.block["kind"] == "post":
            normalized = keep("normalized", self._norms[0](residual))
            down = self._network(normalized, keep)
            keep("block_output", self._norms[1](keep("block_residual", _sum(normalized, down))))
        else:
            down = self._network(keep("normalized", self._norms[1](residual)), keep)
            keep("block_output", _sum(residual, down))

    def _network(self, row: Row, keep: Keep) -> Row:
        bend = ACTIVATIONS[self.block["activation"]]
        up = keep("up", linear(row, *self._layers["up"]))
        if "gate" in self._layers:
            gate = keep("gate", linear(row, *self._layers["gate"]))
            found = [bend(g) * u for g, u in zip(gate, up, strict=True)]
        else:
            found = [bend(u) for u in up]
        return keep("down", linear(keep("activated", found), *self._layers["down"]))


def _sum(one: Row, other: Row) -> Row:
    return [a + b for a, b in zip(one, other, strict=True)]


# --- interventions --------------------------------------------------------------------------------
def carried_out(
    records: Sequence[Any],
    axes: Sequence[str],
    place: tuple[int, ...],
    row: Sequence[float],
    computed: Callable[[tuple[int, ...]], float],
    first: int = 0,
) -> Sequence[float]:
    """Return a row after its interventions: `place` is its index on all axes but the last, `first` that of its first
    cell.

    `computed` gives a cell of the stage as it was before all of them.
    """
    for record in records:
        row = [
            _changed(record, axes, (*place, first + k), number, computed)
            if _within(record.at, axes, (*place, first + k))
            else number
            for k, number in enumerate(row)
        ]
    return row


def _within(at: Mapping[str, Any], axes: Sequence[str], index: tuple[int, ...]) -> bool:
    """Return whether a cell is among those that are changed."""
    for axis, k in zip(axes, index, strict=True):
        wanted = at.get(axis)
        if isinstance(wanted, int) and k != wanted:
            return False
        if isinstance(wanted, tuple) and not wanted[0] <= k < wanted[1]:
            return False
    return True


def _changed(
    record: Any,
    axes: Sequence[str],
    index: tuple[int, ...],
    number: float,
    computed: Callable[[tuple[int, ...]], float],
) -> float:
    if record.kind == "scale":
        closed = record.stage == "masked" and number == float("-inf")
        return number if closed else number * float(record.factor)
    if record.kind == "copy":
        return computed(tuple(record.source.get(axis, k) for axis, k in zip(axes, index, strict=True)))
    if record.kind != "set":
        raise ValueError(record.kind)
    inside = [k - _start(record.at.get(axis)) for axis, k in zip(axes, index, strict=True)]
    own = inside[len(inside) - record.values.ndim :]
    cell = tuple(0 if length == 1 else k for length, k in zip(record.values.shape, own, strict=True))
    return float(record.values[cell])


def _start(wanted: Any) -> int:
    if wanted is None:
        return 0
    return wanted if isinstance(wanted, int) else int(wanted[0])


# --- the whole computation ------------------------------------------------------------------------
def refuse_unknown(problem: Problem, stages: Iterable[str] = STAGES) -> None:
    """Raise UnknownKindError for what cannot be computed here: a guess would bless or blame what is not known."""
    layers = [layer.kind for layer in problem.mask if layer.enabled]
    blocks = [value for value in (problem.block or {}).values() if isinstance(value, str)]
    by_hand = [record.kind for record in problem.interventions if record.enabled]
    asked: tuple[tuple[str, Iterable[str], Sequence[str]], ...] = (
        ("score", [problem.score], SCORES),
        ("normalization", [problem.normalize], NORMALIZATIONS),
        ("mask layer", layers, OPENING + ADDING),
        ("intervention", by_hand, KINDS),
        ("block", blocks, CHOICES),
        ("stage", stages, STAGES),
    )
    for kind, names, known in asked:
        for name in names:
            if name not in known:
                raise UnknownKindError(kind, name)


def reference(
    problem: Problem,
    item: int = 0,
    queries: Sequence[int] | None = None,
    keys: Sequence[int] | None = None,
    given: Mapping[str, Any] = NOTHING,
    pause: Callable[[], object] = bool,
) -> dict[str, Any]:
    """Return every stage of one batch item as nested lists, and `allowed`: rows, or heads of rows; float64 whatever the
    dtype.

    `queries` (one at least) and `keys` say which rows to give (None: all). `given` may hold the item's "key" and
    "value" matrices, (m, h_kv·d_k) and (m, h_kv·d_v), to be taken as they are where projecting them takes too long.
    `pause` is called before each row of a head; what it raises ends the work. Raises UnknownKindError, see
    `refuse_unknown`.
    """
    refuse_unknown(problem)
    queries = range(problem.n) if queries is None else queries
    keys = range(problem.m) if keys is None else keys
    loops = _Loops(problem, item, given)
    plain, maps = defaultdict[str, list[Rows]](list), defaultdict[str, list[Rows]](list)
    for g in range(problem.num_kv_heads):
        for name, rows in loops.keys_and_values(g, keys).items():
            plain[name].append(rows)
        for head in range(g * loops.share, (g + 1) * loops.share):
            steps = loops.steps("query", item, head, queries, NOTHING)
            for name, rows in steps.items():
                plain[name].append(rows)
            attended = []
            for i, q in zip(queries, last(steps) or [[]] * len(queries), strict=True):
                pause()
                attended.append(loops.attend(item, head, i, q))
            for name in attended[0]:
                maps[name].append([row[name] for row in attended])
    found: dict[str, Any] = {name: joined(parts) for name, parts in plain.items()} | dict(maps)
    found |= {name: [loops.source(name, item, i) for i in rows] for name, rows in loops.normed(queries, keys)}
    if "head_output" not in maps:
        return found
    concat = joined(maps["head_output"])
    ends = [loops.ending(item, i, row) for i, row in zip(queries, concat, strict=True)]
    return found | {name: [end[name] for end in ends] for name in ends[0]}


def layers_among(problem: Problem, kinds: Sequence[str]) -> list[Any]:
    """Return the mask layers of some kinds that are switched on."""
    return [layer for layer in problem.mask if layer.enabled and layer.kind in kinds]


def scale_of(problem: Problem, width: int) -> float:
    """Return the factor of the scores of queries with so many columns."""
    if problem.scale is not None:
        return problem.scale
    return 1 / math.sqrt(width) if problem.score == "dot" else 1.0


def last(steps: Mapping[str, Rows]) -> Rows:
    """Return the rows as the scores read them; none where the weights are given."""
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
        self._ending = None if problem.block is None else ReferenceBlock(problem)
        pre = problem.block is not None and problem.block["kind"] == "pre"
        self._norm = norm_of(problem.block, 1) if pre else None
        self._output = None if problem.w_output is None else layer_of(problem.w_output, problem.b_output)

    def by_hand(
        self, stage: str, axes: Sequence[str], place: tuple[int, ...], row: Row, stop: str = "", first: int = 0
    ) -> Row:
        """Return the row of a stage after its interventions; a number that the problem's dtype cannot hold is ±∞."""
        row = held(row, self.limit)
        if stage == stop:
            raise _Reached(row)
        records = [record for record in self.problem.interventions if record.enabled and record.stage == stage]
        changed = carried_out(records, axes, place, row, lambda index: self.computed(stage, index), first)
        return held(changed, self.limit)

    def computed(self, stage: str, index: tuple[int, ...]) -> float:
        """Return one cell of any stage before its interventions, computed anew from the start."""
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
        raise UnknownKindError("stage", stage)

    # --- the sequences ---------------------------------------------------------------------------
    def normed(self, queries: Sequence[int], keys: Sequence[int]) -> list[tuple[str, Sequence[int]]]:
        """Return the sequences that are normalized before they are projected, with the rows to give."""
        if self._norm is None:
            return []
        return [("normed_x", queries), *([] if self.problem.context is None else [("normed_context", keys)])]

    def source(self, stage: str, item: int, i: int, stop: str = "") -> Row:
        """Return a row of X or of the second sequence as the projections read it."""
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
        """Return one K/V head; the last two are remembered."""
        if (item, group) not in self._sides:
            given = self.given if item == self.item else NOTHING
            keys = self.steps("key", item, group, range(self.problem.m), given)
            value = [] if self._valueless else self.head("value", item, group, range(self.problem.m), given)
            columns = [array("d", column) for column in zip(*value, strict=True)]
            found = _Side(keys, value, prepared(self.problem, last(keys), "key") if keys else [], columns)
            self._sides = dict([*list(self._sides.items())[-1:], ((item, group), found)])
        return self._sides[item, group]

    def keys_and_values(self, group: int, rows: Sequence[int]) -> dict[str, Rows]:
        """Return rows of K, step by step, and of V of one K/V head; of given matrices they are computed in any case."""
        kept = self.side(self.item, group)
        found = kept.keys | ({"value": kept.value} if kept.value else {})
        return {
            name: self.head(name, self.item, group, rows, NOTHING) if name in self.given else [every[j] for j in rows]
            for name, every in found.items()
        }

    def head(
        self, name: str, item: int, head: int, rows: Sequence[int], given: Mapping[str, Any], stop: str = ""
    ) -> Rows:
        """Return the rows of one head of query, key or value."""
        second = name != "query" and self.problem.context is not None
        sequence = "normed_context" if second else "normed_x"
        found = rows_of_head(self.problem, name, item, head, rows, given, lambda i: self.source(sequence, item, i))
        first = head * self._width(name)
        return [self.by_hand(name, PLAIN, (item, i), row, stop, first) for i, row in zip(rows, found, strict=True)]

    def steps(
        self, name: str, item: int, head: int, rows: Sequence[int], given: Mapping[str, Any], stop: str = ""
    ) -> dict[str, Rows]:
        """Return the rows of one head: as they are, normalized, and turned by their positions, where they are."""
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
        """Return one row of Q as the scores read it; empty where the weights are given."""
        rows = last(self.steps("query", item, head, [i], NOTHING))
        return rows[0] if rows else []

    # --- one row of one head ---------------------------------------------------------------------
    def attend(self, item: int, head: int, i: int, query: Row, stop: str = "") -> dict[str, Row]:
        """Return scores → × scale → softcap → + bias → mask → weights → · V, for one query."""
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
        """Return the weights of one query, from its scores on, and which keys are open to it."""
        problem, scale = self.problem, scale_of(self.problem, len(query))
        masks, biases = layers_among(problem, OPENING), layers_among(problem, ADDING)
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
        sink = -math.inf if problem.sink is None else float(problem.sink[place[1]])
        return keep("weights", weights_of(problem, logits, sink)), allowed

    # --- what follows the heads ------------------------------------------------------------------
    def ending(self, item: int, i: int, row: Row, stop: str = "") -> dict[str, Row]:
        """Return one row of everything from the heads side by side to the block's end."""
        problem, found = self.problem, {}

        def keep(stage: str, row: Row) -> Row:
            found[stage] = self.by_hand(stage, HIDDEN, (item, i), row, stop)
            return found[stage]

        row = keep("concat", row)
        row = keep("output", row if self._output is None else linear(row, *self._output))
        if self._ending is not None:
            self._ending.rows(row, of_item(problem.x, item)[i].tolist(), keep)
        return found
