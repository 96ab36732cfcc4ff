"""Axes of arrays given in Python: heads, tokens, columns of Q, K, V; keys of attention weights, whose rows add up to 1.

A problem has rows of tokens, and heads side by side in the columns. Elsewhere heads have an axis of their own, before
the tokens (PyTorch, Hugging Face) or behind them (TransformerLens, flash-attention, JAX), and sequences may come before
items (the default of nn.MultiheadAttention). Shapes alone seldom tell these apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, check
from attn_gui.engine.checks import as_count, read_array
from attn_gui.engine.errors import FieldError, ShapeError, say
from attn_gui.engine.fields import DIRECT, GIVEN, Fields, normalize_fields, unnormalized
from attn_gui.engine.shape_errors import clash_with, drafted

Axes = tuple[str, ...]
Shape = tuple[int, ...]
BATCH, HEAD, TOKEN, COLUMN = "batch", "head", "token", "column"
ORDER: Axes = (BATCH, HEAD, TOKEN, COLUMN)
READINGS: tuple[Axes, ...] = (
    (TOKEN,),
    (TOKEN, COLUMN),
    (HEAD, TOKEN, COLUMN),
    (BATCH, TOKEN, COLUMN),
    (TOKEN, HEAD, COLUMN),
    (TOKEN, BATCH, COLUMN),
    (BATCH, HEAD, TOKEN, COLUMN),
    (BATCH, TOKEN, HEAD, COLUMN),
    (TOKEN, BATCH, HEAD, COLUMN),
)
"""Orders that arrays may have where nobody says one; any other may be said."""
COUNTS = {"num_heads": "query", "num_kv_heads": "key"}  # fields that count heads → the array that has so many
NARROW = 4  # bytes of a number that float32 holds
NEARLY = 0.01
"""What rows of half precision may be off when their weights are added up."""


# --- orders of axes ------------------------------------------------------------------------------
def parsed(words: Iterable[str]) -> Axes | None:
    """Return the order that these names of axes say, each once, tokens and columns among them; else None."""
    axes = tuple(words)
    known = set(axes) <= set(ORDER) and len(set(axes)) == len(axes)
    return axes if known and ({TOKEN, COLUMN} <= set(axes) or axes == (TOKEN,)) else None


def spelled(axes: Axes) -> str:
    """Return the order as an argument says it: "batch,token,head,column"."""
    return ",".join(axes)


def with_axes_in_order(axes: Axes, array: Array) -> Array:
    """Return the array with its axes in the order batch, head, token, column; one of tokens alone gets a column."""
    ordered = array.transpose([axes.index(axis) for axis in ORDER if axis in axes])
    return ordered if COLUMN in axes else ordered[..., None]


def laid_shape(axes: Axes, shape: Shape) -> Shape:
    """Return the shape in which a problem holds it: heads side by side, whatever their axis was."""
    size = _size(axes, shape)
    rows = (size[TOKEN], size[HEAD] * size[COLUMN])
    return (size[BATCH], *rows) if BATCH in axes else rows


def heads_of(axes: Axes, shape: Shape) -> int | None:
    """Return the number of heads where they have an axis."""
    return shape[axes.index(HEAD)] if HEAD in axes else None


def _size(axes: Axes, shape: Shape) -> dict[str, int]:
    """Return the length of every axis, 1 for one that is not there."""
    return dict.fromkeys(ORDER, 1) | dict(zip(axes, shape, strict=True))


# --- which of them fit ---------------------------------------------------------------------------
def readings(shapes: Mapping[str, Shape], heads: Mapping[str, int | None] | None = None) -> tuple[Axes, ...]:
    """Return the orders in which arrays of these shapes can be the parts of one problem, by name; of two that mean the
    same one is given. `heads`: their number in each, where it is said.

    Sequences come before items only where there is one item: (L, 1, E), the default of nn.MultiheadAttention.
    """
    found: dict[Axes, Axes] = {}
    for axes in READINGS:
        if fits(axes, shapes) and counts_agree(axes, shapes, heads or {}) and not _late(axes, shapes):
            long = _long(axes, shapes)
            if HEAD in found.get(long, ()):  # a single head: then the columns may hold several
                found[long] = axes
            found.setdefault(long, axes)
    return tuple(axes for axes in READINGS if axes in found.values())


def fits(axes: Axes, shapes: Mapping[str, Shape]) -> bool:
    """Return whether arrays of these shapes, by name, can be parts of one problem with their axes in this order."""
    if not shapes or any(len(shape) != len(axes) for shape in shapes.values()):
        return False
    sizes = {name: _size(axes, shape) for name, shape in shapes.items()}
    query, key, value = (sizes.get(name, {}) for name in DIRECT)
    alike = (
        _equal(BATCH, *sizes.values()),
        _equal(HEAD, key, value),
        _equal(TOKEN, key, value),
        HEAD not in axes or _equal(COLUMN, query, key),
        HEAD not in axes or not (query and key) or query[HEAD] % max(1, key[HEAD]) == 0,
    )
    return all(alike)


def _late(axes: Axes, shapes: Mapping[str, Shape]) -> bool:
    """Return whether several items would come after the tokens."""
    return axes[:2] == (TOKEN, BATCH) and any(shape[1] > 1 for shape in shapes.values())


def counts_agree(axes: Axes, shapes: Mapping[str, Shape], heads: Mapping[str, int | None]) -> bool:
    """Return whether an axis of heads is as long as is said."""
    return HEAD not in axes or all(heads.get(name) in (None, heads_of(axes, shapes[name])) for name in shapes)


def _equal(axis: str, *sizes: Mapping[str, int]) -> bool:
    return len({size[axis] for size in sizes if size}) < 2


def _long(axes: Axes, shapes: Mapping[str, Shape]) -> Axes:
    """Return the axes without those of one cell: orders that are alike in these are the same problem."""
    return tuple(axis for place, axis in enumerate(axes) if any(shape[place] > 1 for shape in shapes.values()))


def likelier_orders(found: tuple[Axes, ...], shapes: Mapping[str, Shape]) -> tuple[Axes, ...]:
    """Return those of some orders that people have: with more than one key, for else every weight is 1; and where fewer
    K/V heads serve the heads of as many queries as keys, rather than as many heads other queries than keys."""
    some = agreeing(found, lambda axes: any(_size(axes, shape)[TOKEN] > 1 for shape in shapes.values()))
    if not {"query", "key"} <= shapes.keys():
        return some

    def alike(axes: Axes) -> tuple[bool, bool]:
        query, key = (_size(axes, shapes[name]) for name in ("query", "key"))
        return query[TOKEN] == key[TOKEN], query[HEAD] == key[HEAD]

    shared = any(alike(axes) == (True, False) for axes in some)
    return agreeing(some, lambda axes: HEAD not in axes or not shared or alike(axes) != (False, True))


def agreeing(found: tuple[Axes, ...], agrees: Callable[[Axes], bool]) -> tuple[Axes, ...]:
    """Return those of some orders that agree; all where none does."""
    return tuple(filter(agrees, found)) or found


def sizes(axes: Axes, shapes: Mapping[str, Shape]) -> dict[str, int]:
    """Return the counts of items, heads and tokens, in this order, that are above one, in words."""
    rows = [shape for name, shape in shapes.items() if name != "value"] or [*shapes.values()]  # value may be all so far
    every = [_size(axes, shape) for shape in rows]
    query, key = every[0], every[-1]
    counts = {"items": query[BATCH]} if query[BATCH] > 1 else {}
    counts |= {"heads": query[HEAD]} if HEAD in axes else {}
    counts |= {"K/V heads": key[HEAD]} if key[HEAD] != query[HEAD] else {}
    alike = query[TOKEN] == key[TOKEN]
    return counts | ({"tokens": query[TOKEN]} if alike else {"queries": query[TOKEN], "keys": key[TOKEN]})


# --- heads on an axis of their own ---------------------------------------------------------------
def fields_of_heads(
    query: object, key: object, value: object, given: Mapping[str, object], said: str | Iterable[str] | None
) -> tuple[dict[str, object], str]:
    """Return the fields of a problem whose heads have an axis of their own, and what is to be said of how they were
    read.

    `said` is the order of axes. Without it the one that fits is taken. Head g has the columns g·d … (g+1)·d; the counts
    are those of the axes. `given` are further fields. Raises ShapeError, which names the matrix and the axis, or every
    order of several that fit.
    """
    arrays = {name: read_array(name, held) for name, held in zip(DIRECT, (query, key, value), strict=True)}
    if said is not None:
        return _said(arrays, given, said), ""
    for name, array in arrays.items():
        if array.ndim not in (3, 4):
            raise _clash(errors.HEAD_AXES, arrays, (name,), "3 or 4", array.ndim)
    shapes = {name: array.shape for name, array in arrays.items()}
    own = ORDER[-arrays["query"].ndim :]
    found = _valid(shapes, given, own) if len(set(map(len, shapes.values()))) == 1 else ()
    if len(found) > 1:
        raise _clash(errors.SEVERAL_ORDERS, arrays, DIRECT, _readings_text(found, shapes), len(found))
    if found and found != (own,):
        note = say(errors.READ_BY_SHAPES, {"reading": _readings_text(found, shapes)})
        return _said(arrays, given, found[0]), note
    return heads_side_by_side(arrays["query"], arrays["key"], arrays["value"], given), ""


def _said(arrays: Mapping[str, Array], given: Mapping[str, object], said: str | Iterable[str]) -> dict[str, object]:
    """Return the fields with the arrays' axes in the order that is said."""
    words = said.split(",") if isinstance(said, str) else tuple(said)
    axes = parsed(word.strip() for word in words)
    if axes is None:
        raise FieldError(errors.NO_ORDER, field="axes", got=",".join(map(str, words)))
    for name, array in arrays.items():
        if array.ndim != len(axes):
            raise _clash(errors.OTHER_AXES, arrays, (name,), len(axes), array.ndim, named=spelled(axes))
    lying = {name: with_axes_in_order(axes, array) for name, array in arrays.items()}
    return (
        {**given, **lying}
        if HEAD not in axes
        else heads_side_by_side(lying["query"], lying["key"], lying["value"], given)
    )


def _valid(shapes: Mapping[str, Shape], given: Mapping[str, object], own: Axes) -> tuple[Axes, ...]:
    """Return the orders in which the whole problem would fit together, judged by shapes; `own` goes first."""
    tiny = dict.fromkeys(DIRECT, np.zeros((1, 1)))
    draft = unnormalized(Fields, {**given, **tiny})
    normalize_fields(draft, copy=True)

    def valid(axes: Axes) -> bool:
        if HEAD not in axes or not fits(axes, shapes) or _late(axes, shapes):
            return False
        counts = {option: heads_of(axes, shapes[name]) for option, name in COUNTS.items()}
        if any(given.get(option) not in (None, count) for option, count in counts.items()):
            return False
        return clash_with(drafted(draft, counts), {name: laid_shape(axes, shapes[name]) for name in DIRECT}) is None

    found: dict[Axes, Axes] = {}
    for axes in filter(valid, (own, *READINGS)):
        found.setdefault(_long(axes, shapes), axes)
    return tuple(found.values())


def _readings_text(found: Iterable[Axes], shapes: Mapping[str, Shape]) -> str:
    """Return orders as the argument that chooses each, with what they would mean."""
    texts = (
        f'axes="{spelled(axes)}" ({", ".join(f"{word} {count}" for word, count in sizes(axes, shapes).items())})'
        for axes in found
    )
    return " or ".join(texts)


def heads_side_by_side(query: object, key: object, value: object, given: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a problem whose heads have an axis of their own: (h, n, d) or (b, h, n, d), K and V with
    h_kv.

    Head g has the columns g·d … (g+1)·d of what comes out; the counts are those of the axes. `given` are further
    fields. Raises ShapeError, which names the matrix and the axis.
    """
    arrays = {name: read_array(name, held) for name, held in zip(DIRECT, (query, key, value), strict=True)}
    for name, array in arrays.items():
        if array.ndim not in (3, 4):
            raise _clash(errors.HEAD_AXES, arrays, (name,), "3 or 4", array.ndim)
    counts = {name: array.shape[-3] for name, array in arrays.items()}
    if counts["value"] != counts["key"]:
        raise _clash(errors.SAME_HEADS, arrays, ("value", "key"), counts["key"], counts["value"])
    if not counts["key"] or counts["query"] % counts["key"]:
        raise _clash(errors.SHARED_HEADS, arrays, ("key", "query"), counts["query"], counts["key"])
    for option, name in COUNTS.items():
        count = given.get(option)
        if count is not None and as_count(option, count) != counts[name]:
            raise _clash(errors.COUNTED_HEADS, arrays, (name,), count, counts[name])
    found: dict[str, object] = {name: _beside(array) for name, array in arrays.items()}
    return {**given, **found, "num_heads": counts["query"], "num_kv_heads": counts["key"]}


def fields_of_maps(
    weights: object, value: object, tokens: object, query_tokens: object, key_tokens: object
) -> tuple[dict[str, object], str]:
    """Return the fields of a problem whose weights are given: (n, m), (h, n, m) or (b, h, n, m), of one head without an
    axis; and the note that keys are another axis by their sums, empty where they are the last.

    `value` is (m, h_kv · d_v), with as many axes as the weights (h_kv, m, d_v) or (b, h_kv, m, d_v), or of items
    without an axis of heads (b, m, h_kv · d_v).
    Raises ShapeError, which names the matrix and the axis.
    """
    maps = read_array(GIVEN, weights)
    if maps.ndim not in (2, 3, 4):
        raise _clash(errors.MAP_AXES, {GIVEN: maps}, (GIVEN,), "2 to 4", maps.ndim)
    axis = axis_of_keys(maps) if maps.dtype.kind in "iuf" else None
    note = "" if axis is None else say(errors.KEYS_LIE, {"axis": axis})
    maps = maps[None] if maps.ndim == 2 else maps
    check(maps.nbytes)
    found: dict[str, object] = {GIVEN: maps, "num_heads": maps.shape[-3]}
    found["query_tokens"] = tokens if query_tokens is None else query_tokens
    found["key_tokens"] = tokens if key_tokens is None else key_tokens
    if maps.dtype.kind == "f" and maps.dtype.itemsize <= NARROW:
        found["dtype"] = "float32"
    if value is None:
        return found, note
    values = read_array("value", value)
    own = values.ndim == maps.ndim > 2  # an axis of heads
    if values.ndim == 3 and maps.ndim == 4 and maps.shape[0] == maps.shape[1] == values.shape[0] > 1:
        raise _clash(errors.VALUE_AXIS, {"value": values}, ("value",), "4", maps.shape[0])
    found |= {"value": _beside(values) if own else values, "num_kv_heads": values.shape[-3] if own else None}
    return found, note


def axis_of_keys(maps: Array) -> int | None:
    """Return the axis along which attention weights sum to 1 where that is not the last; None where it is, or none
    does."""
    if adds_up(maps):
        return None
    return next((axis for axis in range(maps.ndim - 1) if adds_up(maps, axis)), None)


def adds_up(array: Array, axis: int = -1) -> bool:
    """Return whether the rows of an array sum to 1, except rows that a mask closes."""
    sums = array.sum(axis, dtype=float)
    closed = np.isnan(sums) | (sums == 0)
    return not (array < 0).any() and not closed.all() and bool(np.all(closed | (np.abs(sums - 1) <= NEARLY)))


def check_leading_axis(problem: Fields) -> None:
    """Raise ShapeError where a first axis may be heads as well as batch items."""
    counts = dict.fromkeys(DIRECT, problem.num_kv_heads) | {"query": problem.num_heads}
    for name, heads in counts.items():
        array = getattr(problem, name)
        if array is not None and array.ndim == 3 and array.shape[0] == heads == problem.num_heads > 1:
            raise ShapeError(
                errors.LEADING_AXIS,
                matrices=(name,),
                axes=("batch",),
                expected="batch_axis=True",
                got=problem.num_heads,
                shape=array.shape,
            )


def _beside(array: Array) -> Array:
    """Return (…, h, n, d) as (…, n, h · d)."""
    rows = array.swapaxes(-3, -2)
    return rows.reshape(*rows.shape[:-2], rows.shape[-2] * rows.shape[-1])


def _clash(
    template: str,
    arrays: Mapping[str, Array],
    matrices: tuple[str, ...],
    expected: object,
    got: object,
    **args: object,
) -> ShapeError:
    axes = ("head",) * len(matrices)
    shape = arrays[matrices[0]].shape
    return ShapeError(template, matrices=matrices, axes=axes, expected=expected, got=got, shape=shape, **args)
