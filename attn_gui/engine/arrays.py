"""Types of arrays and of parts of them, for every module of the engine. Imports NumPy."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]
Box = tuple[slice, ...]
"""A slice for each axis: it indexes an array as it stands."""
