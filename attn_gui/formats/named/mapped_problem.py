"""“How is this laid out?”: orders of axes that fit, what is asked, masks and maps beside, notes on how it was read.

A mapping (`ArrayMapping`) says which array is which part, and may say in which order the axes lie. What it leaves
open is settled from the listing of the file, before any number is read (`mapping_with_answers`), or asked. Then the
parts are read and laid as a problem has them (`read_mapped`), and what else the file holds is compared with what is
computed here, or named as left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from attn_gui.engine import STAGE, Problem, compute
from attn_gui.engine.errors import MINUS, ShapeError, short_power
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
from attn_gui.engine.masks import Bias, Causal
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
    other_names,
    problem_of,
    there_twice,
    with_stacked_apart,
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
from attn_gui.languages import N_

ITEMS_FIRST, HEADS_FIRST = (BATCH, TOKEN, COLUMN), (HEAD, TOKEN, COLUMN)
"""The axes of the fields of a problem, and of heads apart as `Problem.from_heads` takes them."""
HOOK = "hook_"  # names of activations begin so in TransformerLens, which has heads behind tokens
_NO_READING = N_("{file}: the shapes {got} fit together in no order of axes as query, key and value.")
_NO_READING_OF_HEADS = N_(
    "{file}: the shapes {got} can be read in no order of axes as query, key and value of {heads} heads."
)
_OTHER_READING = N_("{file}: {names} cannot be read as {axes}; expected {expected}.")
_SIZES = {
    "items": N_("items {count}"),
    "heads": N_("heads {count}"),
    "K/V heads": N_("K/V heads {count}"),
    "tokens": N_("tokens {count}"),
    "queries": N_("queries {count}"),
    "keys": N_("keys {count}"),
}

_SPLIT_BY_NAME = N_("“{name}” was split as {split}, as models have an array of this name; another split can be chosen.")
_IDLE = N_("{file}: “{option}” tells how to read {expected}, and there is none; the parts are {got}.")
_OTHERS = N_("“{name}” in the file holds other weights than those computed here: they differ by up to {apart}.")
_OTHER_STEP = N_("“{name}” in the file holds other numbers than those computed here: they differ by up to {apart}.")
_OTHER_SHAPE = N_("“{name}” in the file has the shape {got}, that computed here {expected}.")
_SHARED_KEYS = N_(
    "The first axis of query was read as {items} items of {count} tokens, which share their keys; heads that share "
    "them are read where key and value have an axis of one head.",
)
_ROOT = N_(
    "“scale” is √d_k = {got}: the scores were multiplied by it; where they are divided expected {expected}.",
)
_CAUSAL = N_(
    "“{name}” in the file differs from the weights computed here by up to {apart}: it has a causal mask, which is not "
    "in the file. Add one, and they agree.",
)
_NO_NUMBERS = N_(
    "“{name}” in the file holds NaN in {rows} of its {count} rows, as where a mask closes every key; these were left "
    "out when it was compared with the weights computed here.",
)
MOST_COMPARED = 100_000  # weights that are computed within a moment
ALIKE = 0.01  # weights that differ by less are the same but for the precision of a model, such as bfloat16
_NONE = (0, -1)  # switches most settings off, as None does
_MOST_READ = 2**10  # cells of an array that says something
_LONGEST = 1000  # letters of a name that are looked at
_Idle = Callable[[Problem, Any], Any]
_SETTINGS: tuple[tuple[re.Pattern[str], _Idle], ...] = tuple(
    (re.compile(words, re.IGNORECASE), idle)
    for words, idle in (
        (r"\w*head_mask", lambda problem, value: value == 1),  # zeros switch heads off
        (r"\w*sinks?_(size|tokens?)|num_\w*sinks?", lambda problem, value: np.isin(value, _NONE)),
        (  # 0 counts with e⁰; bias_k is a key more, as PyTorch has it
            r"\w*sinks?(_\w+)?|s_aux|bias_[kv]",
            lambda problem, value: value.dtype == bool and not value.any(),
        ),
        ("head_dim|d_head|d_k|head_size|size_per_head", lambda problem, value: value == problem.d_k),
        (
            r"\w*heads|n(um)?_head|head_(num|count)|num_\w*groups",
            lambda problem, value: value.size > 2 or np.isin(value, (problem.num_heads, problem.num_kv_heads)),
        ),
        (
            r"(?!.*(max|emb))(\w+_)?((q|query)_?(seq)?len(gth)?s?|(seq)?len(gth)?s?_q)",
            lambda problem, value: np.isin(value, (*_NONE, problem.n)),
        ),
        (
            r"(?!.*(max|emb))(\w+_)?((kv?|key)_?(seq)?len(gth)?s?|(seq)?len(gth)?s?_kv?)",
            lambda problem, value: np.isin(value, (*_NONE, problem.m)),
        ),
        (
            r"(?!.*(max|emb))(\w+_)?(seq)?len(gth)?",
            lambda problem, value: np.isin(value, (*_NONE, problem.n, max(problem.n, problem.m))),
        ),
        (
            r"(?!.*(max|emb))(\w+_)?(seq)?len(gth)?s",  # of the keys of each item, where they are fewer
            lambda problem, value: np.isin(value, (*_NONE, max(problem.n, problem.m))),
        ),
        (  # of two numbers a 0 closes one side, as in (4096, 0), which is causal
            r"\w*window\w*",
            lambda problem, value: (value == -1) | (value >= max(problem.n, problem.m)) | (not np.any(value)),
        ),
        (
            r"(attn|attention|softmax|sm|logits?|scores?|qk|kq)_?scal(e|es|ing)(_factor|_qk|_attn\w*)?"
            r"|attention_multiplier",
            lambda problem, value: np.isclose(value, problem.effective_scale),
        ),
        (r"(attn|norm)_factor", lambda problem, value: np.isclose(value * problem.effective_scale, 1)),
        (r"\w*pre_attn_scalar", lambda problem, value: np.isclose(value * problem.effective_scale**2, 1)),
        (
            r"((attn|attention|softmax|logits?|scores?|qk)_?)?temp(erature)?|tau",
            lambda problem, value: value == (problem.temperature or 1),
        ),
        (r"(([qkv]|query|key|value|inv|m)_?)?scal(e|es|ing)(_factor)?", lambda problem, value: value == 1),
        ("(segment|document|doc|sequence)_ids", lambda problem, value: value == value.flat[:1]),
        ("batch_first", lambda problem, value: (value == 1) | (problem.batch_size == 1)),
        (
            r"\w*(causal|unidirectional|autoregressive|is_decoder|alibi|_cap|soft_?cap|tanh_clip|segment)\w*"
            r"|slopes|bias|\w*rel(ative)?_?(pos|att)\w*"
            r"|(use_)?ro(pe|tary)\w*|inv_freq|freqs\w*|theta|(cos|sin)(_cached)?|pos(ition)?(s|_ids)|prefix\w*|dilation"
            r"|\w*chunk_size|add_zero_attn|add_bias_kv|per_dim_scale|softmax_?(1|one|offset)"
            r"|lambda\w*|\w*zero_point|lora_\w+|normali[sz](e|ation)|(use_)?qk_?norm|normali[sz]e_qk",
            lambda problem, value: np.isin(value, _NONE),
        ),
    )
)
"""Names of what changes the numbers of a problem → whether with these it does not; the first that fits counts."""
_NAMES = re.compile("prefix|padding_side")  # settings that change no number where they are words
_ABOUT = {"axes": (*ROWS, GIVEN), "layer": (GIVEN,), "weights": LINEAR, "mask": (MASK,), "split": tuple(FUSED)}
"""A field of a mapping that tells how to read some parts → these."""
_BESIDE = ("w_output", "b_output", "query_norm", "key_norm", MASK)
_WITH_X = ("context", "b_query", "b_key", "b_value")
"""Parts that go with others; those that go with x and its weights alone."""


# --- what the file settles ------------------------------------------------------------------------
# What an array means is decided here alone, for the window, `load` and the command line. What a person has said counts.
# All else is settled by the listing of the file, in steps; no number is read.
#
# 1. Orders of axes that fit the shapes (`ArrayMapping.readings`): query, key and value of the shape (2, 5, 8) may be
#    2 items of 5 tokens, 2 heads of 5 tokens, or 2 tokens of 5 heads.
# 2. Of these, with each order of the weights' axes, those with which the whole problem fits together (`_ways`).
# 3. Of these, those that the rest of the file speaks for (`_backed`): attention weights of (1, 2, 5, 5) beside them
#    speak for 2 heads of 5 tokens; names such as blocks.0.attn.hook_q for heads behind tokens, as their library has it.
# 4. Of these, those that people have (`likelier_orders`); items before heads where the arrays have the names of fields.
#
# The only one that is left is taken, and noted unless it goes without saying; several are a question. So are the
# weights' order, of those that go with the axes, and what true means in a mask.
class CompletedMapping(NamedTuple):
    """A mapping with everything settled that can be, notes on guesses, and the questions that are open.

    The readings that fit are given by the name of each choice, as {value: words}; masks as from `masks_of`.
    """

    mapping: ArrayMapping
    notes: tuple[FileNote, ...]
    questions: tuple[SeveralReadings, ...]
    choices: Mapping[str, Mapping[str, FileNote]]
    masks: Mapping[str, tuple[str | None, bool]]


class _Choice(NamedTuple):
    """A choice among readings of arrays: all that fit, as {value: words}, and the values that are left of them."""

    option: str
    names: tuple[str, ...]
    fitting: Mapping[str, FileNote]
    left: Sequence[str]
    noted: bool  # where one is left

    @property
    def taken(self) -> str | None:
        return self.left[0] if len(self.left) == 1 else None

    def note(self) -> FileNote:
        value = self.left[0]
        return FileNote(READ_AS, names=self.names, reading=reading(self.option, value, self.fitting[value]))

    def question(self) -> SeveralReadings:
        return SeveralReadings(self.option, self.names, {value: self.fitting[value] for value in self.left})


def complete_mapping(mapping: ArrayMapping, listing: ArrayListing) -> CompletedMapping:
    """Return the mapping with every question answered.

    Raises SeveralReadings where one is open, FormatError where the shapes allow no order of axes, or not the given one.
    """
    answer = mapping_with_answers(mapping, listing)
    if answer.questions:
        raise answer.questions[0]
    return answer


def mapping_with_answers(mapping: ArrayMapping, listing: ArrayListing) -> CompletedMapping:
    """Return the mapping with all that the file settles, notes on that, and open questions.

    Raises FormatError as `complete_mapping` does. Where no reading fits nothing is open: the error comes first.
    """
    _check_axes(mapping, listing)
    ways, fit = _ways(mapping, listing)
    found, made = mapping, list[_Choice]()
    if found.axes is None:
        made.append(axes := _choice_of_axes(found, listing, ways))
        found = replace(found, axes=None if axes.taken is None else tuple(axes.taken.split(",")))
    if found.weights is None:
        made.append(weights := _choice_of_weights(found, [way for way in ways if found.axes in (None, way.axes)]))
        found = replace(found, weights=weights.taken)
    made = [choice for choice in made if choice.fitting]
    notes = tuple(choice.note() for choice in made if choice.taken and choice.noted)
    questions = [choice.question() for choice in made if not choice.taken]
    choices = {choice.option: choice.fitting for choice in made}
    masks, kinds = masks_of(found, listing), {array.name: array.dtype for array in listing.arrays}
    for name, (meaning, _) in masks.items():
        question = open_mask(name, kinds[name])
        if kinds[name] == SWITCHES or (meaning is not None and "float" not in kinds[name]):
            choices.setdefault(MASK, question.choices)
        if fit and meaning is None and kinds[name] == SWITCHES:  # of others the numbers tell, once they are read
            questions.append(question)
    return CompletedMapping(found, notes, tuple(questions), choices, masks)


def _ways(said: ArrayMapping, listing: ArrayListing) -> tuple[list[ArrayMapping], bool]:
    """Return the mapping with each order of its axes and of its weights' axes with which the whole problem fits
    together, and whether there is one; where there is none the first that was tried."""
    axes: list[Axes | None] = [said.axes]
    if said.axes is None:
        axes = [axes for axes in said.readings(listing) if len(axes) > said.own] or [None]
    weights: list[str | None] = [said.weights]
    if said.weights is None:
        weights = list(orders_of(said.whole_shapes(listing))) or [None]
    ways = [replace(said, axes=one, weights=order) for one in axes for order in weights]
    ways.sort(key=lambda way: said.own and way.axes != ITEMS_FIRST)
    fit = [way for way in ways if _clash(way, listing) is None]
    return fit or ways[:1], bool(fit)


def _choice_of_axes(said: ArrayMapping, listing: ArrayListing, ways: Sequence[ArrayMapping]) -> _Choice:
    """Return the choice among the orders of axes of query, key and value, or of x and context."""
    rows, fitting = said.rows(listing), tuple(dict.fromkeys(way.axes for way in ways if way.axes is not None))
    names = listed(said.arrays[role] for role in (*ROWS, *FUSED) if role in said.arrays)
    left = likelier_orders(_backed(fitting, said, listing), rows) if fitting else ()
    doubtful = len(left) > 1 or _may_be_stacked(said, listing)
    if ITEMS_FIRST in left and (said.own or not said.direct) and not _may_be_heads(said, listing):
        left = (ITEMS_FIRST,)
    noted = False
    if len(left) == 1:  # that of a problem goes without saying, and so do heads first where nothing else fits
        counts = dict(zip(DIRECT, (said.num_heads, said.num_kv_heads), strict=False))
        only = left[0][-3:] == HEADS_FIRST and len(readings(rows, counts)) == 1
        noted = doubtful if left[0] in (ITEMS_FIRST, ITEMS_FIRST[1:]) else not only
    return _Choice("axes", names, {spelled(axes): words(axes, rows) for axes in fitting}, [*map(spelled, left)], noted)


def _backed(orders: tuple[Axes, ...], said: ArrayMapping, listing: ArrayListing) -> tuple[Axes, ...]:
    """Return those of some orders of axes that the rest of a file speaks for.

    One after another is asked; one that speaks for none of those that are left is not heard.
    """
    if listing.options.get("batch_axis"):
        orders = agreeing(orders, lambda axes: axes[0] == BATCH)
    rows, heads = said.rows(listing), said.count(listing).heads
    parts, mask = {name for role, name in said.arrays.items() if role != MASK}, said.arrays.get(MASK)
    beside = [array for array in listing.arrays if array.name not in parts]
    rules = [(_is_mask_of if array.name == mask else _rule_for(array.name), array.shape) for array in beside]
    for rule, shape in dict.fromkeys(rules):  # of a model with many layers most are alike
        if rule is not None:
            orders = tuple(axes for axes in orders if rule(shape, _map_size(axes, rows, heads))) or orders
    names = [said.arrays[role].rpartition(".")[2] for role in DIRECT if role in said.arrays]
    if names and all(name.startswith(HOOK) for name in names):
        orders = agreeing(orders, lambda axes: axes[-2:] == (HEAD, COLUMN))
    return orders


def _may_be_stacked(said: ArrayMapping, listing: ArrayListing) -> bool:
    """Return whether an axis before the columns may hold query, key and value, one behind another."""
    together = [shape for role, shape in said.whole_shapes(listing).items() if FUSED.get(role) == DIRECT]
    return any(len(shape) == 3 and len(DIRECT) in shape[:2] for shape in together)


def _may_be_heads(said: ArrayMapping, listing: ArrayListing) -> bool:
    """Return whether one of the first two axes of query may be that of heads, as none is said to be batch."""
    heads, query = said.count(listing).heads, said.rows(listing).get("query", ())
    return said.direct and heads > 1 and heads in query[:2] and not listing.options.get("batch_axis")


def _choice_of_weights(said: ArrayMapping, ways: Sequence[ArrayMapping]) -> _Choice:
    """Return the choice among the orders of the weights' axes: that of a problem for the names of its fields, else the
    one that published models have for such names."""
    left = list(dict.fromkeys(way.weights for way in ways if way.weights is not None))
    names = {role: name for role, name in said.arrays.items() if is_weight(role)}
    own = ROWS_IN in left and all(role == name for role, name in names.items())
    known = ROWS_IN if own else left[0] if len(left) == 1 else known_order(names, left)
    noted = not own and (known != ROWS_IN or len(left) > 1)
    fitting = {order: FileNote(WEIGHT_ORDERS[order].words) for order in left}
    return _Choice("weights", listed(names.values()), fitting, left if known is None else [known], noted)


def complaint(mapping: ArrayMapping, listing: ArrayListing) -> Exception | None:
    """Return why a mapping makes no problem, judged by shapes alone; None where it makes one."""
    if GIVEN in mapping.arrays:
        return complaint_on_maps(mapping.arrays, listing)
    try:
        return _clash(complete_mapping(mapping, listing).mapping, listing)
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
    """Return the other arrays that are masks by name and shape, of the layer of the parts or of none; a switch for each
    query and key is one by any name."""
    rows, heads = said.rows(listing), said.count(listing).heads
    every = said.readings(listing) if said.axes is None else (said.axes,)
    known = [_map_size(axes, rows, heads) for axes in every if fits(axes, rows)]
    layers = {found.numbers for name in said.arrays.values() if (found := guess(name)) is not None} - {()}

    def is_mask(array: ListedArray) -> bool:
        found = guess(array.name)
        named = found is not None and found.role == MASK
        if found is not None and found.numbers and layers and found.numbers not in layers:
            return False
        if not named and (array.dtype != SWITCHES or len(array.shape) < 2):
            return False
        return any(_is_mask_of(array.shape, size) for size in known)

    return tuple(array.name for array in listing.arrays if array.name not in said.arrays.values() and is_mask(array))


def _check_axes(said: ArrayMapping, listing: ArrayListing) -> None:
    """Raise FormatError where the shapes allow no order of axes, or not the given one."""
    rows, found = said.rows(listing), said.readings(listing)
    names = tuple(role for role in ROWS if role in rows)
    if said.axes is not None and rows:
        counted = fits(said.axes, rows) and counts_agree(said.axes, rows, said.heads(listing))
        if not (counted and said.accepts_axes(said.axes)):
            expected = tuple(map(spelled, found)) or ("–",)
            raise FormatError(_OTHER_READING, names=names, axes=spelled(said.axes), expected=expected)
    elif not found and said.direct and not (said.own and min(map(len, rows.values()), default=0) < 4):
        # of fewer axes a problem itself says what is wrong with its fields
        template = _NO_READING_OF_HEADS if readings(rows) else _NO_READING
        got = tuple(shape_text(rows[role]) for role in names)
        raise FormatError(template, got=got, heads=said.count(listing).heads)


def _clash(said: ArrayMapping, listing: ArrayListing) -> Exception | None:
    """Return why a mapping without open questions makes no problem; None where it makes one."""
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


class _MapSize(NamedTuple):
    """The axes of attention maps: how many items, heads, queries and keys."""

    items: int
    heads: int
    queries: int
    keys: int


def _map_size(axes: Axes, rows: Mapping[str, Shape], heads: int) -> _MapSize:
    """Return the axes of the maps of query and key, or x and context, in an order of axes."""
    found = {name: dict(zip(axes, shape, strict=True)) for name, shape in rows.items()}
    query = next(found[name] for name in ("query", "x", *found) if name in found)
    key = next(found[name] for name in ("key", "context", "x", *found) if name in found)
    return _MapSize(query.get(BATCH, 1), query.get(HEAD, heads), query[TOKEN], key[TOKEN])


_Rule: TypeAlias = Callable[[Shape, _MapSize], bool]
"""Whether an array that follows from maps of this size has this shape."""


def _rule_for(name: str) -> _Rule | None:
    """Return the rule for an array whose shape follows from those of query and key; None for other arrays."""
    if is_map(name):
        return _is_map_of
    if is_token_ids(name):
        return _is_row_of
    found = guess(name)
    return _is_mask_of if found is not None and found.role == MASK else None


def _is_row_of(shape: Shape, size: _MapSize) -> bool:
    """Return whether an array with one number for each query has this shape."""
    return shape in ((size.queries,), (size.items, size.queries))


def _is_map_of(shape: Shape, size: _MapSize) -> bool:
    """Return whether maps of all heads and items have this shape; axes of one item, and of one head, may lack."""
    return shape == size or (size.items == 1 and shape == size[1:]) or (size[:2] == (1, 1) and shape == size[2:])


def _is_mask_of(shape: Shape, size: _MapSize) -> bool:
    """Return whether a mask of keys, of queries and keys, or of maps has this shape."""
    items, heads, queries, keys = size
    flat = shape in ((keys,), (items, keys), (1, keys), (queries, keys), (items * heads, queries, keys))
    of_maps = len(shape) in (3, 4) and shape[-1] == keys and shape[-2] in (1, queries)
    return flat or (of_maps and set(shape[:-2]) <= {1, items, heads})


# --- the problem ----------------------------------------------------------------------------------
def problem_in(listing: ArrayListing, source: FileSource) -> Loaded:
    """Return the problem of a file whose arrays have the names of fields. Raises as `read_mapped`."""
    return read_mapped(ArrayMapping(), listing, source)


def read_mapped(mapping: ArrayMapping, listing: ArrayListing, source: FileSource) -> Loaded:
    """Return the problem that a mapping makes of a file.

    Raises FormatError, of its kinds AmbiguousFile where something is open, and ShapeError as a problem does.
    """
    # what is what: by the names of the arrays, options among them, then by shapes, names, and what lies beside them
    listing = with_stacked_apart(listing)
    asked = mapping.named(listing)
    listing, option_names = _with_options(asked, listing, source)
    _check_answered(asked, listing)
    if GIVEN in asked.arrays:
        rest = tuple(array for array in listing.arrays if array.name not in option_names)
        return _given(asked, replace(listing, arrays=rest), source)
    answer = complete_mapping(asked, listing)
    said = answer.mapping
    said.shapes(listing)  # raises for an array that cannot be split, before any is read
    if said.own and MASK in answer.masks and MASK in listing.options:
        raise there_twice(MASK)
    # the numbers of the parts, laid as a problem has them, and the problem
    arrays, options, mask_notes = _read_fields(said, answer.masks, listing, source)
    items_first = not said.own if said.axes is None else BATCH in said.axes
    loaded = problem_of(arrays, options, batch_axis=items_first)
    # what is left: stages are compared with those computed here, all else is named
    unwanted = masks_beside(said, listing) if said.mask == NO_MASK else ()
    used = {*said.arrays.values(), *answer.masks, *option_names, *unwanted}
    used |= {other for name in used for other in other_names(name)}
    left = [*(array.name for array in listing.arrays if array.name not in used), *listing.others]
    checked, differing = _compared(loaded.problem, left, listing, source)
    left = [name for name in left if name not in checked]
    lacking = _lacking_steps(loaded.problem, left)
    left_out = (*(name for name in left if not is_result(name) or name in lacking), *loaded.left_out)
    own = {name: value for name, value in listing.options.items() if OTHER_WORDS.get(name) not in asked.words}
    notes = (*listing.notes, *in_our_words(own)[1], *answer.notes, *mask_notes, *_doubts(loaded.problem, said, listing))
    return replace(
        loaded,
        notes=(*notes, *_notes_on_split(said, listing), *notes_on(left, ()), *loaded.notes, *differing),
        left_out=left_out,
        missed=()
        if mapping.arrays
        else (*_missed(said, left, listing), *lacking, *_missed_settings(loaded, left_out, listing, source)),
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


def _doubts(problem: Problem, said: ArrayMapping, listing: ArrayListing) -> list[FileNote]:
    """Return notes on what the shapes and numbers leave open, and the names of fields settle."""
    if not said.own or is_own_file(listing):
        return []
    notes, rows, root = list[FileNote](), said.rows(listing), math.sqrt(problem.d_k)
    if said.direct and len(rows["query"]) > len(rows["key"]) and not listing.options.get("batch_axis"):
        notes.append(FileNote(_SHARED_KEYS, items=problem.batch_size, count=problem.n))
    if problem.scale is not None and root > 1 and math.isclose(problem.scale, root):
        notes.append(FileNote(_ROOT, got=f"{root:.4g}", expected=f"{1 / root:.4g}"))
    return notes


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
    whole = {name: trace.shape(step) for name, step in steps.items()}
    other = [name for name in steps if shapes[name] not in _without_ones(whole[name])]
    steps = {name: step for name, step in steps.items() if name not in other}
    source.file.seek(0)
    found = listing.read(source, steps) if steps else {}
    checked, notes = set[str](), list[FileNote]()
    for name in other:
        got, expected = shape_text(shapes[name]), shape_text(whole[name])
        notes.append(FileNote(_OTHER_SHAPE, name=shown(name), got=got, expected=expected))
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
        causal = step == GIVEN and _is_causal(given, problem)
        template = _CAUSAL if causal else _OTHERS if step == GIVEN else _OTHER_STEP
        notes.append(FileNote(template, name=shown(name), apart=short_power(f"{apart:.2g}").replace("-", MINUS)))
    return checked, notes


def _is_causal(given: Array, problem: Problem) -> bool:
    """Return whether weights are those of a problem without a mask once it has a causal one."""
    rows = ~np.isnan(given).any(-1)
    causal = None if problem.mask else compute(problem.replace(mask=Causal.kind))[GIVEN]
    return causal is not None and _apart(given[rows], causal[rows]) <= ALIKE


def _steps_held(problem: Problem, names: Sequence[str], listing: ArrayListing) -> dict[str, str]:
    """Return {array name: stage} of stages that a file may hold, of those that can be compared within a moment."""
    if math.prod(problem.map_shape) > MOST_COMPARED:
        return {}
    small = {one.name for one in listing.arrays if len(one.shape) > 1 and math.prod(one.shape) <= MOST_COMPARED}
    steps = {name: GIVEN if means_maps(name) else name for name in names if name in small}
    return {name: step for name, step in steps.items() if step in STAGE}


def _without_ones(shape: Shape) -> list[Shape]:
    """Return the shape, and without leading axes of one item or head, which a file may leave out."""
    return [shape[start:] for start in range(len(shape) - 1) if math.prod(shape[:start]) == 1]


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
    return replace(loaded, notes=(*listing.notes, *maps.notes, *loaded.notes))


def _with_options(asked: ArrayMapping, listing: ArrayListing, source: FileSource) -> tuple[ArrayListing, list[str]]:
    """Return the listing with options read from arrays, and the names of these arrays."""
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


def _lacking_steps(problem: Problem, left: Sequence[str]) -> list[str]:
    """Return the names of steps before the weights that a file holds and the problem has not got, as of a mask that is
    not in the file."""
    steps = [name for name in left if name in (*STAGE,)[: (*STAGE,).index(GIVEN)]]
    present = compute(problem).stages if steps else ()
    return [step for step in steps if step not in present]


def _missed(said: ArrayMapping, left: list[str], listing: ArrayListing) -> tuple[str, ...]:
    """Return the names of arrays that are not read and would change the results, as no single number does."""
    single = {array.name for array in listing.arrays if not array.shape}
    many = {array.name for array in listing.arrays} - single
    wanted = {*_BESIDE, *(() if said.direct else _WITH_X)} - said.arrays.keys() - ({MASK} if said.mask else set())
    names = (name for name in left if not is_result(name) and name not in single)
    roles = {name: found.role for name in names if (found := guess(name)) is not None}
    return tuple(name for name, role in roles.items() if role in wanted and (role != MASK or name in many))


def _missed_settings(loaded: Loaded, left: Sequence[str], listing: ArrayListing, source: FileSource) -> tuple[str, ...]:
    """Return the names of what is not read and may be a mask, bias, cap or turn, which the problem would need, or a
    number of heads or columns that it has not."""
    shapes = {array.name: array.shape for array in listing.arrays}
    numbers = {name for name, value in listing.options.items() if isinstance(value, int | float)}
    wanted = (name for name in left if name in shapes or name in numbers or not _NAMES.fullmatch(name))
    found = {name: _idle_values(name, is_map=bool(shapes.get(name))) for name in wanted}
    idle = {name: changes_nothing for name, changes_nothing in found.items() if changes_nothing is not None}
    small = [array.name for array in listing.arrays if array.name in idle and math.prod(array.shape) <= _MOST_READ]
    values: dict[str, Any] = dict(listing.options)
    source.file.seek(0)
    with suppress(FormatError):  # of what holds no numbers nothing is known
        values |= listing.read(source, small)

    def changes(name: str) -> bool:
        value = np.asarray(values.get(name, [math.nan] * 3))  # of what is too large nothing is known
        if value.dtype.kind not in "biuf":
            return value.size != 1 or value.item() is not None
        return not np.all(idle[name](loaded.problem, value))

    return tuple(filter(changes, idle))


def _idle_values(name: str, *, is_map: bool) -> _Idle | None:
    """Return what says with which values a setting of this name changes nothing; None for other names.

    What goes by the name of a mask and is no map is a switch, or a number, for all cells.
    """
    # a bias in a record is that of a projection, and no one calls a setting by thousands of letters
    parts = [part for part in re.split("[./]", name[-_LONGEST:]) if part != Bias.kind or part == name]
    for pattern, idle in _SETTINGS:
        if any(map(pattern.fullmatch, parts)):
            return idle
    meant, opens = guess(name), known_meaning(name, SWITCHES) == KEEP or "visible" in name
    if is_map or meant is None or meant.role != MASK:
        return None
    told = "keep" not in name  # which may be said of the keys or of the mask
    return lambda problem, value: value.size == 1 and (value.dtype != bool or (told and value == opens))
