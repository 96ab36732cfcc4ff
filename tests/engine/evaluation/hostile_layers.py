"""Wild numbers in a whole layer: norms, feed-forward network, second residual, sinks. Written answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .hostile_rows import INF, NAN, ONE, Row, at, case

ROWS: list[Row] = []
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
    at("residual", [[NAN, NAN], [3, 4]]),
    at("normalized", [[NAN, NAN], [3 / ROOT, 4 / ROOT]]),
    at("up", [[NAN, NAN], [3 / ROOT, -4 / ROOT]]),
    at("activated down", [[NAN, NAN], [3 / ROOT, 0]]),
    at("block_residual", [[NAN, NAN], [6 / ROOT, 4 / ROOT]]),
    at("block_output", [[NAN, NAN], [6 / ROOT / 2.5**0.5, 4 / ROOT / 2.5**0.5]]),
)
ROWS += case(
    "pre_x_1e308",
    alone([[1e308, 0], [3, 4]], "pre", w_up=ONE, w_gate=ONE),
    at("normed_x query key value normalized up gate", [[2**0.5, 0], [3 / ROOT, 4 / ROOT]]),
    at("residual", [[1e308, 0], [3, 4]]),
    at("activated down", [[2, 0], [9 / 13, 16 / 13]]),
    at("block_output", [[1e308, 0], [3 + 9 / 13, 4 + 16 / 13]]),
)
ROWS += case(
    "pre_weight_inf",
    alone([[3, 4], [3, 4]], "pre", norm1_weight=[INF, 1]),
    at("normed_x", [[INF, 4 / ROOT]] * 2),
)
ROWS += case(
    "pre_context_nan",
    alone([[3, 4], [3, 4]], "pre") | {"context": [[NAN, 1], [3, 4]]},
    at("normed_x", [[3 / ROOT, 4 / ROOT]] * 2),
    at("normed_context key", [[NAN, NAN], [3 / ROOT, 4 / ROOT]]),
    at("output", [[NAN, NAN], [0, 0]]),
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
    at("normed_query", [[3 / ROOT, 8 / ROOT], [NAN, NAN]]),
    at("normed_key", [[3, 0]]),
    at("scores scaled", [[9 / ROOT], [NAN]]),
    at("weights", [[1], [NAN]]),
)
SINK = {"query": [[0]], "key": [[0], [0]], "value": [[3], [6]]}
ROWS += case("sink", SINK | {"sink": [0]}, at("weights", [[1 / 3, 1 / 3]]), at("output", [[3]]))
ROWS += case("sink_minus_inf", SINK | {"sink": [-INF]}, at("weights", [[0.5, 0.5]]), at("output", [[4.5]]))
ROWS += case("sink_large", SINK | {"sink": [1e308]}, at("weights", [[0, 0]]), at("output", [[0]]))
for name, wild in {"nan": NAN, "inf": INF}.items():
    ROWS += case(f"sink_{name}", SINK | {"sink": [wild]}, at("weights", [[NAN, NAN]]), at("output", [[NAN]]))
    ROWS += case(
        f"sink_{name}_and_no_key",
        SINK | {"sink": [wild], "mask": ({"kind": "padding", "lengths": 0},)},
        at("weights", [[0, 0]]),
        at("output", [[0]]),
    )
