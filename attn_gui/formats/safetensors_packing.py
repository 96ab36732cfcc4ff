"""Bytes of a safetensors file or session: header, padding, bfloat16, F8, overlapping arrays.

The official reader and writer are not used: they copy every array and hold up all threads meanwhile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from attn_gui.formats.file_messages import FormatError, shown, size_text
from attn_gui.formats.untrusted_bytes import Array, Budget, Json, broken, from_bfloat16, native, parse_object
from attn_gui.languages import N_

ALIGNMENT = 8  # of the first array
METADATA = "__metadata__"
LONGEST_HEADER = 64 * 2**20
LONGEST_ENTRIES = 2**20  # what says where which array is: a few hundred bytes each
_TEXT = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)  # of JSON, to its closing quote; no way back is kept
_ENTRY_BROKEN = N_("{file}: what it says about “{name}” is damaged.")
_GAPS = N_("{file} is damaged: its arrays overlap or leave a gap.")
_CUT_OFF = N_("{file} is cut off or is not a session.")
TOO_MANY = N_("{file} lists too many arrays: {got} of names; expected at most {expected}.")
_BFLOAT16 = "BF16"
_DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    _BFLOAT16: "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "u1",
    "BOOL": "?",
}
_KEYS = ("U64", "I64", "F64", "F32", "U32", "I32", "F16", "U16", "I16", "I8", "U8", "BOOL")
_KEY_OF = {np.dtype(_DTYPES[key]).name: key for key in _KEYS}


class SizedArray(Protocol):
    """An array, or the shape and dtype of one that is made later."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    @property
    def nbytes(self) -> int: ...


def matches(start: bytes) -> bool:
    """Return whether a file that begins so may be a safetensors file."""
    return start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= LONGEST_HEADER


def parts(arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> Iterator[memoryview]:
    """Yield the bytes of a file, each array in its own memory; the same content always gives the same bytes.

    Arrays are in the order of the official writer: the widest numbers first, so that each is aligned to its width.
    """
    header, names = header_of(arrays, metadata)
    yield memoryview(header)
    for name in names:
        yield packed(arrays[name])


def packed(array: Array) -> memoryview:
    """Return the bytes of an array as they are written."""
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return memoryview(little.reshape(-1).view(np.uint8).data)


def header_of(arrays: Mapping[str, SizedArray], metadata: Mapping[str, str]) -> tuple[bytes, list[str]]:
    """Return the bytes before the arrays, and the names of the arrays in the order in which they follow."""
    header: dict[str, object] = {METADATA: dict(metadata)}
    names = sorted(arrays, key=lambda name: (_KEYS.index(_key(arrays[name])), name))
    end = 0
    for name in names:
        start, end = end, end + arrays[name].nbytes
        header[name] = {"dtype": _key(arrays[name]), "shape": arrays[name].shape, "data_offsets": (start, end)}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text, names


def unpacked(data: bytes, entry: str = "") -> tuple[dict[str, Json], memoryview]:
    """Return the header, which gives the place of each array, and the bytes of all arrays.

    The text of one `entry` of the metadata does not count for the limit on the header's length.
    """
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 + length or length > LONGEST_HEADER:
        raise FormatError(_CUT_OFF)
    listed = 8 + length - _length_of(data, 8 + length, entry)
    if listed > LONGEST_ENTRIES:
        raise FormatError(TOO_MANY, got=size_text(listed), expected=size_text(LONGEST_ENTRIES))
    return parse_object(data[8 : 8 + length].decode(), LONGEST_HEADER), memoryview(data)[8 + length :]


def may_have(data: bytes, entry: str) -> bool:
    """Return whether the metadata of a file may have this entry; a short header is only known once it is parsed."""
    return int.from_bytes(data[:8], "little") <= LONGEST_ENTRIES or _start_of(data, entry) >= 0


def _start_of(data: bytes, entry: str) -> int:
    start = f'"{METADATA}":{{"{entry}":"'.encode()
    found = data.find(start, 0, LONGEST_ENTRIES)
    return found if found < 0 else found + len(start)


def _length_of(data: bytes, stop: int, entry: str) -> int:
    """Return the length of the text of an entry; 0 in a header that is short anyway."""
    start = _start_of(data, entry) if entry and stop > LONGEST_ENTRIES else -1
    found = _TEXT.match(data, start, stop) if start >= 0 else None
    return found.end() - start if found else 0


class PackedArray(NamedTuple):
    """The place of an array in the bytes after the header, and how these are read."""

    name: str
    kind: str  # as these files call it: F32, BF16, …
    shape: tuple[int, ...]
    bytes: tuple[int, int]  # its first one, and the first one behind it


def places(header: Mapping[str, Json], size: int) -> list[PackedArray]:
    """Return the places of all arrays in the `size` bytes after the header, in the order of the file.

    Raises FormatError where they overlap or leave a gap: then the header lies, and the numbers may be those of others.
    """
    entries = [_entry(name, entry) for name, entry in header.items() if name != METADATA]
    found = sorted(entries, key=lambda place: place.bytes)
    ends = [0, *(place.bytes[1] for place in found)]
    if [place.bytes[0] for place in found] != ends[:-1] or ends[-1] < size:
        raise FormatError(_GAPS)
    return found


def kind_name(kind: str) -> str:
    """Return NumPy's name for a kind of numbers; "bfloat16", and the file's own word for an unknown kind."""
    return "bfloat16" if kind == _BFLOAT16 else np.dtype(_DTYPES[kind]).name if kind in _DTYPES else shown(kind)


def count_of(place: PackedArray, budget: Budget) -> int:
    """Return the number of bytes that the shape needs.

    Raises FormatError where the header gives another number, for too many bytes, and for an unknown kind of numbers.
    """
    if place.kind not in _DTYPES:
        template = N_("{file}: “{name}” holds {got}; expected {expected}.")
        raise FormatError(template, name=shown(place.name), got=shown(place.kind), expected=tuple(_DTYPES))
    count = budget.take(place.name, place.shape, np.dtype(_DTYPES[place.kind]).itemsize)
    start, stop = place.bytes
    if stop - start != count:
        raise broken(place.name, count, max(stop - start, 0))
    return count


def array_of(place: PackedArray, own: NDArray[np.uint8]) -> Array:
    """Return the numbers in the bytes of an array."""
    dtype = np.dtype(_DTYPES[place.kind])
    return from_bfloat16(own, place.shape) if place.kind == _BFLOAT16 else native(own, dtype, place.shape)


def arrays_in(header: Mapping[str, Json], cells: memoryview) -> dict[str, Array]:
    """Return all arrays, as views of the file's memory. Raises FormatError as `places` and `count_of` do."""
    budget, found = Budget(), dict[str, Array]()
    for place in places(header, len(cells)):
        start, stop = place.bytes
        count = count_of(place, budget)
        if stop > len(cells):
            raise broken(place.name, count, max(len(cells) - start, 0))
        found[place.name] = array_of(place, np.frombuffer(cells[start:stop], np.uint8))
    return found


def _key(array: SizedArray) -> str:
    return _KEY_OF[np.dtype(array.dtype).name]


def _entry(name: str, entry: Json) -> PackedArray:
    """Return the place of one array, read from the header."""
    parts = entry if isinstance(entry, dict) else {}
    kind, shape, place = parts.get("dtype"), _wholes(parts.get("shape")), _wholes(parts.get("data_offsets"))
    if not isinstance(kind, str) or shape is None or place is None or len(place) != 2 or min(place) < 0:
        raise FormatError(_ENTRY_BROKEN, name=shown(name))
    return PackedArray(name, kind, shape, (place[0], place[1]))


def _wholes(value: Json) -> tuple[int, ...] | None:
    return tuple(value) if isinstance(value, list) and all(type(part) is int for part in value) else None
