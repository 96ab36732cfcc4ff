"""An arrangement: which arrays of a file are which parts of a problem, and how they lie. Imports engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attn_gui.engine.problem.fields import DIRECT, WEIGHTS
from attn_gui.engine.problem.masks import Bias, Custom
from attn_gui.engine.problem.shapes.drafts import clash_with, draft_of
from attn_gui.engine.problem.shapes.head_axis import side_by_side
from attn_gui.formats.base import Listing, Loaded, Source
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shape_text, shown
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import Json
from attn_gui.formats.named.by_name import problem_of
from attn_gui.formats.named.head_axes import HEAD, READINGS, Axes, Shape, heads_of, laid, laid_shape, parsed, readings
from attn_gui.formats.named.roles import MASK, ROLES, suggested
from attn_gui.formats.problem_fields import fields_of, listed, option_of

ROWS_IN, ROWS_OUT = "in,out", "out,in"
WEIGHT_AXES = (ROWS_IN, ROWS_OUT)
KEEP, BLOCK, ADD = "keep", "block", "add"
MASK_MEANINGS = (KEEP, BLOCK, ADD)
_LINEAR = (*WEIGHTS, "w_output")

_NO_ARRAY = QT_TRANSLATE_NOOP("Sentences", "{file} has no array “{name}”; it has {got}.")
_NO_ROLE = QT_TRANSLATE_NOOP("Sentences", "“{name}” is no part of a problem; expected one of {expected}.")
_NO_WORD = QT_TRANSLATE_NOOP("Sentences", "“{option}” is “{got}”; expected one of {expected}.")
_NO_READING = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: the shapes {got} fit together in no order of axes as query, key and value."
)
_OTHER_READING = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: query, key and value cannot be read as {axes}; expected {expected}."
)


@dataclass(frozen=True)
class Arrangement:
    """Names of the arrays by part, and how they are read; None is what their shapes and kinds of numbers suggest."""

    arrays: Mapping[str, str] = field(default_factory=dict)
    axes: Axes | None = None  # of query, key and value
    weights: str = ROWS_IN  # the order of the axes of every weight
    mask: str | None = None
    num_heads: int | None = None
    num_kv_heads: int | None = None

    def __post_init__(self) -> None:
        for role in self.arrays:
            if role not in ROLES:
                raise FormatError(_NO_ROLE, name=shown(role), expected=ROLES)

    @property
    def direct(self) -> bool:
        """Whether it has queries, keys or values, rather than what makes them."""
        return any(role in self.arrays for role in DIRECT)

    def shapes(self, listing: Listing) -> dict[str, Shape]:
        """The shapes of the arrays by part. Raises FormatError for a name that the file has not."""
        known = {array.name: array.shape for array in listing.arrays}
        for name in self.arrays.values():
            if name not in known:
                raise FormatError(_NO_ARRAY, name=shown(name), got=listed(known))
        return {role: known[name] for role, name in self.arrays.items()}

    def readings(self, listing: Listing) -> tuple[Axes, ...]:
        """The ways to read the axes of query, key and value."""
        shapes = self.shapes(listing)
        tokens = listing.options.get("query_tokens", listing.options.get("tokens"))
        count = len(tokens) if isinstance(tokens, list) else None
        return readings({role: shapes[role] for role in DIRECT if role in shapes}, count)

    def settled(self, listing: Listing) -> Arrangement:
        """The same with its axes said. Raises FormatError where the shapes allow none, or not those that are said."""
        if not self.direct:
            return self
        found = self.readings(listing)
        if not found:
            shapes = self.shapes(listing)
            raise FormatError(_NO_READING, got=tuple(shape_text(shapes[role]) for role in DIRECT if role in shapes))
        if self.axes is not None and self.axes not in found:
            expected = tuple(",".join(axes) for axes in found)
            raise FormatError(_OTHER_READING, axes=",".join(self.axes), expected=expected)
        return replace(self, axes=self.axes or found[0])


def arrangement_of(
    arrays: Mapping[str, str],
    axes: str | Sequence[str] | None = None,
    weights: str = ROWS_IN,
    mask: str | None = None,
    num_heads: int | None = None,
    num_kv_heads: int | None = None,
) -> Arrangement:
    """An arrangement as a script or the command line says it. Raises FormatError for a word that is none."""
    said = axes.split(",") if isinstance(axes, str) else axes
    read = None if said is None else parsed(word.strip() for word in said)
    if said is not None and read is None:
        raise _unknown("axes", ",".join(said), (",".join(each) for each in READINGS))
    if weights not in WEIGHT_AXES:
        raise _unknown("weights", weights, WEIGHT_AXES)
    if mask is not None and mask not in MASK_MEANINGS:
        raise _unknown("mask", mask, MASK_MEANINGS)
    return Arrangement(dict(arrays), read, weights, mask, num_heads, num_kv_heads)


def _unknown(option: str, got: str, expected: Iterable[str]) -> FormatError:
    return FormatError(_NO_WORD, option=option, got=shown(got), expected=tuple(f"“{word}”" for word in expected))


def proposed(listing: Listing) -> Arrangement:
    """The arrangement that the names of a file's arrays suggest, which may lack parts."""
    names = suggested(listing.arrays)
    linear = any(names.get(role, "").endswith(".weight") and "c_" not in names[role] for role in _LINEAR)
    return Arrangement(names, weights=ROWS_OUT if linear else ROWS_IN)  # as torch.nn.Linear holds them


def complaint(arrangement: Arrangement, listing: Listing) -> Exception | None:
    """The reason why an arrangement makes no problem, by shapes alone: no number is read."""
    try:
        said = arrangement.settled(listing)
        shapes = {role: _held_shape(said, role, shape) for role, shape in said.shapes(listing).items() if role != MASK}
        options = _options(said, listing)
        tiny: dict[str, Array] = {role: np.zeros((1,) * len(shape)) for role, shape in shapes.items()}
        fields = fields_of(tiny, options)
        return clash_with(draft_of(fields), shapes)
    except (ValueError, TypeError) as error:
        return error


def read_arranged(arrangement: Arrangement, listing: Listing, source: Source) -> Loaded:
    """The problem that an arrangement makes of a file. Raises FormatError, and ShapeError as a problem does."""
    said = arrangement.settled(listing)
    names = set(said.arrays.values())
    said.shapes(listing)
    source.file.seek(0)
    found = listing.read(source, names)
    arrays = {role: found[name] for role, name in said.arrays.items()}
    options = _options(said, listing)
    if said.direct and said.axes is not None:
        arrays |= {role: laid(said.axes, arrays[role]) for role in DIRECT if role in arrays}
        if HEAD in said.axes and all(role in arrays for role in DIRECT):
            heads: dict[str, Any] = side_by_side(arrays["query"], arrays["key"], arrays["value"], {})
            arrays |= {role: heads[role] for role in DIRECT}
    if said.weights == ROWS_OUT:
        arrays |= {role: arrays[role].T for role in _LINEAR if role in arrays}
    if MASK in arrays:
        options, cells = _with_mask(said, arrays.pop(MASK), options, arrays)
        arrays |= cells
    left = [array.name for array in listing.arrays if array.name not in names]
    loaded = problem_of(arrays, options, left, batch_axis=True)
    return replace(loaded, notes=(*listing.notes, *loaded.notes))


def _held_shape(said: Arrangement, role: str, shape: Shape) -> Shape:
    if role in DIRECT and said.axes is not None:
        return laid_shape(said.axes, shape)
    return shape[::-1] if role in _LINEAR and said.weights == ROWS_OUT else shape


def _options(said: Arrangement, listing: Listing) -> dict[str, Json]:
    """The options of the file, with the numbers of heads that are said or have an axis."""
    counts: dict[str, int | None] = {"num_heads": said.num_heads, "num_kv_heads": said.num_kv_heads}
    if said.axes is not None:
        shapes = said.shapes(listing)
        for option, role in (("num_heads", "query"), ("num_kv_heads", "key")):
            counts[option] = (heads_of(said.axes, shapes[role]) if role in shapes else None) or counts[option]
    return {**listing.options, **{name: count for name, count in counts.items() if count is not None}}


def _with_mask(
    said: Arrangement, cells: Array, options: Mapping[str, Json], arrays: Mapping[str, Array]
) -> tuple[dict[str, Json], dict[str, Array]]:
    """The options and arrays of the file's layers with one more, of the cells of a mask."""
    cells = _with_axes(said, cells, arrays)
    before = options.get(MASK, [])
    layers = list(before) if isinstance(before, list) else []
    if said.mask is None:
        more, found = option_of(MASK, cells)
        layer, (values,) = more[MASK][0], found.values()
        kind = Custom if layer["kind"] == Custom.kind else Bias
    else:
        kind, values = (Bias, cells) if said.mask == ADD else (Custom, (cells != 0) == (said.mask == KEEP))
    name = f"{MASK}.{len(layers)}.{kind.parameters[0].name}"
    return {**options, MASK: [*layers, {"kind": kind.kind}]}, {name: values}


def _with_axes(said: Arrangement, cells: Array, arrays: Mapping[str, Array]) -> Array:
    """A mask of items and keys, or of items, queries and keys, with the axes between."""
    first = next((arrays[role] for role in ("query", "x") if role in arrays), None)
    if first is None or first.ndim != 3 or cells.ndim not in (2, 3):
        return cells
    batch, n = first.shape[0], first.shape[-2]
    if cells.shape[0] == batch and (cells.ndim == 3 or cells.shape[0] != n):
        return cells[:, None, None] if cells.ndim == 2 else cells[:, None]
    return cells
