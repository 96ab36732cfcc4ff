"""Files of arrays by name: listed, read array by array, and read as they are arranged. Imports the catalog."""

from __future__ import annotations

from contextlib import suppress

from attn_gui.engine.progress import Tell
from attn_gui.formats.base import Listing, Loaded, PathText, Source, reading
from attn_gui.formats.catalog import detect, listings, problems, suffixes
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.named.arranged import read_arranged
from attn_gui.formats.named.arrangement import Arrangement, proposed
from attn_gui.formats.named.by_name import is_problem
from attn_gui.formats.named.fused import parts_of

NO_ARRAYS = QT_TRANSLATE_NOOP("Sentences", "{file} holds no arrays by name; expected {expected}.")


def open_arranged(path: PathText, arrangement: Arrangement, tell: Tell | None = None) -> Loaded:
    """The problem that an arrangement makes of a file's arrays. Raises FormatError. `tell` as for `open_file`."""
    with reading(path, tell=tell) as source:
        return read_arranged(arrangement, _listing(source, path), source)


def list_arrays(path: PathText, tell: Tell | None = None) -> Listing:
    """The arrays of a file, not read where that can be put off. Raises FormatError. `tell` as for `open_file`."""
    with reading(path, tell=tell) as source:
        return _listing(source, path)


def likely_arrays(path: PathText) -> dict[str, str]:
    """Part of a problem → name in a file: those that their names suggest, of one layer; empty if too few do."""
    with suppress(FormatError):
        found = proposed(list_arrays(path)).arrays
        if is_problem(parts_of(found)):
            return dict(found)
    return {}


def read_array(path: PathText, listing: Listing, name: str) -> Array:
    """One array of a file whose listing is known. Raises FormatError."""
    with reading(path) as source:
        return listing.read(source, [name])[name]


def _listing(source: Source, path: PathText) -> Listing:
    found = detect(source, path, problems())
    if found.listing is None:
        raise FormatError(NO_ARRAYS, expected=suffixes(listings()))
    return found.listing(source)
