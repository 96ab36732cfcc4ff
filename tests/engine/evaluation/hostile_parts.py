"""Wild numbers at the parts that not every problem has: score functions, softcap, temperature, rotary positions, heads.

Written answers, by the rules that `hostile_rows` names.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, exp, sin, tanh
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import Problem

from .hostile_rows import INF, NAN, ONE, TINY, L, Row, at, case

ROWS: list[Row] = []


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


EVEN, FIRST, SECOND, NONE, LOST = (
    ((0.5, 0.5), 1.5),
    ((1, 0), 1),
    ((0, 1), 2),
    ((0, 0), 0),
    ((NAN, NAN), NAN),
)
THIRD = ((exp(1) / (1 + exp(1)), 1 / (1 + exp(1))), (exp(1) + 2) / (1 + exp(1)))  # scores that differ by 1

ROWS += case("dot", pooled([1, 0]), looked(1, 0, *THIRD))
ROWS += case("dot_nan", pooled([NAN, 0]), looked(NAN, NAN, *LOST))
ROWS += case("dot_inf", pooled([INF, 1]), looked(INF, NAN, *LOST))  # ∞ · 0 in the second score
ROWS += case("dot_inf_one_column", pooled([INF], [[1], [2], [NAN]]), looked(INF, INF, *LOST))
ROWS += case("dot_minus_inf_one_column", pooled([-INF], [[1], [2], [NAN]]), looked(-INF, -INF, *NONE))
ROWS += case("dot_inf_both_ways", pooled([INF], [[1], [-1], [NAN]]), looked(INF, -INF, (NAN, 0), NAN))
ROWS += case("dot_1e308", pooled([1e308, 1]), looked(1e308, 1, *FIRST))
ROWS += case("dot_minus_1e308", pooled([-1e308, 1]), looked(-1e308, 1, *SECOND))
ROWS += case("dot_1e308_both_ways", pooled([1e308, -1e308]), looked(1e308, -1e308, *FIRST))
ROWS += case("dot_1e308_twice", pooled([1e308, 1e308]), looked(1e308, 1e308, *EVEN))
ROWS += case("dot_beyond_1e308", pooled([1e200], [[1e200], [-1e200], [NAN]]), looked(INF, -INF, (NAN, 0), NAN))
ROWS += case("dot_1e-320", pooled([1e-320, 0]), looked(1e-320, 0, *EVEN))
ROWS += case("dot_below_1e-320", pooled([1e-320], [[1e-320], [-1], [NAN]]), looked(0, -1e-320, *EVEN))
ROWS += case("dot_minus_0", pooled([-0.0, -0.0]), looked(0, 0, *EVEN))
ROWS += case("dot_1e6", pooled([1e6, 1e6 - 1]), looked(1e6, 1e6 - 1, *THIRD))
ROWS += case("dot_minus_1e6", pooled([-1e6 + 1, -1e6]), looked(-1e6 + 1, -1e6, *THIRD))

COSINE = {"score": "cosine"}
ROWS += case("cosine", pooled([1, 0], **COSINE), looked(1, 0, *THIRD))
ROWS += case("cosine_nan", pooled([NAN, 0], **COSINE), looked(NAN, NAN, *LOST))
ROWS += case("cosine_inf", pooled([INF, 0], **COSINE), looked(NAN, NAN, *LOST))  # ∞ / ∞, and ∞ · 0 / ∞
ROWS += case("cosine_1e308", pooled([1e308, 0], **COSINE), looked(1, 0, *THIRD))
ROWS += case("cosine_minus_1e308", pooled([0, -1e308], **COSINE), looked(0, -1, *THIRD))
ROWS += case(
    "cosine_1e308_both_sides",
    pooled([1e308, 1e308], [[1e308, 1e308], [1e308, -1e308], [NAN, 0]], **COSINE),
    looked(1, 0, *THIRD),
)
ROWS += case("cosine_1e-320", pooled([1e-320, 0], **COSINE), looked(1, 0, *THIRD))
ROWS += case(
    "cosine_1e-320_and_1e308", pooled([1e-320, 0], [[1e308, 0], [0, 1], [NAN, 0]], **COSINE), looked(1, 0, *THIRD)
)
ROWS += case("cosine_0", pooled([0, -0.0], **COSINE), looked(0, 0, *EVEN))
ROWS += case("cosine_key_0", pooled([1, 0], [[1, 0], [0, 0], [NAN, 0]], **COSINE), looked(1, 0, *THIRD))
ROWS += case("cosine_d_k_1", pooled([-3], [[-1e6], [7], [NAN]], **COSINE, temperature=2.0), looked(1, -1, *THIRD))
ROWS += case("cosine_1e6", pooled([1e6, 0], **COSINE), looked(1, 0, *THIRD))

GAUSSIAN = {"score": "gaussian"}
ROWS += case("gaussian", pooled([1, 0], **GAUSSIAN), looked(0, -1, *THIRD))
ROWS += case("gaussian_nan", pooled([NAN, 0], **GAUSSIAN), looked(NAN, NAN, *LOST))
ROWS += case("gaussian_inf", pooled([INF, 0], **GAUSSIAN), looked(-INF, -INF, *NONE))
ROWS += case("gaussian_key_inf", pooled([1, 0], [[1, 0], [INF, 0], [NAN, 0]], **GAUSSIAN), looked(0, -INF, *FIRST))
ROWS += case("gaussian_inf_at_inf", pooled([INF], [[1], [INF], [NAN]], **GAUSSIAN), looked(-INF, NAN, (0, NAN), NAN))
ROWS += case("gaussian_1e308", pooled([1e308], [[1e308], [-1e308], [NAN]], **GAUSSIAN), looked(0, -INF, *FIRST))
ROWS += case("gaussian_minus_1e308", pooled([-1e308, 0], **GAUSSIAN), looked(-INF, -INF, *NONE))
ROWS += case("gaussian_1e-320", pooled([1e-320], [[0], [2**0.5], [NAN]], **GAUSSIAN), looked(0, -1, *THIRD))
ROWS += case("gaussian_minus_0", pooled([-0.0], [[0], [2**0.5], [NAN]], **GAUSSIAN), looked(0, -1, *THIRD))
ROWS += case("gaussian_1e6", pooled([1e6], [[1e6 + 1], [1e6 - 1], [NAN]], **GAUSSIAN), looked(-0.5, -0.5, *EVEN))
ROWS += case(
    "gaussian_1e6_without_key_norm",
    pooled([1e6], [[2e6], [2e6], [NAN]], **GAUSSIAN, score_params={"key_norm": 0.0}),
    looked(1.5e12, 1.5e12, *EVEN),
)
ROWS += case("gaussian_w_0", pooled([1e6, 0], **GAUSSIAN, score_params={"w": 0.0}), looked(0, 0, *EVEN))
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
ROWS += case("additive_minus_inf", pooled([0, -INF], **ADDITIVE), looked(-3, -3, *EVEN))
ROWS += case("additive_inf_less_inf", pooled([INF, -INF], **ADDITIVE), looked(NAN, NAN, *LOST))
ROWS += case(
    "additive_key_inf", pooled([0, 0], [[0, 0], [0, INF], [NAN, 0]], **ADDITIVE, temperature=3.0), looked(0, -3, *THIRD)
)
ROWS += case("additive_1e308", pooled([1e308, 0], **ADDITIVE), looked(3, 3, *EVEN))
ROWS += case("additive_minus_1e308", pooled([-1e308, -1e308], **ADDITIVE), looked(-3, -3, *EVEN))
ROWS += case(
    "additive_1e-320",
    pooled([1e-320, 0], [[0, 0], [0, 0], [NAN, 0]], **ADDITIVE),
    looked(6072 * TINY, 6072 * TINY, *EVEN),
)
ROWS += case("additive_minus_0", pooled([-0.0, 0], [[0, 0], [0, 0], [NAN, 0]], **ADDITIVE), looked(0, 0, *EVEN))
ROWS += case(
    "additive_1e6", pooled([1e6, 0], [[0, 0], [0, 2e6], [NAN, 0]], **ADDITIVE, temperature=6.0), looked(3, -3, *THIRD)
)

for wild, number in {"nan": NAN, "inf": INF, "1e308": 1e308, "1e-320": 1e-320, "minus_0": -0.0}.items():
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
ROWS += case("softcap_1e308", capped([1e308, -1e308]), soft(2, -2, *LIMIT))
ROWS += case("softcap_1e6", capped([1e6, -1e6]), soft(2, -2, *LIMIT))
ROWS += case("softcap_1e-320", capped([1e-320, -1e-320]), soft(1e-320, -1e-320, *EVEN))
ROWS += case("softcap_minus_0", capped([-0.0, 0]), soft(0, 0, *EVEN))
ROWS += case("softcap_of_1e308", capped([INF, 3], softcap=1e308), soft(1e308, 3, *FIRST))
ROWS += case("softcap_of_1e-320", capped([1, -1], softcap=1e-320), soft(1e-320, -1e-320, *EVEN))
ROWS += case(
    "softcap_one_key", capped([INF], value=[[5]]), at("capped", [[2]]), at("weights", [[1]]), at("output", [[5]])
)
ROWS += case(
    "softcap_before_bias",
    capped([INF, 1], mask=({"kind": "bias", "values": [[-INF, -INF]]},)),
    soft(2, 2 * tanh(0.5), *NONE),
    at("biased", [[-INF, -INF]]),
)
ROWS += case(
    "softcap_before_mask",
    capped([NAN, 1], mask=({"kind": "custom", "allowed": [[False, True]]},)),
    soft(NAN, 2 * tanh(0.5), *SECOND),
    at("masked", [[-INF, 2 * tanh(0.5)]]),
)

for name, temperature, scores, weights in (
    ("huge", 1e308, [1e6, -1e6], (0.5, 0.5)),
    ("huge_for_huge_scores", 1e308, [0.5e308, -0.5e308], THIRD[0]),
    ("tiny", 1e-320, [1, 1 - 1e-15], (1, 0)),
    ("tiny_for_equal_scores", 1e-320, [3, 3], (0.5, 0.5)),
    ("of_minus_inf", 0.5, [-INF, -INF], (0, 0)),
    ("of_nan", 0.5, [NAN, -INF], (NAN, 0)),
):
    fields = {"query": [[1]], "key": [[s] for s in scores], "value": [[0], [0]], "temperature": temperature}
    ROWS += case(f"temperature_{name}", fields, at("weights", [weights]))


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
    at("weights", [[1, 0], [NAN, NAN]]),
    at("output", [[1], [NAN]]),
)
ROWS += case("rotary_inf_at_0", turned([INF, 1], [1, 0]), at(BOTH, [[INF, NAN], [cos(1), sin(1)]]))  # ∞ · sin 0
ROWS += case("rotary_inf_at_1", turned([1, 0], [INF, 0]), at(BOTH, [[1, 0], [INF, INF]]))
ROWS += case("rotary_minus_inf", turned([1, 0], [0, -INF]), at(BOTH, [[1, 0], [INF, -INF]]))
ROWS += case(
    "rotary_1e308", turned([1e308, -1e308], [1e308, 0]), at(BOTH, [[1e308, -1e308], [cos(1) * 1e308, sin(1) * 1e308]])
)
ROWS += case("rotary_1e-320", turned([1e-320, 0], [1e-320, 0]), at(BOTH, [[1e-320, 0], [1094 * TINY, 1703 * TINY]]))
ROWS += case("rotary_minus_0", turned([-0.0, -0.0], [-0.0, 0]), at(BOTH, [[0, 0], [0, 0]]))
ROWS += case("rotary_1e6", turned([1e6, 0], [0, 1e6]), at(BOTH, [[1e6, 0], [-sin(1) * 1e6, cos(1) * 1e6]]))


# --- heads, groups, items: what is wild in one of them stays there ----------------------------------------------------

HEADS = {"query": [[NAN, 0]], "key": [[1, 1], [1, 1]], "value": [[1, 2], [3, 4]], "num_heads": 2}
ROWS += case("head_nan", HEADS, at("weights", [[[NAN, NAN]], [[0.5, 0.5]]]), at("output", [[NAN, 3]]))
ROWS += case(
    "value_nan_of_one_head",
    HEADS | {"query": [[0, 0]], "value": [[1, NAN], [3, 4]]},
    at("weights", [[[0.5, 0.5]], [[0.5, 0.5]]]),
    at("head_output", [[[2]], [[NAN]]]),
    at("concat output", [[2, NAN]]),
)
GROUPS = {"query": [[0, 0, 0, 0]], "key": [[1, INF]], "value": [[5, 7]], "num_heads": 4, "num_kv_heads": 2}
ROWS += case(
    "group_key_inf",
    GROUPS,
    at("scores", [[[0]], [[0]], [[NAN]], [[NAN]]]),
    at("weights", [[[1]], [[1]], [[NAN]], [[NAN]]]),
    at("output", [[5, 5, NAN, NAN]]),
)
ITEMS = {"query": [[[0]], [[0]]], "key": [[[1], [2]], [[NAN], [2]]], "value": [[[1], [3]], [[1], [3]]]}
ROWS += case("item_nan", ITEMS, at("weights", [[[[0.5, 0.5]]], [[[NAN, NAN]]]]), at("output", [[[2]], [[NAN]]]))
ROWS += case(
    "item_nan_hidden",
    ITEMS | {"mask": ({"kind": "padding", "lengths": [2, 0]},)},
    at("weights", [[[[0.5, 0.5]]], [[[0, 0]]]]),
    at("output", [[[2]], [[0]]]),
)


# --- what a zero weight holds back, and what a closed row gives -------------------------------------------------------

for wild, number in {"nan": NAN, "inf": INF, "minus_inf": -INF}.items():
    ROWS += case(
        f"zero_weight_before_{wild}",
        {"query": [[1]], "key": [[0], [-1e6]], "value": [[4], [number]]},
        at("weights", [[1, 0]]),
        at("head_output concat output", [[4]]),
    )
    ROWS += case(
        f"weight_before_{wild}",
        {"query": [[1]], "key": [[0], [0]], "value": [[4], [number]]},
        at("weights", [[0.5, 0.5]]),
        at("head_output concat output", [[number]]),
    )
ROWS += case(
    "inf_less_inf",
    {"query": [[1]], "key": [[0], [0]], "value": [[INF], [-INF]], "w_output": [[0]]},
    at("head_output", [[NAN]]),
    at("output", [[NAN]]),
)
ROWS += case(
    "closed_row_with_output_bias",
    {
        "query": [[NAN], [1]],
        "key": [[1], [1]],
        "value": [[2], [4]],
        "w_output": [[10]],
        "b_output": [0.25],
        "mask": ({"kind": "window", "left": 0, "right": -1, "align": "start"}, {"kind": "alibi"}),
    },
    at("masked", [[-INF, -INF], [-INF, -INF]]),
    at("weights", [[0, 0], [0, 0]]),
    at("head_output", [[0], [0]]),
    at("output", [[0.25], [0.25]]),
)
ROWS += case(
    "float32_holds_less",
    {"query": [[1e308]], "key": [[1e-320]], "value": [[L]], "dtype": "float32"},
    at("query", [[INF]]),
    at("key", [[0]]),
    at("scores weights output", [[NAN]]),
)
ROWS += case(
    "float32_overflows_as_shown",
    {"query": [[2.0**100, 0]], "key": ONE, "value": [[1], [0]], "scale": 2.0**100, "dtype": "float32"},
    at("scores", [[2.0**100, 0]]),
    at("scaled", [[INF, 0]]),
    at("weights", [[NAN, NAN]]),
    at("output", [[NAN]]),
)
ROWS += case(
    "float32_closed_by_two_biases",
    {
        "query": [[1]],
        "key": [[1], [2]],
        "value": [[1], [3]],
        "dtype": "float32",
        "mask": ({"kind": "bias", "values": [[-3e38, -3e38]]},) * 2,
    },
    at("scaled", [[1, 2]]),
    at("biased", [[-INF, -INF]]),
    at("weights", [[0, 0]]),
    at("output", [[0]]),
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
