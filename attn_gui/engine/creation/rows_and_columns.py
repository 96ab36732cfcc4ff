"""Rows and columns inserted or removed anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from attn_gui.engine import messages
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.creation.interventions import Places, relocated_interventions
from attn_gui.engine.creation.resize import resize
from attn_gui.engine.errors import FieldError
from attn_gui.engine.fields import Fields
from attn_gui.engine.graph.intervention_nodes import computed_nodes
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.memory import new_array, outline
from attn_gui.engine.problem import Problem
from attn_gui.engine.shape_errors import TOKENS, drafted, fields_with, reshaped

CUT = ("n", "m", "d_k", "d_v", "d_model", "d_ff")
"""Sizes whose cells have a place of their own."""

NEUTRAL = {
    **{f"block.{name}": table.neutral for block in BLOCKS.values() for name, table in block.tables.items()},
    "query_norm": 1.0,
    "key_norm": 1.0,
}
"""The number that new cells hold where 0 would change something."""


# --- inserting and removing -----------------------------------------------------------------------
def size_of(problem: Problem, field: str, axis: int) -> str | None:
    """Return the name of the size that an axis (−2 rows, −1 columns) of an array has; None where no cell can be
    inserted.

    So it is where half as many frequencies have another size, and for numbers of interventions, which follow their
    cells.
    """
    before = problem.arrays()[field].shape
    if len(before) < -axis or Intervention.position_of(field) is not None:
        return None
    for name in CUT:
        length = getattr(problem, name)
        try:
            grown = outline(partial(resize, problem, **{name: length + 2})).fields
        except (ValueError, TypeError):
            continue
        after = drafted(problem, grown).arrays()[field].shape
        if after[axis] != before[axis] and before[axis] % length == 0:
            return name
    return None


def places_with(length: int, at: int, count: int = 1) -> Places:
    """Return the old place of each cell along an axis after inserting `count` new ones, −1, before place `at`.

    Raises FieldError for a place outside.
    """
    _check(length, at)
    return np.insert(np.arange(length), [at] * count, -1)


def places_without(length: int, at: int, count: int = 1) -> Places:
    """Return the old place of each cell along an axis after removing `count` from place `at` on.

    Raises FieldError for places outside.
    """
    _check(length, at + count)
    return np.delete(np.arange(length), slice(at, at + count))


def fields_with_places(problem: Problem, size: str, places: Places) -> dict[str, Any]:
    """Return the fields that change when the cells along an axis are those that were at `places`, −1 for new ones.

    New cells are the same in every head, with numbers as `resize` gives them; masks are open there, or repeat their
    single row or column. Raises what `resize` raises.
    """
    length, new = int(getattr(problem, size)), places < 0
    after = drafted(problem, outline(partial(resize, problem, keep="d_k", **{size: len(places)})).fields)
    longest = length + int(new.sum())
    source = drafted(problem, resize(problem, keep="d_k", **{size: longest}).fields) if new.any() else problem
    return _fields(problem, after, source, np.where(new, length - 1 + np.cumsum(new), places), places)


def parts_by_hand(problem: Problem, fields: Mapping[str, Any], places: Places) -> list[int]:
    """Return, for each intervention, how many parts it becomes in the fields that `fields_with_places` returned."""
    return [len(parts) for parts in _relocated(problem, drafted(problem, fields), places)]


def _check(length: int, at: int) -> None:
    if not 0 <= at <= length:
        raise FieldError(messages.NO_PLACE, got=at, most=length)


def _fields(before: Problem, after: Fields, source: Fields, order: Places, places: Places) -> dict[str, Any]:
    """Return the changed fields, by taking cells from `source`, the problem with new cells appended.

    `order` holds places in `source`, `places` those in the problem before, −1 for a new cell.
    """
    arrays = source.arrays()
    by_hand = {record.field(k) for k, record in enumerate(before.interventions)}
    shapes = {name: pair for name, pair in reshaped(before, after).items() if name not in by_hand}
    found = fields_with(before, {name: _taken(arrays[name], *pair, order) for name, pair in shapes.items()})
    for name in TOKENS:
        tokens = getattr(source, name)
        if tokens is not None and getattr(after, name) != getattr(before, name):
            found[name] = tuple(tokens[place] for place in order)
    if after.m != before.m:
        mask = found.get("mask", before.mask)
        moved = tuple(layer.with_keys(places, before.m) for layer in mask)
        found |= {} if all(one is other for one, other in zip(moved, before.mask, strict=True)) else {"mask": moved}
    kept = tuple(chain.from_iterable(_relocated(before, drafted(before, found), places)))
    return found if kept == before.interventions else found | {"interventions": kept}


def _taken(cells: Array, old: Sequence[int], new: Sequence[int], order: Places) -> Array:
    """Return cells in their order along each axis that has another length; of one that is not made of these cells, such
    as half as many frequencies, those that are there."""
    index = [
        _in_groups(order, cells.shape[axis], after) if before != after and after % len(order) == 0 else np.arange(after)
        for axis, (before, after) in enumerate(zip(old, new, strict=True))
    ]

    def write(array: Array) -> None:
        array[...] = cells[np.ix_(*index)]

    return new_array(new, cells.dtype, write)


def _in_groups(order: Places, length: int, wanted: int) -> Places:
    """Return the order of a whole axis that consists of equal groups, such as the columns of every head."""
    groups = wanted // len(order)
    starts = np.arange(groups)[:, None] * (length // groups)
    return np.where(order >= 0, starts + order, -1).ravel()


def _relocated(before: Problem, after: Fields, places: Places) -> list[list[Intervention]]:
    """Return for each intervention those that it becomes where its cells are now: several where their range is torn."""
    if not before.interventions:
        return []
    old, new = ({node.name: node for node in computed_nodes(draft)} for draft in (before, after))
    found: list[list[Intervention]] = []
    for record in before.interventions:
        if record.stage not in old or record.stage not in new:
            found.append([])
            continue
        node, lengths = old[record.stage], new[record.stage].shape
        moved = {
            axis: _in_groups(places, node.shape[k], lengths[k])
            for k, axis in enumerate(node.stage.axes)
            if node.shape[k] != lengths[k]
        }
        found.append(relocated_interventions(record, node.stage.axes, node.shape, moved))
    return found
