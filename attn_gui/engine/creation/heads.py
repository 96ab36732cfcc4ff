"""Heads moved, duplicated, deleted, averaged, or all given one K and V. Each returns the fields that change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, new_array
from attn_gui.engine.creation.interventions import checked_head, reordered_interventions
from attn_gui.engine.creation.layer_parts import of_slopes
from attn_gui.engine.creation.resize import Resized
from attn_gui.engine.errors import FieldError
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.problem import Problem
from attn_gui.engine.shape_errors import fields_with

Order = Sequence[int]  # of every new head the old one that it is


def with_head_moved(problem: Problem, head: int, place: int) -> Resized:
    """Return the fields that move a head to another place, with its columns, its rows of w_output and its masks.

    The heads between move up by one. Raises FieldError where heads that share a K/V head would be parted.
    """
    order = list(range(problem.num_heads))
    order.insert(checked_head(problem, place), order.pop(checked_head(problem, head)))
    group = _group(problem)
    if any(order[k] // group != order[k - k % group] // group for k in range(len(order))):
        raise FieldError(errors.GROUPS_FIXED, head=head, group=group)
    return _ordered(problem, order, [first // group for first in order[::group]])


def with_head_duplicated(problem: Problem, head: int) -> Resized:
    """Return the fields that insert a copy of a head after it, with the same rows of w_output.

    Raises FieldError where heads share more than one K/V head, or where a block lets the output be no wider.
    """
    order = list(range(problem.num_heads))
    order.insert(head + 1, checked_head(problem, head))
    return _counted(problem, order)


def with_head_deleted(problem: Problem, head: int) -> Resized:
    """Return the fields without a head, its columns and its rows of w_output; what others take from it by hand goes.

    Raises FieldError for the only head, and where one cannot be duplicated either.
    """
    checked_head(problem, head)
    if problem.num_heads == 1:
        raise FieldError(errors.ONLY_HEAD)
    return _counted(problem, [k for k in range(problem.num_heads) if k != head])


def _counted(problem: Problem, order: Order) -> Resized:
    """Return the fields of another number of heads; of K/V heads there are as many, or the one that all share."""
    kv = problem.num_kv_heads
    if 1 < kv < problem.num_heads:
        raise FieldError(errors.ONE_GROUP, kv=kv, group=_group(problem))
    if problem.block is not None and problem.w_output is None:
        raise FieldError(errors.BLOCK_FIXED)
    kv_order = [0] if kv == 1 < problem.num_heads else order
    resized = _ordered(problem, order, kv_order)
    return Resized(resized.fields | {"num_heads": len(order), "num_kv_heads": len(kv_order)}, resized.notes)


def with_heads_averaged(problem: Problem, heads: Sequence[int]) -> Resized:
    """Return the fields that give each of these heads the mean of their Q, K and V, or of the weights that make these.

    Where attention weights are given, these are averaged. Means are taken in float64 and rounded once; w_output stays.
    Raises FieldError for fewer than two heads, and where another head reads one of their K/V heads.
    """
    chosen, group = {checked_head(problem, head) for head in heads}, _group(problem)
    if len(chosen) < 2:
        raise FieldError(errors.TWO_HEADS)
    kv_heads = {head // group for head in chosen}
    for head in (k * group + r for k in sorted(kv_heads) for r in range(group)):
        if head not in chosen:
            raise FieldError(errors.WHOLE_GROUPS, head=head, group=group)
    columns = _columns(problem, query=sorted(chosen), key=sorted(kv_heads), value=sorted(kv_heads))
    changed = {name: _blocks(array, -1, count, count, partial(_mean, mine)) for name, array, count, mine in columns}
    if problem.weights is not None:
        count = problem.num_heads
        changed[GIVEN] = _blocks(problem.weights, -3, count, count, partial(_mean, sorted(chosen)))
    return Resized(fields_with(problem, changed))


def with_equal_kv(problem: Problem, head: int) -> Resized:
    """Return the fields that make all K/V heads equal to that of this head: multi-query attention."""
    mine = [checked_head(problem, head) // _group(problem)]
    columns = _columns(problem, key=mine, value=mine)
    changed = {name: _taken(array, -1, count, mine * count) for name, array, count, _ in columns}
    return Resized(fields_with(problem, changed))


def _group(problem: Problem) -> int:
    """Return the number of heads that share a K/V head."""
    return problem.num_heads // problem.num_kv_heads


def _columns(problem: Problem, **heads: Order) -> Iterator[tuple[str, Array, int, Order]]:
    """Yield (name, array, number of heads in its columns, heads of its part) for all that makes Q, K or V (`heads`)."""
    for part, mine in heads.items():
        count = problem.num_heads if part == "query" else problem.num_kv_heads
        for name in (f"w_{part}", f"b_{part}") if problem.projected else (part,):
            if (array := getattr(problem, name)) is not None:
                yield name, array, count, mine


def _ordered(problem: Problem, order: Order, kv_order: Order) -> Resized:
    """Return the fields with all that belongs to heads in another order."""
    heads = problem.num_heads
    columns = _columns(problem, query=order, key=kv_order, value=kv_order)
    changed: dict[str, Any] = {name: _taken(array, -1, count, mine) for name, array, count, mine in columns}
    for name, axis in ((GIVEN, -3), ("w_output", 0), ("sink", 0)):
        if (array := getattr(problem, name)) is not None:
            changed[name] = _taken(array, axis, heads, order)
    if problem.interventions:
        changed["interventions"] = reordered_interventions(problem, order, kv_order)
    for position, layer in enumerate(problem.mask):
        cells = layer.cells
        if cells is not None and cells.ndim > 2 and cells.shape[-3] == heads:
            changed[layer.field(position)] = _taken(cells, -3, heads, order)
    said = errors.SLOPES_STAY if len(order) == heads else errors.SLOPES_ANEW
    return Resized(fields_with(problem, changed), tuple(of_slopes(problem, said)) if len(order) > 1 else ())


def _taken(array: Array, axis: int, count: int, order: Order) -> Array:
    """Return an array whose axis of `count` equal parts, one for each head, has these in another order."""

    def write(new: Array, old: Array) -> None:
        for place, head in enumerate(order):
            new[place] = old[head]

    return _blocks(array, axis, count, len(order), write)


def _blocks(array: Array, axis: int, before: int, after: int, write: Callable[[Array, Array], None]) -> Array:
    """Return a new array with other heads along an axis; `write` fills it from the old one, heads first."""
    axis %= array.ndim
    width = array.shape[axis] // before
    shape = (*array.shape[:axis], after * width, *array.shape[axis + 1 :])

    def heads_first(whole: Array, heads: int) -> Array:
        opened = whole.reshape((*whole.shape[:axis], heads, width, *whole.shape[axis + 1 :]))
        return np.moveaxis(opened, axis, 0)

    return new_array(shape, array.dtype, lambda new: write(heads_first(new, after), heads_first(array, before)))


def _mean(heads: Sequence[int], new: Array, old: Array) -> None:
    new[...] = old
    with np.errstate(all="ignore"):
        mean = old[heads].mean(axis=0, dtype=np.float64)
    for head in heads:
        new[head] = mean
