"""Catalog of all steps in order: Q, K, V, scale, softcap, rotary positions, bias, mask, O, W_O; maps derived from them.

Each entry assigns a variable from those assigned before it. Derived are the value-weighted map, the mean
and the largest of all heads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import AFTER, BEFORE, RMSNorm
from attn_gui.engine.graph.expressions import (
    Addends,
    Expression,
    Function,
    Leaves,
    Negative,
    Number,
    OpenOnly,
    Product,
    Quotient,
    Shares,
    Sum,
    add,
    squarable,
    squares,
)
from attn_gui.engine.graph.indices import lengths, zero_safe_product
from attn_gui.engine.graph.sources import layer_name
from attn_gui.engine.graph.stage import (
    ELEMENTARY,
    UNIT,
    CatalogChoices,
    FormulaTemplate,
    Input,
    LinearStage,
    Operator,
    Role,
    Stage,
    StageFacts,
    StageName,
)
from attn_gui.engine.normalizers import NORMALIZERS, Normalizer
from attn_gui.engine.scores import SCORES, Score

if TYPE_CHECKING:
    from attn_gui.engine.fields import Fields


ROTARY_HELPER = '''
def rotated(rows, angles):
    """Column c of each head turned with column c + d/2, by an angle for each row and pair."""
    parts = rows.reshape(*rows.shape[:-1], -1, 2, angles.shape[-1])
    first, second = parts[..., 0, :], parts[..., 1, :]
    cos, sin = {xp}.cos(angles)[:, None], {xp}.sin(angles)[:, None]
    return {xp}.stack([first * cos - second * sin, second * cos + first * sin], -2).reshape(rows.shape)
'''

_T = 3  # the axis of the pair, in the order b i h t p

ROWS, MAP, HEAD, HIDDEN = "batch row column", "batch head query key", "batch head query column", "batch query column"
QUERIES, KEYS = "h", "g"  # the letters of the heads of queries, and of those of keys and values

Q = StageName(
    *("Q", "Q", "q", "Query", "查询"),
    about="A row for each query: what it looks for among the keys",
    about_zh="每行是一个查询：它与所有的键比较，决定关注谁",
)
K = StageName(
    *("K", "K", "k", "Key", "键"),
    about="A row for each key: what the queries are compared with",
    about_zh="每行是一个键：供查询与之比较，得到注意力分数",
)
V = StageName(
    *("V", "V", "v", "Value", "值"),
    about="A row for each key: what a query takes from it, by its weight",
    about_zh="每行是与一个键配对的值：按注意力权重加权求和，得到输出",
)
QUERY: StageFacts = {"called": Q, "heads": QUERIES}
KEY: StageFacts = {"called": K, "heads": KEYS, "transposed": True}
VALUE: StageFacts = {"called": V, "heads": KEYS}
OUTPUT: StageFacts = {
    "called": StageName("Y", "Y", "y", "Output", "输出"),
    "form": FormulaTemplate(r"Y = {heads} W_O{bias}"),
    "wording": "product",
    "role": Role.PROJECT,
    "operator": Operator("output", "project", "投影", "· W_O"),
}

BEFORE_WEIGHTS = frozenset((Role.SCORE, Role.SCALE, Role.CAP, Role.BIAS, Role.CLOSE))
AFTER_WEIGHTS = frozenset((Role.MIX, Role.JOIN, Role.PROJECT))
SHOWN_FIRST = "weights"  # the stage that is shown, exported and read unless another one is asked for


# --- mask -----------------------------------------------------------------------------------------
class Allowed(Stage):
    """Whether a query may attend to a key: all boolean layers of the problem allow it."""

    name = "allowed"
    axes = ("batch", "head", "query", "key")
    hidden = boolean = True
    called = StageName("M", "M", "m")

    def __init__(self, layers: Sequence[str] = ()) -> None:
        self.code = " & ".join(f"{{{place}}}" for place in range(len(layers)))
        self.formula = "allowed[b h i j] = " + ", ".join(f"{layer}[b h i j]" for layer in layers)

    def fitted(self, choices: CatalogChoices) -> Stage | None:
        layers = _layers(choices, adds=False)
        return Allowed(layers) if layers else None

    def forward(self, *inputs: Array) -> Array:
        first, *others = inputs
        for layer in others:
            first = first & layer
        return first

    def pull_back(self, grad: Array, result: Array, *inputs: Array) -> Sequence[Input]:
        return [None] * len(inputs)

    def explain(self, at: tuple[int, ...], *inputs: Leaves) -> Expression:
        return Number(float(all(leaves.one.value for leaves in inputs)))

    def general(self, at: tuple[int, ...], *inputs: Leaves) -> Expression:
        return Product(*(leaves.one for leaves in inputs))

    def addends(self, at: tuple[int, ...], *inputs: Leaves) -> list[Addends]:
        return [Addends(leaves.values, [leaves]) for leaves in inputs]


class Mask(Stage):
    """Minus infinity where a query may not attend to a key."""

    name = "masked"
    called = StageName("Sᵐ", r"S^{\mathrm{m}}", r"s^{\mathrm{m}}", "Masked scores", "掩码后的分数")
    form = FormulaTemplate("{letter} = {letter_before} + M", "{before} + M", "{before} + M")
    operator = Operator("mask", "mask", "掩码", always=True)
    behind_mask = elementary = True
    wording, role = "mask", Role.CLOSE
    code = "{xp}.where({1}, {0}, -inf)"
    axes = ("batch", "head", "query", "key")
    formula = "logits[b h i j] = logits[b h i j], allowed[b h i j]"
    gates = MappingProxyType({0: "allowed[b h i j]"})

    def forward(self, logits: Array, allowed: Array) -> Array:
        return np.where(allowed, logits, -np.inf)

    def pull_back(self, grad: Array, result: Array, logits: Array, allowed: Array) -> Sequence[Input]:
        return np.where(allowed, grad, 0.0), None

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        return np.where(values[1], errors[0], 0.0)

    def explain(self, at: tuple[int, ...], logits: Leaves, allowed: Leaves) -> Expression:
        return logits.one if allowed.values.all() else Number(-np.inf)

    def general(self, at: tuple[int, ...], logits: Leaves, allowed: Leaves) -> Expression:
        return OpenOnly(allowed.one, logits.one)

    def addends(self, at: tuple[int, ...], logits: Leaves, allowed: Leaves) -> list[Addends]:
        return [Addends(logits.values, [logits])] if allowed.values.all() else []


class EffectiveMask(Stage):
    """The keys that a query may attend to, and the cells behind the mask in which a number was put by hand."""

    name = "seen"
    axes = ("batch", "head", "query", "key")
    formula = "allowed[b h i j] = allowed[b h i j]"
    hidden = boolean = True
    called = StageName("M", "M", "m")

    def fitted(self, choices: CatalogChoices) -> Stage | None:
        by_hand = {record.stage for record in choices.interventions if record.enabled and record.replaces}
        masked = {name for name, stage in ENTRIES.items() if stage.behind_mask}
        return self if by_hand & masked and _layers(choices, adds=False) else None

    def forward(self, allowed: Array) -> Array:
        return allowed

    def pull_back(self, grad: Array, result: Array, allowed: Array) -> Sequence[Input]:
        return [None]

    def explain(self, at: tuple[int, ...], allowed: Leaves) -> Expression:
        return allowed.one


# --- rotary positions -----------------------------------------------------------------------------
# Rotary positions (Su et al., "RoFormer", 2021), half-split: column i of a head is paired with column i + d_k/2.
class Angle(Stage):
    """Position times θ^(−2p/d_k): how far each pair of columns is turned."""

    hidden = True
    exact = True  # of an angle of 4,000 the last digit of float32 is 0.0002, and so are the sine and cosine off
    code = "{0}[:, None] * {1} ** {2}"
    called = StageName("φ", r"\varphi", r"\varphi")

    def __init__(self, name: str, formula: str) -> None:
        self.name, self.formula = name, formula
        self.axes = ("row", "column")

    def forward(self, *inputs: Array) -> Array:
        position, theta, exponent = inputs
        return np.asarray(position * theta**exponent)

    def pull_back(self, grad: Array, result: Array, *inputs: Array) -> Sequence[Input]:
        _, theta, exponent = inputs
        return None, grad * result * exponent / theta, None


class Turn(Angle):
    """Position times a frequency that is given for each pair of columns."""

    code = "{0}[:, None] * {1}"

    def forward(self, *inputs: Array) -> Array:
        position, frequency = inputs
        return np.asarray(position * frequency)

    def pull_back(self, grad: Array, result: Array, *inputs: Array) -> Sequence[Input]:
        return None, grad * inputs[0]


class Rotary(Stage):
    """Turns each pair of columns by its position's angle."""

    along = "t"
    code, helper = "rotated({inputs})", ROTARY_HELPER
    wording = "rotation"

    def __init__(
        self,
        name: str,
        formula: str,
        called: StageName,
        form: FormulaTemplate,
        operator: Operator,
        *,
        transposed: bool = False,
    ) -> None:
        self.name, self.formula, self.transposed = name, formula, transposed
        self.called, self.form, self.operator = called, form, operator
        self.heads = self.target.axes[-1][0]
        self.axes = ("batch", "row", "column")

    def forward(self, x: Array, angle: Array) -> Array:
        cos, sin = np.cos(angle), np.sin(angle)
        first, second = _halves(x)
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=_T)

    def pull_back(self, grad: Array, result: Array, x: Array, angle: Array) -> Sequence[Input]:
        back = self.forward(grad, -angle)
        first, second = _halves(result)
        turned = np.concatenate([-second, first], axis=_T)
        return back, zero_safe_product(grad, turned).sum(axis=_T, keepdims=True)

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        x, angle = values
        turned = np.abs(x).sum(axis=_T, keepdims=True) * (2 + ELEMENTARY * (1 + np.abs(angle)))
        return np.asarray(errors[0].sum(axis=_T, keepdims=True) + turned)

    def explain(self, at: tuple[int, ...], x: Leaves, angle: Leaves) -> Expression:
        cos, sin = (Function(name, angle.one) for name in ("cos", "sin"))
        own, other = Product(x[at], cos), Product(x[[1 - at[0]]], sin)
        return add(own, other if at[0] else Negative(other))

    def addends(self, at: tuple[int, ...], x: Leaves, angle: Leaves) -> list[Addends]:
        turn = np.array([np.cos(angle.values), np.sin(angle.values)]).reshape(2)
        return [Addends(x.values * (turn[::-1] if at[0] else turn * (1, -1)), [x])]


def _halves(x: Array) -> tuple[Array, Array]:
    return x[:, :, :, :1], x[:, :, :, 1:]


# Soft capping of scores (Gemma 2, 2024).
class Softcap(Stage):
    """Keeps every score between −cap and cap: cap · tanh(s / cap); ±∞ become ±cap."""

    name = "capped"
    called = StageName("S″", "S''", "s''", "Capped scores", "软上限后的分数")
    form = FormulaTemplate(
        r"{letter} = \mathrm{{cap}} \tanh({letter_before} / \mathrm{{cap}})", text="cap · tanh({before} / cap)"
    )
    operator = Operator("softcap", "softcap", "软上限")
    elementary = True
    code = "{1} * {xp}.tanh({0} / {1})"
    wording, role = "cap", Role.CAP
    axes = ("batch", "head", "query", "key")
    formula = "logits[b h i j] = logits[b h i j], softcap[]"

    def forward(self, logits: Array, cap: Array) -> Array:
        return cap * np.tanh(logits / cap)

    def pull_back(self, grad: Array, result: Array, logits: Array, cap: Array) -> Sequence[Input]:
        slope = 1 - (result / cap) ** 2
        fading = np.where(slope == 0, 0.0, slope * logits)
        return zero_safe_product(grad, slope), zero_safe_product(grad, result - fading) / cap

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        cap = values[1]
        return np.asarray(np.fmin(errors[0], 2 * cap / UNIT) + 2 * ELEMENTARY * np.abs(self.forward(*values)))

    def explain(self, at: tuple[int, ...], logits: Leaves, cap: Leaves) -> Expression:
        return Product(cap.one, Function("tanh", Quotient(logits.one, cap.one)))


# --- catalog --------------------------------------------------------------------------------------
def _side(name: str, source: str, i: str, facts: StageFacts) -> tuple[LinearStage, LinearStage]:
    """Return the stages of Q, K or V: projected, or given."""
    cells = f"{name}[b {i} p]"
    made = f"{cells} = {source}[b {i} e] * w_{name}[e p] + b_{name}[p]?"
    facts = {"form": FormulaTemplate("{projection}"), "wording": "projection", **facts}
    given = f"{cells} = given_{name}[b {i} p]"
    return LinearStage(name, ROWS, made, **facts), LinearStage(name, ROWS, given, alias=True, **facts)


def _normed(name: str, heads: str, i: str, called: StageName) -> RMSNorm:
    """Return the norm of every head of Q or K."""
    cells = f"{name}[b {i} ({heads} d)]"
    return RMSNorm(
        f"normed_{name}",
        ROWS,
        f"{cells} = {cells}, {name}_norm_weight[d], {name}_norm_bias[d]?, qk_norm_eps[]",
        heads=heads,
        transposed=name == "key",
        called=called,
        operator=Operator(f"norm_{name}", "norm", "归一化层", "RMSNorm"),
    )


class Weights(Normalizer):
    """The place of the normalization, filled with the one that a problem chooses."""

    formula = "weights[b h i j] = logits[b h i j]"
    along = "j"
    shares = fractions = True

    def fitted(self, choices: CatalogChoices) -> Stage:
        return NORMALIZERS[choices.normalize]


class Scores(Score):
    """The place of the score function, filled with the one that a problem chooses."""

    formula = "logits[b h i j] = query[b i (h d)], key[b j (g d)]"

    def fitted(self, choices: CatalogChoices) -> Stage:
        return SCORES[choices.score]


class Biased(LinearStage):
    """The scores plus all enabled layers that are added to them."""

    def __init__(self, layers: Sequence[str] = ()) -> None:
        super().__init__(
            "biased",
            MAP,
            "logits[b h i j] = " + " + ".join(f"{name}[b h i j]" for name in ("logits", *layers)),
            called=StageName("Sᵇ", r"S^{\mathrm{b}}", r"s^{\mathrm{b}}", "Biased scores", "加偏置后的分数"),
            form=FormulaTemplate("{letter} = {letter_before} + B", "{before} + B", "{before} + B"),
            operator=Operator("bias", "bias", "偏置", "+ B"),
            elementary=True,
            wording="bias",
            role=Role.BIAS,
        )

    def fitted(self, choices: CatalogChoices) -> Stage | None:
        added = _layers(choices, adds=True)
        return Biased(added) if added else None


def _layers(choices: CatalogChoices, *, adds: bool) -> Sequence[str]:
    """Return the names of the sources of enabled layers, those that add or those that close."""
    return [layer_name(k) for k, layer in enumerate(choices.mask) if layer.enabled and layer.adds == adds]


CATALOG: tuple[Stage, ...] = (
    *BEFORE,
    *_side("query", "x", "i", QUERY),
    *_side("key", "context", "j", KEY),
    *_side("value", "context", "j", VALUE),
    _normed(
        "query", "h", "i", StageName("Qⁿ", r"Q^{\mathrm{n}}", r"q^{\mathrm{n}}", "Normalized query", "归一化后的查询")
    ),
    _normed("key", "g", "j", StageName("Kⁿ", r"K^{\mathrm{n}}", r"k^{\mathrm{n}}", "Normalized key", "归一化后的键")),
    Turn("query_angle", "query_angle[i p] = query_position[i], rotary_frequencies[p]"),
    Turn("key_angle", "key_angle[j p] = key_position[j], rotary_frequencies[p]"),
    Angle("query_angle", "query_angle[i p] = query_position[i], rotary_theta[], query_exponent[p]"),
    Angle("key_angle", "key_angle[j p] = key_position[j], rotary_theta[], key_exponent[p]"),
    Rotary(
        "rotated_query",
        "query[b i (h t p)] = query[b i (h t p)], query_angle[i p]",
        form=FormulaTemplate(r"R_i \, q_i"),
        called=StageName("Q′", "Q'", "q'", "Rotated query", "旋转后的查询"),
        operator=Operator("position", "position", "位置"),
    ),
    Rotary(
        "rotated_key",
        "key[b j (g t p)] = key[b j (g t p)], key_angle[j p]",
        form=FormulaTemplate(r"R_j \, k_j"),
        transposed=True,
        called=StageName("K′", "K'", "k'", "Rotated key", "旋转后的键"),
        operator=Operator("position_key", "position", "位置", "θ"),
    ),
    Scores(),
    LinearStage(
        "scaled",
        MAP,
        "logits[b h i j] = logits[b h i j] * scale[]",
        wording="scale",
        role=Role.SCALE,
        elementary=True,
        called=StageName("S′", "S'", "s'", "Scaled scores", "缩放后的分数"),
        form=FormulaTemplate("{letter} = {scaled}", "{scaled}", "{scaled}"),
        operator=Operator("scale", "scale", "缩放", always=True),
    ),
    Softcap(),
    Biased(),
    Allowed(),
    Mask(),
    Weights(),
    LinearStage(
        Weights.name,
        MAP,
        "weights[b h i j] = given_weights[b h i j]",
        alias=True,
        shares=True,
        fractions=True,
        elementary=True,
        called=Weights.called,
        wording="given",
        role=Role.WEIGHT,
    ),
    EffectiveMask(),
    LinearStage(
        "head_output",
        HEAD,
        "mixed[b (g r) i c] = weights[b (g r) i j] * value[b j (g c)]",
        gates={1: "allowed[b (g r) i j]"},
        called=StageName("O", "O", "o", "Head output", "单头输出"),
        form=FormulaTemplate("O = A V"),
        wording="mix",
        role=Role.MIX,
    ),
    LinearStage(
        "concat",
        HIDDEN,
        "hidden[b i (h c)] = mixed[b h i c]",
        heads=QUERIES,
        form=FormulaTemplate("{heads}"),
        wording="joint",
        role=Role.JOIN,
        called=StageName("concat", r"\mathrm{concat}(O)", "c", "Concatenated heads", "拼接", letter_zh="拼接"),
    ),
    LinearStage("output", HIDDEN, "hidden[b i o] = hidden[b i a] * w_output[a o] + b_output[o]?", **OUTPUT),
    LinearStage("output", HIDDEN, "hidden[b i o] = hidden[b i o]", alias=True, unless=("w_output",), **OUTPUT),
    *AFTER,
)
"""Every entry, in the order of the computation; several kinds of blocks have entries of the same name."""
ENTRIES: dict[str, Stage] = {}
"""The first entry of every name, hidden ones included."""
for _entry in CATALOG:
    ENTRIES.setdefault(_entry.name, _entry)
STAGE: dict[str, Stage] = {name: stage for name, stage in ENTRIES.items() if not stage.hidden}
"""All stages that can be shown, by name, in the order of the computation."""
_NAMES = {stage.role: stage.name for stage in CATALOG if stage.role is not None}


def stages_of(choices: CatalogChoices) -> list[Stage]:
    """Return the catalog with the score function, the enabled mask layers and the block that a problem chooses."""
    kinds = ("", choices.block["kind"]) if choices.block is not None else ("",)
    return [stage for entry in CATALOG if entry.block in kinds if (stage := entry.fitted(choices)) is not None]


def lacking(problem: Fields, roles: Collection[Role]) -> str | None:
    """Return the message that says which of these roles a problem cannot have; None where it can have them all.

    Where weights are given nothing comes before them, and without values nothing after.
    """
    if set(roles) & BEFORE_WEIGHTS and not problem.compares:
        return errors.NO_SCORES
    if set(roles) & AFTER_WEIGHTS and not problem.mixes:
        return errors.NO_VALUES
    return None


def stage_of(role: Role) -> str:
    """Return the name of the stage with a role in attention."""
    return _NAMES[role]


# --- derived maps ---------------------------------------------------------------------------------
# They are computed where they are asked for and are not among the stages of a trace, but explained, differentiated and
# exported as those are. A new one is its entry here.

H = TypeVar("H")
PER_KEY, PER_QUERY = "batch head key column", "batch head query column"
HEADS = 3  # the axis of the heads, in the order b i j h
COLUMNS = 3  # the axis that is summed, in the order b h j o
MOVED: StageFacts = {
    "called": StageName("U", "U", "u", "Value through the output projection", "经输出投影的值"),
    "form": FormulaTemplate("U = V W_O"),
    "wording": "product",
}


class MovedNorm(Stage):
    """‖v_j W_O‖ of every key: as much as its value moves the output where all of it is taken."""

    name = "moved_norm"
    axes = ("batch", "head", "key")
    formula = "length[b h j] = moved[b h j o]"
    called = StageName(
        "‖U‖", r"\|U\|", r"\|u\|", "Length of a value through the output projection", "经输出投影的值的范数"
    )

    def forward(self, moved: Array) -> Array:
        return np.asarray(lengths(moved, COLUMNS)[:, :, :, 0])

    def pull_back(self, grad: Array, result: Array, moved: Array) -> Sequence[Input]:
        return (grad * np.where(result > 0, moved / np.where(result > 0, result, 1.0), 0.0),)

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        (moved,), (slip,) = values, errors
        return np.asarray(lengths(slip, COLUMNS) + (moved.shape[COLUMNS] / 2 + 2) * lengths(moved, COLUMNS))

    def explain(self, at: tuple[int, ...], moved: Leaves) -> Expression:
        cells = squarable(moved, "max")
        length = Function("sqrt", squares(cells))
        return Product(cells.largest, length) if isinstance(cells, Shares) else length

    def addends(self, at: tuple[int, ...], moved: Leaves) -> list[Addends]:
        return [Addends(squarable(moved, "max").values ** 2, [moved, moved])]


class ValueWeighted(Stage):
    """‖a_ij · v_j W_O‖: how far a weight moves the output (Kobayashi et al. 2020, *Attention is Not Only a Weight*)."""

    name = "value_weighted"
    axes = ("batch", "head", "query", "key")
    formula = "moving[b h i j] = weights[b h i j], length[b h j]"
    called = StageName("G", "G", "g", "Value-weighted attention", "值加权注意力")
    form = FormulaTemplate(r"G = A \, \|V W_O\|")
    behind_mask = True

    def forward(self, weights: Array, norm: Array) -> Array:
        return np.where(weights == 0, 0.0, np.abs(weights) * norm)  # what a zero weight holds back moves nothing

    def pull_back(self, grad: Array, result: Array, weights: Array, norm: Array) -> Sequence[Input]:
        still = weights == 0
        return np.where(still, 0.0, grad * np.sign(weights) * norm), np.where(still, 0.0, grad * np.abs(weights))

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        (weights, norm), slips = values, errors
        crossed = slips[0] * norm + np.abs(weights) * slips[1] + slips[0] * slips[1] * UNIT
        return np.asarray(crossed + np.abs(weights) * norm)

    def explain(self, at: tuple[int, ...], weights: Leaves, norm: Leaves) -> Expression:
        weight, length = weights.one, norm.one
        if weight.value == 0 and not np.isfinite(length.value):
            return Number(0.0)  # as the weight holds it back
        return Product(weight if weight.value >= 0 else Negative(weight), length)

    def addends(self, at: tuple[int, ...], weights: Leaves, norm: Leaves) -> list[Addends]:
        return [Addends(self.forward(weights.values, norm.values), [weights, norm])]


class OverHeads(Stage):
    """The weights of all heads at one place as one number, by a rule that `word` names."""

    word = ""  # of the command line and of `render` for these heads
    axes = ("batch", "query", "key")
    behind_mask = shares = True

    @property
    def reads(self) -> str:
        """The stage of which it takes the heads."""
        return self.inputs[0].name


class MeanOfHeads(OverHeads):
    """The mean of the heads' weights, as nn.MultiheadAttention returns it (`average_attn_weights`)."""

    name, word = "mean_weights", "mean"
    formula = "merged[b i j] = weights[b h i j]"
    called = StageName("Ā", r"\bar{A}", r"\bar{a}", "Weights, mean over heads", "各头权重的平均")
    form = FormulaTemplate(r"\bar{A} = \frac{1}{h} \sum_g A^{(g)}")

    def forward(self, weights: Array) -> Array:
        total = reduce(np.add, np.moveaxis(weights, HEADS, 0))  # in order, so that a part has the bits of the whole
        return np.asarray(total / weights.shape[HEADS])

    def pull_back(self, grad: Array, result: Array, weights: Array) -> Sequence[Input]:
        return (np.broadcast_to(grad / weights.shape[HEADS], weights.shape),)

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        (weights,), (slips,) = values, errors
        return np.asarray((slips + weights.shape[HEADS] * np.abs(weights)).mean(axis=HEADS))

    def explain(self, at: tuple[int, ...], weights: Leaves) -> Expression:
        each = Sum(weights.values.size, lambda k: weights[[k]], weights.values, rf"\sum_g {weights.latex}")
        return Quotient(each, Number(weights.values.size)) if weights.values.size > 1 else weights.one

    def addends(self, at: tuple[int, ...], weights: Leaves) -> list[Addends]:
        return [Addends(weights.values / weights.values.size, [weights])]


class LargestOfHeads(OverHeads):
    """The largest of the heads' weights: what any of them looks at."""

    name, word = "largest_weights", "largest"
    formula = "merged[b i j] = weights[b h i j]"
    called = StageName("Â", r"\hat{A}", r"\hat{a}", "Weights, largest over heads", "各头权重的最大值")
    form = FormulaTemplate(r"\hat{A} = \max_g A^{(g)}")

    def forward(self, weights: Array) -> Array:
        return np.asarray(weights.max(axis=HEADS))

    def pull_back(self, grad: Array, result: Array, weights: Array) -> Sequence[Input]:
        first = np.arange(weights.shape[HEADS]) == weights.argmax(axis=HEADS)[..., None]  # of equal ones the first
        return (np.where(first, grad, 0.0),)

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        return np.asarray(errors[0].max(axis=HEADS))

    def explain(self, at: tuple[int, ...], weights: Leaves) -> Expression:
        return weights[[int(weights.values.argmax())]]


DERIVED: tuple[Stage, ...] = (
    LinearStage("moved_value", PER_KEY, "moved[b (g r) j o] = value[b j (g c)] * w_output[(g r c) o]", **MOVED),
    LinearStage("moved_value", PER_KEY, "moved[b (g r) j c] = value[b j (g c)]", unless=("w_output",), **MOVED),
    MovedNorm(),
    ValueWeighted(),
    MeanOfHeads(),
    LargestOfHeads(),
    LinearStage(
        "head_contribution",
        PER_QUERY,
        "added[b h i o] = mixed[b h i c] * w_output[(h c) o]",
        called=StageName("C", "C", "c", "Head contribution", "单头贡献"),
        form=FormulaTemplate("C = O W_O"),
        wording="product",
    ),
)
"""Every derived map there is, in an order in which each reads those before it."""


def derived_stage(name: str) -> Stage | None:
    """Return a derived map by its name; None for anything else."""
    return next((stage for stage in DERIVED if stage.name == name), None)


def is_derived(name: str) -> bool:
    """Return whether a name is that of a derived map."""
    return derived_stage(name) is not None


MAPS = tuple(dict.fromkeys(stage.name for stage in DERIVED if stage.axes[-2] != "head"))
"""Those that are maps, by name: rows and columns, of each head or of all together; a norm has one number for a key."""

OVER_HEADS = {stage.word: stage for stage in DERIVED if isinstance(stage, OverHeads)}
"""The maps of all heads together by their words: mean, largest."""


def over_heads(stage: str, heads: H) -> tuple[str, H | None]:
    """Return the stage and heads that are meant: for the word of a map of all heads, that map."""
    entry = OVER_HEADS.get(heads) if isinstance(heads, str) else None
    return (entry.name, None) if entry is not None and entry.reads == stage else (stage, heads)
