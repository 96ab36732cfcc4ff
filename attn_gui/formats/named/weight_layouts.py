"""Q, K and V in one array and how it is split; orders of axes of weights (PyTorch, Keras, TransformerLens).

The axis that fused parts share is as long as (h + 2·h_kv) heads. A split is one order of part, head and column along
it; a way that another publisher has is one more entry of SPLITS.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attn_gui.engine.errors import Shape
from attn_gui.engine.fields import DIRECT, WEIGHTS
from attn_gui.formats.file_messages import FormatError, shown
from attn_gui.formats.untrusted_bytes import Array
from attn_gui.languages import N_

Columns = tuple[Array, Array, Array]  # places along the shared axis, of Q, K and V
BIASES = ("b_query", "b_key", "b_value")
FUSED: Mapping[str, tuple[str, ...]] = {
    "query_key_value": DIRECT,
    "w_query_key_value": WEIGHTS,
    "b_query_key_value": BIASES,
}
"""Part of a problem that is three in one → these, in the order query, key, value."""

MOST_RUNS = 2  # runs of places that are written out

_NO_PARTS = N_(
    "{file}: “{name}” cannot be split into query, key and value: {got} columns are not {heads} heads of queries and "
    "{kv_heads} of keys and of values.",
)
_TWICE = N_("{file}: “{name}” holds {parts} already; choose either.")
_TWO_SPLITS = N_("{file}: query, key and value can lie in “{name}” in two ways; choose the split: {expected}.")
_TWO_COUNTS = N_(
    "{file}: “{name}” fits {heads} heads with as many K/V heads, and with {kv_heads}; say how many there are.",
)

LINEAR = (*WEIGHTS, "w_output")
ROWS_IN, ROWS_OUT = "in,out", "out,in"
IN_HEAD_COLUMN, HEAD_IN_COLUMN, HEAD_COLUMN_IN = "in,head,column", "head,in,column", "head,column,in"
_FROM_NAMES = (
    (re.compile(r"kernel"), (ROWS_IN, IN_HEAD_COLUMN)),
    (re.compile(r"(^|[._/])c_(attn|proj|q)"), (ROWS_IN,)),  # GPT-2's Conv1D
    (re.compile(r"([._/]|^)(in_proj_|out_proj_|[qkv]_proj_)?weight(:0)?$"), (ROWS_OUT, HEAD_COLUMN_IN)),
    (re.compile(r"(^|[._/])w_?[qkvo]$", re.IGNORECASE), (ROWS_IN, HEAD_IN_COLUMN)),
    (re.compile(r"(^|[._/])w_?(query|key|value|out|output)$", re.IGNORECASE), (ROWS_IN,)),
)
"""What names say, the first that speaks: orders of two axes and of three."""


# --- fused projections ----------------------------------------------------------------------------
class HeadCounts(NamedTuple):
    """Numbers of heads, and of K/V heads; None: as many."""

    heads: int
    kv_heads: int | None

    def shared(self, length: int) -> tuple[int, int, int]:
        """Return (h, h_kv, d) for an axis of this length; d is 0 where none fits."""
        kv_heads = self.kv_heads or self.heads
        width, rest = divmod(length, self.heads + 2 * kv_heads)
        return self.heads, kv_heads, 0 if rest or self.heads % kv_heads else width


class AxisSplit(NamedTuple):
    """One order of part, head and column along a shared axis: its words, its places, and known names of such arrays."""

    key: str
    places: Callable[[int, int, int], Columns]
    names: re.Pattern[str]

    def columns(self, name: str, length: int, count: HeadCounts) -> Columns:
        """Return the places of Q, K and V along an axis of this length. Raises FormatError where they do not fit."""
        heads, kv_heads, width = count.shared(length)
        if not width:
            raise FormatError(_NO_PARTS, name=shown(name), got=length, heads=heads, kv_heads=kv_heads)
        return self.places(heads, kv_heads, width)


def _part_by_part(heads: int, kv_heads: int, width: int) -> Columns:
    query, key, value = np.split(np.arange((heads + 2 * kv_heads) * width), [heads * width, (heads + kv_heads) * width])
    return query, key, value


def _head_by_head(heads: int, kv_heads: int, width: int) -> Columns:
    """Return the places where each K/V head follows the queries that read it."""
    shared = heads // kv_heads
    places = np.arange((heads + 2 * kv_heads) * width).reshape(kv_heads, shared + 2, width)
    return places[:, :shared].ravel(), places[:, shared].ravel(), places[:, shared + 1].ravel()


# CodeGen has four blocks of Q, V and K, and ChatGLM parts where Megatron, of the same names, has heads
_UNLIKE = r"^(?!.*(\bh\.\d+\.attn\.qkv_proj|encoder\.layers\.\d+\.self_attention\.query_key_value))(.*[._])?"
PART_BY_PART = AxisSplit(
    "part,head,column", _part_by_part, re.compile(rf"{_UNLIKE}(c_attn|in_proj|qkv_proj|Wqkv)([._]|$)")
)
HEAD_BY_HEAD = AxisSplit("head,part,column", _head_by_head, re.compile(rf"{_UNLIKE}query_key_value([._]|$)"))
SPLITS = {split.key: split for split in (PART_BY_PART, HEAD_BY_HEAD)}


def known_split(name: str) -> AxisSplit | None:
    """Return the split that published models use for an array of this name; None where none is known."""
    return next((split for split in SPLITS.values() if split.names.search(name)), None)


def known_of(names: Iterable[str]) -> AxisSplit | None:
    """Return the split known for arrays of all these names; None where there is none, or not for all."""
    known = {known_split(name) for name in names}
    return known.pop() if len(known) == 1 else None


def split_of(names: Sequence[str], said: AxisSplit | None, count: HeadCounts) -> AxisSplit:
    """Return the given split of arrays of these names, or else the known one. Raises FormatError for two."""
    found = said or known_of(names) or (PART_BY_PART if count.heads == 1 else None)  # one head lies in one way
    if found is None:
        raise FormatError(_TWO_SPLITS, name=shown(names[0]), expected=tuple(SPLITS))
    return found


def runs_text(places: Array) -> str:
    """Return places as ranges, of many only the first ones: "0–63, 192–255, …"."""
    runs = np.split(places, np.flatnonzero(np.diff(places) != 1) + 1)
    said = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs[:MOST_RUNS]]
    return ", ".join([*said, "…"] if len(runs) > MOST_RUNS else said)


def check_count(name: str, length: int, d_in: int, count: HeadCounts) -> None:
    """Raise FormatError where a weight fits another number of K/V heads, too, and none is given."""
    if count.kv_heads is not None or length == 3 * d_in:
        return
    for kv_heads in range(1, count.heads):
        heads, _, width = HeadCounts(count.heads, kv_heads).shared(length)
        if width and heads * width == d_in and count.shared(length)[2]:
            raise FormatError(_TWO_COUNTS, name=shown(name), heads=heads, kv_heads=kv_heads)


def check_once(roles: Mapping[str, str]) -> None:
    """Raise FormatError where a part is chosen both alone and in an array of three."""
    for fused, parts in FUSED.items():
        if fused in roles and any(part in roles for part in parts):
            raise FormatError(_TWICE, name=shown(roles[fused]), parts=parts)


def parts_of(roles: Iterable[str]) -> set[str]:
    """Return the parts, with arrays of three split."""
    return {part for role in roles for part in FUSED.get(role, (role,))}


# --- orders of axes -------------------------------------------------------------------------------
class WeightOrder(NamedTuple):
    """One order of axes: in words, as places of the axes in, head, column, and for W_O of head, column, out; of three
    axes also the order of weights `beside` it which have two."""

    words: str
    axes: tuple[int, ...]
    output_axes: tuple[int, ...]
    beside: str = ""


WEIGHT_ORDERS = {
    ROWS_IN: WeightOrder(N_("x W, as in a textbook"), (0, 1), (0, 1)),
    ROWS_OUT: WeightOrder(N_("as torch.nn.Linear has them"), (1, 0), (1, 0)),
    IN_HEAD_COLUMN: WeightOrder(N_("as Keras and Flax have them"), (0, 1, 2), (0, 1, 2), ROWS_IN),
    HEAD_IN_COLUMN: WeightOrder(N_("as TransformerLens has them"), (1, 0, 2), (0, 1, 2), ROWS_IN),
    HEAD_COLUMN_IN: WeightOrder(N_("as torch.nn.Linear, heads apart"), (2, 0, 1), (1, 2, 0), ROWS_OUT),
}
"""Order as an argument says it → what it means; of two axes, and of three where heads have their own."""


def orders_of(shapes: Mapping[str, Shape]) -> tuple[str, ...]:
    """Return the orders that weights of these shapes, by part, may have; () without weights."""
    lengths = {len(shape) for role, shape in shapes.items() if is_weight(role)}
    return tuple(order for order, how in WEIGHT_ORDERS.items() if lengths and len(how.axes) == max(lengths))


def is_weight(role: str) -> bool:
    """Return whether a part has axes that may lie either way."""
    return role in LINEAR or FUSED.get(role) == WEIGHTS


def known_order(names: Mapping[str, str], orders: Iterable[str]) -> str | None:
    """Return the order that these names of weights, by part, are known to have; None where they do not tell."""
    found = set()
    for role, name in names.items():
        if is_weight(role):
            said = next((known for pattern, known in _FROM_NAMES if pattern.search(name)), ())
            found.add(next((order for order in orders if order in said), None))
    return found.pop() if len(found) == 1 else None


def laid_weight(role: str, order: str, array: Array) -> Array:
    """Return the weight as in a problem: (in, out), heads side by side."""
    axes = _axes(role, order, array.ndim)
    return array.transpose(axes).reshape(_merged(role, tuple(array.shape[axis] for axis in axes)))


def laid_weight_shape(role: str, order: str, shape: Shape) -> Shape:
    """Return the shape of the weight in a problem."""
    return _merged(role, tuple(shape[axis] for axis in _axes(role, order, len(shape))))


def weight_heads(role: str, order: str, shape: Shape) -> int | None:
    """Return the number of heads if they have an axis, else None."""
    return shape[_axes(role, order, 3)[0 if role == "w_output" else 1]] if len(shape) == 3 else None


def _axes(role: str, order: str, count: int) -> tuple[int, ...]:
    how = WEIGHT_ORDERS[order]
    if count == 2 and how.beside:
        how = WEIGHT_ORDERS[how.beside]
    axes = how.output_axes if role == "w_output" else how.axes
    return axes if len(axes) == count else tuple(range(count))


def _merged(role: str, shape: Shape) -> Shape:
    if len(shape) != 3:
        return shape
    return (math.prod(shape[:2]), shape[2]) if role == "w_output" else (shape[0], math.prod(shape[1:]))
