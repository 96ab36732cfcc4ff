"""`.npy`: one array. Imports NumPy."""

from __future__ import annotations

from collections.abc import Collection
from typing import IO

import numpy as np

from attn_gui.engine.fields import GIVEN
from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.file_format import ArrayListing, FileSource, LabeledArray, Labels, ListedArray
from attn_gui.formats.untrusted_bytes import (
    MAGIC,
    Array,
    Budget,
    ListedBudget,
    check_no_bits,
    checked_header,
    read_npy,
    rounding_notes,
)

__all__ = ["listing", "matches", "read", "write_rows", "write_unlabeled"]


def matches(start: bytes) -> bool:
    return start.startswith(MAGIC)


def read(source: FileSource) -> LabeledArray:
    """Return the array; a vector becomes one row, a single number one cell."""
    array = read_npy(source.file, "array", source.size, Budget())
    check_no_bits("array", array)
    return LabeledArray(array if array.ndim > 1 else array.reshape(1, -1), notes=rounding_notes(array))


def listing(source: FileSource) -> ArrayListing:
    """Return the array as attention weights: the only part of a problem that a single array without a name can be."""
    header = checked_header(source.file, GIVEN, source.size, ListedBudget())
    return ArrayListing((ListedArray(GIVEN, header.shape, header.dtype.name),), _read_listed)


def _read_listed(source: FileSource, names: Collection[str]) -> dict[str, Array]:
    source.file.seek(0)
    return {name: read_npy(source.file, name, source.size, ListedBudget()) for name in names}


def write_rows(rows: ArrayRows, file: IO[bytes]) -> None:
    """Write an array block by block, in the same bytes as NumPy."""
    header = {"descr": np.lib.format.dtype_to_descr(rows.dtype), "fortran_order": False, "shape": rows.shape}
    np.lib.format.write_array_header_1_0(file, header)
    for block in rows.blocks():
        file.write(np.ascontiguousarray(block).reshape(-1).view(np.uint8).data)


def write_unlabeled(rows: ArrayRows, file: IO[bytes], row_labels: Labels, column_labels: Labels) -> None:
    """Write an array block by block, without labels, which the format cannot hold."""
    write_rows(rows, file)
