"""A tile of a long map: its bands in order, parts made stale or dirty by an edit, 2 ms turns; entropies, samples."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attn_gui.engine import STAGE, Plane
from attn_gui.engine.arrays import Box
from attn_gui.engine.evaluation.pooling import block_edges, joined, pool_blocks
from attn_gui.pictures import planes
from attn_gui.pictures.planes import Allowed, Block, Edges, FieldPlane, PlaneLike, Values, pooled

BAND = 3 << 25  # cells of maps that are computed for one band: some tenths of a second of work


KnownCells = tuple[Values, Allowed | None, Allowed | None]
"""Values, which are allowed, and which are known; None where all are."""

SLICE = 0.002  # seconds of drawing, after which the window may paint and answer before the rest is drawn


class TilePlace(NamedTuple):
    """The matrix of a tile; `name` is that of a stage or field."""

    name: str
    batch: int
    head: int | None


def place_of(plane: PlaneLike) -> TilePlace:
    """Return the matrix of a plane, transposed or not."""
    if isinstance(plane, Plane):
        return TilePlace(plane.stage, plane.batch, plane.head)
    assert isinstance(plane, FieldPlane)
    return TilePlace(plane.field, plane.batch, plane.head)


class Tile:
    """A plane pooled into blocks with given edges.

    In the words of the diagram, a row of blocks is unknown until it is `known`, stale while it is `known` and not
    `fresh`, drifted where it is `fresh` but for last digits; which parts are dirty stands in `DirtyTiles`. `whole`
    tiles are pooled from what the evaluation keeps for them. Drawing of a `stopped` tile has ended early; a `held` one
    waits until edits are at rest.
    """

    def __init__(self, plane: PlaneLike, row_edges: Edges, column_edges: Edges, *, whole: bool) -> None:
        self.plane, self.place, self.whole = plane, place_of(plane), whole
        self.row_edges, self.column_edges = row_edges, column_edges
        self.shape = len(row_edges) - 1, len(column_edges) - 1
        self.values: Values = np.zeros(self.shape, np.float32)
        self.allowed: Allowed | None = None
        self.known, self.fresh = np.zeros(self.shape[0], bool), np.zeros(self.shape[0], bool)
        self.drifted = np.zeros(self.shape[0], bool)  # fresh but for last digits, so that edits need not wait for them
        self.stopped = self.held = False
        self.cost = _row_cost(plane) * max(1, int(row_edges[-1] - row_edges[0]))
        self.bands = block_edges(self.shape[0], -(-self.cost // BAND))
        self.versions = np.zeros(len(self.bands) - 1, int)

    @property
    def name(self) -> str:
        """The stage or field whose changes make the tile stale."""
        return self.place.name

    @property
    def bytes(self) -> int:
        return self.values.nbytes + (self.allowed.nbytes if self.allowed is not None else 0)

    @property
    def cheap(self) -> bool:
        """Whether no map has to be computed for it."""
        return self.cost <= 1 << 26 and _row_cost(self.plane) == self.plane.shape[1]

    # --- on another thread ------------------------------------------------------------------------
    def drawn(self, down: slice, right: slice | None = None) -> Block:
        """Return the present numbers of some blocks."""
        right = right or slice(0, self.shape[1])
        plane, rows = self.plane, self.row_edges[down.start : down.stop + 1]
        if isinstance(plane, Plane) and self.whole:
            return plane.pooled(*self.shape, (down, right))
        columns = self.column_edges[right.start : right.stop + 1]
        if isinstance(plane, Plane) and plane.draws_pictures:
            found = plane.evaluation.pooled_at(plane.stage, plane.batch, plane.head or 0, rows, columns)
            if found is not None:
                return found
        return pooled(plane, rows, columns)

    # --- what is there ----------------------------------------------------------------------------
    @property
    def done(self) -> bool:
        return bool(self.fresh.all()) and not self.drifted.any()

    @property
    def share_left(self) -> float:
        """The share that is still to be drawn."""
        return float((~self.fresh | self.drifted).mean())

    def next_part(self) -> tuple[int, slice]:
        """Return the next (band, blocks) to draw: bands far apart first, then those between them."""
        for band in spread(len(self.versions)):
            low, high = int(self.bands[band]), int(self.bands[band + 1])
            stale = np.flatnonzero(~self.fresh[low:high] | self.drifted[low:high])
            if stale.size:
                return band, slice(low + int(stale[0]), low + int(stale[-1]) + 1)
        raise ValueError("everything is drawn")

    def shows(self, down: slice, found: Block) -> bool:
        """Return whether these rows of blocks hold exactly these numbers already."""
        values, allowed = found
        if not self.known[down].all() or not np.array_equal(self.values[down], values, equal_nan=True):
            return False
        return allowed is None or (self.allowed is not None and np.array_equal(self.allowed[down], allowed))

    def put(self, down: slice, right: slice, found: Block) -> None:
        """Write numbers of blocks; whole rows of blocks become known."""
        values, allowed = found
        if self.values.dtype != values.dtype:
            self.values = self.values.astype(values.dtype)
        if allowed is not None and self.allowed is None:
            self.allowed = np.ones(self.shape, bool)
        self.values[down, right] = values
        if self.allowed is not None and allowed is not None:
            self.allowed[down, right] = allowed
        if right == slice(0, self.shape[1]):
            self.known[down] = self.fresh[down] = True
            self.drifted[down] = False

    def part(self, down: slice, right: slice) -> KnownCells:
        """Return some blocks as they are."""
        known = self.known[down]
        return (
            self.values[down, right],
            None if self.allowed is None else self.allowed[down, right],
            None if known.all() else np.broadcast_to(known[:, None], (len(known), right.stop - right.start)),
        )

    def resampled(self, rows: Edges, columns: Edges, *, fresh: bool = False) -> KnownCells:
        """Return blocks with other edges, from the largest number of the blocks here that each overlaps.

        The same edges give the tile itself. `fresh`: only what no edit has touched.
        """
        (down, pools_rows), (right, pools_columns) = _onto(self.row_edges, rows), _onto(self.column_edges, columns)
        known = self._known_rows(self.fresh if fresh else self.known, down, pools_rows, rows)[:, None]
        if columns[0] < self.column_edges[0] or columns[-1] > self.column_edges[-1]:
            middle = (columns[:-1] >= self.column_edges[0]) & (columns[1:] <= self.column_edges[-1])
            known = known & middle
        (cut, row_edges), (across, column_edges) = _read_along(down, pools_rows), _read_along(right, pools_columns)
        values, allowed = self.values[cut][:, across], None if self.allowed is None else self.allowed[cut][:, across]
        values, allowed = pool_blocks(values, allowed, row_edges, column_edges)
        return values, allowed, None if known.all() else known

    def part_known(self) -> Block:
        """Return (values, allowed) of the rows that are known."""
        if self.known.all():
            return self.values, self.allowed
        return self.values[self.known], None if self.allowed is None else self.allowed[self.known]

    def _known_rows(self, known: Allowed, down: Edges, pools: bool, rows: Edges) -> Allowed:
        found = np.logical_and.reduceat(known[: down[-1]], down[:-1]) if pools else known[down[:-1]]
        return np.asarray(found & (rows[:-1] >= self.row_edges[0]) & (rows[1:] <= self.row_edges[-1]))

    # --- edits ------------------------------------------------------------------------------------
    def touched(self, box: Box) -> tuple[slice, slice] | None:
        """Return the blocks that a box of the stage or field overlaps."""
        part = self.plane.cells(box)
        if part is None:
            return None
        down, right = _blocks(self.row_edges, part[0]), _blocks(self.column_edges, part[1])
        return (down, right) if down.stop > down.start and right.stop > right.start else None

    def price(self, down: slice, right: slice) -> int:
        """Return how many cells drawing some blocks computes and reads."""
        plane, rows = self.plane, slice(int(self.row_edges[down.start]), int(self.row_edges[down.stop]))
        columns = int(self.column_edges[right.stop] - self.column_edges[right.start])
        if not isinstance(plane, Plane) or not plane.draws_pictures:
            return (rows.stop - rows.start) * columns
        mine = plane.stage, plane.batch, plane.head
        lacking = plane.evaluation.lacking(*mine, rows, self.shape[1] if self.whole else 0)
        if not plane.evaluation.is_map(plane.stage):
            return lacking + (rows.stop - rows.start) * columns
        return lacking + (rows.stop - rows.start) * ((right.stop - right.start) if self.whole else 2 * columns)

    def invalidate(self, down: slice, *, seen: bool = True) -> None:
        """Mark rows of blocks to be drawn again; old numbers stay on show until then, where they were `seen`."""
        self.fresh[down] = False
        if not seen:
            self.known[down] = False
        self.discard_drawing(down)

    def mark_drifted(self) -> None:
        """Mark fresh rows as ones whose last digits may have changed."""
        self.drifted[:] = self.fresh
        self.discard_drawing(slice(0, self.shape[0]))

    def discard_drawing(self, down: slice) -> None:
        """Drop drawings of these rows of blocks that are under way, since they come too late."""
        first = int(self.bands.searchsorted(down.start, "right")) - 1
        self.versions[first : int(self.bands.searchsorted(down.stop, "left"))] += 1


class EntropyTile(Tile):
    """The entropy of every row of a head's weights, as one column."""

    def __init__(self, plane: Plane) -> None:
        rows = plane.shape[0]
        super().__init__(plane, np.arange(rows + 1), np.array([0, plane.shape[1]]), whole=True)
        self.place = TilePlace("entropy", plane.batch, plane.head)
        self._stage = plane.stage

    @property
    def name(self) -> str:
        return self._stage

    def drawn(self, down: slice, right: slice | None = None) -> Block:
        assert isinstance(self.plane, Plane)
        found = self.plane.evaluation.entropies(self.plane.batch, self.plane.head or 0, down)
        return found[:, None], None

    def price(self, down: slice, right: slice) -> int:
        return super().price(down, right) + int(down.stop - down.start) * self.plane.shape[1]

    def invalidate(self, down: slice, *, seen: bool = True) -> None:
        super().invalidate(down, seen=seen)
        self.held = True  # a number that one glances at: maps come first


class SampledTile(Tile):
    """Rows of a plane at equal distances, cell by cell: a sample from which its levels are estimated."""

    def __init__(self, plane: PlaneLike) -> None:
        rows, columns = plane.shape
        step = -(-rows * columns // planes.AT_ONCE)
        super().__init__(plane, np.append(np.arange(0, rows, step), rows), np.arange(columns + 1), whole=False)

    def drawn(self, down: slice, right: slice | None = None) -> Block:
        starts = self.row_edges[down].tolist()
        return joined([self.plane.block(slice(row, row + 1), slice(0, self.shape[1])) for row in starts])


def spread(count: int) -> npt.NDArray[Any]:
    """Return 0 … count − 1 so that each is far from those before it: halves, then quarters, then eighths."""
    bits = max(1, (count - 1).bit_length())
    numbers = np.arange(1 << bits)
    turned = np.zeros_like(numbers)
    for bit in range(bits):
        turned |= (numbers >> bit & 1) << (bits - 1 - bit)
    return turned[turned < count]


def _row_cost(plane: PlaneLike) -> int:
    """Return how many cells a row of a plane costs: those of the maps it is computed from, or its own."""
    if not isinstance(plane, Plane) or not plane.draws_pictures:
        return plane.shape[1]
    problem = plane.evaluation.problem
    if plane.evaluation.is_map(plane.stage):
        return int(problem.m) * (2 if STAGE[plane.stage].shares else 1)
    if STAGE[plane.stage].settable and not STAGE[plane.stage].square:
        return int(problem.m) * (1 if STAGE[plane.stage].per_head else problem.num_heads)
    return plane.shape[1]


def _onto(here: Edges, there: Edges) -> tuple[Edges, bool]:
    """Return the edges of blocks among existing ones, where the last ends, and whether each is made of whole ones.

    `here` 0 2 4 6 and `there` 2 6 give 1 3: one block, of the existing ones 1 and 2.
    """
    found = np.append(here.searchsorted(there[:-1], "right") - 1, here.searchsorted(there[-1], "left"))
    if there[0] < here[0] or there[-1] > here[-1]:
        found = np.append(np.clip(found[:-1], 0, len(here) - 2), np.clip(found[-1], 1, len(here) - 1))
    return found, bool((found[1:] > found[:-1]).all())


def _read_along(edges: Edges, pools: bool) -> tuple[slice | Edges, Edges]:
    """Return which existing blocks to read along an axis, and the edges of the wanted blocks among them."""
    if pools:
        return slice(int(edges[0]), int(edges[-1])), edges - edges[0]
    return edges[:-1], np.arange(len(edges))


def _blocks(edges: Edges, cells: slice) -> slice:
    """Return the blocks that hold any of these cells."""
    first = max(0, int(edges.searchsorted(cells.start, "right")) - 1)
    last = int(edges.searchsorted(cells.stop, "left"))
    return slice(first, min(len(edges) - 1, last))


Part = tuple[Tile, slice, slice]


class DirtyTiles:
    """Parts of tiles that an edit has touched and that still show the numbers before it.

    They are drawn on the window's thread, with the numbers of that moment.
    """

    def __init__(self) -> None:
        self._parts: dict[TilePlace, list[Part]] = {}

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, tile: Tile, down: slice, right: slice) -> None:
        """Add rows and columns of blocks of a tile."""
        self._parts.setdefault(tile.place, []).append((tile, down, right))

    def draw(self, place: TilePlace) -> None:
        """Draw all parts of a matrix, since it is looked at."""
        for tile, down, right in self._parts.pop(place, ()):
            tile.put(down, right, tile.drawn(down, right))

    def draw_some(self) -> None:
        """Draw the parts of one matrix, and of others until the time is up."""
        end = time.perf_counter() + SLICE
        while self._parts:
            self.draw(next(iter(self._parts)))
            if time.perf_counter() >= end:
                break

    def clear(self) -> None:
        """Forget all parts, as their tiles are gone."""
        self._parts.clear()
