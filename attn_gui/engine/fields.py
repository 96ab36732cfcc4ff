"""Fields of a problem as kept: names, defaults, limits, and the sizes that follow (n, m, d_k, heads, scale)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from attn_gui.engine import checks, errors
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.errors import FieldError, FieldTypeError, ShapeError
from attn_gui.engine.interventions import Intervention, normalized_interventions
from attn_gui.engine.masks import Layer, layer_from_mapping, layers_given
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES

F = TypeVar("F", bound="Fields")

DIRECT = ("query", "key", "value")  # of a direct problem; of others the stages that are projected
GIVEN = "weights"
WEIGHTS = ("w_query", "w_key", "w_value")
MATRICES = (
    *DIRECT,
    GIVEN,
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
    "query_norm",
    "key_norm",
    "rotary_frequencies",
    "sink",
)
COMPARING = (
    *(name for name in MATRICES if name not in ("value", GIVEN, "w_output", "b_output")),
    *("score", "score_params", "normalize", "scale", "softcap", "temperature", "rotary_theta", "mask", "block"),
)
"""Fields from which weights are computed: none of them is there where the weights are given."""
QK_NORM_EPS = 1e-6  # as in Qwen3
KIND = ".kind"  # of a record in a list, among the leaves: another kind is another record

DTYPES = ("float64", "float32")
MOST_LAYERS = 64  # of a mask
POSITIVE = ("softcap", "temperature", "rotary_theta")


# --- fields ---------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False, repr=False, init=False)
class Fields:
    """The fields of a problem, which need not fit together: read by checks, fixes and texts."""

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
    query_norm: Any = None
    key_norm: Any = None
    qk_norm_eps: float = QK_NORM_EPS
    rotary_frequencies: Any = None
    sink: Any = None
    weights: Any = None
    num_heads: int = 1
    num_kv_heads: int = None  # type: ignore[assignment]  # None means num_heads and is replaced by it
    score: str = "dot"
    score_params: Any = field(default_factory=dict)
    normalize: str = "softmax"
    scale: float | None = None
    softcap: float | None = None
    temperature: float | None = None
    rotary_theta: float | None = None
    mask: tuple[Layer, ...] = ()
    block: Any = None
    interventions: tuple[Intervention, ...] = ()
    query_tokens: tuple[str, ...] | None = None
    key_tokens: tuple[str, ...] | None = None
    dtype: str = "float64"

    def fields(self) -> dict[str, Any]:
        """Return {name: value} of all fields that are not at their default, arrays and records as they are."""
        found = {}
        for f in fields(self):
            value = getattr(self, f.name)
            default = {"num_kv_heads": self.num_heads, "mask": (), "interventions": ()}.get(f.name, f.default)
            empty = f.name == "score_params" and not value
            if value is not None and not empty and (isinstance(value, np.ndarray) or value != default):
                found[f.name] = value
        return found

    def arrays(self) -> dict[str, Array]:
        """Return all arrays by dotted name, in the order of the catalog."""
        found = {name: getattr(self, name) for name in MATRICES}
        found |= {f"score_params.{name}": value for name, value in self.score_params.items()}
        found |= {layer.field(k): layer.cells for k, layer in enumerate(self.mask)}
        found |= {f"block.{name}": value for name, value in (self.block or {}).items()}
        found |= self._of_interventions()
        return {name: value for name, value in found.items() if isinstance(value, np.ndarray)}

    def scalars(self) -> dict[str, float]:
        """Return all numbers by dotted name; `scale` as it is used, the others where they are given."""
        found: dict[str, Any] = {"scale": self.effective_scale} if self.compares else {}
        found |= {name: getattr(self, name) for name in ("softcap", "temperature", "rotary_theta")}
        found |= {"qk_norm_eps": self.qk_norm_eps} if self.norms_heads else {}
        found |= {f"score_params.{name}": value for name, value in self.score_params.items()}
        found |= {f"block.{name}": value for name, value in (self.block or {}).items()}
        found |= self._of_interventions()
        return {name: value for name, value in found.items() if isinstance(value, float)}

    def _of_interventions(self) -> dict[str, Any]:
        return {record.field(k): record.cells for k, record in enumerate(self.interventions)}

    @property
    def projected(self) -> bool:
        return self.x is not None

    @property
    def compares(self) -> bool:
        """Whether queries are compared with keys; False where the weights are given."""
        return self.weights is None

    @property
    def mixes(self) -> bool:
        """Whether there are values, which the weights mix into an output."""
        return self.projected or self.value is not None

    @property
    def self_attention(self) -> bool:
        return self.projected and self.context is None

    @property
    def norms_heads(self) -> bool:
        """Whether the heads of Q or of K are normalized."""
        return self.query_norm is not None or self.key_norm is not None

    @property
    def turns(self) -> bool:
        """Whether Q and K are turned by their positions."""
        return self.rotary_theta is not None or self.rotary_frequencies is not None

    @property
    def d_key(self) -> int:
        """The width of a head of K, which the additive score lets differ from that of Q; 0 where there is no K."""
        return int((self.w_key if self.projected else self.key).shape[-1]) // self.num_kv_heads if self.compares else 0

    @property
    def d_ff(self) -> int:
        """The width of the block's feed-forward network; 0 where there is none."""
        return int(self.block["w_up"].shape[-1]) if self.block is not None and "w_up" in self.block else 0

    @property
    def names_of_keys(self) -> tuple[str, ...] | None:
        """`key_tokens`, or in self-attention without them `query_tokens`: it is one sequence."""
        return self.query_tokens if self.key_tokens is None and self.self_attention else self.key_tokens

    @property
    def queries(self) -> Array:
        """The matrix whose rows are the queries: `x`, `query`, or the weights themselves."""
        matrix: Array = self.x if self.projected else self.query if self.compares else self.weights
        return matrix

    @property
    def keys(self) -> Array:
        """The matrix whose rows are the keys: `context`, `x` or `key`."""
        matrix: Array = self.key if not self.projected else self.x if self.context is None else self.context
        return matrix

    @cached_property
    def batch_size(self) -> int:
        arrays = (self.query, self.key, self.value, self.x, self.context)
        batched = [array.shape[0] for array in arrays if array is not None and array.ndim == 3]
        batched += [self.weights.shape[0]] if self.weights is not None and self.weights.ndim == 4 else []
        return next(iter(batched), 1)

    @property
    def n(self) -> int:
        return int(self.queries.shape[-2])

    @property
    def m(self) -> int:
        return int(self.keys.shape[-2] if self.compares else self.weights.shape[-1])

    @property
    def kv_heads(self) -> int:
        return self.num_kv_heads

    @property
    def d_k(self) -> int:
        """The width of a head of Q; 0 where there is no Q."""
        return int((self.w_query if self.projected else self.query).shape[-1]) // self.num_heads if self.compares else 0

    @property
    def d_v(self) -> int:
        """The width of a head of V; 0 where there is no V."""
        return int((self.w_value if self.projected else self.value).shape[-1]) // self.num_kv_heads if self.mixes else 0

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
        """The factor of the scores: if not given 1/√d_k for dot products, and 1 for other scores."""
        if self.scale is not None:
            return self.scale
        return float(self.d_k**-0.5) if self.compares and SCORES[self.score].root_scale else 1.0

    @cached_property
    def structure(self) -> tuple[object, ...]:
        """What decides which stages there are and how large: with the same, problems differ in numbers only."""
        return self.bare_structure, tuple(record.rule for record in self.interventions)

    @cached_property
    def bare_structure(self) -> tuple[object, ...]:
        """The structure without interventions."""
        own = {record.field(k) for k, record in enumerate(self.interventions)}
        shapes = tuple((name, array.shape) for name, array in self.arrays().items() if name not in own)
        scalars = tuple(name for name in self.scalars() if name not in own)
        rules = tuple(layer if layer.cells is None else (layer.kind, layer.enabled) for layer in self.mask)
        choices = tuple((name, value) for name, value in (self.block or {}).items() if isinstance(value, str))
        choices += ("score", self.score), ("normalize", self.normalize), ("dtype", self.dtype)
        return shapes, scalars, rules, choices, self.num_heads, self.num_kv_heads


def unnormalized(kind: type[F], given: Mapping[str, object]) -> F:
    """Return a record of fields as given, unchecked. Raises FieldTypeError for an unknown name."""
    made = object.__new__(kind)
    known = {f.name: f for f in fields(kind)}
    for name in given:
        if name not in known:
            raise FieldTypeError(errors.UNKNOWN_FIELD, field=name)
    for name, f in known.items():
        default = {} if name == "score_params" else f.default
        store(made, name, given.get(name, default))
    return made


def store(problem: Fields, name: str, value: object) -> None:
    """Set a field of a frozen record."""
    object.__setattr__(problem, name, value)


def leaves_of(problem: Fields) -> dict[str, Any]:
    """Return all values of a problem by dotted name, with those of records and mask layers one by one."""
    found: dict[str, Any] = {}
    for each in fields(problem):
        value = getattr(problem, each.name)
        records = isinstance(value, tuple) and bool(value) and all(map(is_dataclass, value))
        parts = dict(enumerate(value)) if records else value if isinstance(value, Mapping) else None
        for name, part in {each.name: value}.items() if parts is None else parts.items():
            label = each.name if parts is None else f"{each.name}.{name}"
            inner = {f.name: getattr(part, f.name) for f in fields(part)} if is_dataclass(part) else None
            found |= {label: part} if inner is None else {f"{label}.{key}": one for key, one in inner.items()}
            found |= {} if inner is None else {f"{label}{KIND}": part.kind}
    return found


def with_leaves(problem: Fields, leaves: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a problem with other values under dotted names."""
    found = problem.fields()
    for label, value in leaves.items():
        root, *inner = label.split(".")
        whole = getattr(problem, root) if root not in found else found[root]
        if not inner:
            found[root] = value
        elif isinstance(whole, tuple):
            items = list(whole)
            items[int(inner[0])] = replace(items[int(inner[0])], **{inner[1]: value})
            found[root] = tuple(items)
        else:
            found[root] = {**whole, inner[0]: value}
    return found


# --- normalizing ----------------------------------------------------------------------------------
# Checks of the fields one by one, stored as they stay; whether they fit together is checked in `shape_errors`.
AXES = dict.fromkeys((*DIRECT, "x", "context"), (2, 3)) | dict.fromkeys((*WEIGHTS, "w_output"), (2,))
AXES |= dict.fromkeys(("b_query", "b_key", "b_value", "b_output"), (1,))
AXES |= {GIVEN: (3, 4)}
AXES |= dict.fromkeys(("query_norm", "key_norm", "rotary_frequencies", "sink"), (1,))


def normalize_fields(problem: Fields, copy: bool) -> None:
    """Store every field as a problem keeps it. Raises ValueError or TypeError, ShapeError for one array alone."""
    store(problem, "dtype", checks.as_choice("dtype", checks.dtype_name(problem.dtype), DTYPES))
    store(problem, "num_heads", checks.as_count("num_heads", problem.num_heads))
    kv_heads = problem.num_heads if problem.num_kv_heads is None else problem.num_kv_heads
    store(problem, "num_kv_heads", checks.as_count("num_kv_heads", kv_heads))
    for name, axes in AXES.items():
        if getattr(problem, name) is not None:
            store(problem, name, _matrix(problem, name, axes, copy))
    for name in POSITIVE:
        if getattr(problem, name) is not None:
            store(problem, name, checks.as_positive(name, getattr(problem, name)))
    eps = QK_NORM_EPS if problem.qk_norm_eps is None else problem.qk_norm_eps
    store(problem, "qk_norm_eps", checks.as_positive("qk_norm_eps", eps))
    if problem.scale is not None:
        store(problem, "scale", checks.as_number("scale", problem.scale))
    for name in ("query_tokens", "key_tokens"):
        if getattr(problem, name) is not None:
            store(problem, name, checks.as_texts(name, getattr(problem, name)))
    store(problem, "normalize", checks.as_choice("normalize", problem.normalize, tuple(NORMALIZERS)))
    _normalize_score(problem, copy)
    _normalize_block(problem, copy)
    _normalize_mask(problem, copy)
    store(problem, "interventions", normalized_interventions(problem.interventions, np.dtype(problem.dtype), copy))


def _matrix(problem: Fields, name: str, axes: tuple[int, ...], copy: bool) -> Array:
    try:
        return _array(problem, name, getattr(problem, name), axes, copy)
    except ShapeError as error:
        if name in DIRECT and error.got == 4:
            raise ShapeError(
                errors.FOUR_AXES,
                matrices=(name,),
                axes=(),
                expected=error.expected,
                got=4,
                shape=error.values["shape"],
            ) from None
        raise


def _array(problem: Fields, name: str, value: object, axes: tuple[int, ...], copy: bool) -> Array:
    return checks.as_array(name, value, np.dtype(problem.dtype), axes=axes, copy=copy)


def _normalize_score(problem: Fields, copy: bool) -> None:
    store(problem, "score", checks.as_choice("score", problem.score, tuple(SCORES)))
    arrays, numbers = SCORES[problem.score].tables, SCORES[problem.score].defaults
    given = numbers | checks.as_entries("score_params", problem.score_params, (*arrays, *numbers), needed=tuple(arrays))
    found: dict[str, Any] = {}
    for name, value in given.items():
        label = f"score_params.{name}"
        found[name] = (
            _array(problem, label, value, (len(arrays[name]),), copy)
            if name in arrays
            else checks.as_number(label, value)
        )
    store(problem, "score_params", checks.Record(found))


def _normalize_block(problem: Fields, copy: bool) -> None:
    if problem.block is None:
        return
    kind = problem.block.get("kind") if isinstance(problem.block, Mapping) else None
    kind = next(iter(BLOCKS)) if kind is None else checks.as_choice("block.kind", kind, tuple(BLOCKS))
    block = BLOCKS[kind]
    known = ("kind", *block.tables, *block.numbers, *block.choices)
    given = checks.as_entries("block", problem.block, known, needed=block.needed)
    found: dict[str, Any] = {
        name: _array(problem, f"block.{name}", given[name], (len(table.letters),), copy)
        for name, table in block.tables.items()
        if given.get(name) is not None
    }
    for name in found:
        partner = f"w_{name[2:]}"
        if name.startswith("b_") and partner not in found:
            raise FieldError(errors.NEEDS, field=f"block.{name}", other=f"block.{partner}")
    for name, number in block.numbers.items():
        found[name] = checks.as_positive(f"block.{name}", number if given.get(name) is None else given[name])
    for name, keys in block.choices.items():
        found[name] = keys[0] if given.get(name) is None else checks.as_choice(f"block.{name}", given[name], keys)
    store(problem, "block", checks.Record({"kind": kind} | found, absent=block.tables.keys() - found.keys()))


def _normalize_mask(problem: Fields, copy: bool) -> None:
    given = layers_given("mask", problem.mask)
    if len(given) > MOST_LAYERS:
        raise FieldError(errors.TOO_MANY_LAYERS, field="mask", got=len(given), most=MOST_LAYERS)
    names = [Layer.name_at(k) for k in range(len(given))]
    layers = [layer_from_mapping(layer, name) for layer, name in zip(given, names, strict=True)]
    dtype = np.dtype(problem.dtype)
    normalized = [layer.normalized(name, dtype, copy) for layer, name in zip(layers, names, strict=True)]
    store(problem, "mask", tuple(normalized))
