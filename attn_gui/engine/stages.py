"""The catalog: the whole computation, in order. Each entry assigns a variable from those assigned before it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from attn_gui.engine.blocks import AFTER, BEFORE
from attn_gui.engine.blocks.norms import RMSNorm
from attn_gui.engine.graph.facts import Facts, Form, Name, Operator, Role
from attn_gui.engine.graph.linear import Linear
from attn_gui.engine.graph.sources import layer_name
from attn_gui.engine.graph.stage import Choices, Stage
from attn_gui.engine.problem import sentences
from attn_gui.engine.scores import SCORES, Score

from .mask import Allowed, Mask, Seen
from .rotary import Angle, Rotary, Turn
from .softcap import Softcap
from .softmax import Softmax

if TYPE_CHECKING:
    from attn_gui.engine.problem.fields import Fields

ROWS, MAP, HEAD, HIDDEN = "batch row column", "batch head query key", "batch head query column", "batch query column"
QUERIES, KEYS = "h", "g"  # the letters of the heads of queries, and of those of keys and values

Q = Name(
    *("Q", "Q", "q", "Query", "查询"),
    about="A row for each query: what it looks for among the keys",
    about_zh="每行是一个查询：它与所有的键比较，决定关注谁",
)
K = Name(
    *("K", "K", "k", "Key", "键"),
    about="A row for each key: what the queries are compared with",
    about_zh="每行是一个键：供查询与之比较，得到注意力分数",
)
V = Name(
    *("V", "V", "v", "Value", "值"),
    about="A row for each key: what a query takes from it, by its weight",
    about_zh="每行是与一个键配对的值：按注意力权重加权求和，得到输出",
)
QUERY: Facts = {"called": Q, "heads": QUERIES}
KEY: Facts = {"called": K, "heads": KEYS, "transposed": True}
VALUE: Facts = {"called": V, "heads": KEYS}
OUTPUT: Facts = {
    "called": Name("Y", "Y", "y", "Output", "输出"),
    "form": Form(r"Y = {heads} W_O{bias}"),
    "told": "product",
    "role": Role.PROJECT,
    "operator": Operator("output", "project", "投影", "· W_O"),
}


def _side(name: str, source: str, i: str, facts: Facts) -> tuple[Linear, Linear]:
    """Q, K or V: projected, or given."""
    cells = f"{name}[b {i} p]"
    made = f"{cells} = {source}[b {i} e] * w_{name}[e p] + b_{name}[p]?"
    facts = {"form": Form("{projection}"), "told": "projection", **facts}
    given = f"{cells} = given_{name}[b {i} p]"
    return Linear(name, ROWS, made, **facts), Linear(name, ROWS, given, alias=True, **facts)


def _normed(name: str, heads: str, i: str, called: Name) -> RMSNorm:
    """The norm of every head of Q or K."""
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


class Scores(Stage):
    """The place of the score function, which a problem chooses."""

    name = "scores"
    axes = tuple(MAP.split())
    formula = "logits[b h i j] = query[b i (h d)], key[b j (g d)]"
    called, form, operator, told, role = Score.called, Score.form, Score.operator, Score.told, Score.role
    elementary = True

    def fitted(self, choices: Choices) -> Stage:
        return SCORES[choices.score]


class Biased(Stage):
    """The place of the layers that are added to the scores."""

    name = "biased"
    axes = tuple(MAP.split())
    formula = "logits[b h i j] = logits[b h i j]"
    called = Name("Sᵇ", r"S^{\mathrm{b}}", r"s^{\mathrm{b}}", "Biased scores", "加偏置后的分数")
    form = Form("{letter} = {letter_before} + B", "{before} + B", "{before} + B")
    operator = Operator("bias", "bias", "偏置", "+ B")
    elementary = True
    told, role = "bias", Role.BIAS

    def fitted(self, choices: Choices) -> Stage | None:
        added = [f"{name}[b h i j]" for name in _layers(choices, adds=True)]
        if not added:
            return None
        facts: Facts = {"called": self.called, "form": self.form, "operator": self.operator, "told": self.told}
        facts["role"] = self.role
        return Linear(self.name, MAP, " + ".join([self.formula, *added]), **facts)


class AllLayers(Stage):
    """The place of the layers that close cells."""

    name = "allowed"
    axes = tuple(MAP.split())
    formula = "allowed[b h i j] = "
    hidden = boolean = True
    called = Name("M", "M", "m")

    def fitted(self, choices: Choices) -> Stage | None:
        layers = _layers(choices, adds=False)
        return Allowed(layers) if layers else None


class AllSeen(Seen):
    """The place of the cells behind the mask that are given numbers by hand."""

    def fitted(self, choices: Choices) -> Stage | None:
        by_hand = {record.stage for record in choices.interventions if record.enabled and record.replaces}
        masked = {name for name, stage in entries().items() if stage.behind_mask}
        return self if by_hand & masked and _layers(choices, adds=False) else None


def _layers(choices: Choices, *, adds: bool) -> Sequence[str]:
    """The sources of the enabled layers of one kind."""
    return [layer_name(k) for k, layer in enumerate(choices.mask) if layer.enabled and layer.adds == adds]


CATALOG: tuple[Stage, ...] = (
    *BEFORE,
    *_side("query", "x", "i", QUERY),
    *_side("key", "context", "j", KEY),
    *_side("value", "context", "j", VALUE),
    _normed("query", "h", "i", Name("Qⁿ", r"Q^{\mathrm{n}}", r"q^{\mathrm{n}}", "Normalized query", "归一化后的查询")),
    _normed("key", "g", "j", Name("Kⁿ", r"K^{\mathrm{n}}", r"k^{\mathrm{n}}", "Normalized key", "归一化后的键")),
    Turn("query_angle", "query_angle[i p] = query_position[i], rotary_frequencies[p]"),
    Turn("key_angle", "key_angle[j p] = key_position[j], rotary_frequencies[p]"),
    Angle("query_angle", "query_angle[i p] = query_position[i], rotary_theta[], query_exponent[p]"),
    Angle("key_angle", "key_angle[j p] = key_position[j], rotary_theta[], key_exponent[p]"),
    Rotary(
        "rotated_query",
        "query[b i (h t p)] = query[b i (h t p)], query_angle[i p]",
        form=Form(r"R_i \, q_i"),
        called=Name("Q′", "Q'", "q'", "Rotated query", "旋转后的查询"),
        operator=Operator("position", "position", "位置"),
    ),
    Rotary(
        "rotated_key",
        "key[b j (g t p)] = key[b j (g t p)], key_angle[j p]",
        form=Form(r"R_j \, k_j"),
        transposed=True,
        called=Name("K′", "K'", "k'", "Rotated key", "旋转后的键"),
        operator=Operator("position_key", "position", "位置", "θ"),
    ),
    Scores(),
    Linear(
        "scaled",
        MAP,
        "logits[b h i j] = logits[b h i j] * scale[]",
        told="scale",
        role=Role.SCALE,
        elementary=True,
        called=Name("S′", "S'", "s'", "Scaled scores", "缩放后的分数"),
        form=Form("{letter} = {scaled}", "{scaled}", "{scaled}"),
        operator=Operator("scale", "scale", "缩放", always=True),
    ),
    Softcap(),
    Biased(),
    AllLayers(),
    Mask(),
    Softmax(),
    Linear(
        Softmax.name,
        MAP,
        "weights[b h i j] = given_weights[b h i j]",
        alias=True,
        shares=True,
        called=Softmax.called,
        told="given",
        role=Role.WEIGHT,
    ),
    AllSeen(),
    Linear(
        "head_output",
        HEAD,
        "mixed[b (g r) i c] = weights[b (g r) i j] * value[b j (g c)]",
        gates={1: "allowed[b (g r) i j]"},
        called=Name("O", "O", "o", "Head output", "单头输出"),
        form=Form("O = A V"),
        told="mix",
        role=Role.MIX,
    ),
    Linear(
        "concat",
        HIDDEN,
        "hidden[b i (h c)] = mixed[b h i c]",
        heads=QUERIES,
        form=Form("{heads}"),
        told="joint",
        role=Role.JOIN,
        called=Name("concat", r"\mathrm{concat}(O)", "c", "Concatenated heads", "拼接", letter_zh="拼接"),
    ),
    Linear("output", HIDDEN, "hidden[b i o] = hidden[b i a] * w_output[a o] + b_output[o]?", **OUTPUT),
    Linear("output", HIDDEN, "hidden[b i o] = hidden[b i o]", alias=True, unless=("w_output",), **OUTPUT),
    *AFTER,
)
"""Every stage there is, read when one of them is asked for."""


def stages_of(choices: Choices) -> list[Stage]:
    """The catalog with the score function, the enabled mask layers and the block that a problem chooses."""
    kinds = ("", choices.block["kind"]) if choices.block is not None else ("",)
    return [stage for entry in CATALOG if entry.block in kinds if (stage := entry.fitted(choices)) is not None]


BEFORE_WEIGHTS = frozenset((Role.SCORE, Role.SCALE, Role.CAP, Role.BIAS, Role.CLOSE))
AFTER_WEIGHTS = frozenset((Role.MIX, Role.JOIN, Role.PROJECT))
SHOWN_FIRST = "weights"
"""The stage that is shown, exported and read unless another one is asked for."""


def lacking(problem: Fields, roles: Collection[Role]) -> str | None:
    """The sentence that says which of these parts of attention a problem cannot have; None where it can have them all.

    Where the weights are given nothing comes before them, and without values nothing after.
    """
    if not problem.compares and set(roles) & BEFORE_WEIGHTS:
        return sentences.NO_SCORES
    if not problem.mixes and set(roles) & AFTER_WEIGHTS:
        return sentences.NO_VALUES
    return None


def catalog() -> tuple[Stage, ...]:
    """Every entry, also those of one name for several kinds of blocks."""
    return CATALOG


def entries() -> Mapping[str, Stage]:
    """The first entry of every name, hidden ones included."""
    return _by_name(CATALOG)


def stage_of(role: Role) -> str:
    """The name of the stage that takes a part in attention."""
    return _by_role(CATALOG)[role]


@lru_cache(maxsize=2)
def _by_role(stages: tuple[Stage, ...]) -> Mapping[Role, str]:
    return {stage.role: stage.name for stage in stages if stage.role is not None}


@lru_cache(maxsize=2)
def _by_name(stages: tuple[Stage, ...]) -> Mapping[str, Stage]:
    found: dict[str, Stage] = {}
    for stage in stages:
        found.setdefault(stage.name, stage)
    return found


class _Shown(Mapping[str, Stage]):
    """Every stage that can be shown, by name, in the contract's order."""

    def __getitem__(self, name: str) -> Stage:
        if (stage := entries()[name]).hidden:
            raise KeyError(name)
        return stage

    def __iter__(self) -> Iterator[str]:
        return (name for name, stage in entries().items() if not stage.hidden)

    def __len__(self) -> int:
        return sum(1 for _ in self)


STAGE = _Shown()
