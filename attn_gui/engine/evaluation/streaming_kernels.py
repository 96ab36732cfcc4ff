"""Tiles of a long map computed: fast for dot products, surely for other scores; NaN, ∞, overflow among keys."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.lib.stride_tricks import as_strided

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.streaming_states import LARGE, HeadCopy, SoftmaxRows, add_wild
from attn_gui.engine.evaluation.threads import share
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import Reference, contract
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.sources import BoxReadable, PositionRule
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import computed_name, plain_name
from attn_gui.engine.normalizers import NORMALIZERS, Keywise, Normalizer
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES

HEAVIEST = 1 << 38  # steps of a score that is no dot product, for all cells
ReadByBox = Mapping[str, Callable[[Box], Array]]
Layers = Mapping[str, BoxReadable]
NOTHING: ReadByBox = {}
AS_THEY_ARE: Layers = {}

LOG2E = float(np.log2(np.e))
MOST_WILD = 16  # so many keys or values of NaN or infinity are looked at one by one
TIGHT = 40.0  # a bound up to this, in powers of 2: no exp score underflows, and little rounding is added

CELLS, FEWEST = 1 << 20, 64  # cells of a map that are held at a time, and rows at least: K is read again for each part


# --- chain of maps --------------------------------------------------------------------------------
def check_work(problem: Problem) -> None:
    """Raise FieldError for a score that cannot be computed by rows at this size."""
    width = SCORES[problem.score].work(problem.score_params, problem.d_k)
    cells = int(np.prod(problem.map_shape, dtype=object))
    if cells * width > HEAVIEST:
        raise FieldError(
            errors.TOO_LONG, score=problem.score, n=f"{problem.n:,}", m=f"{problem.m:,}", heads=problem.num_heads
        )


class TileKernels:
    """The maps of one evaluation, computed at any box.

    Nodes and arrays are read from the evaluation each time, so results are right before and after an edit.
    """

    def __init__(self, evaluation: DenseEvaluation) -> None:
        self._evaluation = evaluation
        self.lay_out()

    def lay_out(self) -> None:
        """Read nodes, stages and sizes from the evaluation, again after its structure has changed."""
        evaluation = self._evaluation
        self.nodes = {node.name: node for node in evaluation.nodes}
        stages = evaluation.scores, evaluation.weights, evaluation.mixed
        self.scores, self.softmax, self.mixing = map(self._computing, stages)
        self.weights, self.mixed = evaluation.weights, evaluation.mixed
        self.maps = {
            node.name
            for node in evaluation.nodes
            if {"i", "j"} <= set(node.left) and plain_name(node.name) != self.weights
        }
        self.order = [name for name in evaluation.stages if name in self.maps]
        self.logits_name = self.softmax.inputs[0].name
        self.query, self.key = self._side("i"), self._side("j")
        self.value = self.mixing.inputs[1].name
        biased = evaluation.part(Role.BIAS)
        self.added = self._computing(biased).inputs[1:] if biased is not None else ()
        closing = evaluation.part(Role.CLOSE)
        self.mask = self._computing(closing) if closing is not None else None
        self.gates = self.nodes["allowed"].inputs if "allowed" in self.nodes else ()
        problem = evaluation.problem
        self.shape = problem.map_shape
        self.group = problem.num_heads // problem.num_kv_heads

    def _computing(self, stage: str) -> Node:
        """Return the node that computes a stage, before its interventions."""
        return self.nodes.get(computed_name(stage), self.nodes[stage])

    def _side(self, letter: str) -> str | None:
        return next((ref.name for ref in self.scores.inputs if letter in ref.axes), None)

    @property
    def scale(self) -> float:
        return self._evaluation.problem.effective_scale

    @property
    def softcap(self) -> float | None:
        return self._evaluation.problem.softcap

    def sink(self, head: int) -> float | None:
        """Return the sink of a head, a logit without a key; None where the problem has no sinks."""
        sink = self._evaluation.problem.sink
        return None if sink is None else float(sink[head])

    @property
    def normalizer(self) -> Normalizer:
        """The function that makes weights of logits, usually softmax."""
        return NORMALIZERS[self._evaluation.problem.normalize]

    @property
    def temperature(self) -> float:
        return self._evaluation.problem.temperature or 1.0

    # --- through the stages ----------------------------------------------------------------------
    def logits(self, box: Box, given: ReadByBox = NOTHING) -> Array:
        """Return the logits that softmax reads at a box, by the stages; `given` replaces sources, Q or K."""
        return self._fetched(given)(self.logits_name, box)

    def _fetched(self, given: ReadByBox) -> Callable[[str, Box], Array]:
        def fetch(name: str, box: Box) -> Array:
            if name in given:
                return given[name](box)
            if not given or name not in self.maps:
                return self._evaluation.fetch(name, box)
            outer, array = self.nodes[name].compute(box, fetch)
            return array[indices.within(box, outer)]

        return fetch

    def whole_weights(self, box: Box, logits: Array) -> Array:
        """Return whole rows of weights as float64, interventions included, by the stages: no kept row is read."""

        def fetch(name: str, part: Box) -> Array:
            if name == self.logits_name and part == box:
                return logits
            if name != self.softmax.name:
                return self._evaluation.fetch(name, part)
            outer, array = self.softmax.compute(part, fetch)
            return array[indices.within(part, outer)]

        node = self.nodes[self.weights]
        return fetch(node.name, box) if node is self.softmax else node.compute(box, fetch)[1]

    def shares(self, box: Box, logits: Array) -> Array:
        """Return the softmax of whole rows of logits, before interventions on the weights."""

        def fetch(name: str, part: Box) -> Array:
            return logits if name == self.logits_name else self._evaluation.fetch(name, part)

        return self.softmax.compute(box, fetch)[1]

    # --- mask layers -----------------------------------------------------------------------------
    def has_rows(self, ref: Reference) -> bool:
        """Return whether a layer differs from query to query."""
        return "i" in ref.axes

    def cells(self, ref: Reference, place: Box, layers: Layers = AS_THEY_ARE) -> Array:
        """Return one layer at a box of one head, in its own dtype and broadcastable to (rows, keys)."""
        ranges = {letter: (cut.start, cut.stop) for letter, cut in zip("bhij", place, strict=True)}
        readable = layers[ref.name] if ref.name in layers else self._evaluation.sources[ref.name].cells
        if isinstance(readable, PositionRule) and readable.layer.diagonal:
            return _diagonals(readable, place)
        cells = np.asarray(readable[indices.box_of(ref.axes, ranges, self.softmax.sizes)])
        return cells.reshape(cells.shape[-2:])

    def allowed(self, place: Box, layers: Layers = AS_THEY_ARE) -> Array | None:
        """Return the open cells of a box of one head, (rows, keys) booleans; None where no layer closes any."""
        found = None
        for ref in self.gates:
            cells = self.cells(ref, place, layers)
            found = cells if found is None else found & cells
        return found


def _diagonals(rule: PositionRule, place: Box) -> Array:
    """Return a rule that is constant along diagonals: one longer row, read with an offset."""
    _, heads, rows, keys = place
    count = rows.stop - rows.start
    row = np.array([[[rows.stop - 1]]]), np.arange(keys.start, keys.stop + count - 1)[None, None]
    spot = (np.array([[[heads.start]]]), *row) if len(rule.shape) == 3 else tuple(part[0] for part in row)
    line = np.ascontiguousarray(rule.layer.at(spot, rule.sizes)).reshape(-1)
    step = line.strides[0]
    return as_strided(line[count - 1 :], (count, keys.stop - keys.start), (-step, step), writeable=False)


class DotKernel:
    """Fast rows for scores that are dot products, with scale, softcap, biases and masks: by few matrix products, in the
    dtype of the problem.

    The scale is folded into Q. Where the norms of Q and K bound a tile's scores closely enough, the bound rides along
    as one more column of Q (K's copy has ones there): then the only pass over the tile is `exp2`, which is fast as long
    as nothing underflows. Elsewhere the true maximum is taken off, chunk by chunk, as it grows; `exp` minds no small
    numbers.

    A denominator of NaN marks a row that cannot be trusted and has to be computed by `StageKernel`.
    """

    def __init__(
        self,
        kernels: TileKernels,
        evaluation: DenseEvaluation,
        keys: HeadCopy,
        values: HeadCopy,
        layers: Layers,
        chunk: int,
    ) -> None:
        self.kernels, self._evaluation, self.keys, self.values, self.chunk = kernels, evaluation, keys, values, chunk
        self._layers = layers  # own copies, as K and V are
        self.dtype = values.cells.dtype
        self.norm_bound = np.zeros(keys.cells.shape[:2])
        self._scratch = threading.local()

    # --- the bounds of the norms of K ------------------------------------------------------------------------
    def measure(self) -> list[tuple[int, int]]:
        """Measure the norms of all keys again; return the (batch, K/V head) pairs whose bound has changed."""
        before = self.norm_bound.copy()

        def measure(place: tuple[int, int]) -> None:
            self.norm_bound[place] = _bound(self.keys.cells[place], self.keys.wild[place])

        share([(int(batch), int(group)) for batch, group in np.argwhere(self.keys.ready)], measure)
        return [(int(b), int(g)) for b, g in np.argwhere(self.norm_bound != before)]

    def raise_bound(self, batch: int, group: int, keys: slice) -> bool:
        """Raise the bound of a K/V head where keys have changed; return whether it grew. Only `measure` lowers it."""
        before = self.norm_bound[batch, group]
        bound = _bound(self.keys.cells[batch, group, keys], self.keys.wild[batch, group, keys])
        self.norm_bound[batch, group] = np.maximum(before, bound)
        return bool(self.norm_bound[batch, group] != before)

    # --- whole rows ------------------------------------------------------------------------------
    def tile(self, batch: int, head: int, rows: slice) -> SoftmaxRows:
        """Compute rows; the denominator is NaN where a number is not finite or the row cannot be trusted."""
        query, limit = self._query(batch, head, rows)
        bounded = limit is not None
        row_max, numerator = np.full(len(query), -np.inf, self.dtype), np.zeros((0, 0), self.dtype)
        for keys in indices.in_parts(slice(0, self.kernels.shape[3]), self.chunk):
            place = (*indices.cell((batch, head)), rows, keys)
            allowed = self.kernels.allowed(place, self._layers)
            if allowed is not None and not allowed.any():
                continue
            scores = self._scores(query, place)
            scores[:, self.keys.wild[batch, head // self.kernels.group, keys]] = -np.inf  # judged by `judged`
            if not bounded:
                row_max, factor = self._lower(scores, allowed, row_max)
                if numerator.size:
                    numerator *= factor[:, None]
                exp_scores = np.exp(scores, out=scores)
            else:
                exp_scores = np.exp2(scores, out=scores)
                if allowed is not None:
                    np.multiply(exp_scores, allowed, out=exp_scores)
            part = exp_scores @ self._calm_values(batch, head // self.kernels.group, keys)
            numerator = np.add(numerator, part, out=part) if numerator.size else part
        if not numerator.size:
            return SoftmaxRows.filled(len(query), self.values.width, self.dtype, 0.0)
        tile = self._finished(numerator, row_max if limit is None else limit, 1.0 if limit is None else 1 / LOG2E)
        self._doubt_blind(tile, batch, head, rows)
        return self._with_wild_values(batch, head, rows, tile)

    def _doubt_blind(self, tile: SoftmaxRows, batch: int, head: int, rows: slice) -> None:
        """Mark rows with open keys whose scores are all −∞, as where a partial sum has overflowed."""
        blind = tile.denominator == 0
        if self.kernels.added and blind.any():
            allowed = self.kernels.allowed(
                (*indices.cell((batch, head)), rows, slice(0, self.kernels.shape[3])), self._layers
            )
            tile.denominator[blind if allowed is None else blind & allowed.any(axis=-1)] = np.nan

    def _calm_values(self, batch: int, group: int, keys: slice) -> Array:
        """Return values with 0 for NaN and infinity, which a matrix product would spread to rows of weight 0."""
        values = self.values.cells[batch, group, keys]
        return np.where(np.isfinite(values), values, 0) if self.values.wild[batch, group, keys].any() else values

    def _with_wild_values(self, batch: int, head: int, rows: slice, tile: SoftmaxRows) -> SoftmaxRows:
        """Add to a tile the NaN and infinities of values that `_calm_values` has set to 0."""
        group = head // self.kernels.group
        wild = np.flatnonzero(self.values.wild[batch, group])
        unsure = np.full(len(tile.denominator), len(wild) > MOST_WILD)
        for key in wild[:MOST_WILD].tolist():
            logits = self.kernels.logits((*indices.cell((batch, head)), rows, slice(key, key + 1)))[0, 0, :, 0]
            above = (logits - tile.row_max) / self.kernels.temperature
            unsure |= add_wild(tile.numerator, above, self.values.cells[batch, group, key, :-1])
        tile.denominator[unsure] = np.nan
        return tile

    def judged(self, batch: int, head: int, rows: slice) -> tuple[Array, Array]:
        """Return (lost, unsure), booleans (rows,): rows that are NaN as a whole, and rows that `tile` cannot compute.

        Both follow from the few keys that hold NaN or infinity, whose scores are computed as the stages do; at a score
        of −∞ such a key has no part in a row. Rows are unsure, too, where a score may overflow before scale and
        temperature make it small again.
        """
        keys = np.flatnonzero(self.keys.wild[batch, head // self.kernels.group])
        lost, unsure = np.zeros(rows.stop - rows.start, bool), self._may_overflow(batch, head, rows)
        if len(keys) > MOST_WILD:
            return lost, np.ones_like(unsure)
        for key in keys.tolist():
            logits = self.kernels.logits((*indices.cell((batch, head)), rows, slice(key, key + 1)))[0, 0, :, 0]
            lost |= np.isnan(logits) | np.isposinf(logits)
            unsure |= np.isfinite(logits)
        return lost, unsure & ~lost

    def _may_overflow(self, batch: int, head: int, rows: slice) -> Array:
        """Return booleans (rows,): rows that may have a score, scaled or not, beyond the range of the dtype."""
        own = self._queries(batch, head, rows)
        longest = np.sqrt(np.einsum("id,id->i", own, own)) * self.norm_bound[batch, head // self.kernels.group]
        return np.asarray(~(longest * max(1.0, abs(self.kernels.scale)) < np.finfo(self.dtype).max / 4))

    def _queries(self, batch: int, head: int, rows: slice) -> Array:
        """Return rows of Q of one head, turned and normalized as the scores read them."""
        assert self.kernels.query is not None
        width = self.keys.width
        return self._evaluation.held(self.kernels.query)[batch, rows, head * width : (head + 1) * width]

    def _keys(self, batch: int, head: int, keys: slice) -> Array:
        """Return rows of K of one head from the own copy, without its column of ones."""
        return self.keys.cells[batch, head // self.kernels.group, keys, : self.keys.width]

    def _query(self, batch: int, head: int, rows: slice) -> tuple[Array, Array | None]:
        """Return Q times `_factor` with a column of minus the bound on the scores, and the bound, None if loose."""
        own, width = self._queries(batch, head, rows), self.keys.width
        factor, limit = self._factor(), None
        if not self.kernels.added and self.kernels.softcap is None:
            steepness = abs(factor) * LOG2E * self.norm_bound[batch, head // self.kernels.group]
            limit = np.sqrt(np.einsum("id,id->i", own, own)) * self.dtype.type(steepness)
            limit = limit if limit.max() <= TIGHT else None
        query = np.zeros((len(own), width + 1), self.dtype)
        np.multiply(own, self.dtype.type(factor if limit is None else factor * LOG2E), out=query[:, :width])
        if limit is not None:
            query[:, width] = -limit
        return query, limit

    def _factor(self) -> float:
        cap = self.kernels.softcap
        return self.kernels.scale / self.kernels.temperature if cap is None else self.kernels.scale / cap

    def _scores(self, query: Array, place: Box) -> Array:
        """Return the scores of a chunk over T, softcap and biases included, in scratch memory of this thread."""
        batch, head, _, keys = (cut.start for cut in place)
        scores = self._room(len(query), place[3].stop - keys)
        np.matmul(query, self.keys.cells[batch, head // self.kernels.group, place[3]].T, out=scores)
        temperature, cap = self.kernels.temperature, self.kernels.softcap
        if cap is not None:
            np.tanh(scores, out=scores)
            scores *= self.dtype.type(cap / temperature)
        for ref in self.kernels.added:
            scores += np.multiply(self.kernels.cells(ref, place, self._layers), 1 / temperature, dtype=self.dtype)
        return scores

    def _room(self, rows: int, columns: int) -> Array:
        room = getattr(self._scratch, "room", None)
        if room is None or room.size < rows * columns:
            room = self._scratch.room = np.empty(rows * self.chunk, self.dtype)
        return np.asarray(room[: rows * columns].reshape(rows, columns))

    def _lower(self, scores: Array, allowed: Array | None, row_max: Array) -> tuple[Array, Array]:
        """Subtract the largest so far from scores, in place; return it and the factor for sums made before."""
        if allowed is not None:
            scores += np.where(allowed, self.dtype.type(0), self.dtype.type(-np.inf))
        higher = np.maximum(row_max, scores.max(axis=1))
        reference = np.where(np.isneginf(higher), self.dtype.type(0), higher)
        scores -= reference[:, None]
        return higher, np.exp(row_max - reference)

    def _finished(self, numerator: Array, reference: Array, unit: float) -> SoftmaxRows:
        """Return the tile with its reference moved by a power of 2, unrounded: the denominator is in 1 … 2."""
        denominator = numerator[:, -1].astype(np.float64)
        power = np.where(denominator > 0, np.frexp(denominator)[1] - 1, 0)
        numerator = numerator[:, :-1] * np.exp2(-power).astype(self.dtype)[:, None]
        reference = np.where(np.isneginf(reference), 0.0, reference.astype(np.float64) * unit)
        trusted = np.isfinite(numerator).all(axis=1) & ((np.abs(reference) < LARGE) | (denominator == 0))
        denominator = np.where(trusted, np.ldexp(denominator, -power), np.nan)
        return SoftmaxRows((reference + power / LOG2E) * self.kernels.temperature, denominator, numerator)

    # --- a few columns ---------------------------------------------------------------------------
    def columns(self, place: Box, layers: Layers = AS_THEY_ARE) -> Array:
        """Return logits of some keys for rows of one head in float64, from the own copy of K and these `layers`."""
        batch, head = place[0].start, place[1].start
        logits = (self._queries(batch, head, place[2]) @ self._keys(batch, head, place[3]).T).astype(np.float64)
        logits *= self.kernels.scale
        if (cap := self.kernels.softcap) is not None:
            logits = cap * np.tanh(logits / cap)
        for ref in self.kernels.added:
            logits += self.kernels.cells(ref, place, layers)
        allowed = self.kernels.allowed(place, layers)
        return np.asarray(logits if allowed is None else np.where(allowed, logits, -np.inf))

    def transposed(self, stage: str, place: Box) -> Array:
        """Return a map before the mask at a box of one head, keys as rows, in the problem's dtype."""
        batch, head = place[0].start, place[1].start
        found: Array = self._keys(batch, head, place[3]) @ self._queries(batch, head, place[2]).T
        depth = self.kernels.order.index(stage)
        if depth == 0:
            return found
        found *= self.dtype.type(self.kernels.scale)
        if depth > 1 and (cap := self.kernels.softcap) is not None:
            found = self.dtype.type(cap) * np.tanh(found / self.dtype.type(cap))
            depth -= 1
        for ref in self.kernels.added if depth > 1 else ():
            found += self.kernels.cells(ref, place).T
        return found


def _bound(keys: Array, wild: Array) -> float:
    """Return a power of √2 no less than the norm of any key.

    So coarse a bound seldom changes; with it the last bits of every tile would.
    """
    norms = np.einsum("jd,jd->j", keys, keys)
    norms[wild] = 1.0  # they take no part
    longest = float(norms.max()) - 1.0  # without the column of ones
    return float(2.0 ** (np.ceil(np.log2(max(longest, 1e-30)) + 0.001) / 2)) if longest < 1e30 else np.inf


class StageKernel:
    """Rows and columns for every score and every value, by the stages' own `forward`, in float64: slow. Also those that
    the fast kernel cannot trust."""

    def __init__(self, kernels: TileKernels, keys: HeadCopy | None, values: HeadCopy, layers: Layers) -> None:
        self.kernels, self.keys, self.values = kernels, keys, values
        self._layers = layers  # own copies, as K and V are
        self.dtype = values.cells.dtype

    def tile(self, batch: int, head: int, rows: slice) -> SoftmaxRows:
        """Compute rows. A weight of 0 keeps NaN and infinity of a value out; a NaN score makes its row NaN."""
        parts = [self._part(batch, head, part) for part in self._parts(rows)]
        return SoftmaxRows(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _parts(self, rows: slice) -> Iterator[slice]:
        return indices.in_parts(rows, max(FEWEST, CELLS // self.kernels.shape[3]))

    def _part(self, batch: int, head: int, rows: slice) -> tuple[Array, Array, Array]:
        box = (*indices.cell((batch, head)), rows, slice(0, self.kernels.shape[3]))
        row_max, exp_scores, denominator = self._exp_scores(self.columns(box, self._layers))
        numerator = self._mixed(exp_scores, self._values(batch, head))
        if np.isfinite(numerator).all():
            return row_max, denominator, numerator
        divisor = np.where(denominator > 0, denominator, 1.0)
        mean = self._mixed(exp_scores / divisor[:, None], self._values(batch, head))
        heavy = np.asarray((np.isfinite(mean) & ~np.isfinite(numerator)).any(axis=1))  # a sum too large for a number
        divisor = np.where(heavy, divisor, 1.0)  # no other row: beside very large scores log Z would be lost
        row_max = row_max + self.kernels.temperature * np.log(divisor)
        return row_max, denominator / divisor, np.where(heavy[:, None], mean, numerator)

    def by_hand(self, batch: int, head: int, rows: slice, columns: Callable[[Box], Array] | None = None) -> SoftmaxRows:
        """Compute rows with interventions: the numerator is the result itself.

        `columns` gives their logits faster; very large ones are computed by the stages all the same.
        """
        parts = [self._by_hand(batch, head, part, columns) for part in self._parts(rows)]
        return SoftmaxRows(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _by_hand(
        self, batch: int, head: int, rows: slice, columns: Callable[[Box], Array] | None
    ) -> tuple[Array, Array, Array]:
        box = (*indices.cell((batch, head)), rows, slice(0, self.kernels.shape[3]))
        logits = None if columns is None else columns(box)
        if logits is None or not (np.abs(logits.max(axis=-1)) < LARGE * self.kernels.temperature).all():
            logits = self.kernels.logits(box)[0, 0]
        row_max, _, denominator = self._exp_scores(logits)
        weights = self.kernels.whole_weights(box, logits[None, None])[0, 0]
        return row_max, denominator, self._mixed(weights, self._values(batch, head))

    def _values(self, batch: int, head: int) -> Array:
        return np.asarray(self.values.cells[batch, head // self.kernels.group, :, :-1].astype(np.float64))

    def _exp_scores(self, logits: Array) -> tuple[Array, Array, Array]:
        """Return row maxima, exp((logits − maximum) / T) and row sums; without a softmax 0 and the parts."""
        if isinstance(normalizer := self.kernels.normalizer, Keywise):
            parts = normalizer.parts(logits, np.asarray(self.kernels.temperature))
            return np.zeros(len(logits)), parts, normalizer.totals(parts)[:, 0]
        row_max = logits.max(axis=-1)
        row_max = np.where(np.isneginf(row_max), 0.0, row_max)
        exp_scores = np.exp((logits - row_max[:, None]) / self.kernels.temperature)
        exp_scores = np.where(np.isneginf(logits), 0.0, exp_scores)
        return row_max, exp_scores, exp_scores.sum(axis=-1)

    def _mixed(self, exp_scores: Array, values: Array) -> Array:
        mixed = contract(exp_scores[:, :, None], values[None], axes=(1,), zero_wins=True)
        return np.asarray(mixed[:, 0].astype(self.dtype))

    def columns(self, place: Box, layers: Layers) -> Array:
        """Return logits of some keys for rows of one head in float64, from the own copy of K and these `layers`."""
        given: dict[str, Callable[[Box], Array]] = {name: _reader(cells) for name, cells in layers.items()}
        if self.kernels.key is not None and self.keys is not None:
            given[self.kernels.key] = self.keys.read
        return np.asarray(self.kernels.logits(place, given)[0, 0])


def _reader(cells: BoxReadable) -> Callable[[Box], Array]:
    def read(box: Box) -> Array:
        found = np.asarray(cells[box])
        return found if found.dtype == np.bool_ else found.astype(np.float64)

    return read
