"""What a cell reaches, in a map: everything else steps back behind a veil, a line runs round what is reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor, QImage

from attn_gui.engine import Plane
from attn_gui.engine.indices import Box
from attn_gui.figure.tokens import Theme
from attn_gui.views.heatmaps.geometry import Span
from attn_gui.views.heatmaps.planes import PlaneLike

Area = tuple[slice, slice]
Flags = npt.NDArray[np.bool_]

OPACITY = {"light": 0.74, "dark": 0.72}
"""How much of what is not reached the ground covers."""

CUT_CELLS, CUT_AREAS = 1 << 18, 1 << 11
"""Behind a mask so many cells are looked at one by one, and so many areas are kept; above, the hatch has to do."""


def reached_areas(plane: PlaneLike | None, reach: Mapping[str, Sequence[Box]] | None) -> tuple[Area, ...] | None:
    """The cells of a map that are reached, closed ones left out; None where nothing is to be shown at all."""
    if plane is None or reach is None:
        return None
    name = plane.stage if isinstance(plane, Plane) else getattr(plane, "field", "")
    areas = tuple(area for box in reach.get(name, ()) if (area := plane.cells(box)) is not None)
    if isinstance(plane, Plane) and plane.stage in ("masked", "weights"):
        return tuple(part for area in areas for part in _open_parts(plane, area))
    return areas


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


def _open_parts(plane: Plane, area: Area) -> Iterator[Area]:
    """The open cells of an area as rectangles; the area itself where nothing closes cells, or they are too many."""
    rows, columns = (area[1], area[0]) if plane.transposed else area
    small = (rows.stop - rows.start) * (columns.stop - columns.start) <= CUT_CELLS
    allowed = plane.evaluation.allowed(plane.batch, plane.head or 0, rows, columns) if small else None
    parts = list(_rectangles(allowed)) if allowed is not None and not allowed.all() else None
    if parts is None or len(parts) > CUT_AREAS:
        yield area
        return
    for down, right in parts:
        moved = (slice(rows.start + down.start, rows.start + down.stop),
                 slice(columns.start + right.start, columns.start + right.stop))
        yield moved[::-1] if plane.transposed else moved


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
