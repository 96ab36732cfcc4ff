"""When the mean entropies of all heads are measured: at once, when the window is idle, or on a thread.

Those of a long problem are measured on another thread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from attn_gui.engine import Plane
from attn_gui.engine.evaluation.evaluation import BLIND, row_entropy
from attn_gui.pictures.tile import EntropyTile, Tile
from attn_gui.pictures.tile_cache import TileCache, tile_cache_of

AT_ONCE = 1 << 16  # cells that are measured without giving way to anything else

LONGEST = 1 << 25  # cells of the largest map that is measured at all


class HeadEntropies(QObject):
    """The mean entropy over the rows of each head; `measured` is emitted for a head whose mean is known again."""

    measured = Signal(int)  # a head

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._planes: tuple[Plane, ...] = ()
        self._cache: TileCache | None = None
        self._tiles: list[Tile] = []  # of a long problem
        self._rows = np.zeros((0, 0))
        self._waiting: dict[int, list[slice]] = {}
        self._idle = QTimer(self, singleShot=False, interval=0)
        self._idle.timeout.connect(self._on_idle_timeout)

    def set_planes(self, planes: Sequence[Plane]) -> None:
        """Measure the weights of these heads."""
        self._idle.stop()
        self._planes, self._waiting = tuple(planes), {}
        if self._follow_cache(tile_cache_of(planes[0]) if planes else None):
            return
        rows = planes[0].shape[0] if planes else 0
        self._rows = np.zeros((len(planes), rows))
        for head in range(len(planes)):
            self.follow(head, slice(0, rows))
        self.go_on()

    def _follow_cache(self, cache: TileCache | None) -> bool:
        """Have the rows of a long problem measured on another thread; return False for other problems."""
        if self._cache is not None:
            self._cache.release(self)
            if isValid(self._cache):  # it goes with its evaluation
                self._cache.arrived.disconnect(self._on_tile_arrived)
        self._cache, self._tiles = cache, []
        if cache is None:
            return False
        cache.arrived.connect(self._on_tile_arrived)
        if math.prod(self._planes[0].shape) <= LONGEST:
            self._tiles = [cache.request_tile(self, EntropyTile(plane)) for plane in self._planes]
        return True

    def _on_tile_arrived(self, tile: Tile, _rows: slice) -> None:
        if tile in self._tiles and tile.done:
            self.measured.emit(self._tiles.index(tile))

    def follow(self, head: int, rows: slice) -> None:
        """Take new weights of these rows; where they are many they wait for `go_on`, with what already waits."""
        if self._cache is not None:
            if self._tiles and self._tiles[head].done:
                self.measured.emit(head)
            return
        self._idle.stop()
        height, width = self._planes[head].shape
        if height * width > LONGEST:
            return
        if head not in self._waiting and (rows.stop - rows.start) * width <= AT_ONCE:
            self._measure(head, rows)
            self.measured.emit(head)
        else:
            self._waiting[head] = _added(self._waiting.get(head, []), rows)

    def go_on(self) -> None:
        """Measure what waits, once edits are at rest."""
        if self._cache is not None:
            self._cache.at_rest()
        elif self._waiting:
            self._idle.start()

    def mean(self, head: int) -> float | None:
        """Return the mean in nats; NaN if a row has no entropy, None while it is not known."""
        height, width = self._planes[head].shape
        if self._cache is not None:
            if not self._tiles or not self._tiles[head].done:
                return None
            own = self._tiles[head].values[:, 0]
        elif head in self._waiting or height * width > LONGEST:
            return None
        else:
            own = self._rows[head]
        counted = own[own != BLIND]
        return float(counted.mean()) if counted.size else 0.0

    def _on_idle_timeout(self) -> None:
        head, parts = next(iter(self._waiting.items()))
        part = parts.pop()
        step = max(1, AT_ONCE // max(1, self._planes[head].shape[1]))
        self._measure(head, slice(part.start, min(part.start + step, part.stop)))
        if part.start + step < part.stop:
            parts.append(slice(part.start + step, part.stop))
        if not parts:
            del self._waiting[head]
            if not self._waiting:
                self._idle.stop()
            self.measured.emit(head)

    def _measure(self, head: int, rows: slice) -> None:
        plane = self._planes[head]
        weights, _ = plane.block(rows, slice(0, plane.shape[1]))
        self._rows[head, rows] = np.where((weights != 0).any(axis=-1), row_entropy(weights), BLIND)


def _added(parts: list[slice], rows: slice) -> list[slice]:
    """Return disjoint parts that together hold the old ones and the new rows."""
    apart = [part for part in parts if part.stop < rows.start or rows.stop < part.start]
    touching = [part for part in parts if part not in apart]
    return [
        *apart,
        slice(
            min([rows.start, *(part.start for part in touching)]), max([rows.stop, *(part.stop for part in touching)])
        ),
    ]
