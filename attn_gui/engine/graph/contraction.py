"""Arrays laid out by letter, and their products: one axis a letter, length 1 where an array lacks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np

from attn_gui.engine.arrays import Array

from .indices import Axes


def align(array: Array, axes: Axes, order: str, lengths: Mapping[str, int]) -> Array:
    """A view with one axis a letter, in `order`; a letter the array does not have gets length 1."""
    letters = "".join(axes)
    opened = array.reshape([lengths[letter] for letter in letters])
    opened = opened.transpose([letters.index(letter) for letter in order if letter in letters])
    return opened[tuple(slice(None) if letter in letters else None for letter in order)]


def restore(array: Array, axes: Axes, order: str, lengths: Mapping[str, int], shape: tuple[int, ...]) -> Array:
    """The way back, for gradients: adds up over the letters that the array does not have."""
    letters = "".join(axes)
    array = array.sum(axis=tuple(k for k, letter in enumerate(order) if letter not in letters))
    kept = [letter for letter in order if letter in letters]
    array = np.broadcast_to(array, [lengths[letter] for letter in kept])
    return array.transpose([kept.index(letter) for letter in letters]).reshape(shape)


def contract(
    a: Array, b: Array | None = None, *, axes: Iterable[int], ordered: bool = False, zero_wins: bool = False
) -> Array:
    """(a * b).sum(axes, keepdims=True) for arrays laid out by letter, done by matrix products.

    `ordered` adds the terms one after the other, so that a part of the result has the very bits of the whole;
    BLAS does not promise that. `zero_wins`: a zero in `a` times NaN or infinity is 0.
    """
    axes = tuple(axes)
    if b is None:
        long = tuple(k for k in axes if a.shape[k] > 1)
        return a.sum(axis=long, keepdims=True) if long else a
    only_a, only_b = ([k for k in axes if other.shape[k] == 1] for other in (b, a))
    a, b = contract(a, axes=only_a), contract(b, axes=only_b)
    inner = [k for k in axes if a.shape[k] > 1]
    if not inner:
        out = a * b
        return np.where(a == 0, 0.0, out) if zero_wins and not np.isfinite(out).all() else out
    outer = [k for k in range(a.ndim) if k not in inner]
    left = [k for k in outer if b.shape[k] == 1]
    right = [k for k in outer if a.shape[k] == 1 < b.shape[k]]
    batch = [k for k in outer if k not in left and k not in right]
    out = _matmul(_stacked(a, batch, left, inner), _stacked(b, batch, inner, right), ordered, zero_wins)
    order = batch + left + right
    out = out.reshape([max(a.shape[k], b.shape[k]) for k in order]).transpose(np.argsort(order))
    return np.expand_dims(out, tuple(inner))


def faded(grad: Array, slope: Array | float) -> Array:
    """grad · slope, and 0 where the gradient is 0, whatever the slope: nothing comes back from behind a mask."""
    out = np.asarray(grad * slope)
    return out if np.isfinite(out).all() else np.where(grad == 0, 0.0, out)


def faded_over(grad: Array, divisor: Array) -> Array:
    """grad / divisor, and 0 where the gradient is 0, whatever the divisor."""
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
    """A stack of matrices: the batch axes, then the row axes as one, then the column axes as one."""
    named = (*batch, *rows, *columns)
    rest = [k for k in range(array.ndim) if k not in named]

    def size(group: Sequence[int]) -> int:
        return prod(array.shape[k] for k in group)

    shape = [array.shape[k] for k in batch] + [size(rows), size(columns)]
    return array.transpose([*named, *rest]).reshape(shape)
