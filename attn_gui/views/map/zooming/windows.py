"""Keeps the maps of a picture on the same rows and columns while one of them is zoomed, moved or scrolled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QScrollBar, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.pictures.geometry import Window
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.theme import scaled

STAGE = "stage"
ROWS_TOGETHER = ("left", STAGE, "result")
COLUMNS_TOGETHER = (("top", STAGE), ("factor", "result"))
FINE = 100
"""Steps of a scroll bar in a cell: a zoomed map stands between cells."""


class JoinedWindows(QObject):
    """Row i of the stage is row i of its neighbours, column j column j; two scroll bars where not everything fits."""

    moved = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._maps: Mapping[str, Heatmap] = {}
        self._joining = False
        sides = (Qt.Orientation.Vertical, Qt.Orientation.Horizontal)
        self.scroll_bars = {side: QScrollBar(side, parent) for side in sides}
        for side, bar in self.scroll_bars.items():
            bar.hide()
            bar.setSingleStep(FINE)
            bar.valueChanged.connect(lambda value, along=side: self._on_bar_value_changed(along, value))

    def join(self, maps: Mapping[str, Heatmap], rows: float, columns: float) -> None:
        """Hold these maps together, of which the stage has so many rows and columns in view at first."""
        self.part()
        self._maps = maps
        for heatmap in maps.values():
            heatmap.extent.changed.connect(self._on_window_changed)
        self._joining = True
        for place, heatmap in maps.items():
            own_rows, own_columns = heatmap.shape
            height = rows if place in ROWS_TOGETHER else own_rows
            width = columns if place in COLUMNS_TOGETHER[0] else own_columns
            partial = height < own_rows or width < own_columns
            heatmap.extent.set_home((0.0, float(height), 0.0, float(width)) if partial else None)
        self._joining = False
        self._follow(STAGE)

    def part(self) -> None:
        """Let the maps go, while they take other matrices one by one."""
        for heatmap in self._maps.values():
            heatmap.extent.changed.disconnect(self._on_window_changed)
        self._maps = {}

    def _on_window_changed(self, _window: Window) -> None:
        if not self._joining:
            self._follow(next(place for place, heatmap in self._maps.items() if heatmap.extent is self.sender()))

    def _follow(self, place: str) -> None:
        """Bring the neighbours to the rows and columns of the map that moved."""
        self._joining = True
        top, bottom, left, right = self._maps[place].extent.window
        for name in ROWS_TOGETHER if place in ROWS_TOGETHER else ():
            if name in self._maps:
                self._maps[name].extent.set_window((top, bottom, *self._maps[name].extent.window[2:]))
        for pair in COLUMNS_TOGETHER:
            for name in pair if place in pair else ():
                if name in self._maps:
                    self._maps[name].extent.set_window((*self._maps[name].extent.window[:2], left, right))
        self._joining = False
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
        stage = self._maps[STAGE]
        top, bottom, left, right = stage.extent.window
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
        stage, low = self._maps[STAGE], value / FINE
        top, bottom, left, right = stage.extent.window
        if along == Qt.Orientation.Vertical:
            stage.extent.set_window((low, low + bottom - top, left, right))
        else:
            stage.extent.set_window((top, bottom, low, low + right - left))


class SharedWindow(QObject):
    """Shows the same rows and columns in several maps of one shape: what one of them zooms to, all do."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._maps: Sequence[Heatmap] = ()
        self._following = False

    def join(self, maps: Sequence[Heatmap]) -> None:
        """Hold these maps together; those before are let go."""
        for heatmap in self._maps:
            heatmap.extent.changed.disconnect(self._on_window_changed)
        self._maps = maps
        for heatmap in maps:
            heatmap.extent.changed.connect(self._on_window_changed)

    def _on_window_changed(self, window: Window) -> None:
        if self._following:
            return
        self._following = True
        for heatmap in self._maps:
            heatmap.extent.set_window(window)
        self._following = False
