"""Pictures of planes pooled part by part, so that no large block is ever held."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attn_gui.engine.evaluation.pooling import pool_parts
from attn_gui.pictures.planes import Block, PlaneLike

Values = npt.NDArray[np.floating]
Allowed = npt.NDArray[np.bool_]
Edges = npt.NDArray[np.intp]

AT_ONCE = 1 << 20
"""Cells that are asked for in one block."""


def pooled(plane: PlaneLike, row_edges: Edges, column_edges: Edges) -> Block:
    """Blocks with these edges, some rows of them at a time."""
    return pool_parts(plane.block, row_edges, column_edges, AT_ONCE)
