"""Mask layers: frozen records that know which cells they open, or what they add to a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from . import sentences
from .checks import as_align, as_array, as_flags, as_switch, as_whole, echo, kind_of, told
from .layout import Array
from .records import same
from .sentences import FieldError, FieldTypeError, ShapeError

Sizes = tuple[int, int, int, int]  # batch, head, query, key


class Parameter(NamedTuple):
    """One setting of a mask layer, so that a panel can build itself. A default of None: no limit, or taken from m."""

    name: str
    kind: Literal["int", "lengths", "align", "array"]
    default: Any


@dataclass(frozen=True, eq=False, kw_only=True)
class Layer:
    """One layer of a mask; `enabled` switches it."""

    enabled: bool = True

    kind: ClassVar[str] = ""
    adds: ClassVar[bool] = False  # True: adds to the scores; False: says which cells are allowed
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __post_init__(self) -> None:
        as_switch(f"{self.kind}.enabled", self.enabled)

    @property
    def cells(self) -> Array | None:
        """The layer's own cells; None for a layer that is a rule."""
        return None

    def field(self, position: int) -> str:
        """The dotted name of its cells in a problem; a rule has only the layer's name."""
        return f"mask.{position}"

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """The axes that the rule depends on, from the right; the others have length 1 or are missing."""
        return (sizes[2], sizes[3])

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        """What the rule says at grids of its own axes."""
        raise NotImplementedError

    def fit(self, name: str, sizes: Sizes) -> None:
        """Raise ShapeError if the layer does not belong to maps of these sizes."""

    def settled(self, name: str, dtype: np.dtype[Any], copy: bool) -> Layer:
        """The layer with its arrays read-only and of the problem's dtype."""
        return self

    def changed(self, **parameters: object) -> Self:
        """A copy with other parameters, which are checked by the problem that it is put into."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self) | parameters)
        return copy

    def to_mapping(self) -> dict[str, Any]:
        return {"kind": self.kind} | {f.name: getattr(self, f.name) for f in fields(self)}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layer) or type(self) is not type(other):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]  # holds arrays


ALIGN = Parameter("align", "align", "start")


@dataclass(frozen=True, eq=False, kw_only=True)
class Aligned(Layer):
    """A rule of positions: query i stands at i + o, with o = m − n if `align` is "end", else 0."""

    align: str = "start"

    parameters: ClassVar[tuple[Parameter, ...]] = (ALIGN,)

    def __post_init__(self) -> None:
        super().__post_init__()
        as_align(f"{self.kind}.align", self.align)

    def ahead(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        """How far key j lies behind query i: j − i − o."""
        i, j = place[-2:]
        return np.asarray(j - i - (sizes[3] - sizes[2] if self.align == "end" else 0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Causal(Aligned):
    """j ≤ i + o: no query sees a later key."""

    kind = "causal"

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        return self.ahead(place, sizes) <= 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Window(Aligned):
    """i + o − j ≤ left and j − i − o ≤ right; None is no limit, negative limits are allowed (Longformer's window)."""

    left: int | None = None
    right: int | None = None

    kind = "window"
    parameters = (Parameter("left", "int", None), Parameter("right", "int", None), ALIGN)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("left", "right"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, as_whole(f"window.{name}", getattr(self, name)))

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        ahead = self.ahead(place, sizes)
        allowed = np.ones(ahead.shape, bool)
        if self.left is not None:
            allowed &= -ahead <= self.left
        if self.right is not None:
            allowed &= ahead <= self.right
        return allowed


@dataclass(frozen=True, eq=False, kw_only=True)
class Prefix(Aligned):
    """j < length or j ≤ i + o: the first keys are seen by all, the others causally (T5's prefix language model)."""

    length: int = 0

    kind = "prefix"
    parameters = (Parameter("length", "int", 0), ALIGN)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "length", as_whole("prefix.length", self.length))

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        return (place[1] < self.length) | (self.ahead(place, sizes) <= 0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Padding(Layer):
    """j < length; one length for all, or one for each batch item."""

    lengths: tuple[int, ...]

    kind = "padding"
    parameters = (Parameter("lengths", "lengths", None),)

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.lengths if isinstance(self.lengths, (tuple, list, np.ndarray)) else (self.lengths,)
        object.__setattr__(self, "lengths", tuple(as_whole("padding.lengths", length) for length in given))

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        return (len(self.lengths), 1, 1, sizes[3])

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        b, _, _, j = place
        return np.asarray(j < np.asarray(self.lengths)[b])

    def fit(self, name: str, sizes: Sizes) -> None:
        if len(self.lengths) not in (1, sizes[0]):
            raise ShapeError(
                sentences.LENGTHS, matrices=(f"{name}.lengths",), axes=("batch",),
                expected=sizes[0], got=len(self.lengths),
            )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Alibi(Aligned):
    """−slope_h · |i + o − j|, with the slopes of Press et al., "Train Short, Test Long" (2022)."""

    kind = "alibi"
    adds = True

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        return sizes[1:]

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        return np.asarray(-slopes(sizes[1])[place[0]] * np.abs(self.ahead(place, sizes)))


def slopes(heads: int) -> Array:
    """2^(−8/h), 2^(−16/h), …; between powers of two every other slope of the next one fills up, as in the paper."""
    power = 1 << (heads.bit_length() - 1)
    first = 2.0 ** (-8.0 * np.arange(1, power + 1) / power)
    return first if power == heads else np.concatenate([first, slopes(2 * power)[::2][: heads - power]])


@dataclass(frozen=True, eq=False, kw_only=True)
class Custom(Layer):
    """Cell by cell: `allowed` (True = may attend) broadcasts to (batch, head, n, m)."""

    allowed: Array

    kind = "custom"
    parameters = (Parameter("allowed", "array", None),)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "allowed", as_flags("custom.allowed", self.allowed, copy=False))

    @property
    def cells(self) -> Array:
        return self.allowed

    def field(self, position: int) -> str:
        return f"mask.{position}.allowed"

    def fit(self, name: str, sizes: Sizes) -> None:
        _broadcasts(f"{name}.allowed", self.allowed, sizes)

    def settled(self, name: str, dtype: np.dtype[Any], copy: bool) -> Custom:
        allowed = as_flags(f"{name}.allowed", self.allowed, copy=copy or not self.allowed.flags.c_contiguous)
        return Custom(enabled=self.enabled, allowed=allowed)


@dataclass(frozen=True, eq=False, kw_only=True)
class Bias(Layer):
    """Cell by cell: `values` broadcasts to (batch, head, n, m) and is added to the scores."""

    values: Array

    kind = "bias"
    adds = True
    parameters = (Parameter("values", "array", None),)

    def __post_init__(self) -> None:
        super().__post_init__()
        cells = as_array("bias.values", self.values, axes=(0, 1, 2, 3, 4))
        object.__setattr__(self, "values", np.atleast_2d(cells))

    @property
    def cells(self) -> Array:
        return self.values

    def field(self, position: int) -> str:
        return f"mask.{position}.values"

    def fit(self, name: str, sizes: Sizes) -> None:
        _broadcasts(f"{name}.values", self.values, sizes)

    def settled(self, name: str, dtype: np.dtype[Any], copy: bool) -> Bias:
        values = as_array(f"{name}.values", self.values, dtype, axes=(2, 3, 4), copy=copy)
        return Bias(enabled=self.enabled, values=values)


def _broadcasts(name: str, cells: Array, sizes: Sizes) -> None:
    expected = sizes[4 - cells.ndim :]
    if any(length not in (1, size) for length, size in zip(cells.shape, expected, strict=True)):
        raise ShapeError(
            sentences.BROADCAST, matrices=(name,), axes=("batch", "head", "query", "key")[4 - cells.ndim :],
            expected=sizes, got=cells.shape,
        )  # fmt: skip


MASKS: dict[str, type[Layer]] = {
    layer.kind: layer for layer in (Causal, Window, Prefix, Padding, Custom, Bias, Alibi)
}  # fmt: skip


def layer_from_mapping(mapping: Mapping[str, Any] | Layer, name: str = "mask") -> Layer:
    """A record from {"kind": …, parameters}; a record is returned as it is. Raises ValueError or TypeError."""
    if isinstance(mapping, Layer):
        return mapping
    if not isinstance(mapping, Mapping):
        raise FieldTypeError(sentences.NOT_RECORD, field=name, got=kind_of(mapping))
    given = dict(mapping)
    kind = given.pop("kind", None)
    if not isinstance(kind, str) or kind not in MASKS:
        raise FieldError(sentences.UNKNOWN_LAYER, field=name, choices=tuple(MASKS), got=told(kind))
    known = tuple(f.name for f in fields(MASKS[kind]))
    for unknown in given.keys() - known:
        raise FieldError(sentences.UNKNOWN_PARAMETER, field=name, got=echo(unknown), choices=known)
    for parameter in MASKS[kind].parameters:
        if parameter.name not in given and parameter.kind in ("lengths", "array"):
            raise FieldError(sentences.NEEDS, field=f"{name} ({kind})", other=parameter.name)
    return MASKS[kind](**given)
