"""Untrusted bytes made arrays and JSON within limits: kinds of numbers, bfloat16 in 16 bits, whole ones beyond 2⁵³."""

from __future__ import annotations

import io
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attn_gui.engine.arrays import available
from attn_gui.engine.checks import first_rounded
from attn_gui.formats.file_messages import FileNote, FormatError, quoted, shape_text, shown, size_text
from attn_gui.languages import N_

Array: TypeAlias = NDArray[Any]
DType: TypeAlias = np.dtype[Any]

LARGEST_TOTAL = 2 * 10**9  # bytes of all arrays of a file together
HELD = 2  # so many times is what a file holds in memory until a problem is made of it
MOST_AXES = 4  # of an array of a problem
LONGEST_HEADER = 10_000  # what NumPy itself accepts
CHUNK = 2**20
ROUNDED = N_("Whole numbers beyond 2⁵³ were rounded to float64: {text} is {value} now.")
MAGIC = b"\x93NUMPY"
_BAD_HEADER = N_("{file}: “{name}” is damaged: its header cannot be read.")

Json: TypeAlias = Any  # what json.loads gives

TOO_LONG = N_("{file}: the options are {got} long; expected at most {expected}.")
NOT_MAPPING = N_("{file}: the options are not names with values in braces.")
_OVERFLOWN = N_("“{name}” holds {got}, too large for {dtype}: it is {value} now.")
_BAD = N_("{file}: the options are not valid JSON from character {place} on.")
_WILD = N_("{file}: the options hold {got}, which is not a JSON number.")
_DEEP = N_("{file}: the options are nested too deeply.")
_MANY = N_("{file}: the options have {got} lists and records; expected at most {expected}.")
_LONG_NUMBER = N_("{file}: the options hold a number that is too long.")
_TWICE = N_("{file}: “{name}” is given twice in the options.")
_STRINGS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""Strings, the last of which may have no end: else each of its quotes would be tried for the beginning of another."""
LONGEST_OPTIONS = 32 * 2**20  # characters of the options of a session, a snapshot or an entry of a journal
MOST_PARTS = 20_000  # lists and records: each takes a hundred times the memory of its text


_BITS = N_(
    "{file}: “{name}” holds whole numbers such as {got} as {dtype}: all of them are the bits of bfloat16, here of "
    "{value}. Expected float32, or BF16 of safetensors; whole numbers that are meant as a wider type.",
)
_TINY, _HUGE = 0x2B80, 0x5380  # 2⁻⁴⁰ and 2⁴⁰ as bfloat16


# --- arrays ---------------------------------------------------------------------------------------
class Stream(Protocol):
    def read(self, count: int, /) -> bytes: ...


@dataclass
class Budget:
    """The bytes that the arrays of one file may still allocate."""

    left: int = field(default_factory=lambda: min(LARGEST_TOTAL, available() // HELD))
    axes: ClassVar[int] = MOST_AXES

    def take(self, name: str, shape: tuple[int, ...], itemsize: int) -> int:
        """Return the bytes of an array of `shape`; refused if it has too many axes, no cells, or is too large."""
        check_axes(name, shape, self.axes)
        if min(shape, default=1) < 1:
            template = N_("{file}: “{name}” has no cells, its shape is {got}.")
            raise FormatError(template, name=shown(name), got=shape_text(shape))
        count = math.prod(shape) * itemsize
        if count > self.left:
            template = N_("{file}: “{name}” of shape {shape} needs {got} of memory; expected at most {expected}.")
            values = {"shape": shape_text(shape), "got": size_text(count), "expected": size_text(self.left)}
            raise FormatError(template, name=shown(name), **values)
        self.left -= count
        return count


class ListedBudget(Budget):
    """That of arrays of which a person may choose a part: attention of several layers."""

    axes = MOST_AXES + 1


def check_axes(name: str, shape: tuple[int, ...], most: int = MOST_AXES) -> None:
    """Raise FormatError for an array of more axes."""
    if len(shape) > most:
        template = N_("{file}: “{name}” has {got} axes; expected at most {expected}.")
        raise FormatError(template, name=shown(name), got=len(shape), expected=most)


class Header(NamedTuple):
    """The header of a .npy."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: DType
    length: int  # bytes of the header itself


def read_header(stream: Stream, name: str) -> Header:
    """Return the header of a .npy, never more than a few kilobytes of it."""
    start = stream.read(8)
    if start[:6] != MAGIC:
        template = N_("{file}: “{name}” is not a NumPy array.")
        raise FormatError(template, name=shown(name))
    wide = start[6:7] != b"\1"
    length = stream.read(4 if wide else 2)
    count = int.from_bytes(length, "little")
    if count > LONGEST_HEADER:
        raise FormatError(_BAD_HEADER, name=shown(name))
    parse = np.lib.format.read_array_header_2_0 if wide else np.lib.format.read_array_header_1_0
    try:
        shape, fortran, dtype = parse(io.BytesIO(length + stream.read(count)), max_header_size=LONGEST_HEADER)
    except Exception as error:  # the header is a Python literal: a broken one raises anything
        raise FormatError(_BAD_HEADER, name=shown(name)) from error
    return Header(tuple(map(int, shape)), bool(fortran), dtype, len(start) + len(length) + count)


def checked_header(stream: Stream, name: str, present: int, budget: Budget, *, texts: bool = False) -> Header:
    """Return the header of a .npy of `present` bytes, true about its size, of numbers that fit; `texts` may be some."""
    header = read_header(stream, name)
    if not (texts and header.dtype.kind in "US"):
        check_dtype(name, header.dtype)
    count = budget.take(name, header.shape, header.dtype.itemsize)
    if present != header.length + count:
        raise broken(name, count, max(present - header.length, 0))
    return header


def read_npy(stream: Stream, name: str, present: int, budget: Budget, *, texts: bool = False) -> Array:
    """Return one array of a .npy of `present` bytes: native byte order, C-contiguous, at most four axes; `texts` may be
    some.

    Nothing is unpickled, and nothing is allocated before the header is known to agree with the size.
    """
    return read_cells(stream, name, checked_header(stream, name, present, budget, texts=texts))


def read_cells(stream: Stream, name: str, header: Header) -> Array:
    """Return the array of a .npy whose header has been read and checked, as `read_npy` does."""
    count = math.prod(header.shape) * header.dtype.itemsize
    return native(read_bytes(stream, name, count), header.dtype, header.shape, fortran=header.fortran)


def read_bytes(stream: Stream, name: str, count: int) -> NDArray[np.uint8]:
    """Read exactly `count` bytes, counted as they come: a zip may lie about the size of its members."""
    buffer = np.empty(count, np.uint8)
    done = 0
    while done < count:
        part = stream.read(min(CHUNK, count - done))
        if not part:
            raise broken(name, count, done)
        buffer[done : done + len(part)] = np.frombuffer(part, np.uint8)
        done += len(part)
    if stream.read(1):  # at the end of a zip member this also compares its checksum
        raise broken(name, count, count + 1)
    return buffer


def check_dtype(name: str, dtype: DType) -> None:
    """Refuse everything but real numbers, whole numbers and true/false."""
    if dtype.hasobject:
        template = N_("{file}: “{name}” holds Python objects, which could run code; expected numbers.")
        raise FormatError(template, name=shown(name))
    if not (dtype.kind in "iub" or (dtype.kind == "f" and dtype.itemsize in (2, 4, 8))):
        template = N_(
            "{file}: “{name}” holds {got}; expected float16, float32, float64, whole numbers or true and false.",
        )
        raise FormatError(template, name=shown(name), got=shown(str(dtype)))


def native(data: NDArray[np.uint8], dtype: DType, shape: tuple[int, ...], *, fortran: bool = False) -> Array:
    """Return the bytes as numbers of this machine's byte order, C-contiguous; any byte but 0 is true."""
    cells: Array = data != 0 if dtype.kind == "b" else data.view(dtype)
    return cells.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="), order="C", copy=False)


def from_bfloat16(data: NDArray[np.uint8], shape: tuple[int, ...]) -> Array:
    """Return bfloat16, which NumPy lacks, as the float32 of exactly the same values."""
    return (data.view("<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)


def check_no_bits(name: str, values: Array) -> None:
    """Raise FormatError for numbers of 16 bits all of which are those of a bfloat16 of a usual size, or of 0."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize != 2:
        return
    bits = values.view(np.uint16)
    sizes, set_ones = bits & 0x7FFF, bits != 0
    if set_ones.any() and np.all((sizes == 0) | ((sizes > _TINY) & (sizes < _HUGE))):
        place = int(np.argmax(set_ones))
        value = float(from_bfloat16(bits.reshape(-1)[place : place + 1].view(np.uint8), ()))
        raise FormatError(_BITS, name=shown(name), got=str(values.flat[place]), dtype=values.dtype.name, value=value)


def broken(name: str, expected: int, got: int) -> FormatError:
    """Return the error of an array that has not as many bytes as its shape needs."""
    template = N_("{file}: “{name}” is damaged or cut off: expected {expected} bytes of numbers, got {got}.")
    return FormatError(template, name=shown(name), expected=expected, got=got)


def rounding_notes(values: Array) -> tuple[FileNote, ...]:
    """Return notes on whole numbers that float64 cannot hold."""
    place = first_rounded(values)
    return () if place is None else (rounded_note(str(values.flat[place]), float(values.flat[place])),)


def rounded_note(text: str, value: float) -> FileNote:
    """Return the note that a whole number beyond 2⁵³ became its neighbor."""
    return FileNote(ROUNDED, text=quoted(text, 40), value=quoted(str(int(value)), 40))


def overflow_notes(name: str, given: Array, kept: Array) -> tuple[FileNote, ...]:
    """Return a note on the first number of an array that is too large for the dtype in which a problem keeps it."""
    if given.dtype.kind != "f" or given.dtype.itemsize <= kept.dtype.itemsize:
        return ()
    lost = np.isinf(kept.reshape(given.shape)) & np.isfinite(given)
    if not lost.any():
        return ()
    first = float(given[lost][0])
    values = {"got": first, "dtype": kept.dtype.name, "value": math.copysign(math.inf, first)}
    return (FileNote(_OVERFLOWN, name=shown(name), **values),)


# --- JSON -----------------------------------------------------------------------------------------
def parse_object(text: str, largest: int) -> dict[str, Json]:
    """Return a JSON object of at most `largest` characters.

    Refused: anything but an object, NaN and Infinity, numbers too large for a float, a name given twice, deep nesting,
    thousands of lists.
    """
    if len(text) > largest:
        raise FormatError(TOO_LONG, got=size_text(len(text)), expected=size_text(largest))
    _check_parts(text)
    sentences = {"deep": _DEEP, "invalid": _BAD, "too_long": _LONG_NUMBER}
    found = json_value(text, **sentences, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=unique)
    if not isinstance(found, dict):
        raise FormatError(NOT_MAPPING)
    return found


def json_value(text: str, *, deep: str, invalid: str, too_long: str, **hooks: Any) -> Json:
    """Return the value of a JSON text, which `json.loads` reads with these `hooks`.

    Raises FormatError with one of three sentences: nested too deeply, invalid from a {place} on, or a number too long.
    """
    try:
        return json.loads(text, **hooks)
    except RecursionError as error:
        raise FormatError(deep) from error
    except json.JSONDecodeError as error:
        raise FormatError(invalid, place=error.pos) from error
    except ValueError as error:
        if hasattr(error, "template"):  # of a hook, which says what is wrong
            raise
        raise FormatError(too_long) from error  # Python reads no number of thousands of digits


def _check_parts(text: str) -> None:
    if text.count("[") + text.count("{") <= MOST_PARTS:
        return
    outside = _STRINGS.sub("", text)
    parts = outside.count("[") + outside.count("{")
    if parts > MOST_PARTS:
        raise FormatError(_MANY, got=f"{parts:,}", expected=f"{MOST_PARTS:,}")


def dump(content: Mapping[str, object]) -> str:
    """Return JSON, sorted and compact, in ASCII, so that lone surrogates survive, too: of the same content the same."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _refuse(name: str) -> float:
    raise FormatError(_WILD, got=name)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(shown(text))


def unique(pairs: list[tuple[str, Json]], twice: str = _TWICE) -> dict[str, Json]:
    """Return the names with their values. Raises FormatError (`twice`) for a name that is given twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        counted = Counter(name for name, _ in pairs)
        raise FormatError(twice, name=shown(next(name for name, count in counted.items() if count > 1)))
    return found


# --- text as it may stand in a picture or a workbook: nothing invisible, nothing that XML forbids ---
LONGEST_LABEL = 200  # characters of a label that are looked at, long before its width is: a token can be a whole book

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


def visible_text(text: str) -> str:
    """Return a text in which nothing is invisible or illegal in XML: control characters and marks of direction as
    ‹U+202E›.

    At most 200 characters. What cannot be seen would make a label lie about its token; a token of nothing but blanks
    is spelled out, too.
    """
    cut = text[:LONGEST_LABEL] + ELLIPSIS if len(text) > LONGEST_LABEL else text
    if all(character in _JOINERS or character.isspace() for character in cut):
        return "".join(map(_spelled, cut))
    return "".join(_spelled(character) if _is_hidden(character) else character for character in cut)


def _spelled(character: str) -> str:
    return f"‹U+{ord(character):04X}›"


def _is_hidden(character: str) -> bool:
    code = ord(character)
    return (
        character in _DIRECTION_MARKS
        or unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or code & 0xFFFE == 0xFFFE
        or 0xFDD0 <= code <= 0xFDEF
    )
