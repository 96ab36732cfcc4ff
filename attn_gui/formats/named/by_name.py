"""Arrays of a file by name as a problem, where the names are those of its fields. Imports engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attn_gui.engine.problem.fields import DIRECT, WEIGHTS
from attn_gui.formats.base import Listing, Loaded, Source
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note
from attn_gui.formats.foreign_arrays import Array, rounding_notes
from attn_gui.formats.json_text import Json
from attn_gui.formats.problem_fields import (
    assemble,
    is_field,
    is_option,
    is_result,
    listed,
    notes_on,
    option_of,
)
from attn_gui.formats.rows import Rows

META = "meta"
_ROADS = (frozenset(DIRECT), frozenset(("x", *WEIGHTS)))
_NO_PROBLEM = QT_TRANSLATE_NOOP(
    "Sentences", "{file} holds no problem: expected arrays query, key and value, or x and its weights; got {got}."
)


class ForeignNames(FormatError):
    """A file of arrays whose names say nothing of a problem: a person has to say which is which."""


def check_names(names: Iterable[str]) -> None:
    """Raise ForeignNames where the names of a file's arrays make no problem, and others might be its missing parts."""
    names = list(names)
    known = [name for name in names if is_field(name)]
    foreign = [name for name in names if not (is_field(name) or is_option(name) or is_result(name) or name == META)]
    if not known or (foreign and not is_problem(known)):
        raise ForeignNames(_NO_PROBLEM, got=listed(names) or "–")


def is_problem(names: Iterable[str]) -> bool:
    """Whether arrays of these names are enough for a problem."""
    names = set(names)
    return any(road <= names for road in _ROADS)


def problem_of(
    arrays: Mapping[str, Array], options: Mapping[str, Json], ignored: Sequence[str] = (), *, batch_axis: bool
) -> Loaded:
    """The problem of arrays by field name, with notes on what is `ignored` or was rounded.

    `batch_axis`: what a first axis as long as num_heads is, where the options do not say it.
    """
    problem, about, strange = assemble(arrays, options, batch_axis=batch_axis)
    left_out = (*(name for name in ignored if not is_result(name)), *strange)
    notes: list[Note] = [*notes_on(ignored, strange)]
    notes += [note for array in arrays.values() for note in rounding_notes(array)]
    return Loaded(problem, notes=tuple(notes), about=about, left_out=left_out)


def problem_in(listing: Listing, source: Source) -> Loaded:
    """The problem of a file whose arrays have the names of fields; raises ForeignNames where they have not."""
    names = [array.name for array in listing.arrays]
    check_names(names)
    wanted = [name for name in names if is_field(name) or name == "mask"]
    found, options = listing.read(source, wanted), dict(listing.options)
    arrays = {name: array for name, array in found.items() if is_field(name)}
    if "mask" in found:
        said, cells = option_of("mask", found["mask"])
        options, arrays = options | said, arrays | cells
    loaded = problem_of(arrays, options, [name for name in names if name not in wanted], batch_axis=bool(options))
    return Loaded(loaded.problem, {}, (*listing.notes, *loaded.notes), loaded.about, loaded.left_out)


def texts_among(members: Mapping[str, Rows]) -> dict[str, str]:
    """The members of a file that are texts, such as the options."""
    return {name: str(next(rows.blocks())) for name, rows in members.items() if rows.dtype.kind == "U"}


def options_among(texts: Mapping[str, Json]) -> dict[str, Json]:
    """The values that are options of a problem, by name."""
    return {name: value for name, value in texts.items() if is_option(name)}
