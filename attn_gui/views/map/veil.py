"""Veil over a map: covers all but the cells that a cell reaches or comes from, with a line between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor, QImage

from attn_gui.engine import STAGE, Evaluation, Plane
from attn_gui.engine.arrays import Box
from attn_gui.engine.evaluation.dense import Spread
from attn_gui.figure.tokens import Theme
from attn_gui.pictures.geometry import Span
from attn_gui.pictures.planes import PlaneLike

Area = tuple[slice, slice]
Flags = npt.NDArray[np.bool_]

FORWARD, BACKWARD = "forward", "backward"
DIRECTIONS: Mapping[str, Callable[..., Spread[Any]]] = {FORWARD: Evaluation.forward, BACKWARD: Evaluation.backward}
"""Directions that can be shown of a cell: all that it reaches, or all that it comes from."""

OPACITY = {"light": 0.74, "dark": 0.72}
"""Share of the ground over cells that are not reached."""

CUT_CELLS, CUT_AREAS = 1 << 18, 1 << 11
"""So many cells of a map are looked at one by one, and so many areas are kept; above, whole rows have to do."""


@dataclass(frozen=True)
class Reach:
    """The cells that a cell of a stage or field reaches or comes from; `box` is its own."""

    name: str
    box: Box
    spread: Spread[Any]
    _known: dict[tuple[object, ...], Flags] = field(default_factory=dict, repr=False)

    def cells(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Flags:
        """Reached cells of a block; several maps show the same stage."""
        key = (stage, batch, head, rows.start, rows.stop, columns.start, columns.stop)
        if key not in self._known:
            self._known[key] = self.spread.cells(stage, batch, head, rows, columns)
        return self._known[key]


def reached_areas(plane: PlaneLike | None, reach: Reach | None) -> tuple[Area, ...] | None:
    """The cells of a map that are reached, closed ones left out; None where nothing is to be shown at all."""
    if plane is None or reach is None:
        return None
    if not isinstance(plane, Plane):
        parts = (plane.cells(box) for box in reach.spread.boxes(getattr(plane, "field", "")))
        return tuple(part for part in parts if part is not None)
    areas = (plane.cells(box) for box in reach.spread.boxes(plane.stage))
    return tuple(part for area in areas if area is not None for part in _exact(plane, area, reach))


def veil(rows: Span, columns: Span, areas: Sequence[Area], theme: Theme, thick: int) -> QImage:
    """A picture as large as the cells: clear where they are reached, veiled elsewhere, with a line between."""
    bins = np.zeros((rows.bins, columns.bins), bool)
    for down, right in areas:
        bins[rows.bins_of(down), columns.bins_of(right)] = True
    clear = np.repeat(np.repeat(bins, rows.sizes(slice(0, rows.bins)), 0), columns.sizes(slice(0, columns.bins)), 1)
    strength = OPACITY[theme.name]
    pixels = np.where(clear, 0, _premultiplied(theme.surface, strength)).astype(np.uint32)
    pixels[_around(clear, thick)] = _premultiplied(theme.ink, 1.0)
    height, width = pixels.shape
    image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    return image.copy()  # it owns its pixels


def _exact(plane: Plane, area: Area, reach: Reach) -> Iterator[Area]:
    """The reached cells of an area as rectangles; the area itself where they are too many."""
    rows, columns = (area[1], area[0]) if plane.transposed else area
    flags = _reached_cells(plane, rows, columns, reach)
    parts = list(_rectangles(flags)) if flags is not None and not flags.all() else None
    if parts is None or len(parts) > CUT_AREAS:
        yield area
        return
    rowwise = flags is not None and flags.shape[1] == 1
    for down, right in parts:
        across = columns if rowwise else slice(columns.start + right.start, columns.start + right.stop)
        moved = slice(rows.start + down.start, rows.start + down.stop), across
        yield moved[::-1] if plane.transposed else moved


def _reached_cells(plane: Plane, rows: slice, columns: slice, reach: Reach) -> Flags | None:
    """Reached cells of an area; of a large one reached rows, as one column; None where not even that is known
    at once."""
    place = plane.batch, plane.head
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if height * width <= CUT_CELLS:
        return reach.cells(plane.stage, *place, rows, columns)
    if STAGE[plane.stage].square and plane.signed:
        return None
    stage = plane.evaluation.latest("mixed") if not plane.signed else plane.stage
    first = 0 if stage != plane.stage else columns.start
    return reach.cells(stage, *place, rows, slice(first, first + 1))


def _rectangles(flags: Flags) -> Iterator[Area]:
    """Rectangles that together hold the True cells: equal rows that follow one another are taken together."""
    starts = np.flatnonzero(np.r_[True, (flags[1:] != flags[:-1]).any(axis=1)])
    edges = np.diff(np.pad(flags[starts].astype(np.int8), ((0, 0), (1, 1))), axis=1)
    kinds, columns = np.nonzero(edges)  # in order: where a run begins, where it ends, the next one
    stops = [*starts[1:].tolist(), len(flags)]
    runs = zip(kinds[::2].tolist(), columns[::2].tolist(), columns[1::2].tolist(), strict=True)
    for kind, left, right in runs:
        yield slice(int(starts[kind]), stops[kind]), slice(left, right)


def _around(clear: Flags, thick: int) -> Flags:
    """The pixels just outside of what is clear."""
    grown = clear
    for _ in range(thick):
        wide = np.pad(grown, 1)
        grown = wide[1:-1, 1:-1] | wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
        grown |= wide[:-2, :-2] | wide[:-2, 2:] | wide[2:, :-2] | wide[2:, 2:]
    return grown & ~clear


def _premultiplied(color: QColor, strength: float) -> int:
    red, green, blue = (round(part * strength) for part in (color.red(), color.green(), color.blue()))
    return round(255 * strength) << 24 | red << 16 | green << 8 | blue
