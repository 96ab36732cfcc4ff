"""The interface of evaluations: stages, boxes, pooled pictures, what an edit reaches.

`DenseEvaluation` and `StreamingEvaluation` compute the numbers of a problem, an `EvaluationProxy` shows those of
another evaluation in a way of its own. Nobody asks which one it is.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from attn_gui.engine import messages
from attn_gui.engine.arrays import Array, Box, item_of
from attn_gui.engine.checks import as_box
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.pooling import Picture, block_edges, pool_parts
from attn_gui.engine.evaluation.reach import BackwardReach, ForwardReach
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.nodes import CellPart, Node, reach
from attn_gui.engine.graph.sources import Source, layer_position
from attn_gui.engine.graph.stage import Role, Stage
from attn_gui.engine.graph.symbols_and_titles import plain_name
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE, stage_of

EntropyT = TypeVar("EntropyT", float, Array)

BLIND = -float(np.finfo(np.float64).max)
"""Stands for the entropy of a row that sees no key: it has none and does not count.

No other row has this number: weights set by hand may have an entropy of any sign.
"""

T = TypeVar("T")
PicturePart = tuple[slice, slice]
Place = tuple[str, tuple[int, ...]]
"""A cell: its stage and its full index, batch first."""

AT_ONCE = 1 << 20  # cells of a map that are read at a time for a picture or an entropy


# --- measures -------------------------------------------------------------------------------------
def row_entropy(weights: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return −Σ a·log a of every row: 0 for one key alone (and for no key at all), log m for m equal weights.

    `weights` (..., n, m) gives (..., n), in nats. A weight of 0 adds nothing, nor does one below 0 that was
    set by hand; a NaN makes its row NaN.
    """
    rows = np.asarray(weights, dtype=np.float64)
    counted = (rows > 0) | np.isnan(rows)
    logs = np.log(rows, out=np.zeros_like(rows), where=counted)
    with np.errstate(over="ignore", invalid="ignore"):  # of what was set by hand
        return np.asarray(-np.multiply(rows, logs, out=logs, where=counted).sum(axis=-1) + 0.0)


def bits(nats: EntropyT) -> EntropyT:
    """Return an entropy in bits, the one unit that people see: 0 for one key alone, log₂ m for m equal weights."""
    return nats / math.log(2)


# --- evaluation -----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Recomputed:
    """Result of an update: the changed `boxes` of every stage, the number of evaluated `cells`, the time it took."""

    boxes: dict[str, list[Box]] = field(default_factory=dict)
    cells: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


class Evaluation(ABC):
    """Every number of one problem by name: stages and sources, in boxes, in blocks of a map, cell by cell.

    A subclass says which nodes and sources there are and what `fetch` gives; the rest follows from these.
    """

    problem: Problem
    stages: tuple[str, ...]
    """The stages in the order in which they are computed."""
    mask: str | None
    """The node whose flags say which cells are open; None without a boolean layer."""
    last_parts: tuple[Place, tuple[CellPart, ...]] | None = None
    """The cell that `parts_of` was asked for last, and its answer."""

    kind = ""
    """`difference` or `gradient` where the numbers are not the stages' own."""
    covers = False
    """Whether cells are left out and read as NaN."""
    in_dtype = False
    """Whether sums over keys are made in the problem's dtype, not in float64."""
    draws_pictures = False
    """Whether maps are too large to be read as a whole: `pooled` gives them, part by part."""
    tiles: object | None = None
    """What draws its pictures on another thread; only carried here."""

    # --- nodes -----------------------------------------------------------------------------------
    @property
    @abstractmethod
    def nodes(self) -> tuple[Node, ...]:
        """All nodes in the order in which they are computed, hidden ones included."""

    @property
    @abstractmethod
    def sources(self) -> Mapping[str, Source]:
        """What the nodes read of the problem, by name."""

    @abstractmethod
    def node(self, stage: str) -> Node:
        """Return the stage at work. Raises StageError (a KeyError) for a stage that the problem does not have."""

    def computed(self, stage: str) -> str:
        """Return the name of a stage as it is before its interventions; its own where it has none."""
        node = self.node(stage)
        return node.computed if isinstance(node, InterventionNode) else stage

    def node_at(self, stage: str, index: tuple[int, ...]) -> Node:
        """Return the node that makes one cell of a stage: an intervention where there is one, else what computes it."""
        node = self.node(stage)
        untouched = isinstance(node, InterventionNode) and not node.touching(indices.cell(index))
        return self.node(self.computed(stage)) if untouched else node

    def explains(self, name: str) -> bool:
        """Return whether a name is that of numbers that are computed here, so that a cell of them can be explained."""
        return plain_name(name) in self.stages

    def sides(self, stage: str) -> tuple[tuple[Evaluation, str], ...]:
        """Return the evaluations that the numbers of a stage are read from, each with its name for it.

        One; for a difference two, before and after.
        """
        return ((self, stage),)

    @property
    def behind(self) -> Evaluation:
        """The evaluation that has the numbers of the stages themselves: of a difference the state after."""
        return self

    @property
    def closes(self) -> bool:
        """Whether a mask layer is enabled that can close cells."""
        return any(node.stage.boolean for node in self.nodes)

    @property
    def elementary(self) -> bool:
        """Whether closed formulas hold: a softmax of elementary scores, of which nothing is set by hand."""
        before = [node for node in map(self.node, self.stages) if node.stage.square or node.stage.input_side]
        known = self.elementary_stages and self.node(self.weights).stage.elementary
        return known and not any(isinstance(node, InterventionNode) for node in before)

    @property
    def elementary_stages(self) -> bool:
        """Whether every stage from the scores to what the weights are made of is elementary."""
        return all(STAGE[name].elementary for name in self.stages if STAGE[name].square and name != self.weights)

    # --- the parts of attention ------------------------------------------------------------------
    def part(self, role: Role) -> str | None:
        """Return the stage that takes a part in attention; None where the problem has none."""
        return name if (name := stage_of(role)) in self.stages else None

    @cached_property
    def scores(self) -> str:
        """The stage of the score function."""
        return stage_of(Role.SCORE)

    @cached_property
    def weights(self) -> str:
        """The stage of the weights."""
        return stage_of(Role.WEIGHT)

    @cached_property
    def mixed(self) -> str:
        """The stage of every head's sums of values."""
        return stage_of(Role.MIX)

    @cached_property
    def joined(self) -> str:
        """The stage of the heads side by side."""
        return stage_of(Role.JOIN)

    @cached_property
    def projection(self) -> str:
        """The stage of the joined heads times W_O; without W_O of the joined heads themselves."""
        return stage_of(Role.PROJECT)

    @property
    def logits(self) -> str | None:
        """The stage that the weights are made of; None where they are given."""
        return self.stages[self.stages.index(self.weights) - 1] if self.scores in self.stages else None

    def latest(self, variable: str) -> str:
        """Return the last stage that writes a variable of the formulas: the turned keys rather than the keys."""
        return self._latest[variable]

    @cached_property
    def _latest(self) -> dict[str, str]:
        return {self.node(name).stage.target.name: name for name in self.stages}

    # --- numbers ---------------------------------------------------------------------------------
    @abstractmethod
    def fetch(self, name: str, box: Box) -> Array:
        """Return the numbers of a box of any stage or source, as float64 (or booleans), kept or computed on the
        spot."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers that `box` and `block` give."""
        return np.dtype(self.problem.dtype)

    @property
    def signed(self) -> bool:
        """Whether all its numbers have a sign, shares included, as differences have."""
        return bool(self.kind)

    def shape(self, stage: str) -> tuple[int, ...]:
        """Return the lengths of a stage's axes, batch included."""
        return self.node(stage).shape

    def axes(self, stage: str) -> tuple[str, ...]:
        """Return the names of a stage's axes."""
        return self.node(stage).stage.axes

    def box(self, stage: str, box: Box) -> Array:
        """Return the numbers of a box, read-only, in `dtype`."""
        box = as_box(stage, self.node(stage).shape, box)
        with np.errstate(all="ignore"):
            array: Array = self.fetch(stage, box).astype(self.dtype, copy=False).view()
        array.flags.writeable = False
        return array

    def block(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Array:
        """Return a 2-D block. In a stage without heads `columns` count within the head's columns, or all (head
        None)."""
        box = self.block_box(stage, batch, head, rows, columns)
        if head is None and len(box) == 4:
            raise FieldError(messages.NEEDS_HEAD, stage=stage)
        found = self.box(stage, box)
        return np.asarray(found[(0,) * (found.ndim - 2)])

    def block_box(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Box:
        """Return the box of a block, of the first head where a stage with heads is asked for none."""
        shape = self.node(stage).shape
        if len(shape) == 4:
            head = head or 0
            return (slice(batch, batch + 1), slice(head, head + 1), *_cuts((rows, columns), shape[2:]))
        mine = self.head_columns(stage, head) if head is not None else slice(0, shape[2])
        down, inside = _cuts((rows, columns), (shape[1], mine.stop - mine.start))
        return (slice(batch, batch + 1), down, slice(mine.start + inside.start, mine.start + inside.stop))

    def head_columns(self, stage: str, head: int) -> slice:
        """Return the columns of a stage that belong to a query head (a K/V head is shared by its group)."""
        node, problem = self.node(stage), self.problem
        columns, counts = node.shape[-1], {"": 1, "h": problem.num_heads, "g": problem.num_kv_heads}
        heads = counts[node.stage.heads]
        head, width = head * heads // problem.num_heads, columns // heads
        return slice(head * width, (head + 1) * width)

    def has_field(self, field: str) -> bool:
        """Return whether there are numbers for a matrix of the problem, by its dotted name."""
        return field in self.problem.arrays()

    def field(self, field: str) -> Array:
        """Return the numbers for a whole array of the problem, in its shape. Raises KeyError where it has no such
        array."""
        return self.problem.arrays()[field]

    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """Return a block of a matrix of the problem, by its dotted name."""
        return np.asarray(item_of(self.field(field), batch)[rows, columns])

    # --- the mask --------------------------------------------------------------------------------
    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
        """Return cells of a map that the mask leaves open, or that were set by hand; None when no boolean layer is
        enabled.

        Without a head those that any head leaves open.
        """
        if self.mask is None:
            return None
        n, m = self.problem.n, self.problem.m
        heads = slice(0, self.problem.num_heads) if head is None else slice(head, head + 1)
        found = self.fetch(self.mask, (slice(batch, batch + 1), heads, *_cuts((rows, columns), (n, m))))[0]
        return np.asarray(found[0] if head is not None else found.any(axis=0))

    def layers_at(self, index: tuple[int, ...]) -> list[tuple[int, bool]]:
        """Return (position, whether it is open there) of every enabled boolean layer, for one cell of a map."""
        node = next(node for node in self.nodes if node.name == "allowed")
        _, parts, _ = node.needs(indices.cell(index))
        return [
            (layer_position(ref.name), bool(self.fetch(ref.name, box).all()))
            for ref, box in zip(node.inputs, parts, strict=True)
            if box is not None
        ]

    # --- cells that are left out -----------------------------------------------------------------
    def left_out(self, stage: str, box: Box) -> list[tuple[int, ...]]:
        """Return the cells of a box that are left out, as of an exercise: `box` gives NaN for them."""
        return []

    def left_out_as(self, stage: str, index: tuple[int, ...]) -> Place | None:
        """Return the left-out cell whose number stands at a cell; None where there is none."""
        return None

    def gives_away(self, stage: str, index: tuple[int, ...]) -> bool:
        """Return whether the explanation of a cell may name a number that is left out: of its row, or of what made
        it."""
        return False

    # --- pictures --------------------------------------------------------------------------------
    def pooled(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: PicturePart | None = None
    ) -> Picture:
        """Return (values, allowed) of a picture of a stage in rows × columns blocks, or of a part of its blocks.

        Of each block the number of largest magnitude over open cells, sign kept; NaN wins, so that it is seen.
        `allowed` (blocks with an open cell) only behind the mask. Here cells are read, `AT_ONCE` at a time.
        """
        height, width = self._lengths(stage, head)
        down, across = block_edges(height, rows), block_edges(width, columns)
        if part is not None:
            down, across = down[part[0].start : part[0].stop + 1], across[part[1].start : part[1].stop + 1]
        return self._pooled(stage, batch, head, down, across)

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        """Pool some rows of blocks as `pooled` does and keep nothing: for a large picture that is made bit by bit."""
        return self.pooled(stage, batch, head, rows, columns, (part, slice(0, columns)))

    def pooled_at(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None:
        """Return `pooled` over blocks of a map whose edges are given, kept nowhere; None where `block` has to do it."""
        return self._pooled(stage, batch, head, down, across) if self.is_map(stage) else None

    def _pooled(self, stage: str, batch: int, head: int | None, down: Array, across: Array) -> Picture:
        entry = self.node(stage).stage
        own = head if entry.per_head else None
        masked = entry.behind_mask and (own is not None or not entry.per_head)

        def block(rows: slice, columns: slice) -> Picture:
            values = self.block(stage, batch, head, rows, columns)
            return values, self.allowed(batch, own, rows, columns) if masked else None

        return pool_parts(block, down, across, AT_ONCE)

    def _lengths(self, stage: str, head: int | None) -> tuple[int, int]:
        """Return rows and columns of what is shown of a stage for a head."""
        *_, rows, columns = self.shape(stage)
        if head is None or self.node(stage).stage.per_head:
            return rows, columns
        mine = self.head_columns(stage, head)
        return rows, mine.stop - mine.start

    def is_map(self, stage: str) -> bool:
        """Return whether a stage has both a query and a key axis."""
        return self.node(stage).stage.square

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Return cells of maps that have to be computed before `pooled` in so many columns can show these rows."""
        return 0

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Return whether cells of these rows can be read without computing whole rows of weights."""
        return True

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """Return −Σ a·log a of rows of weights in nats; BLIND for a row that sees no key."""
        found, step = np.empty(rows.stop - rows.start), max(1, AT_ONCE // self.problem.m)
        for low in range(rows.start, rows.stop, step):
            part = slice(low, min(low + step, rows.stop))
            weights = self.block(self.weights, batch, head, part, slice(0, self.problem.m)).astype(np.float64)
            with np.errstate(all="ignore"):
                mine = np.where((weights != 0).any(axis=1), row_entropy(weights), BLIND)
            found[low - rows.start : part.stop - rows.start] = mine
        return found

    # --- computing -------------------------------------------------------------------------------
    @abstractmethod
    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow cells that have changed in place; `problem` already holds them.

        `changed` names dotted fields with boxes in the array's own axes, `[()]` for a number. A problem of another
        structure (shapes, heads, masks) is computed again; of other interventions, what these reach.
        """

    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Compute what is not known yet, of (batch, head) pairs or of all; False if cancelled.

        `progress(done, all)` may be called from any thread.
        """
        return True

    @property
    def settled(self) -> bool:
        """Whether everything known equals a fresh computation bit for bit."""
        return True

    @property
    def unsettled(self) -> frozenset[tuple[int, int]]:
        """The (batch, head) pairs of which `settle` may change last digits."""
        return frozenset()

    def settle(
        self, *, progress: Callable[[int, int], None] | None = None, cancelled: Callable[[], bool] = bool
    ) -> bool:
        """Compute again what edits have left inexact by rounding; False if cancelled."""
        return True

    # --- what a change reaches -------------------------------------------------------------------
    def reach(self, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Box]]:
        """Return the boxes of every stage that a change of the given fields, or of stages, would reach."""
        return self._shown(reach(self.nodes, self._named(changed), self.fetch))

    def forward(self, changed: Mapping[str, Sequence[Box]]) -> ForwardReach:
        """Return every cell that reads cells of the given fields (dotted, in their own axes) or stages, to be asked by
        part.

        Raises PlaceError (an IndexError) for a box outside.
        """
        return ForwardReach(self, self._named(changed))

    def backward(self, cells: Mapping[str, Sequence[Box]]) -> BackwardReach:
        """Return every cell that cells of the given stages or fields (dotted, in their own axes) were computed from.

        Raises PlaceError (an IndexError) for a box outside.
        """
        return BackwardReach(self, self._named(cells))

    def _named(self, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Box]]:
        """Return boxes of fields as boxes of the sources that read them."""
        found: dict[str, list[Box]] = {}
        for name, boxes in changed.items():
            readers = [source for source, read in self.sources.items() if read.field == name]
            for source in readers:
                shape = self.sources[source].shape
                found[source] = [box for box in (as_box(name, shape, box) for box in boxes) if indices.count(box)]
            if not readers and name in self.stages:
                found[name] = [as_box(name, self.shape(name), box) for box in boxes]
        return found

    def _shown(self, found: Mapping[str, T]) -> dict[str, T]:
        return {name: found[name] for name in self.stages if name in found}


def _cuts(cuts: Sequence[slice], lengths: Sequence[int]) -> list[slice]:
    """Return the cuts within these lengths."""
    found = []
    for cut, length in zip(cuts, lengths, strict=True):  # no comprehensions here: every block of every map comes by
        start, stop, _ = cut.indices(length)
        found.append(slice(start, max(start, stop)))
    return found


@dataclass(frozen=True)
class Plane:
    """A matrix that a map shows. In a stage without heads `head` picks the head's columns, None shows them all."""

    evaluation: Evaluation
    stage: str
    batch: int = 0
    head: int | None = 0
    transposed: bool = False

    @cached_property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) as shown; an evaluation keeps the shapes that it begins with."""
        mine = self._columns
        rows, columns = self.evaluation.shape(self.stage)[-2], mine.stop - mine.start
        return (columns, rows) if self.transposed else (rows, columns)

    @cached_property
    def signed(self) -> bool:
        """Whether its numbers lie to both sides of 0."""
        return self.evaluation.signed or not self._entry.fractions

    @property
    def column_numbers(self) -> range:
        """The numbers that its columns have in the whole matrix: those of a head lie beside those of the others."""
        mine = self._columns
        return range(self.shape[1]) if self.transposed else range(mine.start, mine.stop)

    def block(self, rows: slice, columns: slice) -> Picture:
        """Return (values, allowed) of a part as shown; `allowed` only for stages behind the mask."""
        if self.transposed:
            rows, columns = columns, rows
        values = self.evaluation.block(self.stage, self.batch, self._read_head, rows, columns)
        allowed = None
        if self._entry.behind_mask:
            allowed = self.evaluation.allowed(self.batch, self._read_head if self._heads else None, rows, columns)
        if self.transposed:
            return values.T, None if allowed is None else allowed.T
        return values, allowed

    @property
    def draws_pictures(self) -> bool:
        """Whether `pooled` is to be asked, since no large block can be read."""
        return self.evaluation.draws_pictures

    def pooled(self, height: int, width: int, part: PicturePart | None = None) -> Picture:
        """Return (values, allowed) of a picture in height × width blocks, or of a part of its blocks.

        Of each block the number of largest magnitude over allowed cells, sign kept; NaN wins. Not for transposes.
        """
        return self.evaluation.pooled(self.stage, self.batch, self._read_head, height, width, part)

    def pooled_once(self, height: int, width: int, part: slice) -> Picture:
        """Pool as `pooled` does, for some rows of blocks, with nothing kept by the evaluation."""
        return self.evaluation.pooled_once(self.stage, self.batch, self._read_head, height, width, part)

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """Return the full index in the stage of a cell as shown."""
        if self.transposed:
            row, column = column, row
        if self._heads:
            return (self.batch, self.head or 0, row, column)
        return (self.batch, row, self._columns.start + column)

    def cells(self, box: Box) -> tuple[slice, slice] | None:
        """Return the part of a stage's box that this plane shows, as it shows it; None for no part."""
        batch, *middle, rows, columns = box
        if not batch.start <= self.batch < batch.stop:
            return None
        if middle and not middle[0].start <= (self.head or 0) < middle[0].stop:
            return None
        mine = self._columns
        start, stop = max(columns.start, mine.start) - mine.start, min(columns.stop, mine.stop) - mine.start
        if start >= stop or rows.start >= rows.stop:
            return None
        across = slice(start, stop)
        return (across, rows) if self.transposed else (rows, across)

    @cached_property
    def _entry(self) -> Stage:
        return self.evaluation.node(self.stage).stage

    @cached_property
    def _heads(self) -> bool:
        return self._entry.per_head

    @property
    def _read_head(self) -> int | None:
        """The head whose cells are read; None for those of all heads, in a stage without heads."""
        return 0 if self.head is None and self._heads else self.head

    @cached_property
    def _columns(self) -> slice:
        if self._heads or self.head is None:
            return slice(0, self.evaluation.shape(self.stage)[-1])
        return self.evaluation.head_columns(self.stage, self.head)
