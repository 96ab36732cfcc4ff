"""The format .npy: one array."""

from __future__ import annotations

from collections.abc import Collection
from typing import IO

import numpy as np

from attn_gui.engine.fields import GIVEN
from attn_gui.formats import untrusted_bytes
from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.file_format import ArrayListing, FileSource, LabeledArray, Labels, ListedArray


def matches(start: bytes) -> bool:
    return start.startswith(untrusted_bytes.MAGIC)


def read(source: FileSource) -> LabeledArray:
    """Return the array; a vector becomes one row, a single number one cell."""
    array = untrusted_bytes.read_npy(source.file, "array", source.size, untrusted_bytes.Budget())
    untrusted_bytes.check_no_bits("array", array)
    return LabeledArray(array if array.ndim > 1 else array.reshape(1, -1), notes=untrusted_bytes.rounding_notes(array))


def listing(source: FileSource) -> ArrayListing:
    """Return the array as attention weights: the only part of a problem that a single array without a name can be."""
    header = untrusted_bytes.checked_header(source.file, GIVEN, source.size, untrusted_bytes.ListedBudget())
    return ArrayListing((ListedArray(GIVEN, header.shape, header.dtype.name),), _read_listed)


def _read_listed(source: FileSource, names: Collection[str]) -> dict[str, untrusted_bytes.Array]:
    source.file.seek(0)
    return {
        name: untrusted_bytes.read_npy(source.file, name, source.size, untrusted_bytes.ListedBudget()) for name in names
    }


def write_rows(rows: ArrayRows, file: IO[bytes]) -> None:
    """Write an array block by block, in the same bytes as NumPy."""
    header = {"descr": np.lib.format.dtype_to_descr(rows.dtype), "fortran_order": False, "shape": rows.shape}
    np.lib.format.write_array_header_1_0(file, header)
    for block in rows.blocks():
        file.write(np.ascontiguousarray(block).reshape(-1).view(np.uint8).data)


def write_unlabeled(rows: ArrayRows, file: IO[bytes], row_labels: Labels, column_labels: Labels) -> None:
    """Write an array block by block, without labels, which the format cannot hold."""
    write_rows(rows, file)
