"""Mask layers: frozen records that know which cells they open, or what they add to a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array

from . import sentences
from .checks import as_align, as_array, as_flags, as_switch
from .errors import Note, ShapeError
from .records import Kinded
from .sentences import QT_TRANSLATE_NOOP

Sizes = tuple[int, int, int, int]  # batch, head, query, key


class Parameter(NamedTuple):
    """One setting of a mask layer, so that a panel can build itself. A default of None: no limit, or taken from m.

    Texts are English, of the context "Masks"; `about` says what the setting does to the rule.
    """

    name: str
    kind: Literal["int", "lengths", "align", "array"]
    default: Any
    label: str = ""
    about: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Layer(Kinded):
    """One layer of a mask; `enabled` switches it. Texts are English, of the context "Masks"."""

    enabled: bool = True

    listed: ClassVar[str] = "mask"
    label: ClassVar[str] = ""  # in lists
    about: ClassVar[str] = ""  # what it does, in half a line
    table: ClassVar[str] = ""  # the parameter that holds its cells; empty for a layer that is a rule
    positional: ClassVar[bool] = True  # which cells it opens, or what it adds, depends on where keys stand
    diagonal: ClassVar[bool] = False  # a rule of how far a key lies behind a query, and of nothing else
    adds: ClassVar[bool] = False  # True: adds to the scores; False: says which cells are allowed
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __post_init__(self) -> None:
        as_switch(f"{self.kind}.enabled", self.enabled)

    @property
    def cells(self) -> Array | None:
        """The layer's own cells; None for a layer that is a rule."""
        return getattr(self, self.table) if self.table else None

    @property
    def paintable(self) -> bool:
        """Whether its cells can be opened and closed one by one."""
        return bool(self.table) and not self.adds

    def field(self, position: int) -> str:
        """The dotted name of its cells in a problem; a rule has only the layer's name."""
        return f"{self.name_at(position)}.{self.table}" if self.table else self.name_at(position)

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        """The parameters of a new layer that shows what its kind does; cells that are all alike take no memory."""
        return {}

    def rule(self, n: int, m: int) -> Note:
        """The rule with its numbers: "open where j ≤ i + 2"."""
        return Note(self.about, {})

    def code(self, sizes: Sizes) -> str:
        """The rule in a script, for arrays i of queries and j of keys; {array} makes one. "" where there is none."""
        return ""

    def resized(self, axis: int, before: int, after: int, m: int) -> Layer:
        """The layer of a problem whose axis (batch, head, query, key) has another length; `m` is the one before."""
        return self

    def with_keys(self, places: Array, m: int) -> Layer:
        """The layer of a problem whose keys are those at these places among the `m` before, −1 for a new one."""
        return self

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """The axes that the rule depends on, from the right; the others have length 1 or are missing."""
        return (sizes[2], sizes[3])

    def extent(self, axis: int, sizes: Sizes) -> int:
        """The length of one of the four axes of its rule or its cells; 1 where it does not tell them apart."""
        shape = self.shape(sizes) if self.cells is None else self.cells.shape
        return int(shape[axis - 4]) if axis + len(shape) >= 4 else 1

    def at(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        """The values of the rule at grids of its own axes."""
        raise NotImplementedError

    def run(self, rows: Array, sizes: Sizes) -> tuple[Array | int, Array | int] | None:
        """The first open key of each of these rows and the one after the last, where the open keys are one run.

        (rows,), (batch, rows) or a number, the same in all heads, also below 0 or above m. None for any other layer.
        """
        return None

    def fit(self, name: str, sizes: Sizes) -> None:
        """Raise ShapeError if the layer does not belong to maps of these sizes."""

    def settled(self, name: str, dtype: np.dtype[Any], copy: bool) -> Layer:
        """The layer with its arrays read-only and of the problem's dtype."""
        return self


ALIGN = Parameter(
    "align",
    "align",
    "start",
    QT_TRANSLATE_NOOP("Masks", "lined up at"),
    QT_TRANSLATE_NOOP(
        "Masks",
        "Matters when n and m differ. First: query 0 belongs to key 0, as in PyTorch's is_causal. "
        "Last: the last query belongs to the last key, as in a decoder that goes on from earlier tokens.",
    ),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Aligned(Layer):
    """A rule of positions: query i stands at i + o, with o = m − n if `align` is "end", else 0."""

    align: str = "start"

    parameters: ClassVar[tuple[Parameter, ...]] = (ALIGN,)

    def __post_init__(self) -> None:
        super().__post_init__()
        as_align(f"{self.kind}.align", self.align)

    def ahead(self, place: tuple[Array, ...], sizes: Sizes) -> Array:
        """Distance of key j behind query i: j − i − o."""
        i, j = place[-2:]
        return np.asarray(j - i - self.shift(sizes))

    def shift(self, sizes: Sizes) -> int:
        """The number o: query i stands at key i + o."""
        return sizes[3] - sizes[2] if self.align == "end" else 0

    def query_code(self, sizes: Sizes) -> str:
        """`(i + 2)` in a script: where query i stands."""
        return f"(i + {self.shift(sizes)})" if self.shift(sizes) else "i"

    def query_text(self, n: int, m: int, more: int = 0) -> str:
        """`i + 2`: where query i stands, so many keys further on."""
        shift = (m - n if self.align == "end" else 0) + more
        return f"i {'+' if shift > 0 else '−'} {abs(shift)}" if shift else "i"


@dataclass(frozen=True, eq=False, kw_only=True)
class Table(Layer):
    """Cell by cell: an array that broadcasts to (batch, head, n, m)."""

    positional = False

    @property
    def cells(self) -> Array:
        found: Array = getattr(self, self.table)
        return found

    def fit(self, name: str, sizes: Sizes) -> None:
        _broadcasts(f"{name}.{self.table}", self.cells, sizes)


@dataclass(frozen=True, eq=False, kw_only=True)
class Custom(Table):
    """Cell by cell: `allowed` (True = may attend) broadcasts to (batch, head, n, m)."""

    allowed: Array

    kind = "custom"
    label = QT_TRANSLATE_NOOP("Masks", "custom")
    about = QT_TRANSLATE_NOOP("Masks", "Cells opened and closed one by one")
    table = "allowed"
    parameters = (Parameter("allowed", "array", None),)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "allowed", as_flags("custom.allowed", self.allowed, copy=False))

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        return {"allowed": np.broadcast_to(True, (n, m))}

    def rule(self, n: int, m: int) -> Note:
        open_, all_ = int(np.count_nonzero(self.allowed)), self.allowed.size
        counts: dict[str, object] = {"open": open_, "closed": all_ - open_, "all": all_}
        return Note(QT_TRANSLATE_NOOP("Masks", "open: {open} of {all} cells"), counts)

    def settled(self, name: str, dtype: np.dtype[Any], copy: bool) -> Custom:
        allowed = as_flags(f"{name}.allowed", self.allowed, copy=copy or not self.allowed.flags.c_contiguous)
        return Custom(enabled=self.enabled, allowed=allowed)


@dataclass(frozen=True, eq=False, kw_only=True)
class Bias(Table):
    """Cell by cell: `values` broadcasts to (batch, head, n, m) and is added to the scores."""

    values: Array

    kind = "bias"
    label = QT_TRANSLATE_NOOP("Masks", "bias")
    about = QT_TRANSLATE_NOOP("Masks", "A number added to every score")
    table = "values"
    adds = True
    parameters = (Parameter("values", "array", None),)

    def __post_init__(self) -> None:
        super().__post_init__()
        cells = as_array("bias.values", self.values, axes=(0, 1, 2, 3, 4))
        object.__setattr__(self, "values", np.atleast_2d(cells))

    @classmethod
    def first(cls, n: int, m: int, batch: int) -> dict[str, Any]:
        return {"values": np.broadcast_to(0.0, (n, m))}

    def rule(self, n: int, m: int) -> Note:
        shape = " × ".join(map(str, self.values.shape))
        return Note(QT_TRANSLATE_NOOP("Masks", "adds a table of {shape}"), {"shape": shape})

    def settled(self, name: str, dtype: np.dtype[Any], copy: bool) -> Bias:
        values = as_array(f"{name}.values", self.values, dtype, axes=(2, 3, 4), copy=copy)
        return Bias(enabled=self.enabled, values=values)


def open_where(condition: str | Note) -> Note:
    """The rule of a layer that opens keys under a condition in symbols; an empty one always holds."""
    if not condition:
        return Note(QT_TRANSLATE_NOOP("Masks", "open everywhere"), {})
    return Note(QT_TRANSLATE_NOOP("Masks", "open where {rule}"), {"rule": condition})


BLOCKED = {
    QT_TRANSLATE_NOOP("Masks", "open where {rule}"): QT_TRANSLATE_NOOP("Masks", "blocked unless {rule}"),
    QT_TRANSLATE_NOOP("Masks", "open everywhere"): QT_TRANSLATE_NOOP("Masks", "blocked nowhere"),
    QT_TRANSLATE_NOOP("Masks", "open: {open} of {all} cells"): QT_TRANSLATE_NOOP(
        "Masks", "blocked: {closed} of {all} cells"
    ),
}
"""Rules by which True is read as blocked, as in nn.MultiheadAttention."""


def as_blocked(rule: Note) -> Note:
    """A rule in the words of who reads True as blocked; one that adds is the same for all."""
    return Note(BLOCKED.get(rule.template, rule.template), rule.values)


def _broadcasts(name: str, cells: Array, sizes: Sizes) -> None:
    expected = sizes[4 - cells.ndim :]
    if any(length not in (1, size) for length, size in zip(cells.shape, expected, strict=True)):
        raise ShapeError(
            sentences.BROADCAST,
            matrices=(name,),
            axes=("batch", "head", "query", "key")[4 - cells.ndim :],
            expected=sizes,
            got=cells.shape,
        )
