"""`.attn`: a session, a safetensors file whose arrays have the names of their fields. Imports engine.

Everything that is no array is sorted JSON in the one metadata entry `attn_gui`, with `format_version`. A new version
adds a step to `_UPGRADES`; the older ones stay for ever, each with a file in tests/data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import numpy as np

from attn_gui.formats.base import Loaded, Source
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shown, size_text
from attn_gui.formats.foreign_arrays import Array, Budget, broken, from_bfloat16, native
from attn_gui.formats.json_text import Json, dump, parse_object
from attn_gui.formats.problem_fields import assemble, is_field, is_result, notes_on, split, words

VERSION = 1
ENTRY = "attn_gui"
ALIGNMENT = 8  # of the first array
LONGEST_HEADER = 64 * 2**20
LONGEST_OPTIONS = 32 * 2**20
LONGEST_ENTRIES = 2**20  # what says where which array is: a few hundred bytes each
_OPTIONS_START = f'"__metadata__":{{"{ENTRY}":"'.encode()
_TEXT = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)  # of JSON, to its closing quote
_OTHER = QT_TRANSLATE_NOOP("Sentences", "{file} is a safetensors file, but not a session of attn_gui.")
_ENTRY_BROKEN = QT_TRANSLATE_NOOP("Sentences", "{file}: what it says about “{name}” is damaged.")
_GAPS = QT_TRANSLATE_NOOP("Sentences", "{file} is damaged: its arrays overlap or leave a gap.")
_CUT_OFF = QT_TRANSLATE_NOOP("Sentences", "{file} is cut off or is not a session.")
_UPGRADES: dict[int, Callable[[dict[str, Json]], dict[str, Json]]] = {}
_DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
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


def matches(start: bytes) -> bool:
    return len(start) > 8 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= LONGEST_HEADER


def read(source: Source) -> Loaded:
    """A session of this version or an older one; a newer one is refused with a sentence."""
    data = source.file.read(source.size)
    header, cells = _taken_apart(data)
    options = _options(header)
    arrays = _arrays(header, cells)
    view, about = _objects(options, "view"), _objects(options, "about")
    problem, _, strange = assemble({name: arrays[name] for name in arrays if is_field(name)}, options)
    ignored = [name for name in arrays if not is_field(name)]
    left_out = (*(name for name in ignored if not is_result(name)), *strange)
    return Loaded(problem, view=view, notes=notes_on(ignored, strange), about=words(about), left_out=left_out)


def write(loaded: Loaded) -> bytes:
    """The same problem, view and words give the same bytes."""
    return b"".join(parts(loaded))


def parts(loaded: Loaded) -> Iterator[memoryview]:
    """The bytes of a file, array by array in its own memory: the official writer holds up all threads meanwhile.

    In the order of the official one: the widest numbers first, so that each array begins at a multiple of its width.
    """
    arrays, options = split(loaded.problem)
    options["format_version"] = VERSION
    options |= {name: dict(part) for name, part in (("view", loaded.view), ("about", loaded.about)) if part}
    header: dict[str, object] = {"__metadata__": {ENTRY: dump(options)}}
    names = sorted(arrays, key=lambda name: (_KEYS.index(_key(arrays[name])), name))
    end = 0
    for name in names:
        start, end = end, end + arrays[name].nbytes
        header[name] = {"dtype": _key(arrays[name]), "shape": arrays[name].shape, "data_offsets": (start, end)}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    yield memoryview(len(text).to_bytes(8, "little") + text)
    for name in names:
        little = np.ascontiguousarray(arrays[name], arrays[name].dtype.newbyteorder("<"))
        yield memoryview(little.reshape(-1).view(np.uint8).data)


def _key(array: Array) -> str:
    return _KEY_OF[np.dtype(array.dtype).name]


def _taken_apart(data: bytes) -> tuple[dict[str, Json], memoryview]:
    """The header, which says where which array is, and the bytes of all arrays."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 + length or length > LONGEST_HEADER:
        raise FormatError(_CUT_OFF)
    _check_entries(data, 8 + length)
    return parse_object(data[8 : 8 + length].decode(), LONGEST_HEADER), memoryview(data)[8 + length :]


def _check_entries(data: bytes, stop: int) -> None:
    """Refuse a long header before it is taken apart, unless it is long by the options of a session."""
    if stop <= LONGEST_ENTRIES:
        return
    start = data.find(_OPTIONS_START, 0, LONGEST_ENTRIES)
    if start < 0:
        raise FormatError(_OTHER)
    end = _TEXT.match(data, start + len(_OPTIONS_START), stop).end()  # type: ignore[union-attr]  # it matches nothing too
    if start + stop - end > LONGEST_ENTRIES:
        template = QT_TRANSLATE_NOOP(
            "Sentences", "{file} lists too many arrays: {got} of names; expected at most {expected}."
        )
        raise FormatError(template, got=size_text(stop - end), expected=size_text(LONGEST_ENTRIES))


def _options(header: dict[str, Json]) -> dict[str, Json]:
    """Take what the header says besides the arrays out of it, brought up to this version."""
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or ENTRY not in metadata:
        raise FormatError(_OTHER)
    options = parse_object(str(metadata[ENTRY]), LONGEST_OPTIONS)
    version = options.pop("format_version", None)
    if type(version) is not int or version < 1:
        template = QT_TRANSLATE_NOOP("Sentences", "{file} has the session version {got}; expected a number from 1.")
        raise FormatError(template, got=shown(json.dumps(version)))
    if version > VERSION:
        template = QT_TRANSLATE_NOOP(
            "Sentences",
            "{file} was saved by a newer attn_gui (session version {got}; this one reads up to {expected}).",
        )
        raise FormatError(template, got=version, expected=VERSION)
    for step in range(version, VERSION):
        options = _UPGRADES[step](options)
    return options


def _arrays(header: dict[str, Json], cells: memoryview) -> dict[str, Array]:
    """Every array, in the memory of the file: the official reader copies them and holds up all threads meanwhile.

    They follow each other in it without gap or overlap, from the first byte to the last.
    """
    budget, end = Budget(), 0
    found: dict[str, Array] = {}
    entries = [_entry(name, entry) for name, entry in header.items()]
    for name, kind, shape, (start, stop) in sorted(entries, key=lambda entry: entry[3]):
        if kind not in _DTYPES:
            template = QT_TRANSLATE_NOOP("Sentences", "{file}: “{name}” holds {got}; expected {expected}.")
            raise FormatError(template, name=shown(name), got=shown(kind), expected=tuple(_DTYPES))
        dtype = np.dtype(_DTYPES[kind])
        count = budget.take(name, shape, dtype.itemsize)
        if start != end:
            raise FormatError(_GAPS)
        if stop != end + count or stop > len(cells):
            raise broken(name, count, max(min(stop, len(cells)) - start, 0))
        own, end = np.frombuffer(cells[start:stop], np.uint8), stop
        found[name] = from_bfloat16(own, shape) if kind == "BF16" else native(own, dtype, shape)
    if end != len(cells):
        raise FormatError(_GAPS)
    return found


def _entry(name: str, entry: Json) -> tuple[str, str, tuple[int, ...], tuple[int, int]]:
    """The header's entry of one array: its name, kind of numbers, shape and place."""
    parts = entry if isinstance(entry, dict) else {}
    kind, shape, place = parts.get("dtype"), _wholes(parts.get("shape")), _wholes(parts.get("data_offsets"))
    if not isinstance(kind, str) or shape is None or place is None or len(place) != 2 or min(place) < 0:
        raise FormatError(_ENTRY_BROKEN, name=shown(name))
    return name, kind, shape, (place[0], place[1])


def _wholes(value: Json) -> tuple[int, ...] | None:
    return tuple(value) if isinstance(value, list) and all(type(part) is int for part in value) else None


def _objects(options: dict[str, Json], name: str) -> dict[str, Json]:
    """Take an optional JSON object out of the options."""
    found = options.pop(name, {})
    if not isinstance(found, dict):
        template = QT_TRANSLATE_NOOP("Sentences", "{file}: “{name}” is not names with values in braces.")
        raise FormatError(template, name=name)
    return found
