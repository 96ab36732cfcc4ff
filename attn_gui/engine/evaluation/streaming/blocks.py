"""The largest and the smallest number of every few keys, row by row: what a picture of a map is made of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.pooling import reduced
from attn_gui.engine.evaluation.streaming.edits.versions import Versions

from .threads import carry_out

STEP, AT_ONCE = 128, 1 << 18  # rows that are computed together, and cells of their map that a thread holds
FEW = 32  # an edit of so small a part of the map is followed at once, of a larger one row by row when it is asked for


class Blocks:
    """Extremes of one stage of one head: `high` and `low` (rows, blocks) over open cells, `open` where there is one.

    `part` are the rows of the map that stand here, counted from `first` on; `across` is where blocks of keys begin and
    end. `read(rows, keys)` gives (values, allowed) with keys as rows. Rows are computed when they are asked for, or by
    `complete` from another thread; `forget` follows edits.
    """

    def __init__(
        self,
        part: slice,
        across: Array,
        dtype: np.dtype[np.generic],
        masked: bool,
        versions: Versions,
        read: Callable[[slice, slice], tuple[Array, Array | None]],
    ) -> None:
        self.first, self.edges = part.start, across
        rows = part.stop - part.start
        shape = (rows, len(self.edges) - 1)
        self.high, self.low = np.empty(shape, dtype), np.empty(shape, dtype)
        self.open = np.zeros(shape, bool) if masked else None
        self.known = np.zeros(rows, bool)
        self.patched = np.zeros(-(-rows // STEP), bool)  # which steps of rows edits have changed in part
        self._stale: list[tuple[slice, slice]] = []  # rows × blocks that edits have changed
        self._versions, self._read = versions, read

    def forget(self, rows: slice, keys: slice) -> None:
        """Cells have changed; the caller holds the lock."""
        first = int(np.searchsorted(self.edges, keys.start, "right")) - 1
        last = int(np.searchsorted(self.edges, keys.stop, "left"))
        if FEW * (rows.stop - rows.start) * (last - first) > self.high.size:
            self.known[rows] = False
        else:
            self._stale.append((rows, slice(first, last)))

    def mark_patched(self, rows: slice) -> None:
        """Rows may differ in their last bits from what a fresh picture has; the caller holds the lock."""
        self.patched[rows.start // STEP : -(-rows.stop // STEP)] = True

    @property
    def bytes(self) -> int:
        return self.high.nbytes + self.low.nbytes + (self.open.nbytes if self.open is not None else 0)

    def lacking(self, rows: slice) -> int:
        """Cells that `ensure` would compute; the caller holds the lock."""
        stale = sum(
            (part.stop - part.start) * int(self.edges[blocks.stop] - self.edges[blocks.start])
            for part, blocks in self._stale
        )
        unknown = sum(part.stop - part.start for part in self._unknown(rows))
        return int(stale + unknown * self.edges[-1])

    def ensure(self, rows: slice) -> None:
        """Make rows known, also if edits come in between."""
        with self._versions.lock:
            stale, self._stale = self._stale, []
            for part, blocks in stale:
                self.mark_patched(part)
                for low in range(part.start, part.stop, 1 << 14):
                    self._fill(slice(low, min(low + (1 << 14), part.stop)), blocks)
        while jobs := self._unknown(rows):
            carry_out(jobs, self._put, None, bool)

    def settle(self, cancelled: Callable[[], bool]) -> bool:
        """Compute again what was patched; False if cancelled."""
        self.ensure(slice(0, 0))
        while (steps := np.flatnonzero(self.patched)).size:
            jobs = [slice(step * STEP, min((step + 1) * STEP, len(self.known))) for step in steps.tolist()]
            if not carry_out(jobs, self._put, None, cancelled):
                return False
        return True

    def _unknown(self, rows: slice) -> list[slice]:
        first = rows.start // STEP
        parts = [slice(low, min(low + STEP, len(self.known))) for low in range(first * STEP, rows.stop, STEP)]
        return [part for part in parts if not self.known[part].all()]

    def _put(self, rows: slice) -> bool:
        """Rows as a whole, kept only if no edit came in between."""
        count, wide = self.high.shape[1], max(1, AT_ONCE * self.high.shape[1] // (STEP * int(self.edges[-1])))
        cuts = [slice(low, min(low + wide, count)) for low in range(0, count, wide)]

        def keep(found: list[tuple[Array, Array, Array | None]]) -> None:
            for cut, extremes in zip(cuts, found, strict=True):
                self._write(rows, cut, extremes)
            self.known[rows], self.patched[rows.start // STEP] = True, False

        return self._versions.beside(lambda: [self._extremes(rows, cut) for cut in cuts], keep)

    def _fill(self, rows: slice, blocks: slice) -> None:
        self._write(rows, blocks, self._extremes(rows, blocks))

    def _write(self, rows: slice, blocks: slice, found: tuple[Array, Array, Array | None]) -> None:
        self.high[rows, blocks], self.low[rows, blocks] = found[0].T, found[1].T
        if self.open is not None:
            self.open[rows, blocks] = True if found[2] is None else found[2].T

    def _extremes(self, rows: slice, blocks: slice) -> tuple[Array, Array, Array | None]:
        """(high, low, open) with blocks as rows: reducing along the first axis is several times as fast."""
        keys = slice(int(self.edges[blocks.start]), int(self.edges[blocks.stop]))
        with np.errstate(all="ignore"):
            values, allowed = self._read(rows, keys)
        inside = self.edges[blocks.start : blocks.stop + 1] - keys.start
        if allowed is None or allowed.all():
            return reduced(np.maximum, values, inside), reduced(np.minimum, values, inside), None
        high, low = (np.where(allowed, values, values.dtype.type(end)) for end in (-np.inf, np.inf))
        opened = reduced(np.logical_or, np.broadcast_to(allowed, values.shape), inside)
        return reduced(np.maximum, high, inside), reduced(np.minimum, low, inside), opened
