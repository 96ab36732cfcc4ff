"""Arrays of a file by name as a problem, where the names are those of its fields. Imports engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attn_gui.engine.fields import DIRECT, GIVEN, WEIGHTS
from attn_gui.formats.base import Listing, Loaded
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note, shown
from attn_gui.formats.foreign_arrays import Array, check_axes, rounding_notes
from attn_gui.formats.json_text import Json
from attn_gui.formats.named.open_readings import Unsettled
from attn_gui.formats.problem_fields import (
    assemble,
    is_field,
    is_option,
    is_result,
    listed,
    notes_on,
)
from attn_gui.formats.rows import Rows

META = "meta"
LONGEST_META = 2**20
_OURS = frozenset(("num_heads", "dtype"))  # what every `meta` says that this program wrote
_ROADS = (frozenset(DIRECT), frozenset(("x", *WEIGHTS)), frozenset((GIVEN,)))
THERE_TWICE = QT_TRANSLATE_NOOP("Sentences", "{file}: “{name}” is there twice.")
_TWICE = QT_TRANSLATE_NOOP("Sentences", "{file}: “{name}” is there twice, by itself and in “meta”.")
_NO_PROBLEM = QT_TRANSLATE_NOOP(
    "Sentences", "{file} holds no problem: expected arrays query, key and value, or x and its weights; got {got}."
)
_MISSING = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: {name} is missing; expected query, key and value, or x with w_query, w_key and w_value."
)


class ForeignNames(Unsettled):
    """A file of arrays whose names say nothing of a problem: a person has to say which is which."""


def is_ours(name: str) -> bool:
    """Whether a problem would miss what a file has under this name."""
    return is_field(name) or is_option(name) or name == META


def check_names(names: Iterable[str]) -> None:
    """Raise ForeignNames where the names of a file's arrays make no problem, and others might be its missing parts."""
    names = list(names)
    known = [name for name in names if is_field(name)]
    foreign = [name for name in names if not (is_ours(name) or is_result(name))]
    if not known or (foreign and not is_problem(known)):
        raise ForeignNames(_NO_PROBLEM, got=listed(names) or "–")
    if not is_problem(known):  # said before any array is read
        road = WEIGHTS if {"x", *WEIGHTS}.intersection(known) else DIRECT
        raise FormatError(_MISSING, name=next(name for name in ("x", *road)[road is DIRECT :] if name not in known))


def is_problem(names: Iterable[str]) -> bool:
    """Whether arrays of these names are enough for a problem."""
    names = set(names)
    return any(road <= names for road in _ROADS)


def problem_of(
    arrays: Mapping[str, Array], options: Mapping[str, Json], ignored: Sequence[str] = (), *, batch_axis: bool = False
) -> Loaded:
    """The problem of arrays by field name, with notes on what is `ignored` or was rounded.

    `batch_axis`: whether a first axis as long as num_heads is the batch, where the options do not say it; else it may
    be heads, and is refused.
    """
    for name, array in arrays.items():
        check_axes(name, array.shape)
    problem, about, strange = assemble(arrays, options, batch_axis=batch_axis)
    left_out = (*(name for name in ignored if not is_result(name)), *strange)
    notes: list[Note] = [*notes_on(ignored, strange)]
    notes += [note for array in arrays.values() for note in rounding_notes(array)]
    return Loaded(problem, notes=tuple(notes), about=about, left_out=left_out)


def is_ours_whole(listing: Listing) -> bool:
    """Whether this program wrote the arrays as the fields and results of a problem, which leaves nothing to ask."""
    known = all(is_ours(array.name) or is_result(array.name) for array in listing.arrays)
    return known and listing.options.keys() >= _OURS


def said_in_meta(options: Mapping[str, Json]) -> dict[str, Json]:
    """The options that a `meta` says; where we wrote it a first axis is the batch, where others did it may be heads."""
    return {"batch_axis": True, **options} if options.keys() >= _OURS else dict(options)


def joined(options: Mapping[str, Json], more: Mapping[str, Json]) -> dict[str, Json]:
    """The options of `meta` and those that stand beside it. Raises FormatError for one that both say."""
    if twice := [name for name in more if name in options]:
        raise there_twice(twice[0])
    return {**options, **more}


def there_twice(name: str) -> FormatError:
    """The refusal of an option that stands by itself and in `meta`."""
    return FormatError(_TWICE, name=shown(name))


def texts_among(members: Mapping[str, Rows]) -> dict[str, str]:
    """The members of a file that are texts, such as the options."""
    return {name: str(next(rows.blocks())) for name, rows in members.items() if rows.dtype.kind == "U"}


def options_among(texts: Mapping[str, Json]) -> dict[str, Json]:
    """The values that are options of a problem, by name."""
    return {name: value for name, value in texts.items() if is_option(name)}
