"""The cache of tiles of a long problem: kept ones, which are drawn first, stopped and resumed, blanks filled in;
which share is there.

A map requests what it shows and gets the cells that are known; when `arrived` tells of more, it asks again. All of it
runs on the window's thread but `TileDrawing.run`, by which the pool draws what the maps look at; dirty parts are drawn
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from attn_gui.engine import Evaluation, Plane
from attn_gui.engine.arrays import Box
from attn_gui.engine.evaluation.pooling import block_edges
from attn_gui.pictures.planes import Block, FieldPlane, PlaneLike, Span
from attn_gui.pictures.tile import DirtyTiles, KnownCells, Tile, TilePlace, place_of
from attn_gui.pictures.worker_thread import Outcomes, WorkerThread, outcome_of

AT_ONCE = 1 << 23
"""Cells that an edit may have computed and read on the GUI thread: some milliseconds, in turns of their own."""

KEPT = 1 << 26  # bytes of kept tiles that are not looked at

OVERVIEW = 512  # blocks of each axis of a tile that says how large the numbers of a long map are


class TileRequest(NamedTuple):
    """The tiles that a map shows, its own first; a map that `leads` is a large one, others are thumbnails."""

    tiles: tuple[Tile, ...]
    leads: bool


class TileDrawing:
    """Draws the next part of a tile on a thread; `version` tells whether an edit has touched it meanwhile."""

    def __init__(self, tile: Tile, outcomes: Outcomes) -> None:
        self.tile, self._outcomes = tile, outcomes
        self.band, self.part = tile.next_part()
        self.version = int(tile.versions[self.band])

    def run(self) -> None:
        """Draw, on a thread of a pool."""
        self._outcomes.done.emit(self, outcome_of(partial(self.tile.drawn, self.part)))


def filled(found: KnownCells, coarser: Sequence[KnownCells]) -> KnownCells:
    """Return blocks with unknown ones filled from tiles of other sizes, best ones first."""
    values, allowed, known = found
    for more, opened, there in sorted(coarser, key=lambda seen: -1.0 if seen[2] is None else -float(seen[2].mean())):
        if known is None:
            break
        here = ~np.broadcast_to(known, values.shape) & (True if there is None else there)
        values = np.where(here, more, values)
        if opened is not None:
            allowed = np.where(here, opened, True if allowed is None else allowed)
        known = known | here
    return values, allowed, known


def unfinished(wanted: Iterable[Tile], requests: Sequence[TileRequest]) -> list[Tile]:
    """Return the requested tiles that are still to be drawn, most urgent first."""
    leading = {tile for request in requests if request.leads for tile in request.tiles[:1]}
    heads = {tile.place.head for tile in leading}
    drawn = {tile.place for tile in leading if tile.whole}
    waiting = [
        tile
        for tile in wanted
        if not (tile.done or tile.stopped or tile.held)
        and (tile in leading or not tile.whole or tile.place not in drawn)
    ]
    return sorted(
        waiting,
        key=lambda tile: (
            not tile.cheap,
            tile not in leading,
            tile.place.head not in heads,
            -tile.values.size if tile in leading else tile.cost,
        ),
    )


class TileCache(QObject):
    """Draws and keeps the tiles of one evaluation's planes, those that maps show first.

    A tile is drawn band by band on another thread; what an edit has touched, in turns of the window's.
    """

    arrived = Signal(object, object)  # Tile, slice of its rows that are new
    progressed = Signal(float)  # which share of what is looked at is drawn; 1 when nothing is left to do

    def __init__(self, evaluation: Evaluation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tiles: dict[tuple[object, ...], Tile] = {}  # those looked at last stand last
        self._requests: WeakKeyDictionary[object, TileRequest] = WeakKeyDictionary()
        self._asked: WeakKeyDictionary[object, list[Tile]] = WeakKeyDictionary()
        self._dirty = DirtyTiles()
        self._job: TileDrawing | None = None
        self._ended = False
        self._followed = False  # an edit just now, whose own numbers are painted first
        self._begun = 0  # steps that were left when there was nothing to do before
        self._thread = WorkerThread(self)
        self._outcomes = Outcomes()
        self._outcomes.done.connect(self._on_job_done)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._on_soon_timeout)
        evaluation.tiles = self

    # --- asking -----------------------------------------------------------------------------------
    def known_cells(
        self, owner: object, plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice, *, leads: bool
    ) -> KnownCells:
        """Return the known cells of some bins of a map; `arrived` is emitted when there are more."""
        if isinstance(plane, Plane) and plane.transposed:
            values, allowed, known = self.known_cells(
                owner, replace(plane, transposed=False), columns, rows, right, down, leads=leads
            )
            return values.T, None if allowed is None else allowed.T, None if known is None else known.T
        self._dirty.draw(place_of(plane))
        tiles = self._tiles_for(plane, rows, columns, leads)
        self._request(owner, TileRequest(tiles, leads))
        tile = tiles[0]
        edges = [span.cell_edges[bins.start : bins.stop + 1] for span, bins in ((rows, down), (columns, right))]
        found = tile.part(down, right) if tile.shape == (rows.bins, columns.bins) else tile.resampled(*edges)
        if found[2] is None:
            return found
        others = (other for other in self._of(tile.place) if other is not tile)
        return filled(found, [other.resampled(*edges, fresh=True) for other in others])

    def request_overview(self, owner: object, plane: PlaneLike) -> None:
        """Request only an overview of a plane whose cells are shown one by one, to know how large they are."""
        rows, columns = plane.shape
        if isinstance(plane, Plane) and plane.transposed:
            plane, rows, columns = replace(plane, transposed=False), columns, rows
        self._request(
            owner, TileRequest((self._whole(plane, min(rows, OVERVIEW), min(columns, OVERVIEW), False),), False)
        )

    def request_tile(self, owner: object, tile: Tile) -> Tile:
        """Request a tile beside those of the owner's map; return it, or an equal one that exists."""
        found = self._kept((type(tile).__name__, tile.place), lambda: tile)
        self._dirty.draw(found.place)
        asked = self._asked.setdefault(owner, [])
        if found not in asked:
            asked.append(found)
        if not found.done:
            self._wake()
        return found

    def _request(self, owner: object, request: TileRequest) -> None:
        self._requests[owner] = request
        if any(not (tile.done or tile.stopped) for tile in request.tiles):
            self._wake()

    def release(self, owner: object) -> None:
        """Release the tiles of an owner that no longer shows them."""
        self._requests.pop(owner, None)
        self._asked.pop(owner, None)

    def best_overview(self, plane: PlaneLike) -> Tile | None:
        """Return the tile of a whole plane of which most is known; None while nothing is."""
        self._dirty.draw(place_of(plane))
        found = [tile for tile in self._of(place_of(plane)) if tile.known.any()]
        return max(found, key=lambda tile: (tile.known.mean(), tile.values.size), default=None)

    # --- following --------------------------------------------------------------------------------
    def follow(self, boxes: Mapping[str, Sequence[Box]]) -> None:
        """Mark changed cells of stages and fields: a few are drawn in the next turns, others on the thread."""
        left, wanted = AT_ONCE, self._wanted()
        for tile in list(self._tiles.values()):
            for box in boxes.get(tile.name, ()):
                part = tile.touched(box)
                if part is None:
                    continue
                price = tile.price(*part) if tile in wanted and tile.fresh[part[0]].all() else left + 1
                if price > left:
                    tile.invalidate(part[0], seen=tile in wanted)
                else:
                    left -= price
                    tile.discard_drawing(part[0])
                    self._dirty.add(tile, *part)
        self._followed = True
        self._wake()

    def at_rest(self) -> None:
        """Let tiles be drawn that wait for rest after edits."""
        for tile in self._tiles.values():
            tile.held = False
        self._wake()

    def draw_anew(self, heads: Set[tuple[int, int]]) -> None:
        """Draw the tiles of some (batch, head) again, whose last digits may have changed; until then they stay."""
        items = {batch for batch, _ in heads}
        for tile in self._tiles.values():
            batch, head = tile.place.batch, tile.place.head
            reached = batch in items if head is None else (batch, head) in heads
            if reached and type(tile) is Tile and not tile.cheap:
                tile.mark_drifted()
        self._wake()

    # --- stopping ---------------------------------------------------------------------------------
    @property
    def busy(self) -> bool:
        """Whether any requested tile is still to be drawn."""
        return self.behind or self._job is not None or any(self._unfinished())

    @property
    def behind(self) -> bool:
        """Whether an edit has touched what is about to be drawn."""
        return bool(self._dirty)

    @property
    def stopped(self) -> bool:
        """Whether `stop` left a shown tile incomplete."""
        return any(tile.stopped and not tile.done for tile in self._wanted())

    def stop(self) -> None:
        """Stop drawing: known blocks stay, others are shown as not computed."""
        for tile in self._unfinished():
            tile.stopped = True
            tile.known &= tile.fresh
            self.arrived.emit(tile, slice(0, tile.shape[0]))
        self._report_progress()

    def resume(self) -> None:
        """Draw what `stop` left."""
        for tile in self._tiles.values():
            tile.stopped = False
        self._wake()

    def end(self) -> None:
        """Stop for good, as another evaluation comes or the window closes; deleted once no part is being drawn."""
        self._ended = True
        self._requests.clear()
        self._asked.clear()
        self._tiles.clear()
        self._dirty.clear()
        self._soon.stop()
        if self._job is None:
            self._leave()

    def _leave(self) -> None:
        """Go on without the thread: Qt would wait for it holding Python's lock, which the thread needs to end."""
        self.finish()
        self.deleteLater()

    def finish(self) -> None:
        """Wait for the part that is being drawn."""
        self._thread.waitForDone()

    # --- which tiles ------------------------------------------------------------------------------
    def _tiles_for(self, plane: PlaneLike, rows: Span, columns: Span, leads: bool) -> tuple[Tile, ...]:
        """Return the tile that a map shows; for part of a plane also one of all, for how large its numbers are."""
        if rows.whole and columns.whole:
            return (self._whole(plane, rows.bins, columns.bins, leads),)
        place, edges = place_of(plane), (rows.cell_edges, columns.cell_edges)
        window = self._kept((place, *(part.tobytes() for part in edges)), lambda: Tile(plane, *edges, whole=False))
        height, width = plane.shape
        return window, self._whole(plane, min(height, OVERVIEW), min(width, OVERVIEW), False)

    def _whole(self, plane: PlaneLike, rows: int, columns: int, exact: bool) -> Tile:
        place = place_of(plane)
        if not exact:
            larger = [tile for tile in self._of(place) if tile.shape[0] >= rows and tile.shape[1] >= columns]
            if larger:
                return max(larger, key=lambda tile: (tile.done, tile.values.size))
        edges = (block_edges(length, blocks) for length, blocks in zip(plane.shape, (rows, columns), strict=True))
        return self._kept((place, rows, columns), lambda: Tile(plane, *edges, whole=True))

    def _kept(self, key: tuple[object, ...], made: Callable[[], Tile]) -> Tile:
        """Return the tile with a key; those used longest ago make room for new ones."""
        if (tile := self._tiles.pop(key, None)) is not None:
            self._tiles[key] = tile
            return tile
        tile = self._tiles[key] = made()
        wanted, room = self._wanted() | {tile}, KEPT
        for other, old in reversed(list(self._tiles.items())):
            if old not in wanted:
                room -= old.bytes
                if room < 0 or not old.whole:
                    del self._tiles[other]
        return tile

    def _of(self, place: TilePlace) -> list[Tile]:
        """Return the tiles of a whole plane."""
        return [tile for tile in self._tiles.values() if tile.whole and tile.place == place]

    def _wanted(self) -> set[Tile]:
        shown = {tile for request in list(self._requests.values()) for tile in request.tiles}
        return shown.union(*list(self._asked.values()))

    def _unfinished(self) -> list[Tile]:
        """Return the tiles still to be drawn, most urgent first."""
        return unfinished(self._wanted(), list(self._requests.values()))

    # --- drawing ----------------------------------------------------------------------------------
    def _wake(self) -> None:
        if not self._ended:  # maps that do not show the next evaluation yet may still ask
            self._soon.start()

    def _on_soon_timeout(self) -> None:
        """Draw some of what an edit has touched, or begin with the next part."""
        if self._followed:
            self._followed = False
            self._soon.start()
        elif self._dirty:
            self._soon.start()
            self._dirty.draw_some()
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Draw the next part beside the window, once all that an edit has touched is drawn."""
        if self._job is not None or self._ended or self._dirty:
            return
        waiting = self._unfinished()
        self._report_progress(waiting)
        if waiting:
            self._job = TileDrawing(waiting[0], self._outcomes)
            self._thread.begin(self._job.run)

    def _on_job_done(self, job: TileDrawing, outcome: Future[Block]) -> None:
        self._job = None
        if self._ended:
            self._leave()
            return
        try:
            found = outcome.result()
        except Exception:
            job.tile.stopped = True
            self._go_on()
            raise
        tile, fresh = job.tile, job.version == job.tile.versions[job.band]
        new = fresh and not tile.shows(job.part, found)
        if fresh:
            tile.put(job.part, slice(0, tile.shape[1]), found)
        self._go_on()  # before the maps are drawn, so that the other threads go on
        if new:
            self.arrived.emit(tile, job.part)

    def _report_progress(self, waiting: Sequence[Tile] | None = None) -> None:
        left = sum(round(tile.cost * tile.share_left) for tile in waiting or self._unfinished())
        self._begun = max(self._begun, left) if left else 0
        self.progressed.emit(1 - left / self._begun if left else 1.0)


def tile_cache_of(plane: PlaneLike | None) -> TileCache | None:
    """Return the tile cache of a plane; None where maps read the plane itself."""
    found = plane.evaluation.tiles if isinstance(plane, Plane | FieldPlane) else None
    return found if isinstance(found, TileCache) else None


class TileListener(QObject):
    """Tells one map of newly known cells, and the tile cache when the map, the `owner`, is no longer looked at."""

    arrived = Signal(object, object)  # rows and columns of the plane as it is shown

    def __init__(self, parent: QObject, owner: object) -> None:
        super().__init__(parent)
        self._owner = owner
        self._plane: PlaneLike | None = None
        self._cache: TileCache | None = None

    def follow(self, plane: PlaneLike | None) -> None:
        """Listen to the tile cache of this plane instead of that of the one before."""
        cache = tile_cache_of(plane)
        self.leave()
        if cache is not self._cache:
            if self._cache is not None and isValid(self._cache):  # it goes with its evaluation
                self._cache.arrived.disconnect(self._on_tile_arrived)
            if cache is not None:
                cache.arrived.connect(self._on_tile_arrived)
        self._cache, self._plane = cache, plane

    def leave(self) -> bool:
        """Stop listening for a map that is hidden; return whether it has to ask again when it is shown."""
        if self._cache is not None:
            self._cache.release(self._owner)
        return self._cache is not None

    def _on_tile_arrived(self, tile: Tile, part: slice) -> None:
        if self._plane is None or tile.place != place_of(self._plane):
            return
        rows = slice(int(tile.row_edges[part.start]), int(tile.row_edges[part.stop]))
        columns = slice(int(tile.column_edges[0]), int(tile.column_edges[-1]))
        turned = isinstance(self._plane, Plane) and self._plane.transposed
        self.arrived.emit(*((columns, rows) if turned else (rows, columns)))
