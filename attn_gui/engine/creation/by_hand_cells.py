"""Interventions of a problem whose stages get other shapes: they go with their cells, cut to those that are left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attn_gui.engine.chain.following import computed_nodes
from attn_gui.engine.chain.node import Node
from attn_gui.engine.problem.fields import Fields
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.shapes.drafts import drafted

from .moved_by_hand import Places, heads_in, led


def following(problem: Fields, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The field that changes with the others, if it does: interventions stay with their cells, are cut, or go."""
    if not problem.interventions:
        return {}
    draft = drafted(problem, fields)
    before, after = ({node.name: node for node in computed_nodes(one)} for one in (problem, draft))
    heads = {"h": problem.num_heads, "g": problem.num_kv_heads}, {"h": draft.num_heads, "g": draft.num_kv_heads}
    found: list[Intervention | None] = []
    for record in fields.get("interventions", problem.interventions):
        if record.stage in before and record.stage in after:
            old, new = before[record.stage], after[record.stage]
            counts = heads[0].get(heads_in(old, before)), heads[1].get(heads_in(new, after))
            found += _resized(record, old, new, _columns(old, new, *counts))
    kept = tuple(record for record in found if record is not None)
    return {} if kept == problem.interventions else {"interventions": kept}


def _columns(old: Node, new: Node, heads_before: int | None, heads: int | None) -> Places | None:
    """Of every new column the old one of the same head and place, −1 for none; None where columns stay or are cut."""
    if heads_before is None or heads is None or old.shape[-1] == new.shape[-1]:
        return None
    wide, width = old.shape[-1] // heads_before, new.shape[-1] // heads
    head, column = np.divmod(np.arange(new.shape[-1]), width)
    return np.where((head < heads_before) & (column < wide), head * wide + column, -1)


def _resized(record: Intervention, old: Node, new: Node, columns: Places | None) -> list[Intervention | None]:
    """The record with its cells: by columns that go with their heads, then along the other axes."""
    axes, shape = old.stage.axes, old.shape
    if columns is None:
        return [record.resized(axes, shape, new.shape)]
    parts = led(record, axes, shape, {axes[-1]: columns})
    return [part.resized(axes, (*shape[:-1], new.shape[-1]), new.shape) for part in parts]
