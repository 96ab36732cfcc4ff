"""An edit of a long problem: rows that must be computed again, and keys exchanged in the sums of all others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.streaming_kernels import AS_THEY_ARE, TileKernels
from attn_gui.engine.evaluation.streaming_rows import RowPasses, runs
from attn_gui.engine.evaluation.streaming_states import KeyTerms, update_terms
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import Reference
from attn_gui.engine.graph.intervention_nodes import InterventionNode

FEW_ROWS = 64  # so many rows of a head are computed at once; more are left to be computed when they are read
AT_ONCE = 1 << 21  # and so many cells of them, or numbers of the output: some ten milliseconds
AGAIN = 1 << 27  # cells of maps that are computed within a second or two beside the window
FEW_KEYS = 64  # so many keys of a head are exchanged, but no more than a quarter of them
BLOCK = 4096  # rows of a head that are exchanged at a time


class StreamingEdit:
    """One edit of cells, followed in the kept rows: `named` are boxes of sources, `reached` boxes of stages.

    Q, K and V hold the new numbers already.
    """

    def __init__(
        self,
        kernels: TileKernels,
        passes: RowPasses,
        named: Mapping[str, Sequence[Box]],
        reached: Mapping[str, Sequence[Box]],
        other: Array,
    ) -> None:
        """Plan an edit; `other` are flags of rows whose kept form changes: sums, or the result itself."""
        self._kernels, self._passes, self._rows = kernels, passes, passes.rows
        self._changed = {name: boxes for name, boxes in {**named, **reached}.items() if name not in kernels.maps}
        self._reached, self._other = reached, other
        self._layers = {ref.name: ref for ref in (*kernels.added, *kernels.gates)}
        self._drifted: list[tuple[int, int, slice]] = []  # rows whose exchange has lost digits
        self.cells: dict[str, int] = {}

    def carry_out(self) -> dict[str, int]:
        """Update every known row, or make it unknown; return the number of computed cells of each stage."""
        stale = list(self._stale_rows())
        if self._reaches_all():
            self._rows.known[:] = False
        for batch, head, rows in stale:
            self._rows.known[batch, head, rows] = False
        for batch, group in np.argwhere(self._passes.values.ready).tolist():
            self._exchange(batch, group)
        for name in self._passes.layers.keys() & self._changed.keys():
            self._passes.renew(name)
        for batch, head, rows in (*stale, *self._drifted):
            self._redo_few(batch, head, rows)
        return self.cells

    # --- what is touched -------------------------------------------------------------------------
    def _reaches_all(self) -> bool:
        """Return whether a number has changed that every score reads."""
        known = {self._kernels.query, self._kernels.key, *self._layers}
        nodes = (self._kernels.softmax, *(self._kernels.nodes[name] for name in self._kernels.maps))
        reads = {ref.name for node in nodes if not isinstance(node, InterventionNode) for ref in node.inputs}
        return bool((reads & self._changed.keys()) - known)

    def _stale_rows(self) -> Iterator[tuple[int, int, slice]]:
        """Yield (batch, head, rows): known rows whose query or own mask cells have changed."""
        for batch, heads, rows in (*self._of_queries(), *self._of_layers(), *self._by_hand()):
            for b in range(batch.start, batch.stop):
                for h in range(heads.start, heads.stop):
                    if self._rows.known[b, h, rows].any():
                        yield b, h, rows

    def _by_hand(self) -> Iterator[tuple[slice, slice, slice]]:
        """Yield (batch, head, rows): rows whose kept form changes, and reached rows with interventions."""
        flags, other = self._passes.hand.any, self._other
        for batch, head in np.argwhere((flags | other).any(axis=-1)).tolist():
            stale, around = other[batch, head].copy(), self._around(batch, head)
            if around is not None:  # keys are exchanged in all of these, reached or not
                stale[around] |= flags[batch, head, around]
            for low, high in indices.runs(stale):
                yield slice(batch, batch + 1), slice(head, head + 1), slice(low, high)

    def _of_queries(self) -> Iterator[tuple[slice, slice, slice]]:
        heads = self._kernels.shape[1]
        for box in self._changed.get(self._kernels.query or "", ()):
            width = self._kernels.nodes[str(self._kernels.query)].shape[-1] // heads
            yield box[0], slice(box[2].start // width, -(-box[2].stop // width)), box[1]

    def _of_layers(self) -> Iterator[tuple[slice, slice, slice]]:
        for name, ref in self._layers.items():
            if self._kernels.has_rows(ref):
                for box in self._changed.get(name, ()):
                    batch, heads, rows, _ = self._place(ref, box)
                    yield batch, heads, rows

    def _place(self, ref: Reference, box: Box) -> Box:
        """Return a box of a layer as one of the maps."""
        sizes = self._kernels.softmax.sizes
        return indices.box_of(tuple("bhij"), indices.ranges_of(ref.axes, box, sizes), sizes)

    # --- rows recomputed --------------------------------------------------------------------------
    def _redo_few(self, batch: int, head: int, rows: slice) -> None:
        count = rows.stop - rows.start
        if count <= FEW_ROWS and count * self._passes.row_cost <= AT_ONCE:
            self._passes.redo(batch, head, rows)
            self._count(count, self._kernels.shape[3], self._passes.values.width)

    # --- keys exchanged --------------------------------------------------------------------------
    def _exchange(self, batch: int, group: int) -> None:
        """Update all heads of a K/V head: old logits from the own copy of K, then the copy, then new logits."""
        keys = self._boxes_of(self._kernels.key, batch, group)
        values = self._boxes_of(self._kernels.value, batch, group)
        heads = range(group * self._kernels.group, (group + 1) * self._kernels.group)
        plans = [plan for head in heads for plan in self._plans(batch, head, keys, values)]
        before = [self._logits(place, old=True) for place, _ in plans]
        old = [self._values(place).copy() for place, _ in plans]
        for box in keys:
            self._passes.follow_keys(batch, group, box[1])
        for box in values:
            self._passes.follow_values(batch, group, box[1])
        for (place, columns), logits, old_values in zip(plans, before, old, strict=True):
            moved = logits if columns is not None else self._logits(place, old=False)
            self._exchange_terms(place, columns, KeyTerms(logits, old_values), KeyTerms(moved, self._values(place)))

    def _boxes_of(self, name: str | None, batch: int, group: int) -> list[Box]:
        """Return the changed boxes of K or V that overlap one item and head."""
        width = self._kernels.nodes[name].shape[-1] // self._passes.values.cells.shape[1] if name else 1
        return [
            box
            for box in self._changed.get(name or "", ())
            if box[0].start <= batch < box[0].stop
            and box[2].start < (group + 1) * width
            and box[2].stop > group * width
        ]

    def _plans(
        self, batch: int, head: int, keys: Sequence[Box], values: Sequence[Box]
    ) -> Iterator[tuple[Box, slice | None]]:
        """Yield (place, columns) for runs of keys and blocks of rows: changed columns of V, None for all."""
        rows = self._rows_of(batch, head)
        logits = [box[1] for box in keys] + self._layer_keys(batch, head)
        if rows is None or not (logits or values):
            return
        flags = np.zeros(self._kernels.shape[3], bool)
        for cut in (*logits, *(box[1] for box in values)):
            flags[cut] = True
        stretches = runs(flags)
        count = sum(cut.stop - cut.start for cut in stretches)
        columns = None if logits else self._columns(values, head // self._kernels.group)
        if count > min(FEW_KEYS, max(1, len(flags) // 4)) or self._is_wide(rows, columns):
            self._rows.known[batch, head, rows] = False
            return
        for part in indices.in_parts(rows, BLOCK):
            yield from (((*indices.cell((batch, head)), part, cut), columns) for cut in stretches)

    def _is_wide(self, rows: slice, columns: slice | None) -> bool:
        """Return whether an exchange would write so much that computing all rows beside the window is faster."""
        count, width = rows.stop - rows.start, self._passes.values.width
        numbers = count * (width if columns is None else columns.stop - columns.start)
        return bool(numbers > AT_ONCE and count * self._passes.row_cost <= AGAIN)

    def _columns(self, values: Sequence[Box], group: int) -> slice:
        width = self._passes.values.width
        low, high = min(box[2].start for box in values), max(box[2].stop for box in values)
        return slice(max(0, low - group * width), min(width, high - group * width))

    def _layer_keys(self, batch: int, head: int) -> list[slice]:
        """Return the keys at which a layer that is the same for all queries has changed."""
        found = []
        for name, ref in self._layers.items():
            if not self._kernels.has_rows(ref):
                for box in self._changed.get(name, ()):
                    items, heads, _, keys = self._place(ref, box)
                    if items.start <= batch < items.stop and heads.start <= head < heads.stop:
                        found.append(keys)
        return found

    def _rows_of(self, batch: int, head: int) -> slice | None:
        """Return the slice of known rows of a head that the edit can reach."""
        rows = self._around(batch, head)
        if rows is None:
            return None
        known = self._rows.known[batch, head, rows]
        if known.all():
            return rows
        found = np.flatnonzero(known)
        return slice(rows.start + int(found[0]), rows.start + int(found[-1]) + 1) if len(found) else None

    def _around(self, batch: int, head: int) -> slice | None:
        """Return the slice of rows of a head that the edit can reach."""
        boxes = [
            box
            for name in (self._kernels.softmax.name, self._kernels.weights, self._kernels.mixing.name)
            for box in self._reached.get(name, ())
            if box[0].start <= batch < box[0].stop and box[1].start <= head < box[1].stop
        ]
        if not boxes:
            return None
        return slice(min(box[2].start for box in boxes), max(box[2].stop for box in boxes))

    def _logits(self, place: Box, old: bool) -> Array:
        kernel = self._passes.fast or self._passes.slow
        return kernel.columns(place, self._passes.layers if old else AS_THEY_ARE)

    def _values(self, place: Box) -> Array:
        batch, head = place[0].start, place[1].start
        return self._passes.values.cells[batch, head // self._kernels.group, place[3], :-1]

    def _exchange_terms(self, place: Box, columns: slice | None, old: KeyTerms, new: KeyTerms) -> None:
        batch, head, rows = place[0].start, place[1].start, place[2]
        width = self._passes.values.width
        columns = columns or slice(0, width)
        where = (batch, head, rows)
        blind = self._rows.denominator[where] == 0
        bad = update_terms(self._rows, where, old, new, columns, self._kernels.temperature)
        if self._kernels.sink(head) is not None:
            bad |= blind  # the sink is not counted in them
        bad &= self._rows.known[where]
        self._rows.mark_dirty(batch, head, rows)
        scores = old.logits.shape[1] * (1 if new.logits is old.logits else 2)
        self._count(len(bad), scores, columns.stop - columns.start)
        self._rows.known[where] &= ~bad
        if 0 < np.count_nonzero(bad) <= FEW_ROWS:
            found = (slice(rows.start + run.start, rows.start + run.stop) for run in runs(bad, FEW_ROWS))
            self._drifted += [(batch, head, run) for run in found]

    def _count(self, rows: int, keys: int, columns: int) -> None:
        for name in (*self._kernels.maps, self._kernels.weights):
            self.cells[name] = self.cells.get(name, 0) + rows * keys
        self.cells[self._kernels.mixed] = self.cells.get(self._kernels.mixed, 0) + rows * columns
