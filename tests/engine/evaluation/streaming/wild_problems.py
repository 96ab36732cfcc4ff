"""Problems of two heads, long enough for several tiles, whose numbers tests of NaN and infinity change."""

from __future__ import annotations

from typing import Any

import numpy as np

from attn_gui.engine import Problem

N, M, HEADS = 300, 320, 2
TILE, CHUNK = 64, 100
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"mask": ({"kind": "causal"},)},
    "causal, ends with the last": {"mask": ({"kind": "causal", "align": "end"}, {"kind": "alibi"})},
    "softcap": {"softcap": 3.0},
    "shared heads": {"num_kv_heads": 1},
    "float32": {"dtype": "float32"},
    "large": {"scale": 40.0},
}


def problem_of(**more: Any) -> Problem:
    """Random numbers, and these other fields."""
    random = np.random.default_rng(5).normal
    kv_heads = more.get("num_kv_heads", HEADS)
    return Problem(
        query=random(size=(N, 6 * HEADS)),
        key=random(size=(M, 6 * kv_heads)),
        value=random(size=(M, 4 * kv_heads)),
        **{"num_heads": HEADS, **more},
    )
