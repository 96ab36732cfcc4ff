"""Heads on an axis of their own, as other libraries hold them, and the axes that could be taken for it."""

from __future__ import annotations

from collections.abc import Mapping

from attn_gui.engine.arrays import Array
from attn_gui.engine.memory import check
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.checks import as_count
from attn_gui.engine.problem.errors import ShapeError
from attn_gui.engine.problem.fields import DIRECT, GIVEN, Fields
from attn_gui.engine.problem.tensors import read_array

NARROW = 4  # bytes of a number that float32 holds


def side_by_side(query: object, key: object, value: object, given: Mapping[str, object]) -> dict[str, object]:
    """The fields of a problem whose heads have an axis of their own: (h, n, d) or (b, h, n, d), K and V with h_kv.

    Head g has the columns g·d … (g+1)·d of what comes out; the counts are those of the axes. `given` are further
    fields. Raises ShapeError, which names the matrix and the axis.
    """
    arrays = {name: read_array(name, held) for name, held in zip(DIRECT, (query, key, value), strict=True)}
    for name, array in arrays.items():
        if array.ndim not in (3, 4):
            raise _clash(sentences.HEAD_AXES, arrays, (name,), "3 or 4", array.ndim)
    counts = {name: array.shape[-3] for name, array in arrays.items()}
    if counts["value"] != counts["key"]:
        raise _clash(sentences.SAME_HEADS, arrays, ("value", "key"), counts["key"], counts["value"])
    if not counts["key"] or counts["query"] % counts["key"]:
        raise _clash(sentences.SHARED_HEADS, arrays, ("key", "query"), counts["query"], counts["key"])
    for option, name in (("num_heads", "query"), ("num_kv_heads", "key")):
        count = given.get(option)
        if count is not None and as_count(option, count) != counts[name]:
            raise _clash(sentences.COUNTED_HEADS, arrays, (name,), count, counts[name])
    found: dict[str, object] = {name: _beside(array) for name, array in arrays.items()}
    return {**given, **found, "num_heads": counts["query"], "num_kv_heads": counts["key"]}


def one_map_each(
    weights: object, value: object, tokens: object, query_tokens: object, key_tokens: object
) -> dict[str, object]:
    """The fields of a problem whose weights are given: (n, m), (h, n, m) or (b, h, n, m), of one head without an axis.

    `value` is (m, h_kv · d_v), with as many axes as the weights (h_kv, m, d_v) or (b, h_kv, m, d_v), or of items
    without an axis of heads (b, m, h_kv · d_v).
    Raises ShapeError, which names the matrix and the axis.
    """
    maps = read_array(GIVEN, weights)
    if maps.ndim not in (2, 3, 4):
        raise _clash(sentences.MAP_AXES, {GIVEN: maps}, (GIVEN,), "2 to 4", maps.ndim)
    maps = maps[None] if maps.ndim == 2 else maps
    check(maps.nbytes)
    found: dict[str, object] = {GIVEN: maps, "num_heads": maps.shape[-3]}
    found["query_tokens"] = tokens if query_tokens is None else query_tokens
    found["key_tokens"] = tokens if key_tokens is None else key_tokens
    if maps.dtype.kind == "f" and maps.dtype.itemsize <= NARROW:
        found["dtype"] = "float32"
    if value is None:
        return found
    values = read_array("value", value)
    own = values.ndim == maps.ndim > 2  # an axis of heads
    if values.ndim == 3 and maps.ndim == 4 and maps.shape[0] == maps.shape[1] == values.shape[0] > 1:
        raise _clash(sentences.VALUE_AXIS, {"value": values}, ("value",), "4", maps.shape[0])
    return found | {"value": _beside(values) if own else values, "num_kv_heads": values.shape[-3] if own else None}


def check_leading_axis(problem: Fields) -> None:
    """Raise ShapeError where a first axis may be heads as well as batch items."""
    counts = dict.fromkeys(DIRECT, problem.num_kv_heads) | {"query": problem.num_heads}
    for name, heads in counts.items():
        array = getattr(problem, name)
        if array is not None and array.ndim == 3 and array.shape[0] == heads == problem.num_heads > 1:
            raise ShapeError(
                sentences.LEADING_AXIS,
                matrices=(name,),
                axes=("batch",),
                expected="batch_axis=True",
                got=problem.num_heads,
                shape=array.shape,
            )


def _beside(array: Array) -> Array:
    """(…, h, n, d) as (…, n, h · d)."""
    rows = array.swapaxes(-3, -2)
    return rows.reshape(*rows.shape[:-2], rows.shape[-2] * rows.shape[-1])


def _clash(
    template: str, arrays: Mapping[str, Array], matrices: tuple[str, ...], expected: object, got: object
) -> ShapeError:
    axes = ("head",) * len(matrices)
    return ShapeError(
        template, matrices=matrices, axes=axes, expected=expected, got=got, shape=arrays[matrices[0]].shape
    )
