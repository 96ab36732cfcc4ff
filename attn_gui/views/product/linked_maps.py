"""Links of the maps of a picture: zoomed, moved or scrolled, all of them show the same rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QScrollBar, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.pictures.geometry import Window
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.theme import scaled

STAGE_PLACE = "stage"
ROWS_OF_STAGE = ("left", "result")
COLUMNS_OF = {"top": STAGE_PLACE, "factor": "result"}
FINE = 100
"""Steps of a scroll bar in a cell: a zoomed map stands between cells."""


class LinkedMaps(QObject):
    """Row i of the stage is row i of its neighbours, column j column j; two scroll bars where not everything fits."""

    moved = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._maps: Mapping[str, Heatmap] = {}
        sides = (Qt.Orientation.Vertical, Qt.Orientation.Horizontal)
        self.scroll_bars = {side: QScrollBar(side, parent) for side in sides}
        for side, bar in self.scroll_bars.items():
            bar.hide()
            bar.setSingleStep(FINE)
            bar.valueChanged.connect(lambda value, along=side: self._on_bar_value_changed(along, value))

    def link(self, maps: Mapping[str, Heatmap], rows: float, columns: float) -> None:
        """Link these maps by their places; the stage has so many rows and columns in view at first."""
        self.part()
        self._maps = maps
        for place, heatmap in maps.items():
            own_rows, own_columns = heatmap.shape
            height = rows if place == STAGE_PLACE or place in ROWS_OF_STAGE else own_rows
            width = columns if place == STAGE_PLACE or COLUMNS_OF.get(place) == STAGE_PLACE else own_columns
            partial = height < own_rows or width < own_columns
            heatmap.box.set_home((0.0, float(height), 0.0, float(width)) if partial else None)
        for place, heatmap in maps.items():
            if place in ROWS_OF_STAGE:
                heatmap.box.setYLink(maps[STAGE_PLACE].box)
            if COLUMNS_OF.get(place) in maps:
                heatmap.box.setXLink(maps[COLUMNS_OF[place]].box)
            heatmap.box.changed.connect(self._on_box_changed)
        self._on_box_changed()

    def part(self) -> None:
        """Let the maps go, while they take other matrices one by one."""
        for heatmap in self._maps.values():
            heatmap.box.changed.disconnect(self._on_box_changed)
        unlink(heatmap for place, heatmap in self._maps.items() if place != STAGE_PLACE)
        self._maps = {}

    def _on_box_changed(self, _window: Window | None = None) -> None:
        self._show_scroll_bars()
        self.moved.emit()

    def place_scroll_bars(self, stage: QRect, last: QRect) -> None:
        """Below the cells of the stage, and right of the last map beside it."""
        for side, bar in self.scroll_bars.items():
            thick = bar.sizeHint().width() if side == Qt.Orientation.Vertical else bar.sizeHint().height()
            if side == Qt.Orientation.Vertical:
                bar.setGeometry(last.right() + scaled(SPACING.m), stage.top(), thick, stage.height())
            else:
                bar.setGeometry(stage.left(), stage.bottom() + 2, stage.width(), min(thick, scaled(SPACING.m)))

    def _show_scroll_bars(self) -> None:
        stage = self._maps[STAGE_PLACE]
        top, bottom, left, right = stage.box.in_view
        for side, count, low, high in (
            (Qt.Orientation.Vertical, stage.shape[0], top, bottom),
            (Qt.Orientation.Horizontal, stage.shape[1], left, right),
        ):
            bar = self.scroll_bars[side]
            with QSignalBlocker(bar):
                bar.setRange(0, round((count - (high - low)) * FINE))
                bar.setPageStep(round((high - low) * FINE))
                bar.setValue(round(low * FINE))
            bar.setVisible(high - low < count)

    def _on_bar_value_changed(self, along: Qt.Orientation, value: int) -> None:
        box, low = self._maps[STAGE_PLACE].box, value / FINE
        top, bottom, left, right = box.in_view
        if along == Qt.Orientation.Vertical:
            box.set_window((low, low + bottom - top, left, right))
        else:
            box.set_window((top, bottom, low, low + right - left))


def link_shapes(maps: Sequence[Heatmap]) -> None:
    """Show the same rows and columns in maps of one shape, those that nobody looks at included."""
    for heatmap in maps[1:]:
        heatmap.box.setXLink(maps[0].box)
        heatmap.box.setYLink(maps[0].box)


def unlink(maps: Iterable[Heatmap]) -> None:
    """Let maps go that were linked to others."""
    for heatmap in maps:
        heatmap.box.setXLink(None)
        heatmap.box.setYLink(None)
