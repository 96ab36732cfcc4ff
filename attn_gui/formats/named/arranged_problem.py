"""The problem that an arrangement makes of the arrays of a file."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import STAGE, Problem, compute
from attn_gui.engine.errors import ShapeError
from attn_gui.engine.fields import DIRECT, GIVEN
from attn_gui.engine.head_axis import (
    BATCH,
    COLUMN,
    HEAD,
    TOKEN,
    Axes,
    Shape,
    agreeing,
    counts_agree,
    fits,
    heads_side_by_side,
    likelier_orders,
    readings,
    sizes,
    spelled,
    with_axes_in_order,
)
from attn_gui.engine.masks import Causal
from attn_gui.engine.messages import MINUS, short_power
from attn_gui.engine.shape_errors import TOKENS, clash_with, draft_of
from attn_gui.formats.file_format import ArrayListing, FileSource, ListedArray, Loaded
from attn_gui.formats.file_messages import (
    READ_AS,
    Argument,
    FileNote,
    FormatError,
    SeveralReadings,
    reading,
    shape_text,
    shown,
)
from attn_gui.formats.named.array_mapping import ROWS, ArrayMapping, held_shape, held_vector_shape
from attn_gui.formats.named.array_names import (
    MASK,
    guess,
    is_map,
    is_own_file,
    is_token_ids,
    joined,
    problem_of,
    there_twice,
)
from attn_gui.formats.named.attention_maps import chosen_map, complaint_on_maps, means_maps, read_maps
from attn_gui.formats.named.mask_meanings import (
    KEEP,
    NO_MASK,
    SWITCHES,
    known_meaning,
    meaning_in,
    note_on,
    open_mask,
    with_mask,
)
from attn_gui.formats.named.weight_layouts import (
    FUSED,
    LINEAR,
    ROWS_IN,
    WEIGHT_ORDERS,
    is_weight,
    known_order,
    known_split,
    laid_weight,
    orders_of,
    parts_of,
)
from attn_gui.formats.problem_fields import (
    OTHER_WORDS,
    fields_of,
    in_our_words,
    is_option,
    is_result,
    listed,
    notes_on,
    option_of,
)
from attn_gui.formats.untrusted_bytes import Array
from attn_gui.languages import QT_TRANSLATE_NOOP

ITEMS_FIRST, HEADS_FIRST = (BATCH, TOKEN, COLUMN), (HEAD, TOKEN, COLUMN)
"""The axes of the fields of a problem, and of heads apart as `Problem.from_heads` takes them."""
HOOK = "hook_"
"""Names of activations begin so in TransformerLens, which has heads behind tokens."""
_NO_READING = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: the shapes {got} fit together in no order of axes as query, key and value."
)
_NO_READING_OF_HEADS = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: the shapes {got} can be read in no order of axes as query, key and value of {heads} heads."
)
_OTHER_READING = QT_TRANSLATE_NOOP("Sentences", "{file}: {names} cannot be read as {axes}; expected {expected}.")
_SIZES = {
    "items": QT_TRANSLATE_NOOP("Sentences", "items {count}"),
    "heads": QT_TRANSLATE_NOOP("Sentences", "heads {count}"),
    "K/V heads": QT_TRANSLATE_NOOP("Sentences", "K/V heads {count}"),
    "tokens": QT_TRANSLATE_NOOP("Sentences", "tokens {count}"),
    "queries": QT_TRANSLATE_NOOP("Sentences", "queries {count}"),
    "keys": QT_TRANSLATE_NOOP("Sentences", "keys {count}"),
}

Kind = Callable[[Shape, Mapping[str, int]], bool]
"""A rule for the shape of an array, by the numbers of items b, heads h, queries n and keys m."""

_SPLIT_BY_NAME = QT_TRANSLATE_NOOP(
    "Sentences", "“{name}” was split as {split}, as models have an array of this name; another split can be chosen."
)
_IDLE = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: “{option}” tells how to read {expected}, and there is none; the parts are {got}."
)
_OTHERS = QT_TRANSLATE_NOOP(
    "Sentences", "“{name}” in the file holds other weights than those computed here: they differ by up to {apart}."
)
_OTHER_STEP = QT_TRANSLATE_NOOP(
    "Sentences", "“{name}” in the file holds other numbers than those computed here: they differ by up to {apart}."
)
_CAUSAL = QT_TRANSLATE_NOOP(
    "Sentences",
    "“{name}” in the file differs from the weights computed here by up to {apart}: it has a causal mask, which is not "
    "in the file. Add one, and they agree.",
)
_NO_NUMBERS = QT_TRANSLATE_NOOP(
    "Sentences",
    "“{name}” in the file holds NaN in {rows} of its {count} rows, as where a mask closes every key; these were left "
    "out when it was compared with the weights computed here.",
)
MOST_COMPARED = 100_000
"""Weights that are computed within a moment."""
ALIKE = 0.01
"""Weights that differ by less are the same but for the precision of a model, such as bfloat16."""
_SETTING = re.compile(
    r"causal|sliding_window|window_size|^window$|alibi|soft_?cap|^bias$|rel(ative)?_?pos|(^|[._/])(attention_)?sinks$"
    r"|^s_aux$|head_mask|(seq(uence)?|valid)_?len(gth)?s|segment_ids|(?<![a-z])ro(pe|tary)|inv_freq|freqs_cis|position_ids"
    r"|(attn|attention|qk)_?(scal|temp)|pre_attn_scalar|norm_factor|^(temp|tau)$|^normali[sz](e|ation)$",
    re.IGNORECASE,
)
_HEAD_SIZE = ("head_dim", "d_head", "d_k", "head_size", "size_per_head")
"""What people call the columns of a head, from which their number follows."""
_HEADS_OFF = "head_mask"  # whose zeros say something: they switch heads off
_ABOUT = {"axes": (*ROWS, GIVEN), "layer": (GIVEN,), "weights": LINEAR, "mask": (MASK,), "split": tuple(FUSED)}
"""A field of an arrangement that tells how to read some parts → these."""
_BESIDE = ("w_output", "b_output", "query_norm", "key_norm", MASK)
_WITH_X = ("context", "b_query", "b_key", "b_value")
"""Parts that go with others; those that go with x and its weights alone."""


# --- what the file decides ------------------------------------------------------------------------
# What a file settles of an arrangement, and what is still open.
#
# What an array means is decided here alone, for the window, `load` and the command line. What a person says counts.
# Else the orders that fit; of these the ones with which the whole problem fits together; of these the ones that agree
# with the other arrays of the file, with the names, and with what people have: if one is left it is taken and noted,
# unless it is the order that a problem has itself. If several are left, they are asked for.
class CompletedMapping(NamedTuple):
    """An arrangement with everything settled that can be, notes on guesses, and the questions that are open.

    The readings that fit are given by the name of each choice, as {value: words}; masks as from `masks_of`.
    """

    arrangement: ArrayMapping
    notes: tuple[FileNote, ...]
    questions: tuple[SeveralReadings, ...]
    choices: Mapping[str, Mapping[str, FileNote]]
    masks: Mapping[str, tuple[str | None, bool]]


def complete_mapping(arrangement: ArrayMapping, listing: ArrayListing) -> CompletedMapping:
    """Return the arrangement with every question answered.

    Raises SeveralReadings where one is open, FormatError where the shapes allow no order of axes, or not the given one.
    """
    answer = mapping_with_answers(arrangement, listing)
    if answer.questions:
        raise answer.questions[0]
    return answer


def mapping_with_answers(arrangement: ArrayMapping, listing: ArrayListing) -> CompletedMapping:
    """Return the arrangement with all that the file settles, notes on that, and open questions.

    Raises FormatError as `complete_mapping` does. Where no reading fits nothing is open: the error comes first.
    """
    _check_axes(arrangement, listing)
    work = _Completion(arrangement, listing)
    work.settle_axes()
    work.settle_weights()
    masks = work.settle_masks()
    return CompletedMapping(work.found, tuple(work.notes), tuple(work.questions), work.choices, masks)


def complaint(arrangement: ArrayMapping, listing: ArrayListing) -> Exception | None:
    """Return why an arrangement makes no problem, judged by shapes alone; None where it makes one. No number
    is read."""
    if GIVEN in arrangement.arrays:
        return complaint_on_maps(arrangement.arrays, listing)
    try:
        return _clash(complete_mapping(arrangement, listing).arrangement, listing)
    except (ValueError, TypeError) as error:
        return error


def masks_of(said: ArrayMapping, listing: ArrayListing) -> dict[str, tuple[str | None, bool]]:
    """Return the masks to read, with the meaning of each (None where nothing tells it) and whether somebody chose it.

    Beside the chosen mask these are masks of the same layer, or of none, whose names tell their meaning; without a
    chosen one all others, too.
    """
    if said.mask == NO_MASK:
        return {}
    chosen, kinds = said.arrays.get(MASK), {array.name: array.dtype for array in listing.arrays}
    found = {} if chosen is None else {chosen: KEEP if said.own else known_meaning(chosen, kinds[chosen])}
    for name in masks_beside(said, listing):
        meaning = known_meaning(name, kinds[name])
        if meaning is not None or chosen is None:
            found.setdefault(name, meaning)
    opens = [name for name, meaning in found.items() if meaning is None]
    about = [chosen] if chosen is not None else opens or list(found)
    return {
        name: (meaning, False) if said.mask is None or name not in about else (said.mask, True)
        for name, meaning in found.items()
    }


def masks_beside(said: ArrayMapping, listing: ArrayListing) -> tuple[str, ...]:
    """Return the other arrays that are masks by name and shape, of the layer of the parts or of none."""
    rows, heads = said.rows(listing), said.count(listing).heads
    every = said.readings(listing) if said.axes is None else (said.axes,)
    known = [_map_sizes(axes, rows, heads) for axes in every if fits(axes, rows)]
    layers = {found.numbers for name in said.arrays.values() if (found := guess(name)) is not None} - {()}

    def is_mask(array: ListedArray) -> bool:
        found = guess(array.name)
        if found is None or found.role != MASK or (found.numbers and layers and found.numbers not in layers):
            return False
        return any(_is_mask_of(array.shape, size) for size in known)

    return tuple(array.name for array in listing.arrays if array.name not in said.arrays.values() and is_mask(array))


class _Completion:
    """Settles one question after another: what is found, noted and left open."""

    def __init__(self, said: ArrayMapping, listing: ArrayListing) -> None:
        self._said, self._listing = said, listing
        self.found, self.notes, self.questions = said, list[FileNote](), list[SeveralReadings]()
        self.choices: dict[str, Mapping[str, FileNote]] = {}
        every: list[Axes | None] = [axes for axes in said.readings(listing) if len(axes) > said.own]
        orders: list[str | None] = list(orders_of(said.whole_shapes(listing)))
        ways = [
            replace(said, axes=axes, weights=order)
            for axes in ([said.axes] if said.axes is not None else every or [None])
            for order in ([said.weights] if said.weights is not None else orders or [None])
        ]
        ways.sort(key=lambda way: said.own and way.axes != ITEMS_FIRST)
        valid = [way for way in ways if _clash(way, listing) is None]
        self._fits, self._ways = bool(valid), valid or ways[:1]
        """Orders of axes and of weights with which the whole problem fits together."""

    def settle_axes(self) -> None:
        said, left = self._said, tuple(dict.fromkeys(way.axes for way in self._ways if way.axes is not None))
        if said.axes is not None or not left:
            return
        rows = said.rows(self._listing)
        self.choices["axes"] = {spelled(axes): words(axes, rows) for axes in left}
        for agrees in self._witnesses(rows):
            left = agreeing(left, agrees)
        left = likelier_orders(left, rows)
        several = len(left) > 1
        if ITEMS_FIRST in left and (said.own or not said.direct) and not self._may_be_heads(rows):
            left = (ITEMS_FIRST,)
        names = listed(said.arrays[role] for role in (*ROWS, *FUSED) if role in said.arrays)
        if len(left) > 1:
            self.questions.append(SeveralReadings("axes", names, {spelled(axes): words(axes, rows) for axes in left}))
            return
        counts = dict(zip(DIRECT, (said.num_heads, said.num_kv_heads), strict=False))
        usual = left[0] in (ITEMS_FIRST, ITEMS_FIRST[1:])
        alone = left[0][-3:] == HEADS_FIRST and len(readings(rows, counts)) == 1
        if (several or self._may_be_stacked()) if usual else not alone:
            self._note("axes", names, spelled(left[0]), words(left[0], rows))
        self.found = replace(said, axes=left[0])

    def _may_be_stacked(self) -> bool:
        """Return whether an axis before the columns may hold query, key and value, one behind another."""
        shapes = self._said.whole_shapes(self._listing)
        together = [shape for role, shape in shapes.items() if FUSED.get(role) == DIRECT]
        return any(len(shape) == 3 and len(DIRECT) in shape[:2] for shape in together)

    def settle_weights(self) -> None:
        same = [way for way in self._ways if self.found.axes in (None, way.axes)]
        left = list(dict.fromkeys(way.weights for way in same if way.weights is not None))
        if self._said.weights is not None or not left:
            return
        self.choices["weights"] = {order: FileNote(WEIGHT_ORDERS[order].words) for order in left}
        names = {role: name for role, name in self._said.arrays.items() if is_weight(role)}
        own = ROWS_IN in left and all(role == name for role, name in names.items())
        known = ROWS_IN if own else left[0] if len(left) == 1 else known_order(names, left)
        if known is None:
            self.questions.append(SeveralReadings("weights", listed(names.values()), self.choices["weights"]))
        elif not own and (known != ROWS_IN or len(left) > 1):
            self._note("weights", listed(names.values()), known, FileNote(WEIGHT_ORDERS[known].words))
        self.found = replace(self.found, weights=known)

    def settle_masks(self) -> dict[str, tuple[str | None, bool]]:
        """Ask what true and 1 mean in a mask whose name does not tell; numbers are looked at when they are read."""
        kinds = {array.name: array.dtype for array in self._listing.arrays}
        found = masks_of(self.found, self._listing)
        for name, (meaning, _) in found.items():
            question = open_mask(name, kinds[name])
            if kinds[name] == SWITCHES or (meaning is not None and "float" not in kinds[name]):
                self.choices.setdefault(MASK, question.choices)
            if self._fits and meaning is None and kinds[name] == SWITCHES:
                self.questions.append(question)
        return found

    def _note(self, option: str, names: tuple[str, ...], value: str, meaning: FileNote) -> None:
        self.notes.append(FileNote(READ_AS, names=names, reading=reading(option, value, meaning)))

    def _witnesses(self, rows: Mapping[str, Shape]) -> Iterator[Callable[[Axes], bool]]:
        """Yield tests of an order of axes: by an option, by each array whose shape follows from it, by names."""
        if self._listing.options.get("batch_axis"):
            yield lambda axes: axes[0] == BATCH
        heads = self._said.count(self._listing).heads
        parts = {name for role, name in self._said.arrays.items() if role != MASK}
        chosen = self._said.arrays.get(MASK)
        others = [array for array in self._listing.arrays if array.name not in parts]
        found = ((_is_mask_of if each.name == chosen else _shape_of_kind(each.name), each.shape) for each in others)
        for kind, shape in dict.fromkeys(found):
            if kind is not None:
                yield partial(_agrees, kind, shape, rows, heads)
        names = [self._said.arrays[role].rpartition(".")[2] for role in DIRECT if role in self._said.arrays]
        if names and all(name.startswith(HOOK) for name in names):
            yield lambda axes: axes[-2:] == (HEAD, COLUMN)

    def _may_be_heads(self, rows: Mapping[str, Shape]) -> bool:
        """Return whether one of the first two axes is as long as there are heads, and nothing says that the first is
        the batch."""
        heads = self._said.count(self._listing).heads
        return (
            self._said.direct
            and heads > 1
            and not self._listing.options.get("batch_axis")
            and heads in rows["query"][:2]
        )


def _check_axes(said: ArrayMapping, listing: ArrayListing) -> None:
    """Raise FormatError where the shapes allow no order of axes, or not the given one."""
    rows, found = said.rows(listing), said.readings(listing)
    names = tuple(role for role in ROWS if role in rows)
    if said.axes is not None and rows:
        counted = fits(said.axes, rows) and counts_agree(said.axes, rows, said.heads(listing))
        if not (counted and said.lies(said.axes)):
            expected = tuple(map(spelled, found)) or ("–",)
            raise FormatError(_OTHER_READING, names=names, axes=spelled(said.axes), expected=expected)
    elif not found and said.direct and not (said.own and min(map(len, rows.values()), default=0) < 4):
        # of fewer axes a problem itself says what is wrong with its fields
        template = _NO_READING_OF_HEADS if readings(rows) else _NO_READING
        got = tuple(shape_text(rows[role]) for role in names)
        raise FormatError(template, got=got, heads=said.count(listing).heads)


def _clash(said: ArrayMapping, listing: ArrayListing) -> Exception | None:
    """Return why an arrangement without open questions makes no problem; None where it makes one."""
    held: dict[str, Shape] = {}
    try:
        held |= {role: shape for role, shape in said.shapes(listing).items() if role != MASK}
        shapes = {role: held_shape(said, role, shape) for role, shape in held.items()}
        tiny: dict[str, Array] = {role: np.zeros((1,) * len(shape)) for role, shape in shapes.items()}
        return clash_with(draft_of(fields_of(tiny, said.options(listing))), shapes)
    except ShapeError as error:  # of one array alone, which was tiny
        return _of_shape(error, held)
    except (ValueError, TypeError) as error:
        return error


def _of_shape(error: ShapeError, shapes: Mapping[str, Shape]) -> ShapeError:
    """Return the error with the shape that its matrix has in the file."""
    name = error.matrices[0]
    if name not in shapes or "shape" not in error.values:
        return error
    own = ("matrix", "other", "expected", "got", "shape")
    return ShapeError(
        error.template,
        matrices=error.matrices,
        axes=error.axes,
        expected=error.expected,
        got=error.got,
        shape=shapes[name],
        **{place: value for place, value in error.values.items() if place not in own},
    )


def words(axes: Axes, rows: Mapping[str, Shape]) -> FileNote:
    """Return the numbers of items, heads and tokens in an order of axes, in words."""
    return FileNote(
        "{sizes}", sizes=tuple(FileNote(_SIZES[word], count=count) for word, count in sizes(axes, rows).items())
    )


def _map_sizes(axes: Axes, rows: Mapping[str, Shape], heads: int) -> dict[str, int]:
    """Return the numbers of items, heads, queries and keys of a map."""
    found = {name: dict(zip(axes, shape, strict=True)) for name, shape in rows.items()}
    query = next(found[name] for name in ("query", "x", *found) if name in found)
    key = next(found[name] for name in ("key", "context", "x", *found) if name in found)
    return {"b": query.get(BATCH, 1), "h": query.get(HEAD, heads), "n": query[TOKEN], "m": key[TOKEN]}


def _agrees(kind: Kind, shape: Shape, rows: Mapping[str, Shape], heads: int, axes: Axes) -> bool:
    """Return whether the shape of another array follows from an order of axes."""
    return kind(shape, _map_sizes(axes, rows, heads))


def _shape_of_kind(name: str) -> Kind | None:
    """Return a test of the shape of an array that follows from those of query and key; None for other arrays."""
    if is_map(name):
        return _is_map_of
    if is_token_ids(name):
        return _is_row_of
    found = guess(name)
    return _is_mask_of if found is not None and found.role == MASK else None


def _is_row_of(shape: Shape, size: Mapping[str, int]) -> bool:
    """Return whether an array with one number for each query has this shape."""
    return shape in ((size["n"],), (size["b"], size["n"]))


def _is_map_of(shape: Shape, size: Mapping[str, int]) -> bool:
    """Return whether maps of all heads and items have this shape."""
    whole = tuple(size[axis] for axis in "bhnm")
    return shape == whole or (size["b"] == 1 and shape == whole[1:]) or (whole[:2] == (1, 1) and shape == whole[2:])


def _is_mask_of(shape: Shape, size: Mapping[str, int]) -> bool:
    """Return whether a mask of keys, of queries and keys, or of maps has this shape."""
    b, h, n, m = (size[axis] for axis in "bhnm")
    keys = shape in ((m,), (b, m), (1, m), (n, m), (b * h, n, m))
    return keys or (len(shape) in (3, 4) and shape[-1] == m and shape[-2] in (1, n) and set(shape[:-2]) <= {1, b, h})


# --- the problem ----------------------------------------------------------------------------------
def problem_in(listing: ArrayListing, source: FileSource) -> Loaded:
    """Return the problem of a file whose arrays have the names of fields. Raises as `read_arranged`."""
    return read_arranged(ArrayMapping(), listing, source)


def read_arranged(arrangement: ArrayMapping, listing: ArrayListing, source: FileSource) -> Loaded:
    """Return the problem that an arrangement makes of a file.

    Raises FormatError, of its kinds AmbiguousFile where something is open, and ShapeError as a problem does.
    """
    asked = arrangement.named(listing)
    listing, option_names = _with_options(asked, listing, source)
    _check_answered(asked, listing)
    if GIVEN in asked.arrays:
        rest = tuple(array for array in listing.arrays if array.name not in option_names)
        return _given(asked, replace(listing, arrays=rest), source)
    answer = complete_mapping(asked, listing)
    said = answer.arrangement
    said.shapes(listing)  # raises for an array that cannot be split, before any is read
    if said.own and MASK in answer.masks and MASK in listing.options:
        raise there_twice(MASK)
    arrays, options, mask_notes = _read_fields(said, answer.masks, listing, source)
    items_first = not said.own if said.axes is None else BATCH in said.axes
    loaded = problem_of(arrays, options, batch_axis=items_first)
    unwanted = masks_beside(said, listing) if said.mask == NO_MASK else ()
    used = {*said.arrays.values(), *answer.masks, *option_names, *unwanted}
    left = [*(array.name for array in listing.arrays if array.name not in used), *listing.others]
    checked, differing = _compared(loaded.problem, left, listing, source)
    left = [name for name in left if name not in checked]
    left_out = (*(name for name in left if not is_result(name)), *loaded.left_out)
    own = {name: value for name, value in listing.options.items() if OTHER_WORDS.get(name) not in asked.words}
    notes = (*listing.notes, *in_our_words(own)[1], *answer.notes, *mask_notes)
    return replace(
        loaded,
        notes=(*notes, *_notes_on_split(said, listing), *notes_on(left, ()), *loaded.notes, *differing),
        left_out=left_out,
        missed=()
        if arrangement.arrays
        else (*_missed(said, left), *_missed_settings(loaded, left_out, listing, source)),
    )


def _read_fields(
    said: ArrayMapping, masks: Mapping[str, tuple[str | None, bool]], listing: ArrayListing, source: FileSource
) -> tuple[dict[str, Array], dict[str, Any], list[FileNote]]:
    """Return arrays and options of the problem, and notes on masks whose meaning was guessed."""
    source.file.seek(0)
    found = listing.read(source, {*said.arrays.values(), *masks})
    options: dict[str, Any] = said.options(listing)
    arrays = _parts(said, listing, {role: found[name] for role, name in said.arrays.items() if role != MASK})
    arrays, notes = _laid(said, arrays), list[FileNote]()
    for name, (meaning, by_person) in masks.items():
        taken = meaning if by_person and meaning else meaning_in(name, meaning, found[name])
        options, cells = with_mask(name, taken, found[name], options, arrays)
        arrays |= cells
        plain = name == said.arrays.get(MASK) and (taken == KEEP or found[name].dtype.kind == "f")
        if not (by_person or plain):
            notes.append(note_on(name, taken))
    return arrays, options, notes


def _compared(
    problem: Problem, names: Sequence[str], listing: ArrayListing, source: FileSource
) -> tuple[set[str], list[FileNote]]:
    """Compare stages that the file holds with those computed here.

    Returns the names of those that agree, and notes on others, as when a mask is not in the file; nothing where the
    comparison would take a moment.
    """
    steps = _steps_held(problem, names, listing)
    if not steps:
        return set(), []
    trace = compute(problem)
    steps = {name: step for name, step in steps.items() if step in trace.stages}
    shapes = {array.name: array.shape for array in listing.arrays}
    one_item = problem.batch_size == 1  # whose axis a file may leave out
    whole = {name: trace.shape(step) for name, step in steps.items()}
    steps = {name: step for name, step in steps.items() if shapes[name] in (whole[name], whole[name][one_item:])}
    source.file.seek(0)
    found = listing.read(source, steps) if steps else {}
    checked, notes = set[str](), list[FileNote]()
    for name, step in steps.items():
        computed = trace[step]
        given = found[name].astype(float).reshape(computed.shape)
        compared = ~np.isnan(given).any(-1)
        if not compared.all():
            rows = int(np.count_nonzero(~compared))
            notes.append(FileNote(_NO_NUMBERS, name=shown(name), rows=rows, count=compared.size))
        apart = _apart(given[compared], computed[compared])
        if apart <= ALIKE:
            checked.add(name)
            continue
        template = _OTHERS if step == GIVEN else _OTHER_STEP
        if step == GIVEN and not problem.mask:
            causal = compute(problem.replace(mask=Causal.kind))[GIVEN]
            template = _CAUSAL if _apart(given[compared], causal[compared]) <= ALIKE else _OTHERS
        notes.append(FileNote(template, name=shown(name), apart=short_power(f"{apart:.2g}").replace("-", MINUS)))
    return checked, notes


def _steps_held(problem: Problem, names: Sequence[str], listing: ArrayListing) -> dict[str, str]:
    """Return {array name: stage} of stages that a file may hold, of those that can be compared within a moment."""
    if math.prod(problem.map_shape) > MOST_COMPARED:
        return {}
    small = {array.name for array in listing.arrays if math.prod(array.shape) <= MOST_COMPARED}
    steps = {name: GIVEN if means_maps(name) else name for name in names if name in small}
    return {name: step for name, step in steps.items() if step in STAGE}


def _apart(one: Array, other: Array) -> float:
    """Return the largest difference of two arrays of one shape; 0 where both are infinite alike, or empty."""
    differ = one != other
    return float(np.abs(one[differ] - other[differ]).max(initial=0.0))


def _given(asked: ArrayMapping, listing: ArrayListing, source: FileSource) -> Loaded:
    """Return the problem of given attention weights and arrays beside them. Raises FormatError, SeveralMaps."""
    if asked.own and is_own_file(listing):
        source.file.seek(0)
        used, options = set(asked.arrays.values()), in_our_words(listing.options)[0]
        left, notes = [array.name for array in listing.arrays if array.name not in used], listing.notes
        loaded = problem_of(listing.read(source, used), options, [*left, *listing.others], batch_axis=True)
        return replace(loaded, notes=(*notes, *loaded.notes))
    if (wrong := complaint_on_maps(asked.arrays, listing)) is not None:
        raise wrong
    choice = chosen_map(listing, [asked.arrays[GIVEN]], asked.axes, asked.layer)
    beside = {part: name for part, name in asked.arrays.items() if part != GIVEN}
    maps = read_maps(choice, beside, listing, source, said=asked.axes is not None)
    loaded = problem_of(maps.arrays, maps.options, maps.left, batch_axis=True)
    taken = maps.notes if asked.axes is None else ()
    return replace(loaded, notes=(*listing.notes, *taken, *loaded.notes))


def _with_options(asked: ArrayMapping, listing: ArrayListing, source: FileSource) -> tuple[ArrayListing, list[str]]:
    """Return the listing with options read from arrays, foreign ones only of one number, and the names of
    these arrays."""
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


def _check_answered(said: ArrayMapping, listing: ArrayListing) -> None:
    """Raise FormatError for an answer about parts none of which is there, which would be ignored silently."""
    masked = GIVEN not in said.arrays and bool(masks_beside(said, listing))
    parts = {*said.arrays, *parts_of(said.arrays), *([MASK] if masked else [])}
    for option, about in _ABOUT.items():
        if option in said.words and said.mask != NO_MASK and not parts.intersection(about):
            raise FormatError(_IDLE, option=Argument.named(option), expected=about, got=listed(said.arrays))


def _parts(said: ArrayMapping, listing: ArrayListing, arrays: dict[str, Array]) -> dict[str, Array]:
    """Return the arrays, with those that hold Q, K and V together split."""
    for role, columns in said.columns(listing).items():
        array, axis = arrays.pop(role), said.shared_axis(role)
        arrays |= {part: array.take(places, axis) for part, places in zip(FUSED[role], columns, strict=True)}
    return arrays


def _laid(said: ArrayMapping, arrays: dict[str, Array]) -> dict[str, Array]:
    """Return the arrays with the axes of a problem."""
    rows = [role for role in ROWS if role in arrays]
    if said.axes is not None:
        arrays |= {role: with_axes_in_order(said.axes, arrays[role]) for role in rows}
        if HEAD in said.axes and set(DIRECT) <= arrays.keys():
            heads: dict[str, Any] = heads_side_by_side(arrays["query"], arrays["key"], arrays["value"], {})
            arrays |= {role: heads[role] for role in DIRECT}
    if said.weights is not None:
        arrays |= {role: laid_weight(role, said.weights, arrays[role]) for role in LINEAR if role in arrays}
    rest = [role for role in arrays if role not in (*rows, *LINEAR)]
    return arrays | {role: arrays[role].reshape(held_vector_shape(role, arrays[role].shape)) for role in rest}


def _notes_on_split(said: ArrayMapping, listing: ArrayListing) -> list[FileNote]:
    """Return a note on each array of Q, K and V together that was split as its name suggests, since nobody said how."""
    if said.split is not None or said.count(listing).heads == 1:
        return []
    splits = {name: known_split(name) for role, name in said.arrays.items() if role in FUSED}
    return [FileNote(_SPLIT_BY_NAME, name=shown(name), split=split.key) for name, split in splits.items() if split]


def _missed(said: ArrayMapping, left: list[str]) -> tuple[str, ...]:
    """Return the names of arrays that are not read and would change the results."""
    wanted = {*_BESIDE, *(() if said.direct else _WITH_X)} - said.arrays.keys() - ({MASK} if said.mask else set())
    roles = {name: found.role for name in left if not is_result(name) and (found := guess(name)) is not None}
    return tuple(name for name, role in roles.items() if role in wanted)


def _missed_settings(loaded: Loaded, left: Sequence[str], listing: ArrayListing, source: FileSource) -> tuple[str, ...]:
    """Return the names of what is not read and may be a mask, bias, cap or turn, which the problem would need, and of a
    width of heads that it has not.

    None, 0 and −1 switch such a setting off.
    """
    names = [name for name in left if _SETTING.search(name) or name in _HEAD_SIZE]
    small = [array.name for array in listing.arrays if array.name in names and math.prod(array.shape) <= 2]
    source.file.seek(0)
    values = {**listing.options, **listing.read(source, small)}

    def changes(name: str) -> bool:
        value = values.get(name, 1)
        if name in _HEAD_SIZE:
            return not np.all(np.asarray(value) == loaded.problem.d_k)
        return _HEADS_OFF in name or (value is not None and not np.isin(value, (0, -1)).all())

    return tuple(filter(changes, names))
