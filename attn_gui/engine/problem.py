"""The one record that the engine computes from, that a file holds and that undo restores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from . import sentences
from .checks import as_array, as_choice, as_count, as_entries, as_number, as_positive, as_texts, dtype_name
from .fixes import fixes_of
from .layout import Array
from .masks import Layer, layer_from_mapping
from .records import Record, same
from .sentences import FieldTypeError, ShapeError
from .validation import DIRECT, WEIGHTS, check_shapes

__all__ = ["DTYPES", "SCORES", "Problem", "Record", "ShapeError"]

SCORES = ("dot", "additive", "cosine", "gaussian", "average")
DTYPES = ("float64", "float32")

AXES = dict.fromkeys((*DIRECT, "x", "context"), (2, 3)) | dict.fromkeys((*WEIGHTS, "w_output"), (2,))
AXES |= dict.fromkeys(("b_query", "b_key", "b_value", "b_output"), (1,))
MATRICES = (
    *DIRECT, "x", "context", "w_query", "b_query", "w_key", "b_key", "w_value", "b_value", "w_output", "b_output",
)  # fmt: skip
SCORE_ARRAYS = {"additive": {"w_score_query": 2, "w_score_key": 2, "w_score": 1}}
SCORE_NUMBERS: dict[str, dict[str, float]] = {"gaussian": {"w": 1.0, "key_norm": 1.0}}
BLOCK_ARRAYS = {"ln_weight": 1, "ln_bias": 1, "w_linear": 2, "b_linear": 1}


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """One attention computation: y = x @ w + b, weights are [in, out].

    Shapes: `query` (n, h·d_k), `key` (m, h_kv·d_k), `value` (m, h_kv·d_v), a leading batch axis allowed; or `x`
    (n, d_model) and optionally `context` (m, d_context) with `w_query`, `w_key`, `w_value` (in, out) and biases (out,).
    `w_output` (h·d_v, d_out) with either. Arrays are copied, cast to `dtype` and read-only.
    Raises ShapeError (a ValueError), ValueError or TypeError, each with one sentence.
    Source: Vaswani et al. (2017), and those named at the stages.
    """

    query: Any = None
    key: Any = None
    value: Any = None
    x: Any = None
    context: Any = None
    w_query: Any = None
    w_key: Any = None
    w_value: Any = None
    b_query: Any = None
    b_key: Any = None
    b_value: Any = None
    w_output: Any = None
    b_output: Any = None
    num_heads: int = 1
    num_kv_heads: int = None  # type: ignore[assignment]  # None means num_heads and is replaced by it
    score: str = "dot"
    score_params: Any = field(default_factory=dict)
    scale: float | None = None
    softcap: float | None = None
    temperature: float | None = None
    rotary_theta: float | None = None
    mask: tuple[Layer, ...] = ()
    block: Any = None
    query_tokens: tuple[str, ...] | None = None
    key_tokens: tuple[str, ...] | None = None
    dtype: str = "float64"

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # it compares by bytes

    def __post_init__(self) -> None:
        self._settle(copy=True)

    @classmethod
    def draft(cls, given: Mapping[str, object]) -> Problem:
        """The fields as a problem keeps them, each checked on its own; they need not fit together.

        Nothing is copied where all arrays can be read in place. Raises ValueError or TypeError as a problem does,
        ShapeError only for one array alone.
        """
        problem = cls._unsettled(given)
        try:
            problem._settle_each(copy=False)
        except (ValueError, TypeError):
            problem = cls._unsettled(given)
            problem._settle_each(copy=True)
        return problem

    @classmethod
    def over(cls, given: Mapping[str, object]) -> Problem:
        """A problem of read-only views on the given arrays: nothing is copied, edits in place show through.

        Same validation; an array of another dtype or layout raises TypeError.
        """
        problem = cls._unsettled(given)
        problem._settle(copy=False)
        return problem

    def replace(self, **changes: object) -> Problem:
        """A changed copy, validated anew."""
        for name in changes:
            if name not in self.__dataclass_fields__:
                raise FieldTypeError(sentences.UNKNOWN_FIELD, field=name)
        kept: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        if changes.get("num_heads", self.num_heads) != self.num_heads and self.num_kv_heads == self.num_heads:
            kept["num_kv_heads"] = None
        if changes.get("score", self.score) != self.score:
            kept["score_params"] = {}
        return Problem(**kept | changes)

    # --- settling --------------------------------------------------------------------------------
    @classmethod
    def _unsettled(cls, given: Mapping[str, object]) -> Problem:
        problem = object.__new__(cls)
        known = {f.name: f for f in fields(cls)}
        for name in given:
            if name not in known:
                raise FieldTypeError(sentences.UNKNOWN_FIELD, field=name)
        for name, f in known.items():
            default = {} if name == "score_params" else f.default
            problem._set(name, given.get(name, default))
        return problem

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _settle(self, copy: bool) -> None:
        """Every field checked on its own and stored as it stays, then all of them together."""
        self._settle_each(copy)
        try:
            check_shapes(self)
        except ShapeError as clash:
            clash.offers, clash.draft = partial(fixes_of, self, clash), self
            raise

    def _settle_each(self, copy: bool) -> None:
        self._set("dtype", as_choice("dtype", dtype_name(self.dtype), DTYPES))
        self._set("num_heads", as_count("num_heads", self.num_heads))
        kv_heads = self.num_heads if self.num_kv_heads is None else self.num_kv_heads
        self._set("num_kv_heads", as_count("num_kv_heads", kv_heads))
        for name, axes in AXES.items():
            if getattr(self, name) is not None:
                self._set(name, self._array(name, getattr(self, name), axes, copy))
        for name in ("softcap", "temperature", "rotary_theta"):
            if getattr(self, name) is not None:
                self._set(name, as_positive(name, getattr(self, name)))
        if self.scale is not None:
            self._set("scale", as_number("scale", self.scale))
        for name in ("query_tokens", "key_tokens"):
            if getattr(self, name) is not None:
                self._set(name, as_texts(name, getattr(self, name)))
        self._settle_score(copy)
        self._settle_block(copy)
        self._settle_mask(copy)

    def _array(self, name: str, value: object, axes: tuple[int, ...], copy: bool) -> Array:
        return as_array(name, value, np.dtype(self.dtype), axes=axes, copy=copy)

    def _settle_score(self, copy: bool) -> None:
        self._set("score", as_choice("score", self.score, SCORES))
        arrays, numbers = SCORE_ARRAYS.get(self.score, {}), SCORE_NUMBERS.get(self.score, {})
        given = numbers | as_entries("score_params", self.score_params, (*arrays, *numbers), needed=arrays)
        found: dict[str, Any] = {}
        for name, value in given.items():
            label = f"score_params.{name}"
            found[name] = (
                self._array(label, value, (arrays[name],), copy) if name in arrays else as_number(label, value)
            )  # fmt: skip
        self._set("score_params", Record(found))

    def _settle_block(self, copy: bool) -> None:
        if self.block is None:
            return
        needed = ("ln_weight", "ln_bias", "w_linear")
        given = {"ln_eps": 1e-5} | as_entries("block", self.block, (*BLOCK_ARRAYS, "ln_eps"), needed=needed)
        found: dict[str, Any] = {
            name: self._array(f"block.{name}", given[name], (axes,), copy)
            for name, axes in BLOCK_ARRAYS.items()
            if given.get(name) is not None
        }
        found["ln_eps"] = as_positive("block.ln_eps", given["ln_eps"])
        self._set("block", Record(found))

    def _settle_mask(self, copy: bool) -> None:
        if isinstance(self.mask, (str, Mapping, Layer)) or not isinstance(self.mask, (tuple, list)):
            raise FieldTypeError(sentences.NOT_LAYERS, field="mask", got=type(self.mask).__name__)
        names = [f"mask.{k}" for k in range(len(self.mask))]
        layers = [layer_from_mapping(layer, name) for layer, name in zip(self.mask, names, strict=True)]
        settled = [layer.settled(name, np.dtype(self.dtype), copy) for layer, name in zip(layers, names, strict=True)]
        self._set("mask", tuple(settled))

    # --- reading ---------------------------------------------------------------------------------
    def fields(self) -> dict[str, Any]:
        """Every field that is not its default, arrays and records as they are."""
        found = {}
        for f in fields(self):
            value = getattr(self, f.name)
            default = {"num_kv_heads": self.num_heads, "mask": ()}.get(f.name, f.default)
            empty = f.name == "score_params" and not value
            if value is not None and not empty and (isinstance(value, np.ndarray) or value != default):
                found[f.name] = value
        return found

    def arrays(self) -> dict[str, Array]:
        """Every array by its dotted name, in catalog order."""
        found = {name: getattr(self, name) for name in MATRICES}
        found |= {f"score_params.{name}": value for name, value in self.score_params.items()}
        found |= {layer.field(k): layer.cells for k, layer in enumerate(self.mask)}
        found |= {f"block.{name}": value for name, value in (self.block or {}).items()}
        return {name: value for name, value in found.items() if isinstance(value, np.ndarray)}

    def scalars(self) -> dict[str, float]:
        """Every number by its dotted name; `scale` as it is used, the others where they are given."""
        found: dict[str, Any] = {"scale": self.effective_scale}
        found |= {name: getattr(self, name) for name in ("softcap", "temperature", "rotary_theta")}
        found |= {f"score_params.{name}": value for name, value in self.score_params.items()}
        found |= {f"block.{name}": value for name, value in (self.block or {}).items()}
        return {name: value for name, value in found.items() if isinstance(value, float)}

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self.fields(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __repr__(self) -> str:
        shapes = [f"{name} {' × '.join(map(str, array.shape))}" for name, array in self.arrays().items()]
        return f"Problem({', '.join(shapes)}, num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads})"

    # --- sizes -----------------------------------------------------------------------------------
    @property
    def projected(self) -> bool:
        return self.x is not None

    @property
    def self_attention(self) -> bool:
        return self.projected and self.context is None

    @property
    def names_of_keys(self) -> tuple[str, ...] | None:
        """`key_tokens`; in self-attention, where none are given, `query_tokens`: the sequence is its own keys."""
        return self.query_tokens if self.key_tokens is None and self.self_attention else self.key_tokens

    @property
    def queries(self) -> Array:
        """The matrix whose rows are the queries: `x` or `query`."""
        matrix: Array = self.x if self.projected else self.query
        return matrix

    @property
    def keys(self) -> Array:
        """The matrix whose rows are the keys: `context`, `x` or `key`."""
        matrix: Array = self.key if not self.projected else self.x if self.context is None else self.context
        return matrix

    @cached_property
    def batch_size(self) -> int:
        arrays = (self.query, self.key, self.value, self.x, self.context)
        return next((a.shape[0] for a in arrays if a is not None and a.ndim == 3), 1)

    @property
    def n(self) -> int:
        return int(self.queries.shape[-2])

    @property
    def m(self) -> int:
        return int(self.keys.shape[-2])

    @property
    def kv_heads(self) -> int:
        return self.num_kv_heads

    @property
    def d_k(self) -> int:
        """The width of a head of Q."""
        return int((self.w_query if self.projected else self.query).shape[-1]) // self.num_heads

    @property
    def d_v(self) -> int:
        return int((self.w_value if self.projected else self.value).shape[-1]) // self.num_kv_heads

    @property
    def d_model(self) -> int:
        """The width of x; num_heads · d_k in a direct problem."""
        return int(self.x.shape[-1]) if self.projected else self.num_heads * self.d_k

    @property
    def d_context(self) -> int:
        return int(self.keys.shape[-1]) if self.projected else self.d_model

    @property
    def d_out(self) -> int:
        return self.num_heads * self.d_v if self.w_output is None else int(self.w_output.shape[-1])

    @property
    def map_shape(self) -> tuple[int, int, int, int]:
        return self.batch_size, self.num_heads, self.n, self.m

    @property
    def effective_scale(self) -> float:
        """What the scores are multiplied by: 1/√d_k for dot products, else 1, unless given."""
        if self.scale is not None:
            return self.scale
        return float(self.d_k**-0.5) if self.score == "dot" else 1.0

    @cached_property
    def structure(self) -> tuple[object, ...]:
        """All that decides which stages there are and how large: two problems alike in it differ in numbers only."""
        shapes = tuple((name, array.shape) for name, array in self.arrays().items())
        rules = tuple(layer if layer.cells is None else (layer.kind, layer.enabled) for layer in self.mask)
        return shapes, tuple(self.scalars()), rules, self.num_heads, self.num_kv_heads, self.score, self.dtype


def _made(given: dict[str, Any]) -> Problem:
    """A copied or unpickled problem is validated and read-only like any other."""
    return Problem(**given)
