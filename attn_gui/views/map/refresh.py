"""Translates the boxes that an edit recomputed into the rectangles that a map redraws and outlines."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.arrays import Box
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.thumbnail import Thumbnail

MOST_OUTLINES = 4

COUNTED_CELLS = 20_000
"""The legend of a map of so many cells follows every edit; that of a larger one waits for rest."""


def refresh_map(heatmap: Heatmap | Thumbnail, boxes: Sequence[Box]) -> bool:
    """Redraw the parts of the boxes that the map shows and outline them; whether there are any."""
    plane = heatmap.plane
    if plane is None:
        return False
    areas = [area for box in boxes if (area := plane.cells(box)) is not None]
    for rows, columns in areas:
        heatmap.refresh(rows, columns)
    if len(areas) > MOST_OUTLINES:
        areas = [(_around([rows for rows, _ in areas]), _around([columns for _, columns in areas]))]
    if areas:
        heatmap.overlay.flash(areas)
    return bool(areas)


def _around(cuts: Sequence[slice]) -> slice:
    return slice(min(cut.start for cut in cuts), max(cut.stop for cut in cuts))
