"""Rows of plain Python floats, number by number: the arithmetic of the reference. Imports nothing of the engine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import mul

Row = Sequence[float]
Rows = list[Row]


def softmax(logits: Row, temperature: float, sink: float = -math.inf) -> Row:
    """A key at −∞ has no part; a row with no key is all zero; NaN or +∞ leave no answer for the others.

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


def held(row: Row, limit: float) -> Row:
    """The row with ±∞ for what reaches a limit, the overflow of the problem's dtype."""
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
    """The size over which a row is taken, so that nothing overflows on the way: over ∞ no number would be left."""
    size = max(1.0, *map(abs, row))
    return size if math.isfinite(size) else 1.0


def _length(row: Row) -> float:
    """The Euclidean length; NaN where any number is, which `hypot` forgets beside ∞."""
    return math.nan if any(map(math.isnan, row)) else math.hypot(*row)


def dot(a: Iterable[float], b: Iterable[float]) -> float:
    return sum(map(mul, a, b), 0.0)


def linear(row: Row, columns: Rows, offset: Row) -> Row:
    return [dot(row, column) + b for column, b in zip(columns, offset, strict=True)]


def unit(row: Row) -> Row:
    """The row over its length; a row of zeros stays."""
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
    """The heads of every row side by side."""
    return [[number for part in parts for number in part] for parts in zip(*heads, strict=True)]
