"""`.npy`: one array. Imports NumPy."""

from __future__ import annotations

import io

import numpy as np

from attn_gui.formats.arrays import MAGIC, Budget, read_npy
from attn_gui.formats.base import Matrix, Source

__all__ = ["matches", "read", "write"]


def matches(start: bytes) -> bool:
    return start.startswith(MAGIC)


def read(source: Source) -> Matrix:
    """The array; a vector becomes one row, a single number one cell."""
    array = read_npy(source.file, "array", source.size, Budget())
    return Matrix(array if array.ndim > 1 else array.reshape(1, -1))


def write(matrix: Matrix) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(matrix.values), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()
