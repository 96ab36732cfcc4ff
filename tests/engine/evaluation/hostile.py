"""Wild numbers sent through the whole chain, with their written answers.

No answer comes from the engine: each is reasoned from IEEE arithmetic (NaN spreads, ∞ · 0 is NaN, what is beyond
1.8e308 is ∞) and from three rules of the program:

- a row with no allowed key, and a row of scores that are all −∞, has weights 0 and output 0;
- what stands behind a mask or a zero weight never reaches the output, NaN and ∞ included;
- no finite score overflows in a softmax, and no length and no deviation overflows or vanishes while it is squared.

A row is (id, fields of the problem, stage, expected). Leading axes of length 1 (batch, head) are not written.
"""

import math
from collections.abc import Iterator
from math import cos, exp, sin, tanh
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import Problem

NAN, INF = math.nan, math.inf
L = math.log(3)  # the scale of the chain: e^L = 3, so that one step of score is a factor of 3 in weight
TINY = 5e-324  # the smallest number above 0; 1e-320 is 2024 of it
ONE = [[1, 0], [0, 1]]


class Row(NamedTuple):
    id: str
    fields: dict[str, Any]
    stage: str
    expected: Any


def at(stages: str, expected: Any) -> dict[str, Any]:
    return dict.fromkeys(stages.split(), expected)


def case(name: str, fields: dict[str, Any], *answers: dict[str, Any], **more: Any) -> list[Row]:
    """One problem and what it answers at each of its stages; a later answer replaces an earlier one."""
    found: dict[str, Any] = {}
    for answer in (*answers, more):
        found |= answer
    return [Row(f"{name}-{stage}", fields, stage, expected) for stage, expected in found.items()]


# --- the whole chain: 2 queries, 3 keys of which the last is hidden by padding ----------------------------------------
def chain(x: Any = ONE, context: Any = ((1, 0), (0, 1), (5, 5)), bias: Any = ((0, 0, 0), (0, 0, 0))) -> dict[str, Any]:
    return {
        "x": x,
        "context": context,
        "w_query": ONE,
        "w_key": ONE,
        "w_value": ONE,
        "w_output": [[2, 0], [0, 2]],
        "scale": L,
        "mask": ({"kind": "bias", "values": bias}, {"kind": "padding", "lengths": 2}),
        "block": {"ln_weight": [1, 1], "ln_bias": [0, 0], "ln_eps": 3.0, "w_linear": [[1], [2]]},
    }


ROWS: list[Row] = []
CALM = {
    **at("query", ONE),
    **at("key value", [[1, 0], [0, 1], [5, 5]]),
    **at("scores", [[1, 0, 5], [0, 1, 5]]),
    **at("scaled biased", [[L, 0, 5 * L], [0, L, 5 * L]]),
    **at("masked", [[L, 0, -INF], [0, L, -INF]]),
    **at("weights", [[0.75, 0.25, 0], [0.25, 0.75, 0]]),
    **at("head_output concat", [[0.75, 0.25], [0.25, 0.75]]),
    **at("output", [[1.5, 0.5], [0.5, 1.5]]),
    **at("residual", [[2.5, 0.5], [0.5, 2.5]]),
    **at("normalized", [[0.5, -0.5], [-0.5, 0.5]]),
    **at("block_output", [[-0.5], [0.5]]),
}
ROWS += case("calm", chain(), CALM)


def ends(weights: Any, output: Any, block: Any) -> dict[str, Any]:
    """What decides: the plain loops of the program have to agree with the engine at all the other stages."""
    return at("weights", weights) | at("output", output) | at("block_output", block)


AGREES, FIFTH, FIRST = [0.25, 0.75, 0], [0.5, 1.5], 1 / 13**0.5
SAME = ends([[0.75, 0.25, 0], AGREES], [[1.5, 0.5], FIFTH], [[-0.5], [0.5]])
NAN_ROW = ends([[NAN, NAN, 0], AGREES], [[NAN, NAN], FIFTH], [[NAN], [0.5]])
NAN_ROWS = ends([[NAN, NAN, 0]] * 2, [[NAN, NAN]] * 2, [[NAN]] * 2)
EMPTY_ROW = ends([[0, 0, 0], AGREES], [[0, 0], FIFTH], [[-FIRST], [0.5]])
EVEN_ROW = ends([[0.5, 0.5, 0], AGREES], [[1, 1], FIFTH], [[0], [0.5]])
ONE_KEY_WINS = ends([[1, 0, 0], AGREES], [[2, 0], FIFTH], [[-3 / 21**0.5], [0.5]])
ROWS += case(
    "bias_row_minus_inf_but_the_hidden_key",
    chain(bias=[[-INF, -INF, 0], [0, 0, 0]]),
    EMPTY_ROW,
    masked=[[-INF] * 3, [0, L, -INF]],
)
ROWS += case("bias_minus_inf", chain(bias=[[0, -INF, 0], [0, 0, 0]]), ONE_KEY_WINS)
ROWS += case("bias_nan", chain(bias=[[0, NAN, 0], [0, 0, 0]]), NAN_ROW, masked=[[L, NAN, -INF], [0, L, -INF]])
ROWS += case("bias_wild_where_hidden", chain(bias=[[0, 0, INF], [0, 0, NAN]]), SAME, biased=[[L, 0, INF], [0, L, NAN]])
ROWS += case("query_nan", chain(x=[[NAN, 0], [0, 1]]), NAN_ROW, scores=[[NAN] * 3, [0, 1, 5]])
ROWS += case(
    "query_inf", chain(x=[[INF, 0], [0, 1]]), NAN_ROW, query=[[INF, NAN], [0, 1]], scores=[[NAN] * 3, [0, 1, 5]]
)
ROWS += case("key_nan", chain(context=[[1, 0], [0, NAN], [5, 5]]), NAN_ROWS, scaled=[[L, NAN, 5 * L], [0, NAN, 5 * L]])
for name, wild, beside in (("nan", NAN, NAN), ("inf", INF, NAN)):
    ROWS += case(
        f"hidden_key_{name}",
        chain(context=[[1, 0], [0, 1], [wild, 5]]),
        SAME,
        at("key value", [[1, 0], [0, 1], [wild, beside]]),
        scores=[[1, 0, NAN], [0, 1, NAN]],
    )
ROWS += case(
    "hidden_key_1e308",
    chain(context=[[1, 0], [0, 1], [1e308, -1e308]], bias=[[0, 0, 1e308], [0, 0, 0]]),
    SAME,
    biased=[[L, 0, INF], [0, L, -L * 1e308]],
)
ROWS += case(
    "query_1e308",
    chain(x=[[1e308, 0], [0, 1]]),
    ONE_KEY_WINS,
    scores=[[1e308, 0, INF], [0, 1, 5]],
    normalized=[[1, -1], [-0.5, 0.5]],
    block_output=[[-1], [0.5]],
)
ROWS += case(
    "key_1e308",
    chain(context=[[1e308, 0], [0, 1], [5, 5]]),
    ends([[1, 0, 0], AGREES], [[INF, 0], [0.5e308, 1.5]], [[NAN], [-1]]),
    at("head_output concat", [[1e308, 0], [0.25e308, 0.75]]),
)
ROWS += case(
    "query_1e-320", chain(x=[[1e-320, 0], [0, 1]]), EVEN_ROW, scaled=[[2224 * TINY, 0, 11118 * TINY], [0, L, 5 * L]]
)
ROWS += case("score_1e6", chain(x=[[1e6, 0], [0, 1]]), ONE_KEY_WINS, block_output=[[-1 + 1.5 / 500001**2], [0.5]])
THIN = {
    **chain(x=[[1], [0]], context=[[1], [0], [5]]),
    **dict.fromkeys(("w_query", "w_key", "w_value"), ((1,),)),
    "w_output": [[2]],
    "block": {"ln_weight": [1], "ln_bias": [7], "w_linear": [[3]]},
}
ROWS += case("d_k_1", THIN, ends([[0.75, 0.25, 0], [0.5, 0.5, 0]], [[1.5], [1]], [[21], [21]]))
LONE = chain(context=[[1, 0]], bias=[[0], [0]])
ROWS += case("one_key", LONE, ends([[1], [1]], [[2, 0], [2, 0]], [[-3 / 21**0.5], [-FIRST]]))
CHAIN = tuple(ROWS)


# --- score functions: one query, 3 keys of which the last is hidden, values 1, 2 and NaN behind the mask --------------
def pooled(query: Any, key: Any = ((1, 0), (0, 1), (NAN, NAN)), score: str = "dot", **more: Any) -> dict[str, Any]:
    return {
        "query": [query],
        "key": key,
        "value": [[1], [2], [NAN]],
        "score": score,
        "scale": 1.0,
        "mask": ({"kind": "padding", "lengths": 2},),
        **more,
    }


def looked(first: float, second: float, weights: tuple[float, float], output: float) -> dict[str, Any]:
    """Two scores, their weights and what they give; behind the mask are NaN, −∞, 0."""
    return {
        "scores": [[first, second, NAN]],
        "masked": [[first, second, -INF]],
        "weights": [[*weights, 0]],
        "output": [[output]],
    }


EVEN, FIRST_OPEN, SECOND, NONE, LOST = (((0.5, 0.5), 1.5), ((1, 0), 1), ((0, 1), 2), ((0, 0), 0), ((NAN, NAN), NAN))
THIRD = ((exp(1) / (1 + exp(1)), 1 / (1 + exp(1))), (exp(1) + 2) / (1 + exp(1)))  # scores that differ by 1
ROWS += case("dot", pooled([1, 0]), looked(1, 0, *THIRD))
ROWS += case("dot_nan", pooled([NAN, 0]), looked(NAN, NAN, *LOST))
ROWS += case("dot_inf", pooled([INF, 1]), looked(INF, NAN, *LOST))  # ∞ · 0 in the second score
ROWS += case("dot_inf_one_column", pooled([INF], [[1], [2], [NAN]]), looked(INF, INF, *LOST))
ROWS += case("dot_inf_both_ways", pooled([INF], [[1], [-1], [NAN]]), looked(INF, -INF, (NAN, 0), NAN))
ROWS += case("dot_1e308", pooled([1e308, 1]), looked(1e308, 1, *FIRST_OPEN))
ROWS += case("dot_beyond_1e308", pooled([1e200], [[1e200], [-1e200], [NAN]]), looked(INF, -INF, (NAN, 0), NAN))
ROWS += case("dot_minus_0", pooled([-0.0, -0.0]), looked(0, 0, *EVEN))
ROWS += case("dot_1e6", pooled([1e6, 1e6 - 1]), looked(1e6, 1e6 - 1, *THIRD))
COSINE = {"score": "cosine"}
ROWS += case("cosine_nan", pooled([NAN, 0], **COSINE), looked(NAN, NAN, *LOST))
ROWS += case("cosine_inf", pooled([INF, 0], **COSINE), looked(NAN, NAN, *LOST))  # ∞ / ∞, and ∞ · 0 / ∞
ROWS += case("cosine_1e308", pooled([1e308, 0], **COSINE), looked(1, 0, *THIRD))
ROWS += case(
    "cosine_1e308_both_sides",
    pooled([1e308, 1e308], [[1e308, 1e308], [1e308, -1e308], [NAN, 0]], **COSINE),
    looked(1, 0, *THIRD),
)
ROWS += case("cosine_1e-320", pooled([1e-320, 0], **COSINE), looked(1, 0, *THIRD))
ROWS += case("cosine_0", pooled([0, -0.0], **COSINE), looked(0, 0, *EVEN))
ROWS += case("cosine_d_k_1", pooled([-3], [[-1e6], [7], [NAN]], **COSINE, temperature=2.0), looked(1, -1, *THIRD))
GAUSSIAN = {"score": "gaussian"}
ROWS += case("gaussian_nan", pooled([NAN, 0], **GAUSSIAN), looked(NAN, NAN, *LOST))
ROWS += case("gaussian_inf", pooled([INF, 0], **GAUSSIAN), looked(-INF, -INF, *NONE))
ROWS += case("gaussian_key_inf", pooled([1, 0], [[1, 0], [INF, 0], [NAN, 0]], **GAUSSIAN), looked(0, -INF, *FIRST_OPEN))
ROWS += case("gaussian_inf_at_inf", pooled([INF], [[1], [INF], [NAN]], **GAUSSIAN), looked(-INF, NAN, (0, NAN), NAN))
ROWS += case("gaussian_1e308", pooled([1e308], [[1e308], [-1e308], [NAN]], **GAUSSIAN), looked(0, -INF, *FIRST_OPEN))
ROWS += case("gaussian_1e-320", pooled([1e-320], [[0], [2**0.5], [NAN]], **GAUSSIAN), looked(0, -1, *THIRD))
ROWS += case("gaussian_w_0_inf", pooled([INF, 0], **GAUSSIAN, score_params={"w": 0.0}), looked(NAN, NAN, *LOST))
NETWORK = {"w_score_query": [[1], [1]], "w_score_key": [[1], [-1]], "w_score": [3]}
ADDITIVE = {"score": "additive", "score_params": NETWORK}  # 3 · tanh(q₀ + q₁ + k₀ − k₁)
ROWS += case(
    "additive",
    pooled([0, 0], [[0.5, 0], [0, 0], [NAN, 0]], **ADDITIVE, temperature=3 * tanh(0.5)),
    looked(3 * tanh(0.5), 0, *THIRD),
)
ROWS += case("additive_nan", pooled([NAN, 0], **ADDITIVE), looked(NAN, NAN, *LOST))
ROWS += case("additive_inf", pooled([INF, 0], **ADDITIVE), looked(3, 3, *EVEN))
ROWS += case("additive_inf_less_inf", pooled([INF, -INF], **ADDITIVE), looked(NAN, NAN, *LOST))
ROWS += case("additive_1e308", pooled([1e308, 0], **ADDITIVE), looked(3, 3, *EVEN))
for wild, number in {"nan": NAN, "1e308": 1e308}.items():
    ROWS += case(
        f"average_{wild}",
        pooled([number, 1], [[number, 1], [number, 2], [number, 3]], "average"),
        looked(0, 0, *EVEN) | at("scores", [[0, 0, 0]]),
    )


# --- softcap 2, temperature -------------------------------------------------------------------------------------------
def capped(scores: Any, **more: Any) -> dict[str, Any]:
    return {"query": [[1]], "key": [[s] for s in scores], "value": [[1], [2]], "softcap": 2.0} | more


def soft(first: float, second: float, weights: tuple[float, float], output: float) -> dict[str, Any]:
    return {"capped": [[first, second]], "weights": [weights], "output": [[output]]}


LIMIT = ((exp(4) / (1 + exp(4)), 1 / (1 + exp(4))), (exp(4) + 2) / (1 + exp(4)))  # from one cap to the other
ROWS += case("softcap", capped([1, 1]), soft(2 * tanh(0.5), 2 * tanh(0.5), *EVEN))
ROWS += case("softcap_nan", capped([NAN, 1]), soft(NAN, 2 * tanh(0.5), *LOST))
ROWS += case("softcap_inf", capped([INF, -INF]), soft(2, -2, *LIMIT))
ROWS += case("softcap_of_1e308", capped([INF, 3], softcap=1e308), soft(1e308, 3, *FIRST_OPEN))
ROWS += case(
    "softcap_before_mask",
    capped([NAN, 1], mask=({"kind": "custom", "allowed": [[False, True]]},)),
    soft(NAN, 2 * tanh(0.5), *SECOND),
    masked=[[-INF, 2 * tanh(0.5)]],
)
for name, temperature, scores, weights in (
    ("huge_for_huge_scores", 1e308, [0.5e308, -0.5e308], THIRD[0]),
    ("tiny", 1e-320, [1, 1 - 1e-15], (1, 0)),
    ("of_minus_inf", 0.5, [-INF, -INF], (0, 0)),
    ("of_nan", 0.5, [NAN, -INF], (NAN, 0)),
):
    fields = {"query": [[1]], "key": [[s] for s in scores], "value": [[0], [0]], "temperature": temperature}
    ROWS += case(f"temperature_{name}", fields, weights=[weights])


# --- rotary positions: the second row is turned by 1 ------------------------------------------------------------------
def turned(first: Any, second: Any) -> dict[str, Any]:
    rows = [first, second]
    return {
        "query": rows,
        "key": rows,
        "value": [[1], [2]],
        "scale": 1.0,
        "rotary_theta": 10.0,
        "mask": ({"kind": "causal"},),
    }


BOTH = "rotated_query rotated_key"
ROWS += case("rotary", turned([1, 2], [1, 0]), at(BOTH, [[1, 2], [cos(1), sin(1)]]))
ROWS += case(
    "rotary_nan",
    turned([1, 0], [NAN, 1]),
    at(BOTH, [[1, 0], [NAN, NAN]]),
    weights=[[1, 0], [NAN, NAN]],
    output=[[1], [NAN]],
)
ROWS += case("rotary_inf_at_0", turned([INF, 1], [1, 0]), at(BOTH, [[INF, NAN], [cos(1), sin(1)]]))  # ∞ · sin 0
ROWS += case("rotary_inf_at_1", turned([1, 0], [INF, 0]), at(BOTH, [[1, 0], [INF, INF]]))
ROWS += case(
    "rotary_1e308", turned([1e308, -1e308], [1e308, 0]), at(BOTH, [[1e308, -1e308], [cos(1) * 1e308, sin(1) * 1e308]])
)
# --- heads, groups, items: what is wild in one of them stays there ----------------------------------------------------
HEADS = {"query": [[NAN, 0]], "key": [[1, 1], [1, 1]], "value": [[1, 2], [3, 4]], "num_heads": 2}
ROWS += case("head_nan", HEADS, weights=[[[NAN, NAN]], [[0.5, 0.5]]], output=[[NAN, 3]])
GROUPS = {"query": [[0, 0, 0, 0]], "key": [[1, INF]], "value": [[5, 7]], "num_heads": 4, "num_kv_heads": 2}
ROWS += case(
    "group_key_inf",
    GROUPS,
    scores=[[[0]], [[0]], [[NAN]], [[NAN]]],
    weights=[[[1]], [[1]], [[NAN]], [[NAN]]],
    output=[[5, 5, NAN, NAN]],
)
ITEMS = {"query": [[[0]], [[0]]], "key": [[[1], [2]], [[NAN], [2]]], "value": [[[1], [3]], [[1], [3]]]}
ROWS += case(
    "item_nan_hidden",
    ITEMS | {"mask": ({"kind": "padding", "lengths": [2, 0]},)},
    weights=[[[[0.5, 0.5]]], [[[0, 0]]]],
    output=[[[2]], [[0]]],
)
# --- what a zero weight holds back, and what a closed row gives -------------------------------------------------------
for wild, number in {"nan": NAN, "minus_inf": -INF}.items():
    ROWS += case(
        f"zero_weight_before_{wild}",
        {"query": [[1]], "key": [[0], [-1e6]], "value": [[4], [number]]},
        at("head_output concat output", [[4]]),
        weights=[[1, 0]],
    )
    ROWS += case(
        f"weight_before_{wild}",
        {"query": [[1]], "key": [[0], [0]], "value": [[4], [number]]},
        at("head_output concat output", [[number]]),
        weights=[[0.5, 0.5]],
    )
ROWS += case(
    "inf_less_inf",
    {"query": [[1]], "key": [[0], [0]], "value": [[INF], [-INF]], "w_output": [[0]]},
    head_output=[[NAN]],
    output=[[NAN]],
)
ROWS += case(
    "float32_holds_less",
    {"query": [[1e308]], "key": [[1e-320]], "value": [[L]], "dtype": "float32"},
    at("scores weights output", [[NAN]]),
    query=[[INF]],
    key=[[0]],
)
ROWS += case(
    "float32_overflows_as_shown",
    {"query": [[2.0**100, 0]], "key": ONE, "value": [[1], [0]], "scale": 2.0**100, "dtype": "float32"},
    scores=[[2.0**100, 0]],
    scaled=[[INF, 0]],
    weights=[[NAN, NAN]],
    output=[[NAN]],
)


# --- axes without cells: no matrix can have one -----------------------------------------------------------------------
class Refusal(NamedTuple):
    id: str
    fields: dict[str, Any]
    sentence: str


DIRECT = {"query": [[1]], "key": [[1], [1]], "value": [[1], [1]]}
PROJECTED = dict.fromkeys(("x", "w_query", "w_key", "w_value"), ((1,),))
BLOCK = {"ln_weight": [1], "ln_bias": [0], "w_linear": [[1]], "b_linear": [0]}
BASES = (
    DIRECT | {"w_output": [[1]], "b_output": [1]},
    {name: [cells] for name, cells in DIRECT.items()},
    DIRECT | {"key": [[1, 1]] * 2, "query": [[1, 1]], "score": "additive", "score_params": NETWORK},
    PROJECTED | {"context": [[1]]} | dict.fromkeys(("b_query", "b_key", "b_value"), (1,)),
    PROJECTED | {"block": BLOCK},
)


def without_cells(base: dict[str, Any]) -> Iterator[Refusal]:
    """Every matrix of a problem, along each of its axes."""
    for name, array in Problem(**base).arrays().items():
        head, _, inner = name.partition(".")
        for axis in range(array.ndim):
            empty = np.empty((*array.shape[:axis], 0, *array.shape[axis + 1 :]))
            fields = base | {head: {**base[head], inner: empty} if inner else empty}
            sentence = f"{name} has an axis without cells: its shape is {empty.shape}."
            yield Refusal(f"{name} {empty.shape}", fields, sentence)


REFUSALS = [
    *(refusal for base in BASES for refusal in without_cells(base)),
    Refusal(
        "custom",
        DIRECT | {"mask": ({"kind": "custom", "allowed": [[]]},)},
        "custom.allowed has an axis without cells: its shape is (1, 0).",
    ),
    Refusal(
        "padding",
        DIRECT | {"mask": ({"kind": "padding", "lengths": ()},)},
        "mask.0.lengths must have one number, or one for each batch item: expected 1, got 0.",
    ),
    Refusal(
        "tokens",
        DIRECT | {"query_tokens": ()},
        "query_tokens must have one text for each row of query: expected 1, got 0.",
    ),
    Refusal(
        "rotary d_k 1",
        DIRECT | {"rotary_theta": 10.0},
        "Rotary positions pair the columns of a head: query must have an even number, got 1.",
    ),
]


# --- a whole layer ----------------------------------------------------------------
ROOT = 13**0.5  # of the mean square of 3 and 4, and of an ε of a half


def alone(x: Any, kind: str, **more: Any) -> dict[str, Any]:
    """A layer in which each token sees itself alone and the attention adds nothing."""
    block = {"norm1_weight": [1, 1], "norm2_weight": [1, 1], "w_up": [[1, 0], [0, -1]], "w_down": ONE}
    return {
        "x": x,
        "w_query": ONE,
        "w_key": ONE,
        "w_value": ONE,
        "w_output": np.zeros((2, 2)),
        "mask": ({"kind": "window", "left": 0, "right": 0},),
        "block": {"kind": kind, "norm": "rms", "activation": "relu", "norm_eps": 0.5} | block | more,
    }


ROWS += case(
    "post_x_nan",
    alone([[NAN, 0], [3, 4]], "post"),
    at("activated down", [[NAN, NAN], [3 / ROOT, 0]]),
    residual=[[NAN, NAN], [3, 4]],
    normalized=[[NAN, NAN], [3 / ROOT, 4 / ROOT]],
    up=[[NAN, NAN], [3 / ROOT, -4 / ROOT]],
    block_residual=[[NAN, NAN], [6 / ROOT, 4 / ROOT]],
    block_output=[[NAN, NAN], [6 / ROOT / 2.5**0.5, 4 / ROOT / 2.5**0.5]],
)
ROWS += case(
    "pre_x_1e308",
    alone([[1e308, 0], [3, 4]], "pre", w_up=ONE, w_gate=ONE),
    at("normed_x query key value normalized up gate", [[2**0.5, 0], [3 / ROOT, 4 / ROOT]]),
    at("activated down", [[2, 0], [9 / 13, 16 / 13]]),
    residual=[[1e308, 0], [3, 4]],
    block_output=[[1e308, 0], [3 + 9 / 13, 4 + 16 / 13]],
)
ROWS += case("pre_weight_inf", alone([[3, 4], [3, 4]], "pre", norm1_weight=[INF, 1]), normed_x=[[INF, 4 / ROOT]] * 2)
ROWS += case(
    "pre_context_nan",
    alone([[3, 4], [3, 4]], "pre") | {"context": [[NAN, 1], [3, 4]]},
    at("normed_context key", [[NAN, NAN], [3 / ROOT, 4 / ROOT]]),
    normed_x=[[3 / ROOT, 4 / ROOT]] * 2,
    output=[[NAN, NAN], [0, 0]],
)
ROWS += case(
    "head_norms_nan",
    {
        "query": [[3, 4], [NAN, 0]],
        "key": [[1, 0]],
        "value": [[7]],
        "query_norm": [1, 2],
        "key_norm": [3, 1],
        "qk_norm_eps": 0.5,
        "scale": 1.0,
    },
    at("scores scaled", [[9 / ROOT], [NAN]]),
    normed_query=[[3 / ROOT, 8 / ROOT], [NAN, NAN]],
    normed_key=[[3, 0]],
    weights=[[1], [NAN]],
)
SINK = {"query": [[0]], "key": [[0], [0]], "value": [[3], [6]]}
ROWS += case("sink", SINK | {"sink": [0]}, weights=[[1 / 3, 1 / 3]], output=[[3]])
ROWS += case("sink_minus_inf", SINK | {"sink": [-INF]}, weights=[[0.5, 0.5]], output=[[4.5]])
ROWS += case("sink_inf", SINK | {"sink": [INF]}, weights=[[NAN, NAN]], output=[[NAN]])
ROWS += case(
    "sink_nan_and_no_key",
    SINK | {"sink": [NAN], "mask": ({"kind": "padding", "lengths": 0},)},
    weights=[[0, 0]],
    output=[[0]],
)
