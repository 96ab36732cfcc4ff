"""Places of a table's rows and columns in an array that has more axes, or fewer."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer

Cuts = tuple[slice, slice]


def leading(field: str, shape: tuple[int, ...], item: int = 0, head: int = 0) -> tuple[int, ...]:
    """The index of the axes before rows and columns: (item,) of a batched matrix, (item, head) or (head,) of maps."""
    axes = shape[:-2]
    if Intervention.position_of(field) is not None:
        return (0,) * len(axes)  # counted from where its cells begin
    wanted = (item, head) if has_maps(field) else (item,)
    places = zip(axes, wanted[len(wanted) - len(axes) :], strict=True)
    return tuple(0 if length == 1 else place for length, place in places)


def has_maps(field: str) -> bool:
    """Whether an array may have a matrix for every head: of a mask, and of given weights."""
    return field == GIVEN or Layer.position_of(field) is not None


def shown_part(field: str, array: Array, item: int, head: int) -> Array | None:
    """The part of an array that a table shows: a vector, or the matrix of an item and a head; None once it is gone."""
    if array.ndim < 3:
        return array
    index = leading(field, array.shape, item, head)
    inside = all(place < length for place, length in zip(index, array.shape[:-2], strict=True))
    return np.asarray(array[index]) if inside else None


def table_box(field: str, shape: tuple[int, ...], rows: slice, columns: slice, item: int = 0, head: int = 0) -> Box:
    """The rectangle of a table as a box in the array's own axes; a vector is a table of one row."""
    if len(shape) == 1:
        return (columns,)
    return (*(slice(place, place + 1) for place in leading(field, shape, item, head)), rows, columns)


def table_cells(field: str, shape: tuple[int, ...], box: Box, item: int = 0, head: int = 0) -> Cuts | None:
    """The rectangle of a table that shows a box of the array; None if it shows another item or head."""
    if len(shape) == 1:
        return slice(0, 1), box[0]
    places = zip(leading(field, shape, item, head), box[:-2], strict=True)
    return (box[-2], box[-1]) if all(cut.start <= place < cut.stop for place, cut in places) else None
