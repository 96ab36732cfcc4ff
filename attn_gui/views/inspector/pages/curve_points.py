"""Points and curve of a regression, as the page of the inspector shows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """Keys and values (m,), queries and outputs (n,); of a chosen query its row and its weights (m,)."""

    keys: Numbers
    values: Numbers
    queries: Numbers
    outputs: Numbers
    row: int | None = None
    weights: Numbers | None = None
