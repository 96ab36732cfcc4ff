"""`Problem`, the frozen record that everything is computed from: how Python makes, changes and prints one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from attn_gui.engine.checks import as_scalar, as_switch, same
from attn_gui.engine.errors import ShapeError
from attn_gui.engine.fields import Fields, normalize_fields, unnormalized
from attn_gui.engine.head_axis import check_leading_axis, fields_of_heads, fields_of_maps
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer
from attn_gui.engine.shape_errors import check_shapes, fixes_of

FIGURES = "attn_gui.notebook"  # by name: the engine draws nothing and must not import what does


class Pictured:
    """Shows itself in a notebook: its picture and its shapes. Where nothing can be drawn, the shapes alone."""

    def _repr_png_(self) -> bytes | None:
        picture: bytes | None = import_module(FIGURES).png(self)
        return picture

    def _repr_html_(self) -> str:
        return str(import_module(FIGURES).html(self))


# --- text -----------------------------------------------------------------------------------------
def field_texts(problem: Fields) -> Iterator[str]:
    """Yield every field that is not its default, and the number of heads always; arrays by their shape."""
    fields = {"num_heads": problem.num_heads} | problem.fields()
    first = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    yield from entry_texts(first | fields)


def entry_texts(entries: Mapping[str, Any]) -> Iterator[str]:
    """Yield `name (3, 4)` for an array, `name=value` for anything else."""
    for name, value in entries.items():
        yield f"{name} {value.shape}" if isinstance(value, np.ndarray) else f"{name}={_short(name, value)}"


def _short(name: str, value: Any) -> str:
    if name == "mask":
        return f"({', '.join(map(_layer, value))})"
    if name == "interventions":
        return f"({', '.join(map(_intervention, value))})"
    if name.endswith("_tokens"):
        return f"{len(value)} texts"
    if isinstance(value, Mapping):
        return f"{{{', '.join(entry_texts(value))}}}"
    return repr(value)


def _layer(layer: Layer) -> str:
    """Return `causal(align='end')`: what is not its default."""
    defaults = {"enabled": True} | {parameter.name: parameter.default for parameter in layer.parameters}
    given = {name: value for name, value in layer.to_mapping().items() if name != "kind"}
    kept = {
        name: value for name, value in given.items() if isinstance(value, np.ndarray) or value != defaults.get(name)
    }
    return f"{layer.kind}({', '.join(entry_texts(kept))})"


def _intervention(record: Intervention) -> str:
    """Return `set(stage='weights', at={head=3}, values (2,))`: what is not its default."""
    given = {name: value for name, value in record.to_mapping().items() if name != "kind"}
    kept = {name: value for name, value in given.items() if (name, value) != ("enabled", True)}
    return f"{record.kind}({', '.join(entry_texts(kept))})"


@dataclass(frozen=True, eq=False, repr=False)
class Problem(Fields, Pictured):
    """One attention computation: everything that is computed from, frozen and valid.

    y = x @ w + b, weights are [in, out]; n queries, m keys. Arrays are copied, cast to `dtype` and read-only; taken are
    lists, and whatever has `__array__`, `__dlpack__` or `.detach()`.
    query, key, value       (n, h·d_k), (m, h_kv·d_k), (m, h_kv·d_v), heads side by side (on an axis of their own:
                            `Problem.from_heads`); a batch axis may lead. Or instead of the three:
    x, context              (n, d_model), (m, d_context); no context: self-attention; a batch axis may lead
    w_query, w_key, w_value (d_model, h·d_k), (d_context, h_kv·d_k), (d_context, h_kv·d_v); b_query, b_key, b_value
    w_output, b_output      (h·d_v, d_out), (d_out,), with any value
    weights                 or, in place of all that makes them, (h, n, m), with a `value` or without; a batch axis may
                            lead (`Problem.from_weights`)
    num_heads, num_kv_heads whole numbers; num_kv_heads divides num_heads, None is the same number
    score                   "dot", "additive", "cosine", "gaussian" or "average"
    score_params            gaussian: {w, key_norm}; additive: {w_score_query (d_q, d_a), w_score_key (d_k, d_a),
                            w_score (d_a,)}
    normalize               "softmax", "none" (the scores as they are), "sum" (φ(s) / Σ φ(s), φ(s) = elu(s) + 1) or
                            "sigmoid": what makes weights of the scores; a closed key has the weight 0
    scale                   a number; None: 1/√d_k for dot, 1 for the others
    softcap, temperature, rotary_theta  a positive number or None; columns p, p + d_k/2 turn by i·θ^(−2p/d_k)
    rotary_frequencies      None, or (d_k/2,): angles a position in place of θ^(−2p/d_k)
    query_norm, key_norm    None, or (d_k,): RMSNorm of every head of Q, of K, before it turns; qk_norm_eps is its ε
    sink                    None, or (num_heads,): a logit that counts in the sum of a row and has no key
    mask, interventions     tuples of layers and of interventions, below; a mask may also be one layer, the name of its
                            kind ("causal"), or an array of booleans (True = may attend)
    block                   None, or (needs x and d_out = d_model) a mapping, below
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

    A block is a mapping with its kind; d is any width, biases and gate may be missing:
    {"kind": "linear", ln_weight (d_model,), ln_bias (d_model,), ln_eps, w_linear (d_model, d), b_linear (d,)}: Linear(
                            LN(x + Y)); "linear" where no kind is named
    {"kind": "post", …}     h = N₁(x + Y), N₂(h + MLP(h))
    {"kind": "pre", …}      the projections read N₁(x), h = x + Y, h + MLP(N₂(h)); both have norm "layer" or "rms",
                            norm1_weight, norm1_bias, norm2_weight, norm2_bias (d_model,), norm_eps, activation "gelu",
                            "gelu_tanh", "silu" or "relu", w_up (d_model, d), b_up, w_down (d, d_model), b_down, and
                            gated, act(x W_gate) · (x W_up), w_gate (d_model, d), b_gate

    An intervention is a mapping with its kind and stage; any may have enabled=False. They are carried out in order once
    their stage is computed; "at" maps axes of the stage to an integer or (start, stop), one left out is taken whole:
    {"kind": "set", "stage", "at", "values"}      a number, or an array that broadcasts to the cells
    {"kind": "scale", "stage", "at", "factor"}    the cells times a number
    {"kind": "copy", "stage", "at", "source"}     the computed cells of another place: axis → integer
    Raises ShapeError, ValueError or TypeError, each with one sentence. Source: Vaswani et al. (2017), and the stages'.
    """

    batch_axis: InitVar[bool] = field(default=False, kw_only=True)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # it compares by bytes

    def __post_init__(self, batch_axis: bool) -> None:
        normalize_fields(self, copy=True)
        if not as_switch("batch_axis", batch_axis):
            check_leading_axis(self)
        self._fit()

    @classmethod
    def from_heads(
        cls, query: Any, key: Any, value: Any, *, axes: str | Sequence[str] | None = None, **fields: Any
    ) -> Problem:
        """Return a problem from heads on an axis of their own, K and V with h_kv heads.

        They are laid side by side, and num_heads and num_kv_heads counted; `fields` are any others of a problem.
        `axes` is their order: "batch,head,token,column" (PyTorch's), "batch,token,head,column" (TransformerLens,
        flash-attention) or any other; batch and head may be missing.
        Without it they are read in the one order in which the whole problem fits together, with the numbers of heads,
        tokens and masks that are given; a UserWarning names it where it is not (h, n, d) or (b, h, n, d). Of several
        that fit none is taken: a ShapeError spells out each.
        Raises ShapeError, which names the matrix and the axis.
        """
        found, note = fields_of_heads(query, key, value, fields, axes)
        if note:
            warnings.warn(note, UserWarning, stacklevel=2)
        return cls.of(found)

    @classmethod
    def from_weights(
        cls,
        weights: Any,
        *,
        value: Any = None,
        tokens: Any = None,
        query_tokens: Any = None,
        key_tokens: Any = None,
    ) -> Problem:
        """Return a problem of attention alone, whose weights are given: (n, m), (h, n, m) or (b, h, n, m).

        Stages that need Q or K are absent. With `value`, (m, h_kv·d_v) or with heads on an axis of their own, the
        output follows. `tokens` are those of queries and of keys. Weights are taken as they are, whatever their rows
        add up to (`verify` says it); a UserWarning says where another axis adds up to 1, as transposed maps have it.
        Those of float32 or narrower stay in float32.
        Raises ShapeError, which names the matrix and the axis.
        """
        found, note = fields_of_maps(weights, value, tokens, query_tokens, key_tokens)
        if note:
            warnings.warn(note, UserWarning, stacklevel=2)
        return cls.of(found)

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Problem:
        """Return a problem of fields as a problem has them: copied and checked, a first axis of 3 being the batch."""
        problem = unnormalized(cls, given)
        normalize_fields(problem, copy=True)
        problem._fit()
        return problem

    @classmethod
    def over(cls, given: Mapping[str, object]) -> Problem:
        """Return a problem of read-only views on the given arrays: nothing is copied, edits in place show through.

        Same validation; an array of another dtype or layout raises TypeError.
        """
        problem = unnormalized(cls, given)
        normalize_fields(problem, copy=False)
        problem._fit()
        return problem

    def replace(self, **changes: object) -> Problem:
        """Return a changed copy, validated again."""
        kept: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        if self._changes("num_heads", changes) and self.num_kv_heads == self.num_heads:
            kept["num_kv_heads"] = None
        if self._changes("score", changes):
            kept["score_params"] = {}
        return Problem.of(kept | changes)

    def _changes(self, field: str, changes: Mapping[str, object]) -> bool:
        """Return whether one value becomes another one; an array in its place is refused later."""
        given, own = as_scalar(changes.get(field, getattr(self, field))), getattr(self, field)
        return isinstance(given, type(own)) and given != own

    def _fit(self) -> None:
        """Raise ShapeError with what would help where the fields do not fit together."""
        try:
            check_shapes(self)
        except ShapeError as clash:
            clash.offers, clash.given = partial(fixes_of, self, clash), self.fields()
            raise

    def __reduce__(self) -> tuple[object, ...]:
        return Problem.of, (self.fields(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __repr__(self) -> str:
        return f"Problem({', '.join(field_texts(self))})"


del Problem.batch_axis  # type: ignore[attr-defined]  # no field: the default of an argument
