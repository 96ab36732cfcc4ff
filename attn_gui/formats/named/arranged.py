"""Arrays of a file as the problem that an arrangement makes of them. Imports engine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attn_gui.engine import Problem, compute
from attn_gui.engine.fields import DIRECT, GIVEN
from attn_gui.engine.head_axis import BATCH, HEAD, laid, side_by_side
from attn_gui.engine.masks import Causal
from attn_gui.engine.shape_errors import TOKENS
from attn_gui.formats.base import Listing, Loaded, Source
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note, shown
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.named.arrangement import ROWS, Arrangement, held_vector_shape
from attn_gui.formats.named.attention_maps import chosen_map, complaint_on_maps, means_maps, read_maps
from attn_gui.formats.named.by_name import is_ours_whole, joined, problem_of, there_twice
from attn_gui.formats.named.fused import FUSED, known_split, parts_of
from attn_gui.formats.named.mask_meanings import KEEP, NO_MASK, meaning_in, note_on, with_mask
from attn_gui.formats.named.roles import MASK, guess
from attn_gui.formats.named.settling import masks_beside, settled
from attn_gui.formats.named.weight_orders import LINEAR, laid_weight
from attn_gui.formats.problem_fields import in_our_words, is_option, is_result, listed, option_of

_SPLIT_BY_NAME = QT_TRANSLATE_NOOP(
    "Sentences", "“{name}” was split as {split}, as models have an array of this name; another split can be chosen."
)
_IDLE = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: “{option}” tells how to read {expected}, and there is none; the parts are {got}."
)
_OTHERS = QT_TRANSLATE_NOOP(
    "Sentences", "“{name}” in the file holds other weights than those computed here: they differ by up to {apart}."
)
_CAUSAL = QT_TRANSLATE_NOOP(
    "Sentences",
    "“{name}” in the file differs from the weights computed here by up to {apart}: it has a causal mask, which is not "
    "in the file. Add one, and they agree.",
)
MOST_COMPARED = 100_000
"""Weights that are computed within a moment."""
ALIKE = 0.01
"""Weights that differ by less are the same but for the precision of a model, such as bfloat16."""
_ABOUT = {"axes": (*ROWS, GIVEN), "layer": (GIVEN,), "weights": LINEAR, "mask": (MASK,), "split": tuple(FUSED)}
"""A field of an arrangement that tells how to read some parts → these."""
_BESIDE = ("w_output", "b_output", "query_norm", "key_norm", MASK)
_WITH_X = ("context", "b_query", "b_key", "b_value")
"""Parts that go with others; those that go with x and its weights alone."""


def problem_in(listing: Listing, source: Source) -> Loaded:
    """The problem of a file whose arrays have the names of fields; raises Unsettled where they have not, or where these
    can be read in several ways."""
    return read_arranged(Arrangement(), listing, source)


def read_arranged(arrangement: Arrangement, listing: Listing, source: Source) -> Loaded:
    """The problem that an arrangement makes of a file. Raises FormatError, Unsettled where something is open, and
    ShapeError as a problem does."""
    asked = arrangement.named(listing)
    listing, names = _with_options(asked, listing, source)
    _check_answered(asked, listing)
    if GIVEN in asked.arrays:
        rest = tuple(array for array in listing.arrays if array.name not in names)
        return _given(asked, replace(listing, arrays=rest), source)
    said, notes, _, _, masks = settled(asked, listing)
    said.shapes(listing)
    if said.own and MASK in masks and MASK in listing.options:
        raise there_twice(MASK)
    used = {*said.arrays.values(), *masks}
    source.file.seek(0)
    found = listing.read(source, used)
    arrays = _parts(said, listing, {role: found[name] for role, name in said.arrays.items() if role != MASK})
    options, arrays = said.options(listing), _laid(said, arrays)
    for name, (meaning, by_person) in masks.items():
        taken = meaning if by_person and meaning else meaning_in(name, meaning, found[name])
        options, cells = with_mask(name, taken, found[name], options, arrays)
        arrays |= cells
        plain = name == said.arrays.get(MASK) and (taken == KEEP or found[name].dtype.kind == "f")
        notes = notes if by_person or plain else (*notes, note_on(name, taken))
    every = [array.name for array in listing.arrays]
    unwanted = masks_beside(said, listing) if said.mask == NO_MASK else ()
    left = [*(name for name in every if name not in (*used, *names, *unwanted)), *listing.others]
    items_first = not said.own if said.axes is None else BATCH in said.axes
    loaded = problem_of(arrays, options, left, batch_axis=items_first)
    notes = (*listing.notes, *in_our_words(listing.options)[1], *notes, *_notes_on_split(said, listing), *loaded.notes)
    notes = (*notes, *_notes_on_maps(loaded.problem, left, listing, source))
    return replace(loaded, notes=notes, missed=() if arrangement.arrays else _missed(said, left))


def _notes_on_maps(problem: Problem, names: Sequence[str], listing: Listing, source: Source) -> list[Note]:
    """Notes on attention weights in the file that are others than those of the problem, as a mask makes that is not
    in it; none where comparing would take a moment."""
    shape = (problem.batch_size, problem.num_heads, problem.n, problem.m)
    shapes = {array.name: array.shape for array in listing.arrays}
    alike = (shape, shape[1:]) if shape[0] == 1 else (shape,)
    maps = [name for name in names if means_maps(name) and shapes.get(name) in alike]
    if not maps or math.prod(shape) > MOST_COMPARED:
        return []
    source.file.seek(0)
    found, weights = listing.read(source, maps), compute(problem)[GIVEN]
    causal = () if problem.mask else compute(problem.replace(mask=Causal.kind))[GIVEN]
    notes = []
    for name in maps:
        apart = float(np.abs(found[name].astype(float) - weights).max())
        if apart > ALIKE:
            masked = len(causal) and float(np.abs(found[name].astype(float) - causal).max()) <= ALIKE
            notes.append(Note(_CAUSAL if masked else _OTHERS, name=shown(name), apart=f"{apart:.2g}"))
    return notes


def _given(asked: Arrangement, listing: Listing, source: Source) -> Loaded:
    """The problem of attention weights, with what stands beside them. Raises FormatError, SeveralMaps."""
    if asked.own and is_ours_whole(listing):
        source.file.seek(0)
        used, options = set(asked.arrays.values()), in_our_words(listing.options)[0]
        left, notes = [array.name for array in listing.arrays if array.name not in used], listing.notes
        loaded = problem_of(listing.read(source, used), options, [*left, *listing.others], batch_axis=True)
        return replace(loaded, notes=(*notes, *loaded.notes))
    if (wrong := complaint_on_maps(asked.arrays, listing)) is not None:
        raise wrong
    choice = chosen_map(listing, [asked.arrays[GIVEN]], asked.axes, asked.layer)
    beside = {part: name for part, name in asked.arrays.items() if part != GIVEN}
    maps = read_maps(choice, beside, listing, source)
    loaded = problem_of(maps.arrays, maps.options, maps.left, batch_axis=True)
    return replace(loaded, notes=(*listing.notes, *maps.notes, *loaded.notes))


def _with_options(asked: Arrangement, listing: Listing, source: Source) -> tuple[Listing, list[str]]:
    """The listing with its options that are arrays read, of foreign ones those of one number; and their names."""
    other = (MASK, "tokens", *TOKENS)  # numbers of these names are ids, and no texts
    shapes = {each.name: each.shape for each in listing.arrays if is_option(each.name) and each.name not in other}
    names = [name for name, shape in shapes.items() if asked.own or math.prod(shape) == 1]
    if not names:
        return listing, []
    source.file.seek(0)
    options: Mapping[str, Any] = listing.options
    for name, array in listing.read(source, names).items():
        options = joined(options, option_of(name, array.reshape(()) if array.size == 1 else array)[0])
    return replace(listing, options=options), names


def _check_answered(said: Arrangement, listing: Listing) -> None:
    """Raise FormatError for a word on parts none of which is there: it would be passed over in silence."""
    masked = GIVEN not in said.arrays and bool(masks_beside(said, listing))
    parts = {*said.arrays, *parts_of(said.arrays), *([MASK] if masked else [])}
    for option, about in _ABOUT.items():
        if option in said.words and said.mask != NO_MASK and not parts.intersection(about):
            raise FormatError(_IDLE, option=option, expected=about, got=listed(said.arrays))


def _parts(said: Arrangement, listing: Listing, arrays: dict[str, Array]) -> dict[str, Array]:
    """The arrays with those of three taken apart."""
    for role, columns in said.columns(listing).items():
        array, axis = arrays.pop(role), said.shared_axis(role)
        arrays |= {part: array.take(places, axis) for part, places in zip(FUSED[role], columns, strict=True)}
    return arrays


def _laid(said: Arrangement, arrays: dict[str, Array]) -> dict[str, Array]:
    """The arrays with their axes as those of a problem."""
    rows = [role for role in ROWS if role in arrays]
    if said.axes is not None:
        arrays |= {role: laid(said.axes, arrays[role]) for role in rows}
        if HEAD in said.axes and set(DIRECT) <= arrays.keys():
            heads: dict[str, Any] = side_by_side(arrays["query"], arrays["key"], arrays["value"], {})
            arrays |= {role: heads[role] for role in DIRECT}
    if said.weights is not None:
        arrays |= {role: laid_weight(role, said.weights, arrays[role]) for role in LINEAR if role in arrays}
    rest = [role for role in arrays if role not in (*rows, *LINEAR)]
    return arrays | {role: arrays[role].reshape(held_vector_shape(role, arrays[role].shape)) for role in rest}


def _notes_on_split(said: Arrangement, listing: Listing) -> list[Note]:
    """Questions that were neither answered nor asked."""
    fused = [name for role, name in said.arrays.items() if role in FUSED]
    if said.split is not None or said.count(listing).heads == 1:
        return []
    return [Note(_SPLIT_BY_NAME, name=shown(name), split=split.key) for name in fused if (split := known_split(name))]


def _missed(said: Arrangement, left: list[str]) -> tuple[str, ...]:
    """Arrays that are not read and would change what is computed, by their names."""
    wanted = {*_BESIDE, *(() if said.direct else _WITH_X)} - said.arrays.keys() - ({MASK} if said.mask else set())
    roles = {name: found.role for name in left if not is_result(name) and (found := guess(name)) is not None}
    return tuple(name for name, role in roles.items() if role in wanted)
