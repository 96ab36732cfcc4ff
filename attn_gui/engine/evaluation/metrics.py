"""Measures of a matrix of weights."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def row_entropy(weights: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """−Σ a·log a of every row: 0 for one key alone (and for no key at all), log m for m equal weights.

    `weights` (..., n, m) gives (..., n), in nats. A weight of 0 adds nothing; a NaN makes its row NaN.
    """
    rows = np.asarray(weights, dtype=np.float64)
    logs = np.log(rows, out=np.zeros_like(rows), where=(rows > 0) | np.isnan(rows))
    return np.asarray(-(rows * logs).sum(axis=-1) + 0.0)
