"""The format .safetensors: arrays by name, options in its metadata."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import IO

from attn_gui.formats import safetensors_packing, session
from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.file_format import ArrayListing, FileSource, ListedArray, Loaded
from attn_gui.formats.file_messages import FormatError
from attn_gui.formats.named.array_names import LONGEST_META, MASK, META, joined, meta_options, texts_among
from attn_gui.formats.named.mapped_problem import problem_in
from attn_gui.formats.problem_fields import ABOUT, OTHER_WORDS
from attn_gui.formats.untrusted_bytes import Array, Json, ListedBudget, parse_object, read_bytes
from attn_gui.languages import N_

_LENGTH = 8  # bytes that say how long the header is
_CUT_OFF = N_("{file} is cut off or is no safetensors file.")

_SAYS_NOTHING = ("format", "dtype", *ABOUT)  # about the numbers of a problem
_WORDS = (MASK, "score", "normalize", *(name for name, ours in OTHER_WORDS.items() if ours == "normalize"))

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
    header, first = _header(source)
    places = safetensors_packing.places(header, source.size - first)
    arrays = tuple(ListedArray(place.name, place.shape, safetensors_packing.kind_name(place.kind)) for place in places)
    texts = _metadata(header)
    said = texts.get(META)
    options = meta_options(parse_object(said, LONGEST_META)) if isinstance(said, str) else {}
    values = {name: _value(text) for name, text in texts.items() if name not in (META, session.ENTRY, *_SAYS_NOTHING)}
    read = {name: value for name, value in values.items() if isinstance(value, int | float) or name in _WORDS}
    options = joined(options, {name: value for name, value in read.items() if value is not None})
    left = [name for name, value in values.items() if name not in read and value is not None]
    return ArrayListing(arrays, _taken, options, others=(*left, *(texts.keys() & {session.ENTRY})))


def _value(text: Json) -> Json:
    """Return what a text of the metadata stands for, in JSON or Python; else the text itself."""
    word = {"True": "true", "False": "false", "None": "null"}.get(str(text), str(text))
    try:
        return parse_object(f'{{"value": {word}}}', LONGEST_META)["value"]
    except FormatError:
        return text


def _taken(source: FileSource, names: Collection[str]) -> dict[str, Array]:
    header, first = _header(source)
    found, budget = {}, ListedBudget()
    for place in safetensors_packing.places(header, source.size - first):
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
