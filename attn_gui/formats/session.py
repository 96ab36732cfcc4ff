"""`.attn`: a session, a safetensors file whose arrays have the names of their fields. Imports engine, safetensors.

Everything that is no array is sorted JSON in the one metadata entry `attn_gui`, with `format_version`. A new version
adds a step to `_UPGRADES`; the older ones stay for ever, each with a file in tests/data.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from safetensors.numpy import save

from attn_gui.formats.arrays import Array, Budget, broken, from_bfloat16, native
from attn_gui.formats.base import Loaded, Source
from attn_gui.formats.fields import assemble, is_field, is_result, notes_on, split, words
from attn_gui.formats.json_text import Json, dump, parse_object
from attn_gui.formats.sentences import QT_TRANSLATE_NOOP, FormatError, shown

VERSION = 1
ENTRY = "attn_gui"
LONGEST_HEADER = 64 * 2**20
LONGEST_OPTIONS = 32 * 2**20
_CUT_OFF = QT_TRANSLATE_NOOP("Sentences", "{file} is cut off or is not a session.")
_UPGRADES: dict[int, Callable[[dict[str, Json]], dict[str, Json]]] = {}
_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip


def matches(start: bytes) -> bool:
    return len(start) > 8 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= LONGEST_HEADER


def read(source: Source) -> Loaded:
    """A session of this version or an older one; a newer one is refused with a sentence."""
    data = source.file.read(source.size)
    header, cells = _parts(data)
    options = _options(header)
    arrays = _arrays(header, cells)
    view, about = _objects(options, "view"), _objects(options, "about")
    problem, _, strange = assemble({name: arrays[name] for name in arrays if is_field(name)}, options)
    ignored = [name for name in arrays if not is_field(name)]
    left_out = (*(name for name in ignored if not is_result(name)), *strange)
    return Loaded(problem, view=view, notes=notes_on(ignored, strange), about=words(about), left_out=left_out)


def write(loaded: Loaded) -> bytes:
    """The same problem, view and words give the same bytes."""
    arrays, options = split(loaded.problem)
    options["format_version"] = VERSION
    options |= {name: dict(part) for name, part in (("view", loaded.view), ("about", loaded.about)) if part}
    return save(arrays, {ENTRY: dump(options)})


def _parts(data: bytes) -> tuple[dict[str, Json], memoryview]:
    """The header, which says where which array is, and the bytes of all arrays."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 + length or length > LONGEST_HEADER:
        raise FormatError(_CUT_OFF)
    return parse_object(data[8 : 8 + length].decode(), LONGEST_HEADER), memoryview(data)[8 + length :]


def _options(header: dict[str, Json]) -> dict[str, Json]:
    """Take what the header says besides the arrays out of it, brought up to this version."""
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or ENTRY not in metadata:
        template = QT_TRANSLATE_NOOP("Sentences", "{file} is a safetensors file, but not a session of attn_gui.")
        raise FormatError(template)
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
    entries = cast(dict[str, dict[str, Any]], header)
    for name, entry in sorted(entries.items(), key=lambda item: tuple(item[1]["data_offsets"])):
        shape, kind, (start, stop) = tuple(entry["shape"]), entry["dtype"], entry["data_offsets"]
        if kind not in _DTYPES:
            template = QT_TRANSLATE_NOOP("Sentences", "{file}: “{name}” holds {got}; expected {expected}.")
            raise FormatError(template, name=shown(name), got=shown(kind), expected=tuple(_DTYPES))
        dtype = np.dtype(_DTYPES[kind])
        count = budget.take(name, shape, dtype.itemsize)
        if start != end:
            raise ValueError("arrays that overlap or leave a gap")
        if stop != end + count or stop > len(cells):
            raise broken(name, count, max(min(stop, len(cells)) - start, 0))
        own, end = np.frombuffer(cells[start:stop], np.uint8), stop
        found[name] = from_bfloat16(own, shape) if kind == "BF16" else native(own, dtype, shape)
    if end != len(cells):
        raise ValueError("bytes that belong to no array")
    return found


def _objects(options: dict[str, Json], name: str) -> dict[str, Json]:
    """Take an optional JSON object out of the options."""
    found = options.pop(name, {})
    if not isinstance(found, dict):
        template = QT_TRANSLATE_NOOP("Sentences", "{file}: “{name}” is a {got}; expected a JSON object.")
        raise FormatError(template, name=name, got=type(found).__name__)
    return found
