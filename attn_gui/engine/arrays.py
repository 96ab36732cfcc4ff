"""Overflow of float32 to ±∞, and one item of an array that has a batch axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Box = tuple[slice, ...]  # a slice for each axis: it indexes an array as it stands


def overflow_limit(dtype: npt.DTypeLike) -> float:
    """Return the magnitude from which a number rounded to a dtype is ±∞; ∞ for float64."""
    info = np.finfo(dtype)
    return math.inf if info.bits == 64 else float(info.max) + 2.0 ** (info.maxexp - info.nmant - 2)


def overflowed(array: Array, limit: float) -> Array:
    """Return the array with ±∞ for what reaches a limit; itself where nothing does."""
    if limit == math.inf or array.dtype == bool or max(array.max(initial=0.0), -array.min(initial=0.0)) < limit:
        return array
    return np.where(np.abs(array) >= limit, np.copysign(np.inf, array), array)  # NaN stays, and is looked past


def item_of(array: Array, item: int) -> Array:
    """Return one item of an array with a batch axis, its only one where all items share it; else the array itself."""
    found: Array = array[min(item, len(array) - 1)] if array.ndim > 2 else array
    return found
