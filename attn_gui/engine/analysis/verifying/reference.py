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

from .plain_rows import Row, Rows, dot, joined, layer_norm, linear, power, softmax, unit

NOTHING: Mapping[str, Rows] = {}
SCORES = ("dot", "additive", "cosine", "gaussian", "average")
OPENING, ADDING = ("causal", "window", "prefix", "padding", "custom"), ("bias", "alibi")
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


class Unknown(ValueError):
    """A score, a mask layer or a stage that these loops do not know: what `name` is says `kind`."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"The reference does not know the {kind} {name}.")
        self.kind, self.name = kind, name


def refuse_unknown(problem: Problem, stages: Iterable[str] = STAGES) -> None:
    """Raise Unknown for what cannot be computed here: a guess would bless or blame what it knows nothing of."""
    layers = [layer.kind for layer in problem.mask if layer.enabled]
    asked = ("score", [problem.score], SCORES), ("mask layer", layers, OPENING + ADDING), ("stage", stages, STAGES)
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
    plain: dict[str, list[Rows]] = {}
    maps: dict[str, list[Rows]] = {}
    share = problem.num_heads // problem.num_kv_heads
    for g in range(problem.num_kv_heads):
        key, turned_key = _sides(problem, "key", item, g, range(problem.m), given)
        value = _head(problem, "value", item, g, range(problem.m), given)
        for name, rows in (("key", key), ("value", value), ("rotated_key", turned_key)):
            again = name in given  # the rows to give are computed in any case
            asked_for = _head(problem, name, item, g, keys, NOTHING) if again else [rows[j] for j in keys]
            plain.setdefault(name, []).append(asked_for)
        offered = _prepared(problem, turned_key, "key")
        columns = [array("d", column) for column in zip(*value, strict=True)]
        for head in range(g * share, (g + 1) * share):
            query, turned = _sides(problem, "query", item, head, queries, NOTHING)
            plain.setdefault("query", []).append(query)
            plain.setdefault("rotated_query", []).append(turned)
            asked = _prepared(problem, turned, "query")
            rows_of_head = []
            for i, q in zip(queries, asked, strict=True):
                pause()
                rows_of_head.append(_attend(problem, (item, head, i), q, offered, columns))
            for name in rows_of_head[0]:
                maps.setdefault(name, []).append([row[name] for row in rows_of_head])
    found: dict[str, Any] = {name: joined(parts) for name, parts in plain.items()} | maps
    if problem.rotary_theta is None:
        del found["rotated_query"], found["rotated_key"]
    found["concat"] = joined(maps["head_output"])
    return found | _ending(problem, item, queries, found["concat"])


# --- Q, K, V -------------------------------------------------------------------------------------
def _sides(
    problem: Problem, name: str, item: int, head: int, rows: Sequence[int], given: Mapping[str, Any]
) -> tuple[Rows, Rows]:
    """The rows of one head, as they are and turned by their positions."""
    found = _head(problem, name, item, head, rows, given)
    if problem.rotary_theta is None:
        return found, found
    return found, [_turned(row, i, problem.rotary_theta) for row, i in zip(found, rows, strict=True)]


def _head(problem: Problem, name: str, item: int, head: int, rows: Sequence[int], given: Mapping[str, Any]) -> Rows:
    """The columns of one head of query, key or value."""
    matrix = given.get(name, getattr(problem, name))
    heads = problem.num_heads if name == "query" else problem.num_kv_heads
    if matrix is not None:
        matrix = _of_item(matrix, item)
        width = matrix.shape[1] // heads
        mine = slice(head * width, (head + 1) * width)
        return [array("d", matrix[i, mine].astype(float).tobytes()) for i in rows]  # floats only while they are read
    source = problem.x if name == "query" or problem.context is None else problem.context
    weight, bias = getattr(problem, f"w_{name}"), getattr(problem, f"b_{name}")
    width = weight.shape[1] // heads
    mine = slice(head * width, (head + 1) * width)
    offset = [0.0] * width if bias is None else bias[mine].tolist()
    columns, matrix = weight[:, mine].T.tolist(), _of_item(source, item)
    return [linear(matrix[i].tolist(), columns, offset) for i in rows]


def _of_item(matrix: Any, item: int) -> Any:
    return matrix[item] if matrix.ndim == 3 else matrix


def _turned(row: Row, position: int, theta: float) -> Row:
    """Column c and column c + d/2 are one pair, turned by position · θ^(−2c/d)."""
    half = len(row) // 2
    angles = [position * power(theta, -2 * c / len(row)) for c in range(half)]
    turns = [(math.cos(a), math.sin(a)) if math.isfinite(a) else (math.nan, math.nan) for a in angles]
    first = [row[c] * cos - row[c + half] * sin for c, (cos, sin) in enumerate(turns)]
    return first + [row[c + half] * cos + row[c] * sin for c, (cos, sin) in enumerate(turns)]


# --- one row of one head -------------------------------------------------------------------------
def _attend(
    problem: Problem, place: tuple[int, int, int], query: Row, keys: Rows, columns: Sequence[Sequence[float]]
) -> dict[str, Row]:
    """scores → × scale → softcap → + bias → mask → softmax(· / temperature) → · V, for one query."""
    layers = [layer for layer in problem.mask if layer.enabled]
    biases = [layer for layer in layers if layer.kind in ADDING]
    masks = [layer for layer in layers if layer not in biases]
    scale = problem.scale
    if scale is None:
        scale = 1 / math.sqrt(len(query)) if problem.score == "dot" else 1.0
    found: dict[str, Row] = {"scores": [_score(problem, query, key) for key in keys]}
    logits = found["scaled"] = [score * scale for score in found["scores"]]
    if problem.softcap is not None:
        logits = found["capped"] = [problem.softcap * math.tanh(s / problem.softcap) for s in logits]
    if biases:
        logits = found["biased"] = [
            s + sum(_added(problem, layer, *place, j) for layer in biases) for j, s in enumerate(logits)
        ]
    allowed = [all(_opens(problem, layer, *place, j) for layer in masks) for j in range(problem.m)]
    if masks:
        logits = found["masked"] = [s if open_ else -math.inf for s, open_ in zip(logits, allowed, strict=True)]
    weights = found["weights"] = softmax(logits, problem.temperature or 1.0)
    seen = [weight != 0 for weight in weights]
    shares = list(compress(weights, seen))
    found["head_output"] = [dot(shares, compress(column, seen)) for column in columns]
    found["allowed"] = [float(open_) for open_ in allowed]
    return found


def _prepared(problem: Problem, rows: Rows, side: str) -> Rows:
    """The part of a score that is computed once for each row."""
    if problem.score == "additive":
        columns = problem.score_params[f"w_score_{side}"].T.tolist()
        return [linear(row, columns, [0.0] * len(columns)) for row in rows]
    return [unit(row) for row in rows] if problem.score == "cosine" else rows


def _score(problem: Problem, query: Row, key: Row) -> float:
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
    raise Unknown("score", problem.score)


# --- mask layers ---------------------------------------------------------------------------------
def _opens(problem: Problem, layer: Any, item: int, head: int, i: int, j: int) -> bool:
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
        raise Unknown("mask layer", layer.kind)
    return (layer.left is None or behind <= layer.left) and (layer.right is None or -behind <= layer.right)


def _added(problem: Problem, layer: Any, item: int, head: int, i: int, j: int) -> float:
    if layer.kind == "bias":
        return float(_broadcast(layer.values, (item, head, i, j)))
    if layer.kind != "alibi":
        raise Unknown("mask layer", layer.kind)
    return -_slope(head, problem.num_heads) * abs(i + _offset(problem, layer) - j)


def _offset(problem: Problem, layer: Any) -> int:
    return problem.m - problem.n if layer.align == "end" else 0


def _broadcast(cells: Any, place: tuple[int, ...]) -> Any:
    """The cell of an array whose axes are the last ones of the map, those of length 1 shared by all."""
    own = place[len(place) - cells.ndim :]
    return cells[tuple(0 if length == 1 else k for k, length in zip(own, cells.shape, strict=True))]


def _slope(head: int, heads: int) -> float:
    """ALiBi: 2^(−8k/p) for the power of two p ≤ heads; the heads beyond p take every other slope for 2p."""
    power = 1
    while 2 * power <= heads:
        power *= 2
    if head < power:
        return float(2 ** (-8 * (head + 1) / power))
    return float(2 ** (-8 * (2 * (head - power) + 1) / (2 * power)))


# --- what follows the heads ----------------------------------------------------------------------
def _ending(problem: Problem, item: int, queries: Sequence[int], concat: Rows) -> dict[str, Rows]:
    output = concat
    if problem.w_output is not None:
        columns = problem.w_output.T.tolist()
        offset = [0.0] * len(columns) if problem.b_output is None else problem.b_output.tolist()
        output = [linear(row, columns, offset) for row in concat]
    found: dict[str, Rows] = {"output": output}
    if problem.block is None:
        return found
    block, x = problem.block, _of_item(problem.x, item)
    own = [x[i].tolist() for i in queries]
    residual: Rows = [[a + b for a, b in zip(row, more, strict=True)] for row, more in zip(output, own, strict=True)]
    weight, bias = block["ln_weight"].tolist(), block["ln_bias"].tolist()
    normalized: Rows = [layer_norm(row, weight, bias, block["ln_eps"]) for row in residual]
    columns, offset = block["w_linear"].T.tolist(), block.get("b_linear")
    offset = [0.0] * len(columns) if offset is None else offset.tolist()
    last: Rows = [linear(row, columns, offset) for row in normalized]
    return found | {"residual": residual, "normalized": normalized, "block_output": last}
