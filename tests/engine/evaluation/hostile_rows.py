"""Wild numbers sent through the whole chain, with their written answers.

No answer comes from the engine: each is reasoned from IEEE arithmetic (NaN spreads, ∞ · 0 is NaN, what is beyond
1.8e308 is ∞) and from three rules of the program:

- a row with no allowed key, and a row of scores that are all −∞, has weights 0 and output 0;
- what stands behind a mask or a zero weight never reaches the output, NaN and ∞ included;
- no finite score overflows in a softmax, and no length and no deviation overflows or vanishes while it is squared.

A row is (id, fields of the problem, stage, expected). Leading axes of length 1 (batch, head) are not written.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

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


def case(name: str, fields: dict[str, Any], *answers: dict[str, Any]) -> list[Row]:
    """One problem and what it answers at each of its stages; a later answer replaces an earlier one."""
    found: dict[str, Any] = {}
    for answer in answers:
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

ROWS += case("bias_row_minus_inf", chain(bias=[[-INF] * 3, [0, 0, 0]]), EMPTY_ROW)
ROWS += case(
    "bias_row_minus_inf_but_the_hidden_key",
    chain(bias=[[-INF, -INF, 0], [0, 0, 0]]),
    EMPTY_ROW,
    at("masked", [[-INF] * 3, [0, L, -INF]]),
)
ROWS += case("bias_minus_inf", chain(bias=[[0, -INF, 0], [0, 0, 0]]), ONE_KEY_WINS)
ROWS += case(
    "bias_plus_inf", chain(bias=[[0, INF, 0], [0, 0, 0]]), NAN_ROW, at("masked", [[L, INF, -INF], [0, L, -INF]])
)
ROWS += case("bias_nan", chain(bias=[[0, NAN, 0], [0, 0, 0]]), NAN_ROW, at("masked", [[L, NAN, -INF], [0, L, -INF]]))
ROWS += case(
    "bias_wild_where_hidden", chain(bias=[[0, 0, INF], [0, 0, NAN]]), SAME, at("biased", [[L, 0, INF], [0, L, NAN]])
)
ROWS += case(
    "bias_1e308",
    chain(bias=[[1e308, -1e308, 0], [0, 0, 0]]),
    ONE_KEY_WINS,
    at("masked", [[1e308, -1e308, -INF], [0, L, -INF]]),
)
ROWS += case("query_nan", chain(x=[[NAN, 0], [0, 1]]), NAN_ROW, at("scores", [[NAN] * 3, [0, 1, 5]]))
ROWS += case(
    "query_inf",
    chain(x=[[INF, 0], [0, 1]]),
    NAN_ROW,
    at("query", [[INF, NAN], [0, 1]]),
    at("scores", [[NAN] * 3, [0, 1, 5]]),
)
ROWS += case(
    "key_nan", chain(context=[[1, 0], [0, NAN], [5, 5]]), NAN_ROWS, at("scaled", [[L, NAN, 5 * L], [0, NAN, 5 * L]])
)
for name, wild, beside in (("nan", NAN, NAN), ("inf", INF, NAN)):
    ROWS += case(
        f"hidden_key_{name}",
        chain(context=[[1, 0], [0, 1], [wild, 5]]),
        SAME,
        at("key value", [[1, 0], [0, 1], [wild, beside]]),
        at("scores", [[1, 0, NAN], [0, 1, NAN]]),
    )
ROWS += case(
    "hidden_key_1e308",
    chain(context=[[1, 0], [0, 1], [1e308, -1e308]], bias=[[0, 0, 1e308], [0, 0, 0]]),
    SAME,
    at("biased", [[L, 0, INF], [0, L, -L * 1e308]]),
)
ROWS += case(
    "query_1e308",
    chain(x=[[1e308, 0], [0, 1]]),
    ONE_KEY_WINS,
    at("scores", [[1e308, 0, INF], [0, 1, 5]]),
    at("normalized", [[1, -1], [-0.5, 0.5]]),
    at("block_output", [[-1], [0.5]]),
)
ROWS += case(
    "query_minus_1e308",
    chain(x=[[-1e308, 0], [0, 1]]),
    ends([[0, 1, 0], AGREES], [[0, 2], FIFTH], [[1], [0.5]]),
    at("residual", [[-1e308, 2], [0.5, 2.5]]),
)
ROWS += case(
    "key_1e308",
    chain(context=[[1e308, 0], [0, 1], [5, 5]]),
    ends([[1, 0, 0], AGREES], [[INF, 0], [0.5e308, 1.5]], [[NAN], [-1]]),
    at("head_output concat", [[1e308, 0], [0.25e308, 0.75]]),
)
ROWS += case(
    "query_1e-320",
    chain(x=[[1e-320, 0], [0, 1]]),
    EVEN_ROW,
    at("scaled", [[2224 * TINY, 0, 11118 * TINY], [0, L, 5 * L]]),
)
ROWS += case(
    "key_1e-320",
    chain(context=[[1e-320, 0], [0, 1], [5, 5]]),
    ends([[0.5, 0.5, 0], AGREES], [[2024 * TINY, 1], [1012 * TINY, 1.5]], [[0], [5 / 73**0.5]]),
    at("head_output", [[1012 * TINY, 0.5], [506 * TINY, 0.75]]),
)
ROWS += case("query_minus_0", chain(x=[[-0.0, -0.0], [0, 1]]), EVEN_ROW)
ROWS += case(
    "score_1e6",
    chain(x=[[1e6, 0], [0, 1]]),
    ONE_KEY_WINS,
    at("block_output", [[-1 + 1.5 / 500001**2], [0.5]]),
)
THIN = {
    **chain(x=[[1], [0]], context=[[1], [0], [5]]),
    **dict.fromkeys(("w_query", "w_key", "w_value"), ((1,),)),
    "w_output": [[2]],
    "block": {"ln_weight": [1], "ln_bias": [7], "w_linear": [[3]]},
}
ROWS += case("d_k_1", THIN, ends([[0.75, 0.25, 0], [0.5, 0.5, 0]], [[1.5], [1]], [[21], [21]]))
LONE = chain(context=[[1, 0]], bias=[[0], [0]])
ROWS += case("one_key", LONE, ends([[1], [1]], [[2, 0], [2, 0]], [[-3 / 21**0.5], [-FIRST]]))
ROWS += case(
    "one_key_hidden_and_nan",
    {**chain(context=[[NAN, 0]]), "mask": ({"kind": "bias", "values": [[NAN]]}, {"kind": "padding", "lengths": 0})},
    ends([[0], [0]], [[0, 0], [0, 0]], [[-FIRST], [FIRST]]),
    at("biased", [[NAN], [NAN]]),
)
