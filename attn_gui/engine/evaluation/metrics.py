"""Measures of a matrix of weights."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BLIND = -float(np.finfo(np.float64).max)
"""Stands for the entropy of a row that sees no key: it has none and does not count.

No other row has this number: weights set by hand may have an entropy of any sign.
"""


def row_entropy(weights: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """−Σ a·log a of every row: 0 for one key alone (and for no key at all), log m for m equal weights.

    `weights` (..., n, m) gives (..., n), in nats. A weight of 0 adds nothing, nor does one below 0 that was
    set by hand; a NaN makes its row NaN.
    """
    rows = np.asarray(weights, dtype=np.float64)
    told = (rows > 0) | np.isnan(rows)
    logs = np.log(rows, out=np.zeros_like(rows), where=told)
    with np.errstate(over="ignore", invalid="ignore"):  # of what was set by hand
        return np.asarray(-np.multiply(rows, logs, out=logs, where=told).sum(axis=-1) + 0.0)
