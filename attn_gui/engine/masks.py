"""Mask layers, by kind: a new one is one class in a file here and one entry in MASKS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array

from . import sentences
from .checks import as_whole, echo, kind_of, told
from .errors import FieldError, FieldTypeError, Note, ShapeError
from .layers import ALIGN, Aligned, Bias, Custom, Layer, Parameter, Sizes, open_where
from .sentences import QT_TRANSLATE_NOOP
from .tensors import is_tensor, read_array

__all__ = [
    "MASKS",
    "Bias",
    "Custom",
    "Layer",
    "Parameter",
    "Sizes",
    "holds_switches",
    "layer_from_mapping",
    "layers_given",
]


SAMPLE = 1 << 10  # cells of a table that are looked at before all of it


@dataclass(frozen=True, eq=False, kw_only=True)
class Causal(Aligned):
    """j ≤ i + o: no query sees a later key."""

    kind = "causal"
    label = QT_TRANSLATE_NOOP("Masks", "causal")
    about = QT_TRANSLATE_NOOP("Masks", "No query sees a later key")
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
    label = QT_TRANSLATE_NOOP("Masks", "window")
    about = QT_TRANSLATE_NOOP("Masks", "A query sees the keys near it")
    diagonal = True
    parameters = (
        Parameter(
            "left",
            "int",
            None,
            QT_TRANSLATE_NOOP("Masks", "keys before"),
            QT_TRANSLATE_NOOP("Masks", "How many keys before its own a query sees: i − j is at most this number"),
        ),
        Parameter(
            "right",
            "int",
            None,
            QT_TRANSLATE_NOOP("Masks", "keys after"),
            QT_TRANSLATE_NOOP("Masks", "How many keys after its own a query sees: j − i is at most this number"),
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
                object.__setattr__(self, name, as_whole(f"window.{name}", getattr(self, name)))

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
    """Number of keys now before the one that was at `length` among `m`, or that was the next after it."""
    later = np.flatnonzero(places >= length)
    return int(later[0]) if length < m and later.size else len(places) + max(0, length - m)


@dataclass(frozen=True, eq=False, kw_only=True)
class Prefix(Aligned):
    """j < length or j ≤ i + o: the first keys are seen by all, the others causally (T5's prefix language model)."""

    length: int

    kind = "prefix"
    label = QT_TRANSLATE_NOOP("Masks", "prefix")
    about = QT_TRANSLATE_NOOP("Masks", "All see the first keys, the others causally")
    parameters = (
        Parameter(
            "length",
            "int",
            0,
            QT_TRANSLATE_NOOP("Masks", "first keys"),
            QT_TRANSLATE_NOOP("Masks", "How many of the first keys every query sees, later than itself or not"),
        ),
        ALIGN,
    )

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        return {"length": min(2, m)}

    def rule(self, n: int, m: int) -> Note:
        either: dict[str, object] = {"one": f"j < {self.length}", "other": f"j ≤ {self.query_text(n, m)}"}
        return open_where(Note(QT_TRANSLATE_NOOP("Masks", "{one} or {other}"), either))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "length", as_whole("prefix.length", self.length))

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
    label = QT_TRANSLATE_NOOP("Masks", "padding")
    about = QT_TRANSLATE_NOOP("Masks", "Keys past the end of an item are closed")
    parameters = (
        Parameter(
            "lengths",
            "lengths",
            None,
            QT_TRANSLATE_NOOP("Masks", "lengths"),
            QT_TRANSLATE_NOOP("Masks", "Keys that are open in each item: one number for all, or one for each item"),
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
        object.__setattr__(self, "lengths", tuple(as_whole("padding.lengths", length) for length in given))

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
                sentences.LENGTHS,
                matrices=(f"{name}.lengths",),
                axes=("batch",),
                expected=sizes[0],
                got=len(self.lengths),
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class Alibi(Aligned):
    """−slope_h · |i + o − j|, with the slopes of Press et al., "Train Short, Test Long" (2022)."""

    kind = "alibi"
    label = QT_TRANSLATE_NOOP("Masks", "ALiBi")
    about = QT_TRANSLATE_NOOP("Masks", "Distant keys are given less, by a slope for each head")
    diagonal = adds = True

    def rule(self, n: int, m: int) -> Note:
        return Note(QT_TRANSLATE_NOOP("Masks", "adds {rule}"), {"rule": f"−slopeₕ · |{self.query_text(n, m)} − j|"})

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        return sizes[1:]

    def code(self, sizes: Sizes) -> str:
        falls = [-slope for slope in slopes(sizes[1]).tolist()]
        front = f"{{array}}({[[[fall]] for fall in falls]})" if len(falls) > 1 else f"{falls[0]}"
        return f"{front} * abs(j - {self.query_code(sizes)})"

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        return np.asarray(-slopes(sizes[1])[place[0]] * np.abs(self.ahead(place, sizes)))


def slopes(heads: int) -> Array:
    """2^(−8/h), 2^(−16/h), …; between powers of two every other slope of the next one fills up, as in the paper."""
    power = 1 << (heads.bit_length() - 1)
    first = 2.0 ** (-8.0 * np.arange(1, power + 1) / power)
    return first if power == heads else np.concatenate([first, slopes(2 * power)[::2][: heads - power]])


MASKS: dict[str, type[Layer]] = {layer.kind: layer for layer in (Causal, Window, Prefix, Padding, Custom, Bias, Alibi)}


def layers_given(field: str, value: object) -> Sequence[Any]:
    """The layers that a mask is given as: several, one of them alone, or booleans, which are a custom layer.

    Raises FieldTypeError, with what to write, for an array of anything else and for what is no mask.
    """
    if isinstance(value, (str, Mapping, Layer)):
        return [value]
    if not isinstance(value, (tuple, list)) and not hasattr(value, "__array__") and not is_tensor(value):
        raise FieldTypeError(sentences.NOT_LAYERS, field=field, got=kind_of(value))
    if isinstance(value, (tuple, list)) and not _holds_cells(value):
        return value
    cells = read_array(field, value)
    if cells.dtype == bool:
        return [Custom(allowed=cells)]
    if cells.dtype.kind not in "iuf":
        raise FieldTypeError(sentences.NOT_LAYERS, field=field, got=kind_of(value))
    either = cells.dtype.kind != "f" and bool(np.isin(cells, (0, 1)).all())
    raise FieldTypeError(sentences.MASK_OF_0_AND_1 if either else sentences.MASK_OF_NUMBERS, field=field)


def _holds_cells(rows: Sequence[object]) -> bool:
    """Whether a list holds rows or cells of a table rather than layers."""
    return bool(rows) and not any(isinstance(row, (str, Mapping, Layer)) for row in rows)


def holds_switches(layer: Layer) -> bool:
    """Whether a table that is added to the scores holds 0 and 1 alone, and both: booleans, most likely."""
    cells = layer.cells if layer.adds else None
    if cells is None or not np.isin(cells.flat[:SAMPLE], (0, 1)).all():
        return False
    return bool(np.isin(cells, (0, 1)).all() and cells.any() and not cells.all())


def layer_from_mapping(mapping: Mapping[str, Any] | Layer | str, name: str = "mask") -> Layer:
    """The layer of {"kind": …, parameters}, or of a kind's name alone; a layer is returned as it is.

    Raises ValueError or TypeError.
    """
    if isinstance(mapping, Layer):
        return mapping
    if isinstance(mapping, str):
        mapping = {"kind": mapping}
    if not isinstance(mapping, Mapping):
        raise FieldTypeError(sentences.NOT_RECORD, field=name, got=kind_of(mapping))
    given = dict(mapping)
    kind = given.pop("kind", None)
    if not isinstance(kind, str) or kind not in MASKS:
        raise FieldError(sentences.UNKNOWN_LAYER, field=name, choices=tuple(MASKS), got=told(kind))
    known = {f.name: f.default is MISSING for f in fields(MASKS[kind])}
    for unknown in given.keys() - known.keys():
        raise FieldError(sentences.UNKNOWN_PARAMETER, field=name, got=echo(unknown), choices=tuple(known))
    for parameter, needed in known.items():
        if needed and parameter not in given:
            raise FieldError(sentences.NEEDS, field=f"{name} ({kind})", other=parameter)
    return MASKS[kind](**given)
