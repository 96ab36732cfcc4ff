"""Rows and columns inserted or removed anywhere, and matrices mended so that shapes fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from attn_gui.engine import sentences
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import BLOCKS
from attn_gui.engine.creation.filling import BLOCK, fill, with_tokens
from attn_gui.engine.creation.interventions import Places, relocated_interventions
from attn_gui.engine.creation.resize import resize
from attn_gui.engine.errors import FieldError, Fix, Shape, ShapeError
from attn_gui.engine.fields import Fields
from attn_gui.engine.graph.intervention_nodes import computed_nodes
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer, Padding
from attn_gui.engine.memory import Write, new_array, outline, overlay
from attn_gui.engine.problem import Problem
from attn_gui.engine.shape_errors import TOKENS, clash_with, draft_of, drafted, fields_with, reshaped, with_company

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
    """Return the size that an axis (−2 rows, −1 columns) of an array has, once or for each head; None where no cell can
    come or go by itself: half as many frequencies have another size, and numbers set by hand go with the cells they are
    for."""
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
    """Return the old place of every cell along an axis when `count` new ones, −1, come before place `at`.

    Raises FieldError for a place outside.
    """
    _check(length, at)
    return np.insert(np.arange(length), [at] * count, -1)


def places_without(length: int, at: int, count: int = 1) -> Places:
    """Return the old place of every cell along an axis when `count` go from place `at` on.

    Raises FieldError for places outside.
    """
    _check(length, at + count)
    return np.delete(np.arange(length), slice(at, at + count))


def fields_with_places(problem: Problem, size: str, places: Places) -> dict[str, Any]:
    """Return the fields that change when an axis gets another length, and its cells are those that were at `places`.

    −1 stands for a new cell, in every head alike, with numbers as `resize` gives them; masks are open there, and one of
    a single row or column goes on for all. Raises what `resize` raises.
    """
    length, new = int(getattr(problem, size)), places < 0
    after = drafted(problem, outline(partial(resize, problem, keep="d_k", **{size: len(places)})).fields)
    longest = length + int(new.sum())
    source = drafted(problem, resize(problem, keep="d_k", **{size: longest}).fields) if new.any() else problem
    return _fields(problem, after, source, np.where(new, length - 1 + np.cumsum(new), places), places)


def parts_by_hand(problem: Problem, fields: Mapping[str, Any], places: Places) -> list[int]:
    """Return the counts of the parts that each change by hand becomes in the fields that `fields_with_places` gave for
    the places."""
    return [len(parts) for parts in _relocated(problem, drafted(problem, fields), places)]


def _check(length: int, at: int) -> None:
    if not 0 <= at <= length:
        raise FieldError(sentences.NO_PLACE, got=at, most=length)


def _fields(before: Problem, after: Fields, source: Fields, order: Places, places: Places) -> dict[str, Any]:
    """Return the changed fields: `order` leads into `source`, which has the cells before and the new ones behind them;
    `places` into the cells before, where −1 stands for a new one."""
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
    """Return the order within each of the groups, such as the columns of every head, that an axis consists of."""
    groups = wanted // len(order)
    starts = np.arange(groups)[:, None] * (length // groups)
    return np.where(order >= 0, starts + order, -1).ravel()


def _relocated(before: Problem, after: Fields, places: Places) -> list[list[Intervention]]:
    """Return interventions that each of them becomes where its cells are now; a stretch that is torn becomes
    several."""
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


# --- mending --------------------------------------------------------------------------------------
def apply_fix(fix: Fix, fields: Mapping[str, object], seed: int = 0) -> dict[str, Any]:
    """Return the fields that change when `fix` is carried out on the `fields` that clash.

    None of those given is touched.
    New cells are 0, as with `resize`; the numbers of a new matrix depend on (seed, field, item, row, column) alone.
    Biases, tokens and mask layers follow the matrix. Raises ValueError or TypeError if a field is wrong in itself.
    """
    problem = draft_of(fields)
    clash = clash_with(problem, {})
    shapes = {fix.matrix: fix.after}
    if isinstance(clash, ShapeError):
        shapes, _ = with_company(problem, clash, shapes)
    mending = _Mending(problem, fix, seed)
    return fields_with(problem, {name: mending.value(name, shape) for name, shape in shapes.items()})


class _Mending:
    def __init__(self, problem: Fields, fix: Fix, seed: int) -> None:
        self.problem, self.fix, self.seed = problem, fix, seed
        self.arrays = problem.arrays()

    def value(self, name: str, shape: Shape) -> Any:
        if name in TOKENS:
            return with_tokens(getattr(self.problem, name), shape[0])
        position = Layer.position_of(name)
        layer = None if position is None else self.problem.mask[position]
        if isinstance(layer, Padding):
            return (*layer.lengths[: shape[0]], *[self.problem.m] * (shape[0] - len(layer.lengths)))
        return self._array(name, shape, np.dtype(bool if name.endswith(".allowed") else self.problem.dtype))

    def _array(self, name: str, shape: Shape, dtype: np.dtype[Any]) -> Array:
        old = self.arrays.get(name)
        if old is None:
            return fill("random", shape, seed=self.seed, field=name, dtype=dtype)
        if name == self.fix.matrix and self.fix.kind == "transpose":
            return new_array(shape, dtype, lambda new: np.copyto(new, np.swapaxes(old, -1, -2)))
        if self.fix.kind != "project" or not self._multiplied(name):
            return self._fresh(name, shape, dtype, lambda new: self._keep(name, old, new))
        factor = fill("random", self.fix.shape, seed=self.seed, field=f"w_{self.fix.matrix}")
        left, right = (old, factor) if self._columns_change else (factor, old)
        return new_array(shape, dtype, lambda new: _multiply(left, right, new))

    def _multiplied(self, name: str) -> bool:
        """Return the matrix itself, and the bias that is added to its columns."""
        bias = f"b_{self.fix.matrix.removeprefix('w_')}"
        follows = self._columns_change and name == bias and self.arrays[name].shape == (self.fix.before[-1],)
        return follows or name == self.fix.matrix

    @property
    def _columns_change(self) -> bool:
        return self.fix.before[-1:] != self.fix.after[-1:]

    def _keep(self, name: str, old: Array, new: Array) -> None:
        for axis, groups in self._heads(name).items():
            if old.shape[axis] % groups == 0 and new.shape[axis] % groups == 0:
                overlay(_opened(new, axis, groups), _opened(old, axis, groups))
                return
        overlay(new, old)

    def _fresh(self, name: str, shape: Shape, dtype: np.dtype[Any], keep: Write) -> Array:
        neutral = 1.0 if name.endswith(".allowed") else NEUTRAL.get(name, 0.0)

        def write(new: Array) -> None:
            new.fill(neutral)
            keep(new)

        return new_array(shape, dtype, write)

    def _heads(self, name: str) -> dict[int, int]:
        """Return {axis: heads} of a matrix whose columns or rows belong to heads: cells keep their place in their
        head."""
        part = name[2:] if name[:2] in ("w_", "b_") else name
        if part == "output":
            return {0: self.problem.num_heads} if name == "w_output" else {}
        heads = {"query": self.problem.num_heads, "key": self.problem.num_kv_heads, "value": self.problem.num_kv_heads}
        return {-1: heads[part]} if part in heads else {}


def _multiply(left: Array, right: Array, new: Array) -> None:
    """Compute a product in float64, a few rows at a time."""
    rows, step = new.shape[-2] if new.ndim > 1 else 1, max(1, BLOCK // new.shape[-1])
    left, cells = np.atleast_2d(left), np.atleast_2d(new)
    with np.errstate(all="ignore"):
        for low in range(0, rows, step):
            cells[..., low : low + step, :] = left[..., low : low + step, :] @ right


def _opened(array: Array, axis: int, groups: int) -> Array:
    """Return a view with one axis for the heads and one for the cells of a head."""
    axis %= array.ndim
    return array.reshape(*array.shape[:axis], groups, array.shape[axis] // groups, *array.shape[axis + 1 :])
