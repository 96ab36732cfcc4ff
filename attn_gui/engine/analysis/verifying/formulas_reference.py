"""The formulas of the reference, in plain loops over Python floats. Imports the problem only."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attn_gui.engine.problem.problem import Problem

from .plain_rows import Row, Rows, dot, linear, power, unit

NOTHING: Mapping[str, Rows] = {}
SCORES = ("dot", "additive", "cosine", "gaussian", "average")
OPENING, ADDING = ("causal", "window", "prefix", "padding", "custom"), ("bias", "alibi")


class Unknown(ValueError):
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
    """The columns of one head of query, key or value; `read` gives a row of the sequence that it is projected from."""
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
    """Column c and column c + d/2 are one pair, turned by position · θ^(−2c/d), or by the frequency that is given."""
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
    """The part of a score that is computed once for each row."""
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
    raise Unknown("score", problem.score)


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
        raise Unknown("mask layer", layer.kind)
    return (layer.left is None or behind <= layer.left) and (layer.right is None or -behind <= layer.right)


def added_by(problem: Problem, layer: Any, item: int, head: int, i: int, j: int) -> float:
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
