"""Mask layers as mappings: the first state of a new one, and what its buttons do to its cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

FILLS = ("open", "close", "swap", "transpose")


def first_layer(kind: str, n: int, m: int, batch: int) -> dict[str, Any]:
    """A new layer that shows what its kind does; cells start open, biases at 0."""
    firsts: dict[str, dict[str, Any]] = {
        "window": {"left": 1, "right": 1},
        "prefix": {"length": min(2, m)},
        "padding": {"lengths": (max(1, m - 1),) * batch},
        "custom": {"allowed": np.ones((n, m), bool)},
        "bias": {"values": np.zeros((n, m))},
    }
    return {"kind": kind} | firsts.get(kind, {})


def filled(layer: Mapping[str, Any], how: str) -> dict[str, Any]:
    """A custom layer with all its cells open, closed, swapped, or mirrored at the diagonal; its shape stays."""
    cells = np.asarray(layer["allowed"], bool)
    changed = {"open": cells | True, "close": cells & False, "swap": ~cells, "transpose": cells.swapaxes(-1, -2)}
    return {**layer, "allowed": changed[how]}
