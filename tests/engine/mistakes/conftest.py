"""Random problems in which the usual mistakes can be made."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem


def random_problem(seed: int) -> Problem:
    """Any shape, heads, masks and biases; small enough to compute by hand, sometimes with scores that overflow."""
    rng = np.random.default_rng(seed)
    heads, d_k, d_v = int(rng.integers(1, 5)), int(rng.integers(2, 5)), int(rng.integers(1, 4))
    kv_heads = heads // 2 if heads % 2 == 0 and seed // 4 % 2 else heads
    n = int(rng.integers(2, 6))
    m = [n, d_k, int(rng.integers(2, 6))][seed // 10 % 3]
    size = 40.0 if seed // 7 % 4 == 0 else 1.5
    mask = []
    if seed // 2 % 2:
        mask.append({"kind": "causal"} if seed // 40 % 2 else {"kind": "padding", "lengths": max(1, m - 1)})
    if seed // 20 % 2:
        mask.append({"kind": "bias", "values": rng.normal(size=(n, m))})
    fields = {"num_heads": heads, "num_kv_heads": kv_heads, "mask": mask}
    if d_k == 4 and seed // 6 % 2:
        fields["rotary_theta"] = 10.0
    if seed // 3 % 3 == 2 and kv_heads == heads:
        width = heads * d_k
        x, context = rng.normal(size=(n, width)) * size, rng.normal(size=(m, width))
        weights = {f"w_{name}": rng.normal(size=(width, width)) / 2 for name in ("query", "key", "value")}
        return Problem(x=x, context=context, **weights, **fields)
    return Problem(
        query=rng.normal(size=(n, heads * d_k)) * size,
        key=rng.normal(size=(m, kv_heads * d_k)) * size,
        value=rng.normal(size=(m, kv_heads * d_v)),
        **fields,
    )


@pytest.fixture
def problem_of():
    return random_problem
