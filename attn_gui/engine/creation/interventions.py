"""New changes by hand joined with those there are: rows rescaled, factors (0 · ∞ too), cells freed,
heads off, a resize."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any

import numpy as np
import numpy.typing as npt

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Box, new_array
from attn_gui.engine.checks import Record
from attn_gui.engine.errors import FieldError, Note
from attn_gui.engine.fields import Fields
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import computed_nodes
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.interventions import Copy, Intervention, Scale
from attn_gui.engine.problem import Problem
from attn_gui.engine.shape_errors import clash_with, draft_of, drafted
from attn_gui.engine.stages import STAGE

Axes = Sequence[str]

Places = npt.NDArray[np.intp]  # of every cell along an axis its old place; −1 stands for a new one

AXIS = "head"
RESULT = next(name for name, stage in STAGE.items() if stage.per_head and not stage.square)
"""The stage that holds what each head gives."""

Interventions = tuple[Intervention, ...]


# --- cells ----------------------------------------------------------------------------------------
def with_cells_replaced(
    interventions: Sequence[Intervention],
    stage: str,
    axes: Axes,
    box: Box,
    kind: type[Intervention],
    **numbers: Any,
) -> tuple[Intervention, ...]:
    """Return interventions that give the cells of a box, in the stage's own axes, `numbers` as this `kind` names them.

    An earlier record of this kind for exactly these cells is replaced if nothing was done to the stage since.
    """
    return _added(interventions, kind(stage=stage, at=_place(axes, box), **numbers))


def with_cells_scaled(
    interventions: Sequence[Intervention], stage: str, axes: Axes, box: Box, factor: float
) -> tuple[Intervention, ...]:
    """Return interventions that multiply the cells of a box; factors of exactly the same cells become one.

    They stay two where their product is too large or too small for a number.
    """
    new = Scale(stage=stage, at=_place(axes, box), factor=factor)
    last = _last(interventions, new)
    if last is None:
        return (*interventions, new)
    before = interventions[last].cells
    product = factor * before
    if not np.isfinite(product) or (product == 0 and factor != 0 and before != 0):
        return (*interventions, new)
    return _added(interventions, new.changed(factor=product))


def with_cells_free(
    interventions: Sequence[Intervention], stage: str, axes: Axes, shape: tuple[int, ...], box: Box
) -> tuple[Intervention, ...]:
    """Return interventions that leave the cells of a box as computed; one that reaches beyond it keeps the other cells.

    One that is switched off stays as it is.
    """
    found: list[Intervention] = []
    for record in interventions:
        own = record.box(tuple(axes), shape) if record.stage == stage else box
        if record.stage != stage or not record.enabled or indices.intersection(own, box) is None:
            found.append(record)
        else:
            found += [
                record.changed(at=Record(_place(axes, part))).cut(indices.within(part, own))
                for part in indices.without(own, box)
            ]
    return tuple(found)


def rescale_row(row: Array, place: int, share: float, beside: float = 0.0) -> Array:
    """Return a row of weights with `share` at one place and the others scaled so that the sum is 1.

    `beside` is a weight outside the row, that of a sink: it counts in the sum and is scaled with the others.

    Where all others are 0 there is nothing to scale, and they stay 0; so does one key that has none of an infinite sum.
    Others without a sum above 0, as NaN or infinities of both signs, stay as they are.
    """
    others = row.astype(np.float64)
    others[place] = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        total = others.sum() + beside
        new = np.where(others == 0, 0.0, others / total * (1.0 - share)) if total > 0 else others
        new[place] = share
        return new.astype(row.dtype)


def _last(interventions: Sequence[Intervention], new: Intervention) -> int | None:
    """Return the place of the stage's last intervention if it is of the same kind, enabled, and of the same cells."""
    own = [k for k, record in enumerate(interventions) if record.stage == new.stage]
    last = interventions[own[-1]] if own else None
    same = type(last) is type(new) and last is not None and last.enabled and dict(last.at) == dict(new.at)
    return own[-1] if same else None


def _added(interventions: Sequence[Intervention], new: Intervention) -> tuple[Intervention, ...]:
    """Return the interventions with a new one at the end, or in the place of the last one of its cells, see `_last`."""
    last = _last(interventions, new)
    return (*interventions, new) if last is None else (*interventions[:last], new, *interventions[last + 1 :])


def _place(axes: Axes, box: Box) -> dict[str, int | tuple[int, int]]:
    return {
        axis: cut.start if cut.stop - cut.start == 1 else (cut.start, cut.stop)
        for axis, cut in zip(axes, box, strict=True)
    }


# --- cells of a matrix that is given -----------------------------------------------------------------
def box_of_values(array: Array, box: Box, values: Array) -> Array:
    """Return new numbers for a box of an array, broadcast from `values`."""
    return new_array(indices.shape_of(box), array.dtype, lambda new: np.copyto(new, values, casting="unsafe"))


def box_times_factor(array: Array, box: Box, factor: float) -> Array:
    """Return the numbers in a box of an array times a factor."""

    def write(new: Array) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            np.multiply(array[box], factor, out=new)

    return new_array(indices.shape_of(box), array.dtype, write)


def box_from_place(array: Array, axes: Axes, box: Box, source: Mapping[str, int]) -> Array:
    """Return new numbers for a box of an array, copied from another place (`source`: axis → index)."""
    cuts = zip(axes[len(axes) - array.ndim :], box, strict=True)
    origin = tuple(slice(source[axis], source[axis] + 1) if axis in source else cut for axis, cut in cuts)
    return box_of_values(array, box, array[origin])


# --- moved cells ----------------------------------------------------------------------------------
def heads_in(node: Node, nodes: Mapping[str, Node]) -> str:
    """Return the letter of the heads whose columns lie side by side in a stage; "" where none do.

    An output without W_O shows the joined heads and has theirs.
    """
    stage = node.stage
    return stage.heads or (heads_in(nodes[node.inputs[0].name], nodes) if stage.alias else "")


def relocated_interventions(
    record: Intervention, axes: tuple[str, ...], shape: tuple[int, ...], moved: Mapping[str, Places]
) -> list[Intervention]:
    """Return records that change the same cells after these have moved; none where it copies from cells that are gone.

    `moved` gives, for each axis along which cells move, the old place of every new cell.
    """
    box = record.box(axes, shape)
    runs: list[list[tuple[int | tuple[int, int] | None, slice]]] = []
    for k, (axis, cut) in enumerate(zip(axes, box, strict=True)):
        stays = axis not in moved or (axis not in record.at and not record.spans(k - len(axes), shape[k]))
        whole = slice(0, cut.stop - cut.start)
        runs.append([(record.at.get(axis), whole)] if stays else _runs(moved[axis], cut, record.at.get(axis)))
    there = record.relocated(moved)
    if there is None:
        return []
    parts = []
    for choice in product(*runs):
        at = {axis: place for axis, (place, _) in zip(axes, choice, strict=True) if place is not None}
        parts.append(there.changed(at=type(record.at)(at)).cut(tuple(part for _, part in choice)))
    return parts


def _runs(places: Places, cut: slice, at: object) -> list[tuple[int | tuple[int, int] | None, slice]]:
    """Return (new place, part of `cut`) for each run of cells of a slice that are still consecutive."""
    now = np.flatnonzero((places >= cut.start) & (places < cut.stop))
    torn = np.flatnonzero((np.diff(now) != 1) | (np.diff(places[now]) != 1)) + 1
    found: list[tuple[int | tuple[int, int] | None, slice]] = []
    for run in np.split(now, torn):
        if run.size:
            first, own = int(run[0]), int(places[run[0]]) - cut.start
            place = first if isinstance(at, int) else (first, first + run.size)
            found.append((place, slice(own, own + run.size)))
    return found


# --- stages of another shape ----------------------------------------------------------------------
def with_carried_interventions(problem: Problem, fields: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Return `fields` with the interventions that follow from them, and the note on interventions that go.

    Where `fields` name interventions themselves these stay, and the note counts only old ones of stages that are no
    longer computed. Raises ValueError or TypeError if a field is wrong in itself, or does not fit the others.
    """
    if not problem.interventions:
        return dict(fields), ()
    draft = draft_of({name: value for name, value in {**problem.fields(), **fields}.items() if value is not None})
    if "interventions" in fields:
        left = {node.name for node in computed_nodes(draft)}
        return dict(fields), removal_notes(sum(record.stage not in left for record in problem.interventions))
    if (clash := clash_with(drafted(draft, {"interventions": ()}), {})) is not None:
        raise clash
    follow, notes = carried_interventions(problem, {name: getattr(draft, name) for name in fields})
    return {**fields, **follow}, notes


def carried_interventions(problem: Fields, fields: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Return {"interventions": …} where they change with the `fields`, else {}, and the note on those that go.

    Interventions stay with their cells; those of cells that are gone are cut, or go.
    """
    carried = _carried(problem, fields)
    kept = tuple(chain.from_iterable(carried))
    notes = removal_notes(sum(not parts for parts in carried))
    return {} if kept == problem.interventions else {"interventions": kept}, notes


def removal_notes(count: int) -> tuple[Note, ...]:
    """Return (note,) on a number of interventions that went; () where none did."""
    template = errors.BY_HAND_WENT if count == 1 else errors.MANY_BY_HAND_WENT
    return (Note(template, {"count": count}),) if count else ()


def _carried(problem: Fields, fields: Mapping[str, Any]) -> list[list[Intervention]]:
    """Return a list for each intervention: what it becomes, which may be itself, several parts, or nothing."""
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
    """Return, for every new column, the old one at the same place in the same head, −1 for none.

    None where the number of columns stays, or they belong to no heads.
    """
    if heads_before is None or heads is None or old.shape[-1] == new.shape[-1]:
        return None
    wide, width = old.shape[-1] // heads_before, new.shape[-1] // heads
    head, column = np.divmod(np.arange(new.shape[-1]), width)
    return np.where((head < heads_before) & (column < wide), head * wide + column, -1)


def _resized(record: Intervention, old: Node, new: Node, columns: Places | None) -> list[Intervention | None]:
    """Return the record cut to a stage of another shape: `columns` move with their heads, then other axes are cut."""
    axes, shape = old.stage.axes, old.shape
    if columns is None:
        return [record.resized(axes, shape, new.shape)]
    parts = relocated_interventions(record, axes, shape, {axes[-1]: columns})
    return [part.resized(axes, (*shape[:-1], new.shape[-1]), new.shape) for part in parts]


# --- whole heads ----------------------------------------------------------------------------------
def whole_heads(problem: Problem) -> dict[int, Intervention]:
    """Return {head: the last enabled intervention on its whole result}."""
    found: dict[int, Intervention] = {}
    for record in problem.interventions:
        if _is_whole(record):
            found |= dict.fromkeys(_heads(record), record)
    return found


def off_heads(problem: Problem) -> frozenset[int]:
    """Return the heads whose result is multiplied by 0, whatever factors follow."""
    found: set[int] = set()
    for record in problem.interventions:
        if _is_whole(record):
            if isinstance(record, Scale) and record.factor == 0:
                found |= set(_heads(record))
            elif record.replaces:
                found -= set(_heads(record))
    return frozenset(found)


def with_heads_off(problem: Problem, heads: Collection[int]) -> dict[str, object]:
    """Return the field that switches off exactly these heads; others that were off are as computed again."""
    others = off_heads(problem) - set(heads)
    new = [Scale(stage=RESULT, at={AXIS: head}, factor=0.0) for head in sorted(heads)]
    return {"interventions": (*_freed(problem.interventions, {*others, *heads}), *new)}


def with_head_scaled(problem: Problem, head: int, factor: float) -> dict[str, object]:
    """Return the field that multiplies a head's result; by 1, that leaves it as computed. Raises FieldError."""
    new = () if factor == 1 else (Scale(stage=RESULT, at={AXIS: checked_head(problem, head)}, factor=factor),)
    return {"interventions": (*_freed(problem.interventions, {head}), *new)}


def with_head_copied(problem: Problem, head: int, source: int) -> dict[str, object]:
    """Return the field that gives a head the result of another one; its own: that leaves it as computed.

    Raises FieldError for a head that is not there.
    """
    kept = _freed(problem.interventions, {checked_head(problem, head)})
    if checked_head(problem, source) == head:
        return {"interventions": kept}
    return {"interventions": (*kept, Copy(stage=RESULT, at={AXIS: head}, source={AXIS: source}))}


def checked_head(problem: Problem, head: int) -> int:
    """Return the head, where the problem has it. Raises FieldError where it has not."""
    if not 0 <= head < problem.num_heads:
        raise FieldError(errors.NO_HEAD, got=head, heads=problem.num_heads)
    return head


def for_all_heads(problem: Problem, position: int) -> dict[str, object]:
    """Return `interventions` with the one at `position` on all heads; its numbers are those of its first head."""
    records = problem.interventions
    record = records[position]
    if AXIS in record.at:
        heads = list(_heads(record))
        kept = Record({axis: place for axis, place in record.at.items() if axis != AXIS})
        record = _at(record, 0, _cells(record, 0, len(heads))).changed(at=kept)
    return {"interventions": (*records[:position], record, *records[position + 1 :])}


def reordered_interventions(problem: Problem, order: Sequence[int], kv_order: Sequence[int]) -> Interventions:
    """Return the interventions for another order of heads: new head k is old head `order[k]`, of K/V `kv_order[k]`.

    Interventions stay with their heads, also those on columns where heads lie side by side; one on a range of heads
    becomes several where the range is torn. The source of a copy is the first new place of its head.
    """
    sides = {"h": (problem.num_heads, np.array(order)), "g": (problem.num_kv_heads, np.array(kv_order))}
    nodes = {node.name: node for node in computed_nodes(problem)}
    found: list[Intervention] = []
    for record in problem.interventions:
        node = nodes[record.stage]
        stage, shape, heads = node.stage, node.shape, heads_in(node, nodes)
        moved = {AXIS: np.array(order)} if AXIS in stage.axes else {}
        if heads:
            count, places = sides[heads]
            width = shape[-1] // count
            moved[stage.axes[-1]] = (places[:, None] * width + np.arange(width)).ravel()
        found += relocated_interventions(record, stage.axes, shape, moved)
    return tuple(found)


def _is_whole(record: Intervention) -> bool:
    """Return whether a record is enabled and changes whole results of heads."""
    return record.enabled and record.stage == RESULT and set(record.at) == {AXIS}


def _heads(record: Intervention) -> Iterator[int]:
    """Yield the heads that a record names."""
    place = record.at[AXIS]
    yield from (place,) if isinstance(place, int) else range(*place)


def _freed(interventions: Interventions, heads: Collection[int]) -> Interventions:
    """Return the interventions without those on the whole results of these heads."""
    found: list[Intervention] = []
    for record in interventions:
        mine = list(_heads(record)) if _is_whole(record) else []
        if not set(mine) & set(heads):
            found.append(record)
        else:
            kept = [place for place, head in enumerate(mine) if head not in heads]
            found += [_at(record, mine[place], _cells(record, place, len(mine))) for place in kept]
    return tuple(found)


def _at(record: Intervention, place: int | tuple[int, int], cells: object) -> Intervention:
    """Return the record for another head, or range of heads, with the numbers that belong there."""
    numbers = {record.table: cells} if record.table else {}
    return record.changed(at=Record({**record.at, AXIS: place}), **numbers)


def _cells(record: Intervention, place: int, count: int) -> object:
    """Return the numbers of a record that belong to one of its heads."""
    cells = record.cells
    if not isinstance(cells, np.ndarray) or cells.ndim < 3 or cells.shape[-3] != count:
        return cells
    own: Array = np.ascontiguousarray(cells[..., place : place + 1, :, :])
    own.flags.writeable = False
    return own
