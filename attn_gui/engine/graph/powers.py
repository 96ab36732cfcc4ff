"""Numbers split into a mantissa and a power of two, so that squares neither overflow nor vanish."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array


def leveled(x: Array, axis: int) -> tuple[Array, Array]:
    """(level, exponent) with x = level · 2^exponent and the largest |level| along `axis` from 1/2 to 1.

    Nothing is rounded, so what is computed from levels has the bits that it would have had without them. An
    exponent is 0 where everything is 0, or something is infinite or NaN.
    """
    top = np.abs(x).max(axis=axis, keepdims=True)
    exponent = np.where(np.isfinite(top), np.frexp(top)[1], 0)
    return np.ldexp(x, -exponent), exponent


def lengths(array: Array, axis: int) -> Array:
    """The Euclidean lengths along an axis, which stays, however large or small the numbers are."""
    level, exponent = leveled(array, axis)
    return np.asarray(np.ldexp(np.sqrt((level**2).sum(axis=axis, keepdims=True)), exponent))


def length(array: Array) -> float:
    """The Euclidean length of all numbers of an array; 0 for one without any."""
    return float(lengths(array.reshape(-1), 0)[0]) if array.size else 0.0
