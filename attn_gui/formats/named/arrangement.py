"""An arrangement: which arrays of a file are which parts of a problem, and how they lie. Imports engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attn_gui.engine.problem.fields import DIRECT, GIVEN, WEIGHTS
from attn_gui.engine.problem.shapes.drafts import clash_with, draft_of
from attn_gui.formats.base import Listing
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shape_text, shown
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import Json
from attn_gui.formats.named.attention_maps import (
    beside_maps,
    chosen_map,
    complaint_on_maps,
    names_of_maps,
    parsed_maps,
)
from attn_gui.formats.named.by_name import check_names, is_ours_whole, is_problem
from attn_gui.formats.named.fused import (
    FUSED,
    SPLITS,
    Columns,
    Count,
    Split,
    check_count,
    check_once,
    known_of,
    parts_of,
    split_of,
)
from attn_gui.formats.named.head_axes import (
    COLUMN,
    HEAD,
    READINGS,
    Axes,
    Shape,
    heads_of,
    laid_shape,
    parsed,
    readings,
)
from attn_gui.formats.named.mask_meanings import MASK_MEANINGS
from attn_gui.formats.named.roles import MASK, ROLES, suggested
from attn_gui.formats.problem_fields import fields_of, is_field, listed, own_shape

ROWS_IN, ROWS_OUT = "in,out", "out,in"
WEIGHT_AXES = (ROWS_IN, ROWS_OUT)
_STEPS = {ROWS_IN: 1, ROWS_OUT: -1}
LINEAR = (*WEIGHTS, "w_output")
_NO_ARRAY = QT_TRANSLATE_NOOP("Sentences", "{file} has no array “{name}”; it has {got}.")
_NO_ROLE = QT_TRANSLATE_NOOP("Sentences", "“{name}” is no part of a problem; expected one of {expected}.")
_NO_WORD = QT_TRANSLATE_NOOP("Sentences", "“{option}” is “{got}”; expected one of {expected}.")
_NO_READING = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: the shapes {got} fit together in no order of axes as query, key and value."
)
_NO_READING_OF_HEADS = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: the shapes {got} can be read in no order of axes as query, key and value of {heads} heads."
)
_OTHER_READING = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: query, key and value cannot be read as {axes}; expected {expected}."
)


@dataclass(frozen=True)
class Arrangement:
    """Names of the arrays by part, and how they are read; None is what their shapes and kinds of numbers suggest.

    Where no array is said, those of a file that is read have their own names.
    """

    arrays: Mapping[str, str] = field(default_factory=dict)
    axes: Axes | None = None  # of query, key and value
    weights: str = ROWS_IN  # the order of the axes of every weight
    mask: str | None = None
    num_heads: int | None = None
    num_kv_heads: int | None = None
    split: Split | None = None  # of arrays that hold query, key and value; None is what is known of their names
    layer: int | None = None  # of attention weights that are of several

    def __post_init__(self) -> None:
        for role in self.arrays:
            if role not in ROLES and not is_field(role):
                raise FormatError(_NO_ROLE, name=shown(role), expected=ROLES)

    @property
    def words(self) -> dict[str, Any]:
        """Words on how arrays are read, by field; none for what is left open."""
        given = {name: value for name, value in vars(self).items() if name != "arrays"}
        return {name: value for name, value in given.items() if value != getattr(Arrangement, name)}

    @property
    def direct(self) -> bool:
        """Whether it has queries, keys or values, rather than what makes them."""
        return any(part in DIRECT for part in parts_of(self.arrays))

    def shapes(self, listing: Listing) -> dict[str, Shape]:
        """The shapes of the parts, those of an array of three apart. Raises FormatError for a name that is not there
        and for an array that cannot be split, or in two ways."""
        shapes = self._whole_shapes(listing)
        for role, columns in self.columns(listing).items():
            shape, axis = list(shapes.pop(role)), self.shared_axis(role)
            for part, places in zip(FUSED[role], columns, strict=True):
                shape[axis] = len(places)
                shapes[part] = tuple(shape)
        return shapes

    def columns(self, listing: Listing) -> dict[str, Columns]:
        """The places of query, key and value in each array that holds all three, along the axis that they share."""
        check_once(self.arrays)
        names = {role: name for role, name in self.arrays.items() if role in FUSED}
        if not names:
            return {}
        count, shapes = self.count(listing), self._whole_shapes(listing)
        split, found = split_of(tuple(names.values()), self.split, count), dict[str, Columns]()
        for role, name in names.items():
            shape, axis = shapes[role] or (1,), self.shared_axis(role)
            if FUSED[role] == WEIGHTS and len(shape) == 2:
                check_count(name, shape[axis], shape[axis - 1], count)
            found[role] = split.columns(name, shape[axis], count)
        return found

    def shared_axis(self, role: str) -> int:
        """The axis along which an array holds query, key and value."""
        return 0 if self.weights == ROWS_OUT and FUSED[role] == WEIGHTS else -1

    def count(self, listing: Listing) -> Count:
        """The numbers of heads, one where none is said."""
        heads, kv_heads = self._said_counts(listing)
        return Count(heads or 1, kv_heads)

    def _said_counts(self, listing: Listing) -> tuple[int | None, int | None]:
        """The numbers of heads and of K/V heads that are said, here or in the file."""
        found = (listing.options.get(name) for name in ("num_heads", "num_kv_heads"))
        heads, kv_heads = (count if type(count) is int and count > 0 else None for count in found)
        return self.num_heads or heads, self.num_kv_heads or kv_heads

    def _whole_shapes(self, listing: Listing) -> dict[str, Shape]:
        known = {array.name: array.shape for array in listing.arrays}
        for name in self.arrays.values():
            if name not in known:
                raise FormatError(_NO_ARRAY, name=shown(name), got=listed(known))
        return {role: known[name] for role, name in self.arrays.items()}

    def readings(self, listing: Listing) -> tuple[Axes, ...]:
        """The ways to read the axes of query, key and value, those with as many heads as are said."""
        shapes = self.shapes(listing)
        tokens = listing.options.get("query_tokens", listing.options.get("tokens"))
        count = len(tokens) if isinstance(tokens, list) else None
        heads = dict(zip(DIRECT, self._said_counts(listing), strict=False))
        found = readings({role: shapes[role] for role in DIRECT if role in shapes}, count, heads)
        together = any(FUSED.get(role) == DIRECT for role in self.arrays)  # with heads in the columns
        return tuple(axes for axes in found if not together or (HEAD not in axes and axes[-1] == COLUMN))

    def named(self, listing: Listing) -> Arrangement:
        """Arrangement of the arrays under their own names, where none is said. Raises ForeignNames where these say
        nothing."""
        if self.arrays:
            return self
        if not is_ours_whole(listing) and (maps := names_of_maps(listing)):
            name = chosen_map(listing, maps, self.axes, self.layer).name
            return replace(self, arrays={GIVEN: name, **beside_maps(listing)})
        names = [array.name for array in listing.arrays]
        own = [name for name in names if is_field(name) or name == MASK]
        if not is_problem(own):
            own += [name for name in names if name in FUSED]
        if not is_problem(parts_of(own)):
            check_names(names)
        return replace(self, arrays={name: name for name in own})

    def settled(self, listing: Listing) -> Arrangement:
        """Arrangement with its axes said. Raises FormatError where the shapes allow none, or not those said."""
        if not self.direct:
            return self
        found = self.readings(listing)
        if not found:
            shapes = {role: shape for role, shape in self.shapes(listing).items() if role in DIRECT}
            template = _NO_READING_OF_HEADS if readings(shapes) else _NO_READING
            got = tuple(shape_text(shapes[role]) for role in DIRECT if role in shapes)
            raise FormatError(template, got=got, heads=self.count(listing).heads)
        if self.axes is not None and self.axes not in found:
            expected = tuple(",".join(axes) for axes in found)
            raise FormatError(_OTHER_READING, axes=",".join(self.axes), expected=expected)
        return replace(self, axes=self.axes or found[0])

    def options(self, listing: Listing) -> dict[str, Json]:
        """The options of the file, with the numbers of heads that are said or have an axis."""
        counts: dict[str, int | None] = {"num_heads": self.num_heads, "num_kv_heads": self.num_kv_heads}
        if self.axes is not None:
            shapes = self.shapes(listing)
            for option, role in (("num_heads", "query"), ("num_kv_heads", "key")):
                counts[option] = (heads_of(self.axes, shapes[role]) if role in shapes else None) or counts[option]
        return {**listing.options, **{name: count for name, count in counts.items() if count is not None}}


def arrangement_of(
    arrays: Mapping[str, str],
    axes: str | Sequence[str] | None = None,
    weights: str = ROWS_IN,
    mask: str | None = None,
    num_heads: int | None = None,
    num_kv_heads: int | None = None,
    split: str | None = None,
    layer: int | None = None,
) -> Arrangement:
    """An arrangement as a script or the command line says it. Raises FormatError for a word that is none."""
    said = axes.split(",") if isinstance(axes, str) else axes
    words = [word.strip() for word in said or ()]
    read = None if said is None else parsed(words) or parsed_maps(words)
    if said is not None and read is None:
        raise _unknown("axes", ",".join(said), (",".join(each) for each in READINGS))
    if weights not in WEIGHT_AXES:
        raise _unknown("weights", weights, WEIGHT_AXES)
    if mask is not None and mask not in MASK_MEANINGS:
        raise _unknown("mask", mask, MASK_MEANINGS)
    if split is not None and split not in SPLITS:
        raise _unknown("split", split, SPLITS)
    chosen = None if split is None else SPLITS[split]
    return Arrangement(dict(arrays), read, weights, mask, num_heads, num_kv_heads, chosen, layer)


def _unknown(option: str, got: str, expected: Iterable[str]) -> FormatError:
    return FormatError(_NO_WORD, option=option, got=shown(got), expected=tuple(f"“{word}”" for word in expected))


def proposed(listing: Listing) -> Arrangement:
    """The arrangement that the names of a file's arrays suggest, which may lack parts."""
    names = suggested(listing.arrays)
    fused = [name for role, name in names.items() if role in FUSED]
    return Arrangement(names, weights=_weight_axes(names, listing), split=known_of(fused))


def _weight_axes(names: Mapping[str, str], listing: Listing) -> str:
    """The order of axes that an array of three shows by its shape, or that torch.nn.Linear has."""
    shapes = {array.name: array.shape for array in listing.arrays}
    fused = [shapes[name] for role, name in names.items() if FUSED.get(role) == WEIGHTS and len(shapes[name]) == 2]
    for order, (d_in, d_out) in ((order, shape[::step]) for shape in fused for order, step in _STEPS.items()):
        if d_out == 3 * d_in:
            return order
    weights = [role for role in names if role in LINEAR or FUSED.get(role) == WEIGHTS]
    linear = any(names[role].endswith((".weight", "in_proj_weight")) and "c_" not in names[role] for role in weights)
    return ROWS_OUT if linear else ROWS_IN


def complaint(arrangement: Arrangement, listing: Listing) -> Exception | None:
    """The reason why an arrangement makes no problem, by shapes alone: no number is read."""
    if GIVEN in arrangement.arrays:
        return complaint_on_maps(arrangement.arrays, listing)
    try:
        said = arrangement.settled(listing)
        shapes = {role: _held_shape(said, role, shape) for role, shape in said.shapes(listing).items() if role != MASK}
        options = said.options(listing)
        tiny: dict[str, Array] = {role: np.zeros((1,) * len(shape)) for role, shape in shapes.items()}
        fields = fields_of(tiny, options)
        return clash_with(draft_of(fields), shapes)
    except (ValueError, TypeError) as error:
        return error


def _held_shape(said: Arrangement, role: str, shape: Shape) -> Shape:
    shape = own_shape(role, shape)
    if role in DIRECT and said.axes is not None:
        return laid_shape(said.axes, shape)
    return shape[::-1] if role in LINEAR and said.weights == ROWS_OUT else shape
