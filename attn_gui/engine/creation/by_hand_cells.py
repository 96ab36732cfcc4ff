"""Interventions of a problem whose stages get other shapes: they go with their cells, cut to those that are left."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from attn_gui.engine.chain.following import computed_nodes
from attn_gui.engine.chain.node import Node
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import Note
from attn_gui.engine.problem.fields import Fields
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.shapes.drafts import clash_with, draft_of, drafted

from .moved_by_hand import Places, heads_in, led


def with_by_hand(problem: Problem, fields: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Fields to change with the interventions that follow them, unless they name some, and the note on those that go.

    Of those that the fields name, the note is on stages that are no longer computed: what else goes was asked for.

    Raises ValueError or TypeError if a field is wrong in itself, or does not fit the others.
    """
    if not problem.interventions:
        return dict(fields), ()
    draft = draft_of({name: value for name, value in {**problem.fields(), **fields}.items() if value is not None})
    if "interventions" in fields:
        left = {node.name for node in computed_nodes(draft)}
        return dict(fields), went(sum(record.stage not in left for record in problem.interventions))
    if (clash := clash_with(drafted(draft, {"interventions": ()}), {})) is not None:
        raise clash
    follow, notes = following(problem, {name: getattr(draft, name) for name in fields})
    return {**fields, **follow}, notes


def following(problem: Fields, fields: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """The field that changes with the others, if it does, and the note on what goes: interventions stay with their
    cells, are cut, or go."""
    carried = _carried(problem, fields)
    kept = tuple(chain.from_iterable(carried))
    return {} if kept == problem.interventions else {"interventions": kept}, went(sum(not parts for parts in carried))


def went(count: int) -> tuple[Note, ...]:
    """The note on so many changes by hand of which nothing is left; none on none."""
    template = sentences.BY_HAND_WENT if count == 1 else sentences.MANY_BY_HAND_WENT
    return (Note(template, {"count": count}),) if count else ()


def _carried(problem: Fields, fields: Mapping[str, Any]) -> list[list[Intervention]]:
    """The interventions that each of them becomes: itself with its cells, several, or none."""
    records = fields.get("interventions", problem.interventions)
    if not records:
        return []
    draft = drafted(problem, fields)
    before, after = ({node.name: node for node in computed_nodes(one)} for one in (problem, draft))
    heads = {"h": problem.num_heads, "g": problem.num_kv_heads}, {"h": draft.num_heads, "g": draft.num_kv_heads}
    found: list[list[Intervention]] = []
    for record in records:
        old, new = before.get(record.stage), after.get(record.stage)
        if old is None or new is None:
            found.append([])
            continue
        counts = heads[0].get(heads_in(old, before)), heads[1].get(heads_in(new, after))
        parts = _resized(record, old, new, _columns(old, new, *counts))
        found.append([part for part in parts if part is not None])
    return found


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
