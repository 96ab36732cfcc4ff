"""Which array is which part: proposed, remembered for such names, number of heads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from attn_gui.engine.fields import DIRECT, GIVEN, WEIGHTS
from attn_gui.engine.head_axis import COLUMN, HEAD, Axes, Shape, heads_of, laid_shape, parsed, readings
from attn_gui.formats.file_format import ArrayListing
from attn_gui.formats.file_messages import (
    Argument,
    FormatError,
    shape_text,
    shown,
)
from attn_gui.formats.named.array_names import MASK, ROLES, check_names, is_own_file, is_problem, suggested
from attn_gui.formats.named.attention_maps import beside_maps, chosen_map, names_of_maps, parsed_maps
from attn_gui.formats.named.mask_meanings import MASK_MEANINGS, SWITCHES
from attn_gui.formats.named.weight_layouts import (
    BIASES,
    FUSED,
    LINEAR,
    ROWS_OUT,
    SPLITS,
    WEIGHT_ORDERS,
    AxisSplit,
    Columns,
    HeadCounts,
    check_count,
    check_once,
    known_of,
    laid_weight_shape,
    parts_of,
    split_of,
    weight_heads,
)
from attn_gui.formats.problem_fields import in_our_words, is_field, listed, own_shape
from attn_gui.formats.untrusted_bytes import Json
from attn_gui.languages import N_

SEQUENCES = ("x", "context")
ROWS = (*DIRECT, *SEQUENCES)  # parts with a row for each token
_NO_ARRAY = N_("{file} has no array “{name}”; it has {got}.")
_NO_ROLE = N_("“{name}” is not a part of a problem; expected one of {expected}.")
_NO_WORD = N_("“{option}” is “{got}”; expected one of {expected}.")
_NO_AXES = N_(
    "“{option}” is “{got}”; expected an order of batch, head, token and column, such as “head,token,column”, or of "
    "attention weights alone one of layer, batch, head, query and key, such as “head,query,key”.",
)
_PART_AXIS = N_(
    "{file}: “{name}” has the shape {got}; expected query, key and value in one axis of columns after the tokens, or "
    "each as an array of its own.",
)
WEIGHT_AXES = tuple(WEIGHT_ORDERS)

_NUMBER = re.compile(r"\d+")


# --- mapping --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ArrayMapping:
    """Names of the arrays by part, and how to read them; None is to be settled by names, shapes and kinds of numbers.

    Where no array is named, those of the file have the names of their parts.
    """

    arrays: Mapping[str, str] = field(default_factory=dict)
    axes: Axes | None = None  # of query, key and value, or of x and context
    weights: str | None = None  # the order of the axes of every weight
    mask: str | None = None
    num_heads: int | None = None
    num_kv_heads: int | None = None
    split: AxisSplit | None = None  # of arrays that hold query, key and value; None is what is known of their names
    layer: int | None = None  # of attention weights that are of several

    def __post_init__(self) -> None:
        for role in self.arrays:
            if role not in ROLES and not is_field(role):
                raise FormatError(_NO_ROLE, name=shown(role), expected=ROLES)

    @property
    def words(self) -> dict[str, Any]:
        """{field: how its array is read}, in words; without what is left open."""
        given = {name: value for name, value in vars(self).items() if name != "arrays"}
        return {name: value for name, value in given.items() if value != getattr(ArrayMapping, name)}

    @property
    def direct(self) -> bool:
        """Whether it has queries, keys or values themselves."""
        return any(part in DIRECT for part in parts_of(self.arrays))

    @property
    def own(self) -> bool:
        """Whether its arrays have the names of fields, and so the axes and meaning of these."""
        return all(role == name for role, name in self.arrays.items())

    def shapes(self, listing: ArrayListing) -> dict[str, Shape]:
        """Return the shapes of the parts, with arrays of three split.

        Raises FormatError for a name that is not there, and for an array that cannot be split, or in two ways.
        """
        shapes = self.whole_shapes(listing)
        for role, columns in self.columns(listing).items():
            shape, axis = list(shapes.pop(role)), self.shared_axis(role)
            for part, places in zip(FUSED[role], columns, strict=True):
                shape[axis] = len(places)
                shapes[part] = tuple(shape)
        return shapes

    def columns(self, listing: ArrayListing) -> dict[str, Columns]:
        """Return the places of query, key and value along the shared axis of each array that holds all three."""
        check_once(self.arrays)
        names = {role: name for role, name in self.arrays.items() if role in FUSED}
        if not names:
            return {}
        count, shapes = self.count(listing), self.whole_shapes(listing)
        for role, name in names.items():
            stacked = len(DIRECT) in shapes[role][:-1] and not count.shared(shapes[role][-1])[2]
            if FUSED[role] == DIRECT and (len(shapes[role]) > 3 or stacked):
                raise FormatError(_PART_AXIS, name=shown(name), got=shape_text(shapes[role]))
        split, found = split_of(tuple(names.values()), self.split, count), dict[str, Columns]()
        for role, name in names.items():
            shape, axis = shapes[role] or (1,), self.shared_axis(role)
            if FUSED[role] == WEIGHTS and len(shape) == 2:
                check_count(name, shape[axis], shape[axis - 1], count)
            found[role] = split.columns(name, shape[axis], count)
        return found

    def shared_axis(self, role: str) -> int:
        """Return the axis along which an array holds query, key and value."""
        return 0 if self.weights == ROWS_OUT and FUSED[role] == WEIGHTS else -1

    def count(self, listing: ArrayListing) -> HeadCounts:
        """Return the numbers of heads, 1 where none is given."""
        heads, kv_heads = self.said_counts(listing)
        return HeadCounts(heads or 1, kv_heads)

    def said_counts(self, listing: ArrayListing) -> tuple[int | None, int | None]:
        """Return the numbers of heads and K/V heads that are given, here or in the file."""
        options = in_our_words(listing.options)[0]
        heads, kv_heads = _said_counts(options)
        return self.num_heads or heads, self.num_kv_heads or kv_heads

    def whole_shapes(self, listing: ArrayListing) -> dict[str, Shape]:
        """Return the shapes of the arrays by part. Raises FormatError for a name that is not there."""
        known = {array.name: array.shape for array in listing.arrays}
        for name in self.arrays.values():
            if name not in known:
                raise FormatError(_NO_ARRAY, name=shown(name), got=listed(known))
        return {role: known[name] for role, name in self.arrays.items()}

    def rows(self, listing: ArrayListing) -> dict[str, Shape]:
        """Return the shapes of parts with a row for each token."""
        arrays = {role: name for role, name in self.arrays.items() if role in ROWS or FUSED.get(role) == DIRECT}
        return replace(self, arrays=arrays).shapes(listing)

    def readings(self, listing: ArrayListing) -> tuple[Axes, ...]:
        """Return the orders of axes of query, key and value, or x and context, that fit the number of heads."""
        return tuple(axes for axes in readings(self.rows(listing), self.heads(listing)) if self.accepts_axes(axes))

    def heads(self, listing: ArrayListing) -> dict[str, int | None]:
        """Return the given numbers of heads, by the arrays that may have an axis of heads."""
        heads, kv_heads = self.said_counts(listing)
        return {"query": heads, "key": kv_heads}

    def accepts_axes(self, axes: Axes) -> bool:
        """Return whether arrays of these parts can have such axes: three in one have their heads in the columns."""
        together = any(FUSED.get(role) == DIRECT for role in self.arrays)
        return (self.direct and not together) or (HEAD not in axes and axes[-1] == COLUMN)

    def named(self, listing: ArrayListing) -> ArrayMapping:
        """Return the mapping by the arrays' names, if none is named. Raises ForeignNames."""
        if self.arrays:
            return self
        if not is_own_file(listing) and (maps := names_of_maps(listing)):
            name = chosen_map(listing, maps, self.axes, self.layer).name
            return replace(self, arrays={GIVEN: name, **beside_maps(listing)})
        names = [array.name for array in listing.arrays]
        own = [name for name in names if is_field(name) or name == MASK]
        if not is_problem(own):
            own += [name for name in names if name in FUSED]
        if not is_problem(parts_of(own)):
            check_names(names)
        followed = [name for name in own if name != GIVEN]  # weights beside Q and K are a result of theirs
        own = followed if is_problem(parts_of(followed)) else own
        return replace(self, arrays={name: name for name in own})

    def options(self, listing: ArrayListing) -> dict[str, Json]:
        """Return the options of the file; `num_heads` and `num_kv_heads` by an axis of heads, else as given."""
        counts: dict[str, int | None] = {"num_heads": self.num_heads, "num_kv_heads": self.num_kv_heads}
        shapes = self.shapes(listing)
        for option, role in (("num_heads", "query"), ("num_kv_heads", "key")):
            if role in shapes and self.axes is not None:
                counts[option] = heads_of(self.axes, shapes[role]) or counts[option]
            elif f"w_{role}" in shapes and self.weights is not None:
                counts[option] = weight_heads(f"w_{role}", self.weights, shapes[f"w_{role}"]) or counts[option]
        said = in_our_words(listing.options)[0]
        return {**said, **{name: count for name, count in counts.items() if count is not None}}


def parse_mapping(
    arrays: Mapping[str, str],
    axes: str | Sequence[str] | None = None,
    weights: str | None = None,
    mask: str | None = None,
    num_heads: int | None = None,
    num_kv_heads: int | None = None,
    split: str | None = None,
    layer: int | None = None,
) -> ArrayMapping:
    """Return the mapping that a script or the command line asks for. Raises FormatError for an unknown word."""
    said = axes.split(",") if isinstance(axes, str) else axes
    words = [word.strip() for word in said or ()]
    read = None if said is None else parsed(words) or parsed_maps(words)
    if said is not None and read is None:
        raise FormatError(_NO_AXES, option=Argument.named("axes"), got=shown(",".join(said)))
    if weights is not None and weights not in WEIGHT_AXES:
        raise _unknown("weights", weights, WEIGHT_AXES)
    if mask is not None and mask not in MASK_MEANINGS:
        raise _unknown("mask", mask, MASK_MEANINGS)
    if split is not None and split not in SPLITS:
        raise _unknown("split", split, SPLITS)
    chosen = None if split is None else SPLITS[split]
    return ArrayMapping(dict(arrays), read, weights, mask, num_heads, num_kv_heads, chosen, layer)


def _unknown(option: str, got: str, expected: Iterable[str]) -> FormatError:
    words = tuple(f"“{word}”" for word in expected)
    return FormatError(_NO_WORD, option=Argument.named(option), got=shown(got), expected=words)


def propose_mapping(listing: ArrayListing) -> ArrayMapping:
    """Return the mapping that the names of a file's arrays suggest. It may lack parts; `num_heads` and
    `num_kv_heads` are those that the file states."""
    names, shapes = suggested(listing.arrays), {array.name: array.shape for array in listing.arrays}
    lengths = {1}.union(*(shapes[name] for role, name in names.items() if role in ROWS))
    for name, shape, dtype in listing.arrays:
        if dtype == SWITCHES and len(shape) > 1 and lengths.issuperset(shape):  # a mask by any name
            names.setdefault(MASK, name)
    split = known_of(name for role, name in names.items() if role in FUSED)
    heads, kv_heads = ArrayMapping().said_counts(listing)
    return ArrayMapping(names, split=split, num_heads=heads, num_kv_heads=kv_heads)


def held_shape(said: ArrayMapping, role: str, shape: Shape) -> Shape:
    """Return the shape in which a problem holds an array that is one of its parts."""
    if role in ROWS and said.axes is not None:
        return laid_shape(said.axes, shape)
    if role in LINEAR and said.weights is not None:
        return laid_weight_shape(role, said.weights, shape)
    return held_vector_shape(role, shape)


def held_vector_shape(role: str, shape: Shape) -> Shape:
    """Return the shape of a vector, given as a table of one row or column, or as a bias with an axis of heads."""
    return (shape[0] * shape[1],) if role in BIASES and len(shape) == 2 else own_shape(role, shape)


# --- remembered mappings --------------------------------------------------------------------------
def pattern(name: str) -> str:
    """Return `h.#.attn.q` for `h.3.attn.q`, so that names that differ by layer are alike."""
    return _NUMBER.sub("#", name)


def record_of(mapping: ArrayMapping) -> dict[str, Any]:
    """Return a mapping as JSON, its names as patterns."""
    return {
        "arrays": {role: pattern(name) for role, name in mapping.arrays.items()},
        "axes": list(mapping.axes or ()),
        "weight_axes": mapping.weights,
        "mask": mapping.mask,
        "num_heads": mapping.num_heads,
        "num_kv_heads": mapping.num_kv_heads,
        "split": mapping.split.key if mapping.split else None,
    }


def recall_mapping(records: Iterable[Mapping[str, Any]], listing: ArrayListing) -> ArrayMapping | None:
    """Return the first remembered mapping whose names the file has, for the first layer that has them; with a mask
    of the file where the last one had none to be left out."""
    for record in records:
        patterns = record.get("arrays")
        if not isinstance(patterns, dict) or not patterns:
            continue
        names = _names(patterns, listing)
        if names:
            try:
                found = _recorded_mapping(names, record)
                mask = propose_mapping(listing).arrays.get(MASK) if found.mask is None else None
                if mask and GIVEN not in found.arrays:
                    found = replace(found, arrays={MASK: mask, **found.arrays})
                heads, kv_heads = ArrayMapping().said_counts(listing)  # this file knows better than the last one
                return replace(found, num_heads=heads, num_kv_heads=kv_heads) if heads else found
            except FormatError:  # of another version
                continue
    return None


def _names(patterns: Mapping[str, str], listing: ArrayListing) -> dict[str, str]:
    """Return {part: name} for patterns by part, with the same numbers in all names if there are such.

    {} where a pattern fits no name.
    """
    alike: dict[str, list[str]] = {}
    for array in listing.arrays:
        alike.setdefault(pattern(array.name), []).append(array.name)
    found = {role: alike.get(wanted, []) for role, wanted in patterns.items()}
    if not all(found.values()):
        return {}
    numbers = max((_NUMBER.findall(names[0]) for names in found.values()), key=len)

    def nearest(names: list[str]) -> str:
        return next((name for name in names if _NUMBER.findall(name) == numbers), names[0])

    return {role: nearest(names) for role, names in found.items()}


def _said_counts(said: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the numbers of heads and K/V heads that a record has; None for what is no number of heads."""
    counts = [said.get(name) for name in ("num_heads", "num_kv_heads")]
    heads, kv_heads = (count if type(count) is int and count > 0 else None for count in counts)
    return heads, kv_heads


def _recorded_mapping(names: Mapping[str, str], record: Mapping[str, Any]) -> ArrayMapping:
    weights, mask = record.get("weight_axes"), record.get("mask")
    heads, kv_heads = _said_counts(record)
    return ArrayMapping(
        names,
        axes=parsed(map(str, record.get("axes") or ())),
        weights=weights if weights in WEIGHT_AXES else None,
        mask=mask if mask in MASK_MEANINGS else None,
        num_heads=heads,
        num_kv_heads=kv_heads,
        split=SPLITS.get(str(record.get("split"))),
    )
