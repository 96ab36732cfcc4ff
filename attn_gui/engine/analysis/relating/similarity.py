"""Cosines between the rows of a matrix: how alike tokens are, whatever their lengths."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.powers import leveled


def cosines(rows: Array) -> Array:
    """x_i · x_j / (‖x_i‖ ‖x_j‖) of (n, d) rows as (n, n); 0 where one of them is all zeros, as in the score `cosine`.

    No norm overflows or vanishes. A row that is not finite gives NaN.
    """
    with np.errstate(all="ignore"):
        level = leveled(np.asarray(rows, dtype=np.float64), -1)[0]
        norms = np.sqrt((level**2).sum(axis=-1, keepdims=True))
        unit = level / np.where(norms == 0, 1.0, norms)
        found = np.clip(unit @ unit.T, -1.0, 1.0)
    found[~np.isfinite(rows).all(axis=-1)] = np.nan
    found[:, ~np.isfinite(rows).all(axis=-1)] = np.nan
    return np.asarray(found)


def mean_of_others(found: Array) -> float:
    """The mean cosine of two different tokens; NaN for one token alone."""
    n = len(found)
    return float((found.sum() - np.trace(found)) / (n * (n - 1))) if n > 1 else float("nan")
