"""Interventions on a box of cells of a stage: numbers set, multiplied, taken from elsewhere, left as computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.graph import indices
from attn_gui.engine.memory import made
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.interventions.copy_cells import Copy
from attn_gui.engine.problem.interventions.scale_cells import Scale
from attn_gui.engine.problem.interventions.set_cells import Set
from attn_gui.engine.problem.records import Record

Axes = Sequence[str]


def with_cells_set(
    interventions: Sequence[Intervention], stage: str, axes: Axes, box: Box, values: Array
) -> tuple[Intervention, ...]:
    """Interventions that give the cells of a box, in the stage's own axes, these values in the end.

    Numbers set in the very same cells before are replaced where nothing was done to the stage after that.
    """
    new = Set(stage=stage, at=_place(axes, box), values=values)
    last = _last(interventions, new)
    return (*interventions, new) if last is None else _put(interventions, last, new)


def with_cells_scaled(
    interventions: Sequence[Intervention], stage: str, axes: Axes, box: Box, factor: float
) -> tuple[Intervention, ...]:
    """Interventions that multiply the cells of a box; factors of the very same cells become one.

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
    return _put(interventions, last, new.changed(factor=product))


def with_cells_taken(
    interventions: Sequence[Intervention], stage: str, axes: Axes, box: Box, source: Mapping[str, int]
) -> tuple[Intervention, ...]:
    """Interventions that give the cells of a box the computed ones of another place."""
    new = Copy(stage=stage, at=_place(axes, box), source=source)
    last = _last(interventions, new)
    return (*interventions, new) if last is None else _put(interventions, last, new)


def with_cells_free(
    interventions: Sequence[Intervention], stage: str, axes: Axes, shape: tuple[int, ...], box: Box
) -> tuple[Intervention, ...]:
    """Interventions that leave the cells of a box as computed; of what reaches farther the rest stays.

    One that is switched off stays as it is.
    """
    found: list[Intervention] = []
    for record in interventions:
        own = record.box(tuple(axes), shape) if record.stage == stage else box
        if record.stage != stage or not record.enabled or indices.meet(own, box) is None:
            found.append(record)
        else:
            found += [_part(record, axes, own, part) for part in indices.without(own, box)]
    return tuple(found)


def rescaled(row: Array, place: int, share: float, beside: float = 0.0) -> Array:
    """A row of shares with `share` at one place and the others scaled so that the sum is 1, with that `beside` the row,
    of a sink, scaled as they are.

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
    """The last intervention of a stage if it is of the same kind, on, and at the same cells."""
    own = [k for k, record in enumerate(interventions) if record.stage == new.stage]
    last = interventions[own[-1]] if own else None
    same = type(last) is type(new) and last is not None and last.enabled and dict(last.at) == dict(new.at)
    return own[-1] if same else None


def _put(interventions: Sequence[Intervention], place: int, new: Intervention) -> tuple[Intervention, ...]:
    return (*interventions[:place], new, *interventions[place + 1 :])


def _part(record: Intervention, axes: Axes, own: Box, part: Box) -> Intervention:
    """Words for the change of a record to a part of its cells."""
    return record.changed(at=Record(_place(axes, part))).cut(indices.within(part, own))


def _place(axes: Axes, box: Box) -> dict[str, int | tuple[int, int]]:
    return {
        axis: cut.start if cut.stop - cut.start == 1 else (cut.start, cut.stop)
        for axis, cut in zip(axes, box, strict=True)
    }


# --- cells of a matrix that is given -----------------------------------------------------------------
def filled(array: Array, box: Box, values: Array) -> Array:
    """New numbers for a box of an array: values that broadcast to it."""
    return made(indices.shape_of(box), array.dtype, lambda new: np.copyto(new, values, casting="unsafe"))


def multiplied(array: Array, box: Box, factor: float) -> Array:
    """The numbers in a box of an array times a factor."""

    def write(new: Array) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            np.multiply(array[box], factor, out=new)

    return made(indices.shape_of(box), array.dtype, write)


def taken(array: Array, axes: Axes, box: Box, source: Mapping[str, int]) -> Array:
    """The numbers of another place of an array, for each cell of a box of it."""
    cuts = zip(axes[len(axes) - array.ndim :], box, strict=True)
    origin = tuple(slice(source[axis], source[axis] + 1) if axis in source else cut for axis, cut in cuts)
    return filled(array, box, array[origin])
