"""`.safetensors`: arrays by name, of which those are read that are asked for. Imports engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import IO

from attn_gui.formats import safetensors_packing, session
from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.file_format import ArrayListing, FileSource, ListedArray, Loaded
from attn_gui.formats.file_messages import FormatError
from attn_gui.formats.named.arranged_problem import problem_in
from attn_gui.formats.named.array_names import LONGEST_META, META, joined, meta_options, options_among, texts_among
from attn_gui.formats.untrusted_bytes import Array, Json, ListedBudget, parse_object, read_bytes
from attn_gui.languages import QT_TRANSLATE_NOOP

_LENGTH = 8  # bytes that say how long the header is
_CUT_OFF = QT_TRANSLATE_NOOP("Sentences", "{file} is cut off or is no safetensors file.")

matches = safetensors_packing.matches


def read(source: FileSource) -> Loaded:
    """Return a session, or a problem by the names of its fields with its options as JSON in the entry `meta`."""
    header, _ = _header(source)
    source.file.seek(0)
    if session.ENTRY in _metadata(header):
        return session.read(source)
    found = listing(source)
    source.file.seek(0)
    return problem_in(found, source)


def write_members(members: Mapping[str, ArrayRows], file: IO[bytes]) -> None:
    """Write arrays by name, each block by block; texts go among the metadata."""
    texts = texts_among(members)
    arrays = {name: rows for name, rows in members.items() if name not in texts}
    header, names = safetensors_packing.header_of(arrays, texts)
    file.write(header)
    for name in names:
        for block in arrays[name].blocks():
            file.write(safetensors_packing.packed(block))


def listing(source: FileSource) -> ArrayListing:
    """Return all arrays, by the header alone; one of unknown numbers is refused only when it is read."""
    header, _ = _header(source)
    places = safetensors_packing.places(header)
    arrays = tuple(ListedArray(place.name, place.shape, safetensors_packing.kind_name(place.kind)) for place in places)
    texts = _metadata(header)
    said = texts.get(META)
    options = meta_options(parse_object(said, LONGEST_META)) if isinstance(said, str) else {}
    values = {name: _value(text) for name, text in options_among(texts).items()}
    options = joined(options, {name: value for name, value in values.items() if value is not None})
    return ArrayListing(arrays, _taken, options, others=tuple(texts.keys() & {session.ENTRY}))


def _value(text: Json) -> Json:
    """Return the number or boolean that a text of the metadata stands for, in JSON or Python; else None."""
    word = {"True": "true", "False": "false"}.get(str(text), str(text))
    try:
        value = parse_object(f'{{"value": {word}}}', LONGEST_META)["value"]
    except FormatError:
        return None
    return value if isinstance(value, int | float) else None


def _taken(source: FileSource, names: Collection[str]) -> dict[str, Array]:
    header, first = _header(source)
    found, budget = {}, ListedBudget()
    for place in safetensors_packing.places(header):
        if place.name in names:
            count = safetensors_packing.count_of(place, budget)
            source.file.seek(first + place.bytes[0])
            own = read_bytes(_FilePart(source, count), place.name, count)
            found[place.name] = safetensors_packing.array_of(place, own)
    return found


class _FilePart:
    """The next `count` bytes of a file."""

    def __init__(self, source: FileSource, count: int) -> None:
        self._file, self._left = source.file, count

    def read(self, count: int, /) -> bytes:
        part = self._file.read(min(count, self._left))
        self._left -= len(part)
        return part


def _header(source: FileSource) -> tuple[dict[str, Json], int]:
    """Return the header, and the position after it."""
    start = source.file.read(_LENGTH)
    length = int.from_bytes(start, "little")
    if len(start) < _LENGTH or length > min(safetensors_packing.LONGEST_HEADER, source.size - _LENGTH):
        raise FormatError(_CUT_OFF)
    header, _ = safetensors_packing.unpacked(start + source.file.read(length), session.ENTRY)
    return header, _LENGTH + length


def _metadata(header: Mapping[str, Json]) -> dict[str, Json]:
    found = header.get(safetensors_packing.METADATA, {})
    return found if isinstance(found, dict) else {}
