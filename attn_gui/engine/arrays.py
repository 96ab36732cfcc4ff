"""Types of arrays and of parts of them, and one item of an array, for every module of the engine. Imports NumPy."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]
Box = tuple[slice, ...]
"""A slice for each axis: it indexes an array as it stands."""


def item_of(array: Array, item: int) -> Array:
    """One item of an array with a batch axis, its only one where all items share it; else the array itself."""
    found: Array = array[min(item, len(array) - 1)] if array.ndim > 2 else array
    return found
