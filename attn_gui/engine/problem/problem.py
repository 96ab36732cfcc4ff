"""The one record that the engine computes from, that a file holds and that undo restores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field, fields
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.scores import SCORES

from . import sentences
from .checks import as_switch
from .fixes import fixes_of
from .head_axis import check_leading_axis, side_by_side
from .masks import Layer
from .notebook import Pictured
from .records import Record, same
from .sentences import FieldTypeError, ShapeError
from .settling import DTYPES, settle, store
from .validation import DIRECT, check_shapes
from .written import problem_text

__all__ = ["DTYPES", "SCORES", "Problem", "Record", "ShapeError"]

MATRICES = (
    *DIRECT,
    "x",
    "context",
    "w_query",
    "b_query",
    "w_key",
    "b_key",
    "w_value",
    "b_value",
    "w_output",
    "b_output",
)


@dataclass(frozen=True, eq=False, repr=False)
class Problem(Pictured):
    """One attention computation: everything that is computed from, frozen and valid.

    y = x @ w + b, weights are [in, out]; n queries, m keys. Arrays are copied, cast to `dtype` and read-only; taken are
    lists, and whatever has `__array__`, `__dlpack__` or `.detach()`.
    query, key, value       (n, h·d_k), (m, h_kv·d_k), (m, h_kv·d_v), heads side by side (on an axis of their own:
                            `Problem.from_heads`); a batch axis may lead. Or instead of the three:
    x, context              (n, d_model), (m, d_context); no context: self-attention; a batch axis may lead
    w_query, w_key, w_value (d_model, h·d_k), (d_context, h_kv·d_k), (d_context, h_kv·d_v); b_query, b_key, b_value
    w_output, b_output      (h·d_v, d_out), (d_out,), with either way
    num_heads, num_kv_heads whole numbers; num_kv_heads divides num_heads, None is the same number
    score                   "dot", "additive", "cosine", "gaussian" or "average"
    score_params            gaussian: {w, key_norm}; additive: {w_score_query (d_q, d_a), w_score_key (d_k, d_a),
                            w_score (d_a,)}
    scale                   a number; None: 1/√d_k for dot, 1 for the others
    softcap, temperature, rotary_theta  a positive number or None; columns p, p + d_k/2 turn by i·θ^(−2p/d_k)
    mask                    a tuple of layers, below
    block                   None, or (needs x and d_out = d_model) {ln_weight (d_model,), ln_bias (d_model,), ln_eps,
                            w_linear (d_model, d), b_linear (d,)}
    query_tokens, key_tokens  n and m texts
    dtype                   "float64" or "float32"
    batch_axis              True: a first axis as long as num_heads is the batch (an argument only, no field)

    A mask layer is a mapping with its kind; any may have enabled=False. A key is seen if every boolean layer allows it,
    biases add up. o is m − n with align="end", 0 with "start" (default):
    {"kind": "causal", "align"}                   j ≤ i + o
    {"kind": "window", "left", "right", "align"}  i + o − j ≤ left and j − i − o ≤ right; None is no limit
    {"kind": "prefix", "length", "align"}         j < length or j ≤ i + o
    {"kind": "padding", "lengths"}                j < length; one for all, or one for each batch item
    {"kind": "custom", "allowed"}                 booleans that broadcast to (batch, head, n, m); True = may attend
    {"kind": "bias", "values"}                    numbers that broadcast to (batch, head, n, m), added to the scores
    {"kind": "alibi", "align"}                    −slope_h·|i + o − j|
    Raises ShapeError, ValueError or TypeError, each with one sentence. Source: Vaswani et al. (2017), and the stages'.
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
    batch_axis: InitVar[bool] = field(default=False, kw_only=True)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # it compares by bytes

    def __post_init__(self, batch_axis: bool) -> None:
        settle(self, copy=True)
        if not as_switch("batch_axis", batch_axis):
            check_leading_axis(self)
        self._fit()

    @classmethod
    def from_heads(cls, query: Any, key: Any, value: Any, **fields: Any) -> Problem:
        """A problem from heads on an axis of their own: (h, n, d) or (b, h, n, d), K and V with h_kv heads.

        They are laid side by side, and num_heads and num_kv_heads counted; `fields` are any others of a problem.
        Raises ShapeError, which names the matrix and the axis.
        """
        return cls.of(side_by_side(query, key, value, fields))

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Problem:
        """A problem of fields as a problem has them: copied and checked, a first axis of 3 being the batch."""
        problem = cls._unsettled(given)
        settle(problem, copy=True)
        problem._fit()
        return problem

    @classmethod
    def draft(cls, given: Mapping[str, object]) -> Problem:
        """The fields as a problem keeps them, each checked on its own; they need not fit together.

        Nothing is copied where all arrays can be read in place. Raises ValueError or TypeError as a problem does,
        ShapeError only for one array alone.
        """
        problem = cls._unsettled(given)
        try:
            settle(problem, copy=False)
        except (ValueError, TypeError):
            problem = cls._unsettled(given)
            settle(problem, copy=True)
        return problem

    @classmethod
    def over(cls, given: Mapping[str, object]) -> Problem:
        """A problem of read-only views on the given arrays: nothing is copied, edits in place show through.

        Same validation; an array of another dtype or layout raises TypeError.
        """
        problem = cls._unsettled(given)
        settle(problem, copy=False)
        problem._fit()
        return problem

    def replace(self, **changes: object) -> Problem:
        """A changed copy, validated again."""
        kept: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        if changes.get("num_heads", self.num_heads) != self.num_heads and self.num_kv_heads == self.num_heads:
            kept["num_kv_heads"] = None
        if changes.get("score", self.score) != self.score:
            kept["score_params"] = {}
        return Problem.of(kept | changes)

    @classmethod
    def _unsettled(cls, given: Mapping[str, object]) -> Problem:
        problem = object.__new__(cls)
        known = {f.name: f for f in fields(cls)}
        for name in given:
            if name not in known:
                raise FieldTypeError(sentences.UNKNOWN_FIELD, field=name)
        for name, f in known.items():
            default = {} if name == "score_params" else f.default
            store(problem, name, given.get(name, default))
        return problem

    def _fit(self) -> None:
        """Raise ShapeError with what would help where the fields do not fit together."""
        try:
            check_shapes(self)
        except ShapeError as clash:
            clash.offers, clash.draft = partial(fixes_of, self, clash), self
            raise

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
        return Problem.of, (self.fields(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __repr__(self) -> str:
        return problem_text(self)

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
        """The factor of the scores; unless given, 1/√d_k for dot products and 1 for every other score."""
        if self.scale is not None:
            return self.scale
        return float(self.d_k**-0.5) if SCORES[self.score].root_scale else 1.0

    @cached_property
    def structure(self) -> tuple[object, ...]:
        """All that decides which stages there are and how large: two problems alike in it differ in numbers only."""
        shapes = tuple((name, array.shape) for name, array in self.arrays().items())
        rules = tuple(layer if layer.cells is None else (layer.kind, layer.enabled) for layer in self.mask)
        return shapes, tuple(self.scalars()), rules, self.num_heads, self.num_kv_heads, self.score, self.dtype


del Problem.batch_axis  # type: ignore[attr-defined]  # no field: the default of an argument
