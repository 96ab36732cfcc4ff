"""Index notation: boxes of cells carried from one array to another, joined and cut; products and lengths by letter. `b
(g r) i d` is an array of four axes whose second runs over g and r together.

A Box is a tuple of slices, one an axis: it indexes the array as it stands.
Ranges say the same by letter, so a box of one array can be carried over to another array.

Six heads are g = 2 groups of r = 3, and d = 8. The query of head 4 = 1 · 3 + 1 is in group 1, whose keys are columns 8
to 15; heads 2 and 3 are in both groups, and whatever holds both by letter holds all six (see `boxes_of` and `close`):

    sizes = {"b": 1, "g": 2, "r": 3, "i": 5, "j": 5, "d": 8}
    ranges_of(("gr",), (slice(4, 5),), sizes)         # {"g": (1, 2), "r": (1, 2)}
    box_of(("b", "j", "gd"), {"g": (1, 2)}, sizes)    # slices 0:1, 0:5 and 8:16
    ranges_of(("gr",), (slice(2, 4),), sizes)         # {"g": (0, 2), "r": (0, 3)}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, pairwise, product
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attn_gui.engine.arrays import Array, Box

Axes = tuple[str, ...]
Ranges = dict[str, tuple[int, int]]

MOST_BOXES = 32  # more boxes than this become the one around them
FLAGS_AT_ONCE = 1 << 16  # cells that `rectangles` looks at


# --- index notation -------------------------------------------------------------------------------
class Reference(NamedTuple):
    """One array in a formula: `key[b j (g d)]`, or `b_key[p]?` if it is optional."""

    name: str
    axes: Axes
    optional: bool = False


@cache
def references(text: str) -> tuple[Reference, ...]:
    found = re.findall(r"([\w.]+)\[(.*?)\](\??)", text)
    return tuple(Reference(name, _axes(inside), bool(mark)) for name, inside, mark in found)


def _axes(text: str) -> Axes:
    return tuple(group.replace(" ", "").strip("()") for group in re.findall(r"\([^)]*\)|\w", text))


def learn_sizes(arrays: Iterable[tuple[Axes, tuple[int, ...]]], sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the length of every letter, learned from shapes; of the letters that share an axis one may be unknown."""
    sizes = dict(sizes)
    for axes, shape in arrays:
        for letters, length in zip(axes, shape, strict=True):
            unknown = [letter for letter in letters if letter not in sizes]
            if unknown:
                sizes[unknown[0]] = length // prod(sizes[letter] for letter in letters if letter in sizes)
    return sizes


def fitted(axes: Axes, shape: tuple[int, ...], sizes: Mapping[str, int]) -> Axes:
    """Return the axes of an array with this shape: leading ones may be missing, and one of length 1 has no letter."""
    axes = axes[len(axes) - len(shape) :]
    return tuple(
        "" if length == 1 and prod(sizes.get(letter, 1) for letter in letters) != 1 else letters
        for letters, length in zip(axes, shape, strict=True)
    )


def ranges_of(axes: Axes, box: Box, sizes: Mapping[str, int]) -> Ranges:
    """Return the range of each letter in a box; where letters share an axis they are rounded outward."""
    ranges: Ranges = {}
    for letters, cut in zip(axes, box, strict=True):
        if len(letters) == 1:
            ranges[letters] = cut.start, cut.stop
            continue
        first, last, whole_now = cut.start, cut.stop - 1, False
        for k, letter in enumerate(letters):
            step = prod(map(sizes.__getitem__, letters[k + 1 :]))
            low, high = (0, sizes[letter] - 1) if whole_now else (first // step, last // step)
            ranges[letter] = low, high + 1
            whole_now, first, last = whole_now or low != high, first % step, last % step
    return ranges


def box_of(axes: Axes, ranges: Ranges, sizes: Mapping[str, int]) -> Box:
    """Return the smallest box that holds the ranges; a letter without a range runs over its whole length."""
    box = []
    for letters in axes:
        if len(letters) == 1:  # most have one letter, and this is asked for more often than anything else
            box.append(slice(*(ranges.get(letters) or (0, sizes[letters]))))
            continue
        low = high = 0
        for letter in letters:
            start, stop = ranges.get(letter) or (0, sizes[letter])
            low, high = low * sizes[letter] + start, high * sizes[letter] + stop - 1
        box.append(slice(low, high + 1))
    return tuple(box)


def boxes_of(axes: Axes, ranges: Ranges, sizes: Mapping[str, int]) -> list[Box]:
    """Return boxes that hold exactly the ranges; the one box around them where they would be too many."""
    cuts = [
        [slice(*(ranges.get(letters) or (0, sizes[letters])))] if len(letters) == 1 else _cuts(letters, ranges, sizes)
        for letters in axes
    ]
    if prod(map(len, cuts)) > MOST_BOXES:
        return [box_of(axes, ranges, sizes)]
    return [tuple(box) for box in product(*cuts)]


def _cuts(letters: str, ranges: Ranges, sizes: Mapping[str, int]) -> list[slice]:
    """Return the slices of an axis that hold the ranges of its letters: one for each place of the outer letters."""
    runs = [(0, 1)]
    for letter in letters:
        size = sizes[letter]
        low, high = ranges.get(letter) or (0, size)
        if (low, high) == (0, size):
            runs = [(start * size, stop * size) for start, stop in runs]
        else:
            runs = [(k * size + low, k * size + high) for start, stop in runs for k in range(start, stop)]
    return [slice(start, stop) for start, stop in runs]


def close(patterns: Iterable[Axes], ranges: Ranges, sizes: Mapping[str, int]) -> Ranges:
    """Widen the ranges until each pattern holds them as a single box with no other cells in it."""
    patterns = list(patterns)
    while True:
        wider = dict(ranges)
        for axes in patterns:
            for letter, (low, high) in ranges_of(axes, box_of(axes, wider, sizes), sizes).items():
                if letter in wider:
                    wider[letter] = min(low, wider[letter][0]), max(high, wider[letter][1])
        if wider == ranges:
            return ranges
        ranges = wider


def whole(shape: Iterable[int]) -> Box:
    return tuple(slice(0, length) for length in shape)


def cell(index: Iterable[int]) -> Box:
    return tuple([slice(int(k), int(k) + 1) for k in index])


def in_parts(cut: slice, most: int) -> Iterator[slice]:
    """Yield a slice in parts of at most so many places, one after another."""
    return (slice(low, min(low + most, cut.stop)) for low in range(cut.start, cut.stop, most))


def shape_of(box: Box) -> tuple[int, ...]:
    return tuple([cut.stop - cut.start for cut in box])


def count(box: Box) -> int:
    return prod(shape_of(box))


def within(inner: Box, outer: Box) -> Box:
    """Return a box relative to the array that was cut out at `outer`."""
    return tuple([slice(a.start - b.start, a.stop - b.start) for a, b in zip(inner, outer, strict=True)])


def contains(outer: Box, inner: Box) -> bool:
    return all(a.start <= b.start and b.stop <= a.stop for a, b in zip(outer, inner, strict=True))


def intersection(one: Box, other: Box) -> Box | None:
    """Return the cells that two boxes share."""
    shared = tuple(slice(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(one, other, strict=True))
    return shared if all(cut.start < cut.stop for cut in shared) else None


def without(box: Box, hole: Box) -> list[Box]:
    """Return the parts of a box that lie outside a hole."""
    shared = intersection(box, hole)
    if shared is None:
        return [box]
    parts, rest = [], list(box)
    for axis, (cut, gap) in enumerate(zip(box, shared, strict=True)):
        for start, stop in ((cut.start, gap.start), (gap.stop, cut.stop)):
            if start < stop:
                parts.append((*rest[:axis], slice(start, stop), *rest[axis + 1 :]))
        rest[axis] = gap
    return parts


def outside(boxes: Iterable[Box], holes: Sequence[Box]) -> list[Box]:
    """Return the parts of boxes that lie outside all holes; the one box around them where they would be too many."""
    left = list(boxes)
    for hole in holes:
        left = [part for box in left for part in without(box, hole)]
        left = left if len(left) <= MOST_BOXES else [around(left)]
    return left


def repeated(boxes: Sequence[Box]) -> int:
    """Return how many cells boxes count again that an earlier one has, as a row and a column their crossing."""
    if len(boxes) < 2:
        return 0
    outer = around(boxes)
    distinct = np.zeros(shape_of(outer), bool)
    for box in boxes:
        distinct[within(box, outer)] = True
    return sum(map(count, boxes)) - int(np.count_nonzero(distinct))


def around(boxes: Sequence[Box]) -> Box:
    return tuple(slice(min(c.start for c in cuts), max(c.stop for c in cuts)) for cuts in zip(*boxes, strict=True))


def join(boxes: Sequence[Box]) -> list[Box]:
    """Return boxes without those that lie inside others; the one box around them where they would be too many."""
    if len(boxes) == 1:
        return list(boxes)
    kept: list[Box] = []
    for box in sorted(boxes, key=count, reverse=True):
        if not any(contains(other, box) for other in kept):
            if len(kept) == MOST_BOXES:  # whatever else there is: thousands need not be held against each other
                return [around(boxes)]
            kept.append(box)
    return kept


def open_parts(flags: npt.NDArray[np.bool_], box: Box) -> list[Box]:
    """Return narrow boxes that hold all True cells of `flags`, which belong to `box`: the box itself where all are
    True.

    Each holds rows with a True cell, from the first such column to the last.
    """
    if flags.all():
        return [box]
    parts = list(rectangles(np.asarray(flags.any(axis=-1))))
    if len(parts) > MOST_BOXES:
        parts = [around(parts)]
    found = []
    for part in parts:
        columns = np.flatnonzero(flags[part].any(axis=tuple(range(flags.ndim - 1))))
        found.append(_placed((*part, slice(int(columns[0]), int(columns[-1]) + 1)), box))
    return found


def exact_parts(flags: npt.NDArray[np.bool_], box: Box, most: int = MOST_BOXES) -> list[Box]:
    """Return boxes that hold exactly the True cells of `flags`, which belong to `box`; `open_parts` where they would be
    more than `most`."""
    found = list(islice(rectangles(flags), most + 1))
    return [_placed(part, box) for part in found] if len(found) <= most else open_parts(flags, box)


def _placed(inner: Box, outer: Box) -> Box:
    """Return a box that is given relative to an outer one: undo `within`."""
    return tuple(slice(a.start + b.start, a.start + b.stop) for a, b in zip(outer, inner, strict=True))


def rectangles(flags: npt.NDArray[np.bool_]) -> Iterator[Box]:
    """Yield boxes that together hold exactly the True cells; equal neighbors along an axis become one box."""
    if not flags.any():
        return
    if flags.ndim == 0:
        yield ()  # the box of a number, such as the rows of a vector in `open_parts`
        return
    if flags.ndim == 1:
        yield from ((slice(low, high),) for low, high in runs(flags))
        return
    differ = (flags[1:] != flags[:-1]).any(axis=tuple(range(1, flags.ndim)))
    starts = [0, *(np.flatnonzero(differ) + 1).tolist()]
    groups = [slice(start, stop) for start, stop in pairwise([*starts, len(flags)])]
    if flags.ndim > 2:
        for group in groups:
            yield from ((group, *rest) for rest in rectangles(flags[group.start]))
        return
    # runs of many rows at once, five times as fast as row by row; not of all, since a caller may stop early
    for part in in_parts(slice(0, len(groups)), max(1, FLAGS_AT_ONCE // flags.shape[1])):
        edges = np.diff(np.pad(flags[starts[part]].astype(np.int8), ((0, 0), (1, 1))), axis=1)
        rows, columns = np.nonzero(edges)  # in order: where a run begins, where it ends, the next one
        for row, left, right in zip(rows[::2].tolist(), columns[::2].tolist(), columns[1::2].tolist(), strict=True):
            yield groups[part][row], slice(left, right)


def runs(flags: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Return (first, last + 1) for each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return ((int(low), int(high)) for low, high in edges.reshape(-1, 2))


# --- contraction ----------------------------------------------------------------------------------
def align(array: Array, axes: Axes, order: str, lengths: Mapping[str, int]) -> Array:
    """Return a view with one axis for each letter of `order`, of length 1 for a letter that the array does not have."""
    letters, turned, opened = _opening(axes, order)
    return array.reshape(tuple(map(lengths.__getitem__, letters))).transpose(turned)[opened]


@cache
def _opening(axes: Axes, order: str) -> tuple[str, tuple[int, ...], tuple[slice | None, ...]]:
    """Return the letters of an array, their places in `order`, and an index that gives the other letters axes."""
    letters = "".join(axes)
    turned = tuple(letters.index(letter) for letter in order if letter in letters)
    return letters, turned, tuple(slice(None) if letter in letters else None for letter in order)


def restore(array: Array, axes: Axes, order: str, lengths: Mapping[str, int], shape: tuple[int, ...]) -> Array:
    """Return a gradient laid out by `order` in an input's shape, summed over other letters: undo `align`."""
    letters = "".join(axes)
    array = array.sum(axis=tuple(k for k, letter in enumerate(order) if letter not in letters))
    kept = [letter for letter in order if letter in letters]
    array = np.broadcast_to(array, [lengths[letter] for letter in kept])
    return array.transpose([kept.index(letter) for letter in letters]).reshape(shape)


def contract(
    a: Array, b: Array | None = None, *, axes: Iterable[int], ordered: bool = False, zero_wins: bool = False
) -> Array:
    """Return (a * b).sum(axes, keepdims=True) for arrays laid out by letter, by matrix products.

    `ordered` adds the terms one after another, so that part of the result equals the whole bit for bit, which BLAS does
    not promise. With `zero_wins` 0 in `a` times NaN or infinity is 0.
    """
    axes = tuple(axes)
    if b is None:
        return _sum(a, axes)
    # what only one of them has is added up before, not in the product, which would be that much larger
    only_a, only_b = [k for k in axes if b.shape[k] == 1], [k for k in axes if a.shape[k] == 1]
    a, b = _sum(a, only_a), _sum(b, only_b)
    inner = [k for k in axes if a.shape[k] > 1]
    if not inner:
        out = a * b
        return np.where(a == 0, 0.0, out) if zero_wins and not np.isfinite(out).all() else out
    outer = [k for k in range(a.ndim) if k not in inner]
    left = [k for k in outer if b.shape[k] == 1]  # a is a stack of left × inner, b of inner × right matrices
    right = [k for k in outer if a.shape[k] == 1 < b.shape[k]]
    batch = [k for k in outer if k not in left and k not in right]
    out = _matmul(_stacked(a, batch, left, inner), _stacked(b, batch, inner, right), ordered, zero_wins)
    order = batch + left + right
    out = out.reshape([max(a.shape[k], b.shape[k]) for k in order]).transpose(np.argsort(order))
    return np.expand_dims(out, tuple(inner))


def _sum(array: Array, axes: Iterable[int]) -> Array:
    """Return the sum along axes, which stay with length 1; the array itself where they have that length already."""
    long = tuple(k for k in axes if array.shape[k] > 1)
    return array.sum(axis=long, keepdims=True) if long else array


def zero_safe_product(grad: Array, slope: Array | float) -> Array:
    """Return grad · slope, but 0 where the gradient is 0, whatever the slope: no gradient comes from behind a mask."""
    out = np.asarray(grad * slope)
    return out if np.isfinite(out).all() else np.where(grad == 0, 0.0, out)


def zero_safe_quotient(grad: Array, divisor: Array) -> Array:
    """Return grad / divisor, but 0 where the gradient is 0, whatever the divisor."""
    out = np.asarray(grad / divisor)
    return out if np.isfinite(out).all() else np.where(grad == 0, 0.0, out)


def _matmul(a: Array, b: Array, ordered: bool, zero_wins: bool) -> Array:
    if ordered:
        return _in_order(a, b, zero_wins)
    out = a @ b
    if not zero_wins or np.isfinite(out).all():
        return out
    flat = tuple(range(a.ndim - 2))
    wild = np.asarray(~np.isfinite(b).all(axis=(*flat, -1)))  # NaN in `a` stays: rows without it keep every bit
    tame_a, tame_b = np.where(wild, 0.0, a), np.where(wild[:, None], 0.0, b)
    out = tame_a @ tame_b
    if wild.any():
        out = out + 0.0  # a zero is 0 and not -0 in every part, whichever terms its other rows have
    reached = (a != 0).any(axis=(*flat, -2))  # thousands of keys may hold NaN that no row looks at
    for k in np.flatnonzero(wild & reached):
        left = a[..., k, None]
        out = out + np.where(left == 0, 0.0, left * b[..., None, k, :])
    return out


def _in_order(a: Array, b: Array, zero_wins: bool) -> Array:
    left = a[..., :, :, None]
    terms = left * b[..., None, :, :]
    out = np.add.accumulate(terms, axis=-2)[..., -1, :]
    if not zero_wins or np.isfinite(out).all():
        return out
    terms[np.broadcast_to(left == 0, terms.shape)] = 0.0  # in its turn: another part may hold no NaN or infinity
    return np.add.accumulate(terms, axis=-2)[..., -1, :] + 0.0  # a zero is 0 and not -0


def _stacked(array: Array, batch: Sequence[int], rows: Sequence[int], columns: Sequence[int]) -> Array:
    """Return an array as a stack of matrices: batch axes, then all row axes as one, then all column axes as one."""
    named = (*batch, *rows, *columns)
    rest = [k for k in range(array.ndim) if k not in named]

    def size(group: Sequence[int]) -> int:
        return prod(map(array.shape.__getitem__, group))

    shape = [array.shape[k] for k in batch] + [size(rows), size(columns)]
    return array.transpose([*named, *rest]).reshape(shape)


# --- powers of two --------------------------------------------------------------------------------
def leveled(x: Array, axis: int) -> tuple[Array, Array]:
    """Return (level, exponent) with x = level · 2^exponent and the largest |level| along `axis` in [1/2, 1).

    Nothing is rounded, so results computed from levels have the same bits as without them, where these do not overflow.
    The exponent is 0 where all numbers are 0, or one is infinite or NaN.
    """
    top = np.abs(x).max(axis=axis, keepdims=True)
    exponent = np.where(np.isfinite(top), np.frexp(top)[1], 0)
    return np.ldexp(x, -exponent), exponent


def lengths(array: Array, axis: int) -> Array:
    """Return the Euclidean lengths along an axis, which stays with length 1; no number is too large or small for it."""
    level, exponent = leveled(array, axis)
    return np.asarray(np.ldexp(np.sqrt((level**2).sum(axis=axis, keepdims=True)), exponent))


def length(array: Array) -> float:
    """Return the Euclidean length of all numbers of an array; 0 for an empty one."""
    return float(lengths(array.reshape(-1), 0)[0]) if array.size else 0.0
