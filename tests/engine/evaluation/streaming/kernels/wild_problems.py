"""Problem of two heads, long enough for several tiles, whose numbers tests of NaN and infinity change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

N, M, HEADS = 300, 320, 2


def problem_of(**more: Any) -> tuple[dict[str, NDArray[np.floating]], dict[str, Any]]:
    """The arrays and the other fields."""
    random = np.random.default_rng(5).normal
    kv_heads = more.get("num_kv_heads", HEADS)
    arrays = {
        "query": random(size=(N, 6 * HEADS)),
        "key": random(size=(M, 6 * kv_heads)),
        "value": random(size=(M, 4 * kv_heads)),
    }
    dtype = more.get("dtype", "float64")
    return {name: array.astype(dtype) for name, array in arrays.items()}, {"num_heads": HEADS, **more}
