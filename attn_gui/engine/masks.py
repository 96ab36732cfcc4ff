"""Kinds of mask layers (causal, window, prefix, padding, ALiBi and its slopes, custom, bias): rule, words, parameters.
A new kind is one class and its entry in MASKS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from attn_gui.engine import checks, errors
from attn_gui.engine.arrays import Array
from attn_gui.engine.errors import FieldTypeError, Note, ShapeError
from attn_gui.languages import N_

Sizes = tuple[int, int, int, int]  # batch, head, query, key

BLOCKED = {
    N_("Masks", "open where {rule}"): N_("Masks", "blocked unless {rule}"),
    N_("Masks", "open everywhere"): N_("Masks", "blocked nowhere"),
    N_("Masks", "open: {open} of {all} cells"): N_("Masks", "blocked: {closed} of {all} cells"),
}
"""Rules by which True is read as blocked, as in nn.MultiheadAttention."""

SAMPLE = 1 << 10  # cells of a table that are looked at before all of it


# --- base -----------------------------------------------------------------------------------------
class Parameter(NamedTuple):
    """One setting of a mask layer, for the panel that edits it. A default of None: no limit, or taken from m.

    Texts are English, of the context "Masks"; `about` says what the setting does to the rule.
    """

    name: str
    kind: Literal["int", "lengths", "align", "array"]
    default: Any
    label: str = ""
    about: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Layer(checks.TaggedRecord):
    """One layer of a mask; only an `enabled` one counts. Texts are English, of the context "Masks"."""

    enabled: bool = True

    listed: ClassVar[str] = "mask"
    positional: ClassVar[bool] = True  # which cells it opens, or what it adds, depends on where keys stand
    diagonal: ClassVar[bool] = False  # a rule of how far a key lies behind a query, and of nothing else
    adds: ClassVar[bool] = False  # True: adds to the scores; False: says which cells are allowed
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __post_init__(self) -> None:
        checks.as_switch(f"{self.kind}.enabled", self.enabled)

    @property
    def paintable(self) -> bool:
        """Whether its cells can be opened and closed one by one."""
        return bool(self.table) and not self.adds

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        """Return the parameters of a new layer that shows what its kind does; equal cells are one value, broadcast."""
        return {}

    def rule(self, n: int, m: int) -> Note:
        """Return its rule with numbers: "open where j ≤ i + 2"."""
        return Note(self.about)

    def code(self, sizes: Sizes) -> str:
        """Return the rule as code for arrays i and j, "" where there is none; {array} makes an array."""
        return ""

    def resized(self, axis: int, before: int, after: int, m: int) -> Layer:
        """Return the layer for another length of an axis (batch, head, query, key), with `m` keys before."""
        return self

    def with_keys(self, places: Array, m: int) -> Layer:
        """Return the layer for other keys: those at these places among the `m` before, −1 for a new one."""
        return self

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """Return the shape of the rule, aligned at the right; axes that do not count have length 1 or are missing."""
        return (sizes[2], sizes[3])

    def extent(self, axis: int, sizes: Sizes) -> int:
        """Return the length of the rule or the cells along one of the four axes; 1 where they do not depend on it."""
        shape = self.shape(sizes) if self.cells is None else self.cells.shape
        return int(shape[axis - 4]) if axis + len(shape) >= 4 else 1

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        """Return the values of the rule at grids of its own axes, as from `numpy.ogrid`."""
        raise NotImplementedError

    def run(self, rows: Array, sizes: Sizes) -> tuple[Array | int, Array | int] | None:
        """Return (first open key, one after the last) of each row, for a layer whose open keys are one run, else None.

        Each is (rows,), (batch, rows) or a number, the same in all heads; it may be below 0 or above m.
        """
        return None

    def fit(self, name: str, sizes: Sizes) -> None:
        """Raise ShapeError if the layer does not belong to maps of these sizes."""


ALIGN = Parameter(
    "align",
    "align",
    "start",
    N_("Masks", "lined up at"),
    N_(
        "Masks",
        "Matters when n and m differ. First: query 0 belongs to key 0, as in PyTorch's is_causal. "
        "Last: the last query belongs to the last key, as in a decoder that goes on from earlier tokens.",
    ),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Aligned(Layer):
    """A rule of positions: query i is at key i + o, with o = m − n if `align` is "end", else 0."""

    align: str = "start"

    parameters: ClassVar[tuple[Parameter, ...]] = (ALIGN,)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.as_align(f"{self.kind}.align", self.align)

    def ahead(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        """Return j − i − o, how far key j is ahead of query i."""
        i, j = place[-2:]
        return np.asarray(j - i - self.shift(sizes))

    def shift(self, sizes: Sizes) -> int:
        """Return o: query i is at key i + o."""
        return sizes[3] - sizes[2] if self.align == "end" else 0

    def query_code(self, sizes: Sizes) -> str:
        """Return `(i + 2)` as code: the position of query i among the keys."""
        return f"(i + {self.shift(sizes)})" if self.shift(sizes) else "i"

    def query_text(self, n: int, m: int, more: int = 0) -> str:
        """Return `i + 2`: the position of query i among the keys, plus `more`."""
        shift = (m - n if self.align == "end" else 0) + more
        return f"i {'+' if shift > 0 else '−'} {abs(shift)}" if shift else "i"


@dataclass(frozen=True, eq=False, kw_only=True)
class TableLayer(Layer):
    """A layer of cells, an array that broadcasts to (batch, head, n, m)."""

    positional = False

    def fit(self, name: str, sizes: Sizes) -> None:
        _broadcasts(f"{name}.{self.table}", self.cells, sizes)


@dataclass(frozen=True, eq=False, kw_only=True)
class Custom(TableLayer):
    """Cells that say True for a key that may be attended to: `allowed` broadcasts to (batch, head, n, m)."""

    allowed: Array

    kind = "custom"
    label = N_("Masks", "custom")
    about = N_("Masks", "Cells opened and closed one by one")
    table = "allowed"
    parameters = (Parameter("allowed", "array", None),)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "allowed", checks.as_flags("custom.allowed", self.allowed, copy=False))

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        return {"allowed": np.broadcast_to(True, (n, m))}

    def rule(self, n: int, m: int) -> Note:
        open_, all_ = int(np.count_nonzero(self.allowed)), self.allowed.size
        counts: dict[str, object] = {"open": open_, "closed": all_ - open_, "all": all_}
        return Note(N_("Masks", "open: {open} of {all} cells"), counts)

    def normalized(self, name: str, dtype: np.dtype[Any], copy: bool) -> Self:
        allowed = checks.as_flags(f"{name}.allowed", self.allowed, copy=copy or not self.allowed.flags.c_contiguous)
        return type(self)(enabled=self.enabled, allowed=allowed)


@dataclass(frozen=True, eq=False, kw_only=True)
class Bias(TableLayer):
    """Cells that are added to the scores: `values` broadcasts to (batch, head, n, m)."""

    values: Array

    kind = "bias"
    label = N_("Masks", "bias")
    about = N_("Masks", "A number added to every score")
    table = "values"
    adds = True
    parameters = (Parameter("values", "array", None),)

    def __post_init__(self) -> None:
        super().__post_init__()
        cells = checks.as_array("bias.values", self.values, axes=(0, 1, 2, 3, 4))
        object.__setattr__(self, "values", np.atleast_2d(cells))

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        return {"values": np.broadcast_to(0.0, (n, m))}

    def rule(self, n: int, m: int) -> Note:
        shape = " × ".join(map(str, self.values.shape))
        return Note(N_("Masks", "adds a table of {shape}"), {"shape": shape})

    def normalized(self, name: str, dtype: np.dtype[Any], copy: bool) -> Self:
        values = checks.as_array(f"{name}.values", self.values, dtype, axes=(2, 3, 4), copy=copy)
        return type(self)(enabled=self.enabled, values=values)


def open_where(condition: str | Note) -> Note:
    """Return the rule of a layer that opens keys under a condition in symbols, everywhere if that is empty."""
    if not condition:
        return Note(N_("Masks", "open everywhere"))
    return Note(N_("Masks", "open where {rule}"), {"rule": condition})


def as_blocked(rule: Note) -> Note:
    """Return a rule for readers to whom True means blocked; one that adds does not change."""
    return Note(BLOCKED.get(rule.template, rule.template), rule.values)


def _broadcasts(name: str, cells: Array, sizes: Sizes) -> None:
    expected = sizes[4 - cells.ndim :]
    if any(length not in (1, size) for length, size in zip(cells.shape, expected, strict=True)):
        raise ShapeError(
            errors.BROADCAST,
            matrices=(name,),
            axes=("batch", "head", "query", "key")[4 - cells.ndim :],
            expected=sizes,
            got=cells.shape,
        )


# --- kinds ----------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False, kw_only=True)
class Causal(Aligned):
    """j ≤ i + o: no query sees a later key."""

    kind = "causal"
    label = N_("Masks", "causal")
    about = N_("Masks", "No query sees a later key")
    diagonal = True

    def rule(self, n: int, m: int) -> Note:
        return open_where(f"j ≤ {self.query_text(n, m)}")

    def code(self, sizes: Sizes) -> str:
        return f"j <= {self.query_code(sizes)}"

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        return self.ahead(place, sizes) <= 0

    def run(self, rows: Array, sizes: Sizes) -> tuple[Array | int, Array | int]:
        return 0, rows + self.shift(sizes) + 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Window(Aligned):
    """i + o − j ≤ left and j − i − o ≤ right; None is no limit, negative limits are allowed (Longformer's window)."""

    left: int | None = None
    right: int | None = None

    kind = "window"
    label = N_("Masks", "window")
    about = N_("Masks", "A query sees the keys near it")
    diagonal = True
    parameters = (
        Parameter(
            "left",
            "int",
            None,
            N_("Masks", "keys before"),
            N_("Masks", "How many keys before its own a query sees: i − j is at most this number"),
        ),
        Parameter(
            "right",
            "int",
            None,
            N_("Masks", "keys after"),
            N_("Masks", "How many keys after its own a query sees: j − i is at most this number"),
        ),
        ALIGN,
    )

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        return {"left": 1, "right": 1}

    def rule(self, n: int, m: int) -> Note:
        first = "" if self.left is None else f"{self.query_text(n, m, -self.left)} ≤ "
        last = "" if self.right is None else f" ≤ {self.query_text(n, m, self.right)}"
        return open_where(f"{first}j{last}" if first or last else "")

    def code(self, sizes: Sizes) -> str:
        i = self.query_code(sizes)
        ends = (f"{i} - j", self.left), (f"j - {i}", self.right)
        return " & ".join(f"({apart} <= {most})" for apart, most in ends if most is not None) or f"j - {i} < inf"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("left", "right"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checks.as_whole(f"window.{name}", getattr(self, name)))

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        ahead = self.ahead(place, sizes)
        allowed = np.ones(ahead.shape, bool)
        if self.left is not None:
            allowed &= -ahead <= self.left
        if self.right is not None:
            allowed &= ahead <= self.right
        return allowed

    def run(self, rows: Array, sizes: Sizes) -> tuple[Array | int, Array | int]:
        middle, far = rows + self.shift(sizes), sizes[2] + sizes[3]  # a limit from a file may be any number
        left, right = (None if k is None else max(-far, min(k, far)) for k in (self.left, self.right))
        return 0 if left is None else middle - left, sizes[3] if right is None else middle + right + 1


def keys_before(length: int, places: Array, m: int) -> int:
    """Return how many keys are now before the one that was at `length` of `m`, or before the next one left."""
    later = np.flatnonzero(places >= length)
    return int(later[0]) if length < m and later.size else len(places) + max(0, length - m)


@dataclass(frozen=True, eq=False, kw_only=True)
class Prefix(Aligned):
    """j < length or j ≤ i + o: the first keys are seen by all, the others causally (T5's prefix language model)."""

    length: int

    kind = "prefix"
    label = N_("Masks", "prefix")
    about = N_("Masks", "All see the first keys, the others causally")
    parameters = (
        Parameter(
            "length",
            "int",
            0,
            N_("Masks", "first keys"),
            N_("Masks", "How many of the first keys every query sees, later than itself or not"),
        ),
        ALIGN,
    )

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        return {"length": min(2, m)}

    def rule(self, n: int, m: int) -> Note:
        either: dict[str, object] = {"one": f"j < {self.length}", "other": f"j ≤ {self.query_text(n, m)}"}
        return open_where(Note(N_("Masks", "{one} or {other}"), either))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "length", checks.as_whole("prefix.length", self.length))

    def with_keys(self, places: Array, m: int) -> Prefix:
        length = keys_before(self.length, places, m)
        return self if length == self.length else self.changed(length=length)

    def code(self, sizes: Sizes) -> str:
        return f"(j < {self.length}) | (j <= {self.query_code(sizes)})"

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        return (place[1] < self.length) | (self.ahead(place, sizes) <= 0)

    def run(self, rows: Array, sizes: Sizes) -> tuple[Array | int, Array | int]:
        return 0, np.maximum(rows + self.shift(sizes) + 1, max(0, min(self.length, sizes[3])))


@dataclass(frozen=True, eq=False, kw_only=True)
class Padding(Layer):
    """j < length; one length for all, or one for each batch item."""

    lengths: tuple[int, ...]

    kind = "padding"
    label = N_("Masks", "padding")
    about = N_("Masks", "Keys past the end of an item are closed")
    parameters = (
        Parameter(
            "lengths",
            "lengths",
            None,
            N_("Masks", "lengths"),
            N_("Masks", "Keys that are open in each item: one number for all, or one for each item"),
        ),
    )

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        return {"lengths": (max(1, m - 1),) * batch}

    def rule(self, n: int, m: int) -> Note:
        lengths = sorted(set(self.lengths))
        return open_where(f"j < {lengths[0]}" if len(lengths) == 1 else f"j < {lengths[0]} … {lengths[-1]}")

    def code(self, sizes: Sizes) -> str:
        return (
            f"j < {{array}}({[[[[length]]] for length in self.lengths]})" if sizes[0] > 1 else f"j < {self.lengths[0]}"
        )

    def resized(self, axis: int, before: int, after: int, m: int) -> Padding:
        lengths = self.lengths
        if axis == 3:
            lengths = tuple(after if length == m else length for length in lengths)
        if axis == 0 and len(lengths) > 1:
            lengths = (*lengths[:after], *([m] * (after - len(lengths))))
        return self if lengths == self.lengths else self.changed(lengths=lengths)

    def with_keys(self, places: Array, m: int) -> Padding:
        lengths = tuple(keys_before(length, places, m) for length in self.lengths)
        return self if lengths == self.lengths else self.changed(lengths=lengths)

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.lengths if isinstance(self.lengths, (tuple, list)) else np.atleast_1d(self.lengths)
        object.__setattr__(self, "lengths", tuple(checks.as_whole("padding.lengths", length) for length in given))

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        return (len(self.lengths), 1, 1, sizes[3])

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        b, _, _, j = place
        return np.asarray(j < np.asarray(self.lengths)[b])

    def run(self, rows: Array, sizes: Sizes) -> tuple[Array | int, Array | int]:
        return 0, np.asarray([max(0, min(length, sizes[3])) for length in self.lengths])[:, None] + 0 * rows

    def fit(self, name: str, sizes: Sizes) -> None:
        if len(self.lengths) not in (1, sizes[0]):
            raise ShapeError(
                errors.LENGTHS,
                matrices=(f"{name}.lengths",),
                axes=("batch",),
                expected=sizes[0],
                got=len(self.lengths),
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class Alibi(Aligned):
    """−slope_h · |i + o − j|, with the slopes of Press et al., "Train Short, Test Long" (2022)."""

    kind = "alibi"
    label = N_("Masks", "ALiBi")
    about = N_("Masks", "Distant keys are given less, by a slope for each head")
    diagonal = adds = True

    def rule(self, n: int, m: int) -> Note:
        return Note(N_("Masks", "adds {rule}"), {"rule": f"−slopeₕ · |{self.query_text(n, m)} − j|"})

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        return sizes[1:]

    def code(self, sizes: Sizes) -> str:
        falls = [-slope for slope in slopes(sizes[1]).tolist()]
        front = f"{{array}}({[[[fall]] for fall in falls]})" if len(falls) > 1 else f"{falls[0]}"
        return f"{front} * abs(j - {self.query_code(sizes)})"

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        return np.asarray(-slopes(sizes[1])[place[0]] * np.abs(self.ahead(place, sizes)))


def slopes(heads: int) -> Array:
    """Return 2^(−8/h), 2^(−16/h), …, one slope for each head.

    Between powers of two the rest is filled with every other slope of the next power, as in the paper.
    """
    power = 1 << (heads.bit_length() - 1)
    first = 2.0 ** (-8.0 * np.arange(1, power + 1) / power)
    return first if power == heads else np.concatenate([first, slopes(2 * power)[::2][: heads - power]])


MASKS: dict[str, type[Layer]] = {layer.kind: layer for layer in (Causal, Window, Prefix, Padding, Custom, Bias, Alibi)}


def layers_given(field: str, value: object) -> Sequence[Any]:
    """Return a mask as layers: it may be given as several, one alone, or booleans, which become a custom layer.

    Raises FieldTypeError, which says what to write, for any other array and for what is no mask.
    """
    if isinstance(value, (str, Mapping, Layer)):
        return [value]
    if not isinstance(value, (tuple, list)) and not hasattr(value, "__array__") and not checks.is_tensor(value):
        raise FieldTypeError(errors.NOT_LAYERS, field=field, got=checks.kind_of(value))
    if isinstance(value, (tuple, list)) and not _holds_cells(value):
        return value
    cells = checks.read_array(field, value)
    if cells.dtype == bool:
        return [Custom(allowed=cells)]
    if cells.dtype.kind not in "iuf":
        raise FieldTypeError(errors.NOT_LAYERS, field=field, got=checks.kind_of(value))
    either = cells.dtype.kind != "f" and bool(np.isin(cells, (0, 1)).all())
    raise FieldTypeError(errors.MASK_OF_0_AND_1 if either else errors.MASK_OF_NUMBERS, field=field)


def _holds_cells(rows: Sequence[object]) -> bool:
    """Return whether a list holds rows or cells of a table, not layers."""
    return bool(rows) and not any(isinstance(row, (str, Mapping, Layer)) for row in rows)


def holds_switches(layer: Layer) -> bool:
    """Return whether a table that is added to the scores holds 0 and 1, both and nothing else: probably booleans."""
    cells = layer.cells if layer.adds else None
    if cells is None or not np.isin(cells.flat[:SAMPLE], (0, 1)).all():
        return False
    return bool(np.isin(cells, (0, 1)).all() and cells.any() and not cells.all())


def layer_from_mapping(mapping: Mapping[str, Any] | Layer | str, name: str = "mask") -> Layer:
    """Return the layer of {"kind": …, parameters}, of a kind's name, or as it is. Raises ValueError or TypeError."""
    if isinstance(mapping, Layer):
        return mapping
    given = {"kind": mapping} if isinstance(mapping, str) else mapping
    return Layer.of_mapping(given, name, MASKS, errors.UNKNOWN_LAYER)
