"""Planes pooled where no evaluation does it: in blocks no larger than can be held."""

from __future__ import annotations

import numpy as np

from attn_gui.figure.display import Edges, pool_blocks
from attn_gui.pictures.planes import Block, PlaneLike

AT_ONCE = 1 << 20
"""Cells that are asked for in one block."""


def pooled(plane: PlaneLike, row_edges: Edges, column_edges: Edges) -> Block:
    """Blocks with these edges, some rows of them at a time."""
    cut = slice(int(column_edges[0]), int(column_edges[-1]))
    most = max(1, AT_ONCE // max(1, cut.stop - cut.start))
    found, first = [], 0
    while first < len(row_edges) - 1:
        stop = int(np.searchsorted(row_edges, row_edges[first] + most, side="right")) - 1
        some = row_edges[first : max(stop, first + 1) + 1]
        values, allowed = plane.block(slice(int(some[0]), int(some[-1])), cut)
        found.append(pool_blocks(values, allowed, some - some[0], column_edges - cut.start))
        first += len(some) - 1
    return joined(found)


def joined(blocks: list[Block]) -> Block:
    """Blocks below one another as one."""
    if len(blocks) == 1:
        return blocks[0]
    values = np.concatenate([values for values, _ in blocks])
    closing = [allowed for _, allowed in blocks if allowed is not None]
    return values, np.concatenate(closing) if closing else None
