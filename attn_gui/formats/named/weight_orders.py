"""Orders of the axes of weights in foreign hands: what each may be, by shapes and names. Imports NumPy."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from attn_gui.engine.fields import WEIGHTS
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.named.fused import FUSED

Shape = tuple[int, ...]
LINEAR = (*WEIGHTS, "w_output")
ROWS_IN, ROWS_OUT = "in,out", "out,in"
IN_HEAD_COLUMN, HEAD_IN_COLUMN, HEAD_COLUMN_IN = "in,head,column", "head,in,column", "head,column,in"


class WeightOrder(NamedTuple):
    """One order of axes: in words, the places of its axes in the order in, head, column, and those of W_O in the order
    head, column, out."""

    words: str
    axes: tuple[int, ...]
    output_axes: tuple[int, ...]


WEIGHT_ORDERS = {
    ROWS_IN: WeightOrder(QT_TRANSLATE_NOOP("Sentences", "x W, as in a textbook"), (0, 1), (0, 1)),
    ROWS_OUT: WeightOrder(QT_TRANSLATE_NOOP("Sentences", "as torch.nn.Linear has them"), (1, 0), (1, 0)),
    IN_HEAD_COLUMN: WeightOrder(QT_TRANSLATE_NOOP("Sentences", "as Keras and Flax have them"), (0, 1, 2), (0, 1, 2)),
    HEAD_IN_COLUMN: WeightOrder(QT_TRANSLATE_NOOP("Sentences", "as TransformerLens has them"), (1, 0, 2), (0, 1, 2)),
    HEAD_COLUMN_IN: WeightOrder(
        QT_TRANSLATE_NOOP("Sentences", "as torch.nn.Linear, heads apart"), (2, 0, 1), (1, 2, 0)
    ),
}
"""Order as an argument says it → what it means; of two axes, and of three where heads have their own."""
_TWO = {
    ROWS_IN: ROWS_IN,
    ROWS_OUT: ROWS_OUT,
    IN_HEAD_COLUMN: ROWS_IN,
    HEAD_IN_COLUMN: ROWS_IN,
    HEAD_COLUMN_IN: ROWS_OUT,
}
"""Order → that of weights beside it which have two axes."""
_FROM_NAMES = (
    (re.compile(r"kernel"), (ROWS_IN, IN_HEAD_COLUMN)),
    (re.compile(r"(^|[._/])c_(attn|proj|q)"), (ROWS_IN,)),  # GPT-2's Conv1D
    (re.compile(r"([._/]|^)(in_proj_|out_proj_|[qkv]_proj_)?weight(:0)?$"), (ROWS_OUT, HEAD_COLUMN_IN)),
    (re.compile(r"(^|[._/])w_?[qkvo]$", re.IGNORECASE), (ROWS_IN, HEAD_IN_COLUMN)),
    (re.compile(r"(^|[._/])w_?(query|key|value|out|output)$", re.IGNORECASE), (ROWS_IN,)),
)
"""What names say, the first that speaks: orders of two axes and of three."""


def orders_of(shapes: Mapping[str, Shape]) -> tuple[str, ...]:
    """The orders that weights of these shapes, by part, may have; none where there are no weights."""
    lengths = {len(shape) for role, shape in shapes.items() if is_weight(role)}
    return tuple(order for order, how in WEIGHT_ORDERS.items() if lengths and len(how.axes) == max(lengths))


def is_weight(role: str) -> bool:
    """Whether a part has axes that may lie either way."""
    return role in LINEAR or FUSED.get(role) == WEIGHTS


def known_order(names: Mapping[str, str], orders: Iterable[str]) -> str | None:
    """The one of some orders that the names of weights, by part, are known for; None where they say nothing, or not
    the same."""
    found = set()
    for role, name in names.items():
        if is_weight(role):
            said = next((known for pattern, known in _FROM_NAMES if pattern.search(name)), ())
            found.add(next((order for order in orders if order in said), None))
    return found.pop() if len(found) == 1 else None


def laid_weight(role: str, order: str, array: Array) -> Array:
    """The weight as a problem has it, (in, out), heads side by side."""
    axes = _axes(role, order, array.ndim)
    return array.transpose(axes).reshape(_merged(role, tuple(array.shape[axis] for axis in axes)))


def laid_weight_shape(role: str, order: str, shape: Shape) -> Shape:
    """The shape of the weight as a problem has it."""
    return _merged(role, tuple(shape[axis] for axis in _axes(role, order, len(shape))))


def weight_heads(role: str, order: str, shape: Shape) -> int | None:
    """The number of heads where they have an axis."""
    return shape[_axes(role, order, 3)[0 if role == "w_output" else 1]] if len(shape) == 3 else None


def _axes(role: str, order: str, count: int) -> tuple[int, ...]:
    how = WEIGHT_ORDERS[_TWO.get(order, order) if count == 2 else order]
    axes = how.output_axes if role == "w_output" else how.axes
    return axes if len(axes) == count else tuple(range(count))


def _merged(role: str, shape: Shape) -> Shape:
    if len(shape) != 3:
        return shape
    return (math.prod(shape[:2]), shape[2]) if role == "w_output" else (shape[0], math.prod(shape[1:]))
