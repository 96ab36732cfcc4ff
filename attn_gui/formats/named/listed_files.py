"""Files of arrays by name: listed, read array by array, and read as they are arranged. Imports the catalog."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attn_gui.engine.problem.fields import DIRECT, GIVEN
from attn_gui.engine.problem.shapes.head_axis import side_by_side
from attn_gui.engine.tell import Tell
from attn_gui.formats.base import Listing, Loaded, PathText, Source, reading
from attn_gui.formats.catalog import detect, listings, problems, suffixes
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note, shown
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.named.arrangement import LINEAR, ROWS_OUT, Arrangement
from attn_gui.formats.named.attention_maps import chosen_map, complaint_on_maps
from attn_gui.formats.named.by_name import given_problem, problem_of
from attn_gui.formats.named.fused import FUSED, known_split, parts_of
from attn_gui.formats.named.head_axes import HEAD, laid
from attn_gui.formats.named.mask_meanings import with_mask
from attn_gui.formats.named.roles import MASK
from attn_gui.formats.problem_fields import listed

NO_ARRAYS = QT_TRANSLATE_NOOP("Sentences", "{file} holds no arrays by name; expected {expected}.")
_SPLIT_BY_NAME = QT_TRANSLATE_NOOP(
    "Sentences", "“{name}” was split as {split}, as models have an array of this name; another split can be chosen."
)
_IDLE = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: “{option}” tells how to read {expected}, and there is none; the parts are {got}."
)
_ABOUT = {"axes": (*DIRECT, GIVEN), "layer": (GIVEN,), "weights": LINEAR, "mask": (MASK,), "split": tuple(FUSED)}
"""A field of an arrangement that tells how to read some parts → these."""


def open_arranged(path: PathText, arrangement: Arrangement, tell: Tell | None = None) -> Loaded:
    """The problem that an arrangement makes of a file's arrays. Raises FormatError. `tell` as for `open_file`."""
    with reading(path, tell=tell) as source:
        return read_arranged(arrangement, _listing(source, path), source)


def list_arrays(path: PathText, tell: Tell | None = None) -> Listing:
    """The arrays of a file, not read where that can be put off. Raises FormatError. `tell` as for `open_file`."""
    with reading(path, tell=tell) as source:
        return _listing(source, path)


def read_array(path: PathText, listing: Listing, name: str) -> Array:
    """One array of a file whose listing is known. Raises FormatError."""
    with reading(path) as source:
        return listing.read(source, [name])[name]


def _listing(source: Source, path: PathText) -> Listing:
    found = detect(source, path, problems())
    if found.listing is None:
        raise FormatError(NO_ARRAYS, expected=suffixes(listings()))
    return found.listing(source)


def read_arranged(arrangement: Arrangement, listing: Listing, source: Source) -> Loaded:
    """The problem that an arrangement makes of a file. Raises FormatError, and ShapeError as a problem does."""
    said = arrangement.named(listing)
    _check_answered(said)
    if GIVEN in said.arrays:
        beside = {part: name for part, name in said.arrays.items() if part != GIVEN}
        if (wrong := complaint_on_maps(said.arrays, listing)) is not None:
            raise wrong
        choice = chosen_map(listing, [said.arrays[GIVEN]], said.axes, said.layer)
        return given_problem(choice, beside, listing, source)
    by_name = not arrangement.arrays and arrangement.axes is None  # then their axes are those of the fields
    said = said if by_name else said.settled(listing)
    names = set(said.arrays.values())
    said.shapes(listing)
    source.file.seek(0)
    found = listing.read(source, names)
    arrays = _parts(said, listing, {role: found[name] for role, name in said.arrays.items()})
    options = said.options(listing)
    if said.direct and said.axes is not None:
        arrays |= {role: laid(said.axes, arrays[role]) for role in DIRECT if role in arrays}
        if HEAD in said.axes and all(role in arrays for role in DIRECT):
            heads: dict[str, Any] = side_by_side(arrays["query"], arrays["key"], arrays["value"], {})
            arrays |= {role: heads[role] for role in DIRECT}
    if said.weights == ROWS_OUT:
        arrays |= {role: arrays[role].T for role in LINEAR if role in arrays}
    if MASK in arrays:
        options, cells = with_mask(said.mask, arrays.pop(MASK), options, arrays)
        arrays |= cells
    left = [*(array.name for array in listing.arrays if array.name not in names), *listing.others]
    loaded = problem_of(arrays, options, left, batch_axis=not by_name)
    return replace(loaded, notes=(*listing.notes, *_notes_on_split(said, listing), *loaded.notes))


def _check_answered(said: Arrangement) -> None:
    """Raise FormatError for a word on parts none of which is there: it would be passed over in silence."""
    parts = {*said.arrays, *parts_of(said.arrays)}
    for option, about in _ABOUT.items():
        if option in said.words and not parts.intersection(about):
            raise FormatError(_IDLE, option=option, expected=about, got=listed(said.arrays))


def _parts(said: Arrangement, listing: Listing, arrays: dict[str, Array]) -> dict[str, Array]:
    """The arrays with those of three taken apart."""
    for role, columns in said.columns(listing).items():
        array, axis = arrays.pop(role), said.shared_axis(role)
        arrays |= {part: array.take(places, axis) for part, places in zip(FUSED[role], columns, strict=True)}
    return arrays


def _notes_on_split(said: Arrangement, listing: Listing) -> list[Note]:
    """Questions that were neither answered nor asked."""
    fused = [name for role, name in said.arrays.items() if role in FUSED]
    if said.split is not None or said.count(listing).heads == 1:
        return []
    return [Note(_SPLIT_BY_NAME, name=shown(name), split=split.key) for name in fused if (split := known_split(name))]
