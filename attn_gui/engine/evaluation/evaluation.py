"""What every evaluation answers: numbers in boxes, pooled pictures, row entropies, what an edit reaches; planes.

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

from attn_gui.engine import errors
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
Place = tuple[str, tuple[int, ...]]  # a cell: its stage and its full index, batch first

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
    """Return an entropy in bits, the only unit that people see: 0 for a single key, log₂ m for m equal weights."""
    return nats / math.log(2)


# --- evaluation -----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Blank:
    """A cell that is left out, its index with the batch first; `follows` if it is computed from one asked for."""

    stage: str
    index: tuple[int, ...]
    follows: bool = field(default=False, compare=False)

    @property
    def box(self) -> Box:
        """The box of the cell."""
        return indices.cell(self.index)


@dataclass(frozen=True)
class Recomputed:
    """Result of an update: the changed `boxes` of every stage, the number of evaluated `cells`, the time it took."""

    boxes: dict[str, list[Box]] = field(default_factory=dict)
    cells: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


class Evaluation(ABC):
    """All numbers of one problem by name: of stages and sources, in boxes, in blocks of a map, cell by cell.

    A subclass gives nodes, sources and `fetch`; everything else follows from these.
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

    scores, weights = stage_of(Role.SCORE), stage_of(Role.WEIGHT)
    """The stages of the score function and of the weights."""
    mixed, joined = stage_of(Role.MIX), stage_of(Role.JOIN)
    """The stages of the heads' outputs: the values summed by the weights, and these side by side."""
    projection = stage_of(Role.PROJECT)
    """The stage of the joined heads times W_O; the joined heads themselves where there is no W_O."""

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
        """Return the node that gives a stage. Raises StageError (a KeyError) where there is no such stage."""

    def computed(self, stage: str) -> str:
        """Return the name of a stage before its interventions; its own name where it has none."""
        node = self.node(stage)
        return node.computed if isinstance(node, InterventionNode) else stage

    def node_at(self, stage: str, index: tuple[int, ...]) -> Node:
        """Return the node that gives one cell: its intervention node where one changes it, else the computing one."""
        node = self.node(stage)
        untouched = isinstance(node, InterventionNode) and not node.touching(indices.cell(index))
        return self.node(self.computed(stage)) if untouched else node

    def explains(self, name: str) -> bool:
        """Return whether a name is that of a stage computed here, whose cells can be explained."""
        return plain_name(name) in self.stages

    def sides(self, stage: str) -> tuple[tuple[Evaluation, str], ...]:
        """Return (evaluation, name) pairs that a stage is read from: one; of a difference before and after."""
        return ((self, stage),)

    @property
    def behind(self) -> Evaluation:
        """The evaluation that computes the stages themselves: of a difference the state after."""
        return self

    @property
    def closes(self) -> bool:
        """Whether an enabled mask layer can close cells."""
        return any(node.stage.boolean for node in self.nodes)

    @property
    def elementary(self) -> bool:
        """Whether closed formulas hold: a softmax of elementary scores without interventions."""
        before = [node for node in map(self.node, self.stages) if node.stage.square or node.stage.input_side]
        known = self.elementary_stages and self.node(self.weights).stage.elementary
        return known and not any(isinstance(node, InterventionNode) for node in before)

    @property
    def elementary_stages(self) -> bool:
        """Whether every stage from the scores to the logits is elementary."""
        return all(STAGE[name].elementary for name in self.stages if STAGE[name].square and name != self.weights)

    # --- the parts of attention ------------------------------------------------------------------
    def part(self, role: Role) -> str | None:
        """Return the stage with a role in attention; None where the problem has none."""
        return name if (name := stage_of(role)) in self.stages else None

    @property
    def logits(self) -> str | None:
        """The stage that the weights are computed from; None where weights are given."""
        return self.stages[self.stages.index(self.weights) - 1] if self.scores in self.stages else None

    @cached_property
    def latest(self) -> Mapping[str, str]:
        """The last stage that writes each variable of the formulas: of `key` the turned keys, where they are turned."""
        return {self.node(name).stage.target.name: name for name in self.stages}

    # --- numbers ---------------------------------------------------------------------------------
    @abstractmethod
    def fetch(self, name: str, box: Box) -> Array:
        """Return the numbers of a box of any stage or source, float64 or booleans; unknown ones are computed first."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the numbers that `box` and `block` return."""
        return np.dtype(self.problem.dtype)

    @property
    def signed(self) -> bool:
        """Whether all its numbers may be negative, weights included, as differences may."""
        return bool(self.kind)

    def shape(self, stage: str) -> tuple[int, ...]:
        """Return the lengths of a stage's axes, batch included."""
        return self.node(stage).shape

    def axes(self, stage: str) -> tuple[str, ...]:
        """Return the names of a stage's axes."""
        return self.node(stage).stage.axes

    def box(self, stage: str, box: Box) -> Array:
        """Return the numbers of a box, read-only, in `dtype`. Raises PlaceError (an IndexError) for one outside."""
        return self.read(stage, as_box(stage, self.node(stage).shape, box))

    def read(self, stage: str, box: Box) -> Array:
        """Return what `box` does; that the box lies in the stage is not checked again."""
        with np.errstate(all="ignore"):
            array: Array = self.fetch(stage, box).astype(self.dtype, copy=False).view()
        array.flags.writeable = False
        return array

    def block(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Array:
        """Return a 2-D block of a stage in `dtype`.

        In a stage without heads `columns` are counted within the columns of `head`, or in all of them for None.
        """
        box = self.block_box(stage, batch, head, rows, columns)
        if head is None and len(box) == 4:
            raise FieldError(errors.NEEDS_HEAD, stage=stage)
        found = self.read(stage, box)
        return np.asarray(found[(0,) * (found.ndim - 2)])

    def block_box(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Box:
        """Return the box of a block; where a stage with heads is asked without one, that of the first head."""
        return Plane(self, stage, batch, head).box(rows, columns)

    def head_columns(self, stage: str, head: int) -> slice:
        """Return the slice of a stage's columns that belongs to a query head, whose group may share a K/V head."""
        node, problem = self.node(stage), self.problem
        columns, counts = node.shape[-1], {"": 1, "h": problem.num_heads, "g": problem.num_kv_heads}
        heads = counts[node.stage.heads]
        head, width = head * heads // problem.num_heads, columns // heads
        return slice(head * width, (head + 1) * width)

    def has_field(self, field: str) -> bool:
        """Return whether there are numbers for an array of the problem, by its dotted name."""
        return field in self.problem.arrays()

    def field(self, field: str) -> Array:
        """Return the numbers for a whole array of the problem, in its shape. Raises KeyError where it has none."""
        return self.problem.arrays()[field]

    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """Return a block of an array of the problem, by its dotted name."""
        return np.asarray(item_of(self.field(field), batch)[rows, columns])

    # --- the mask --------------------------------------------------------------------------------
    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
        """Return booleans (rows, columns): cells of a map that the mask leaves open, or an intervention opens.

        None where no boolean layer is enabled. Without a head: cells that any head leaves open.
        """
        if self.mask is None:
            return None
        n, m = self.problem.n, self.problem.m
        heads = slice(0, self.problem.num_heads) if head is None else slice(head, head + 1)
        found = self.fetch(self.mask, (slice(batch, batch + 1), heads, *_cuts((rows, columns), (n, m))))[0]
        return np.asarray(found[0] if head is not None else found.any(axis=0))

    def layers_at(self, index: tuple[int, ...]) -> list[tuple[int, bool]]:
        """Return (position, whether it is open there) of every enabled boolean layer, for one cell of a map."""
        return [(position, bool(cells.all())) for position, cells in self.layers_in(indices.cell(index))]

    def layers_in(self, box: Box) -> list[tuple[int, Array]]:
        """Return (position, booleans) of every enabled boolean layer: the cells of a box of a map that it opens, as an
        array that broadcasts to the box."""
        node = next(node for node in self.nodes if node.name == "allowed")
        _, parts, _ = node.needs(box)
        return [
            (layer_position(ref.name), self.fetch(ref.name, part))
            for ref, part in zip(node.inputs, parts, strict=True)
            if part is not None
        ]

    # --- cells that are left out -----------------------------------------------------------------
    def left_out(self, stage: str, box: Box) -> list[tuple[int, ...]]:
        """Return the cells of a box that an exercise leaves out, by their indices; `box` gives NaN for them."""
        return []

    def left_out_as(self, stage: str, index: tuple[int, ...]) -> Place | None:
        """Return the left-out cell, as (stage, index), whose number a cell shows; None where it shows none."""
        return None

    def gives_away(self, stage: str, index: tuple[int, ...]) -> bool:
        """Return whether explaining a cell may show a left-out number: of its row, or that it was computed from."""
        return False

    # --- pictures --------------------------------------------------------------------------------
    def pooled(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: PicturePart | None = None
    ) -> Picture:
        """Return (values, allowed) of a picture of a stage in rows × columns blocks, or of a part of these blocks.

        The value of a block is its number of largest magnitude over open cells, sign kept; NaN wins, so that it is
        seen. `allowed` says which blocks have an open cell; None before the mask. Cells are read here `AT_ONCE` at a
        time.
        """
        height, width = self._lengths(stage, head)
        down, across = block_edges(height, rows), block_edges(width, columns)
        if part is not None:
            down, across = down[part[0].start : part[0].stop + 1], across[part[1].start : part[1].stop + 1]
        return self._pooled(stage, batch, head, down, across)

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        """Pool some rows of blocks as `pooled` does and keep nothing, for a large picture made piece by piece."""
        return self.pooled(stage, batch, head, rows, columns, (part, slice(0, columns)))

    def pooled_at(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None:
        """Return `pooled` over blocks with given edges, keeping nothing; None where to read `block` instead."""
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
        """Return (rows, columns) of a stage as shown for a head."""
        *_, rows, columns = self.shape(stage)
        if head is None or self.node(stage).stage.per_head:
            return rows, columns
        mine = self.head_columns(stage, head)
        return rows, mine.stop - mine.start

    def is_map(self, stage: str) -> bool:
        """Return whether a stage has both a query and a key axis."""
        return self.node(stage).stage.square

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Return the number of cells of maps to compute before `pooled` in so many columns can show these rows."""
        return 0

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Return whether cells of these rows can be read without computing whole rows of weights."""
        return True

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """Return −Σ a·log a of rows of weights in nats; BLIND for a row that sees no key."""
        found, step = np.empty(rows.stop - rows.start), max(1, AT_ONCE // self.problem.m)
        for part in indices.in_parts(rows, step):
            weights = self.block(self.weights, batch, head, part, slice(0, self.problem.m)).astype(np.float64)
            with np.errstate(all="ignore"):
                mine = np.where((weights != 0).any(axis=1), row_entropy(weights), BLIND)
            found[part.start - rows.start : part.stop - rows.start] = mine
        return found

    # --- computing -------------------------------------------------------------------------------
    @abstractmethod
    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow cells that have changed in place; `problem` already holds them.

        `changed` gives boxes by dotted field, in the array's own axes, `[()]` for a number. Where `problem` has another
        structure (shapes, heads, masks) everything is computed again; where only interventions differ, what they reach.
        """

    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Compute what is not known yet, for (batch, head) pairs or for all; return False if cancelled.

        `progress(done, all)` may be called from any thread.
        """
        return True

    @property
    def settled(self) -> bool:
        """Whether all known numbers equal a fresh computation bit for bit."""
        return True

    @property
    def unsettled(self) -> frozenset[tuple[int, int]]:
        """The (batch, head) pairs whose last digits `settle` may change."""
        return frozenset()

    def settle(self, *, cancelled: Callable[[], bool] = bool) -> bool:
        """Compute again what edits have left off by rounding; return False if cancelled."""
        return True

    # --- what a change reaches -------------------------------------------------------------------
    def reach(self, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Box]]:
        """Return the boxes of every stage that a change of given fields, or of stages, would reach."""
        return self._shown(reach(self.nodes, self._named(changed), self.fetch))

    def forward(self, changed: Mapping[str, Sequence[Box]]) -> ForwardReach:
        """Return the cells that depend on cells of given fields (dotted, in their own axes) or stages, to be read by
        part.

        Raises PlaceError (an IndexError) for a box outside.
        """
        return ForwardReach(self, self._named(changed))

    def backward(self, cells: Mapping[str, Sequence[Box]]) -> BackwardReach:
        """Return the cells that cells of given stages or fields (dotted, in their own axes) depend on.

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
    """Return slices as they cut axes of these lengths."""
    found = []
    for cut, length in zip(cuts, lengths, strict=True):  # no comprehensions here: every block of every map comes by
        start, stop, _ = cut.indices(length)
        found.append(slice(start, max(start, stop)))
    return found


@dataclass(frozen=True)
class Plane:
    """A matrix that a map shows; in a stage without heads the columns of `head`, or all for None."""

    evaluation: Evaluation
    stage: str
    batch: int = 0
    head: int | None = 0
    transposed: bool = False

    @cached_property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) as shown; constant, since an evaluation keeps the shapes that it begins with."""
        mine = self._columns
        rows, columns = self.evaluation.shape(self.stage)[-2], mine.stop - mine.start
        return (columns, rows) if self.transposed else (rows, columns)

    @cached_property
    def signed(self) -> bool:
        """Whether its numbers may be negative."""
        return self.evaluation.signed or not self._entry.fractions

    @property
    def column_numbers(self) -> range:
        """The numbers of its columns in the whole matrix, where those of several heads lie side by side."""
        mine = self._columns
        return range(self.shape[1]) if self.transposed else range(mine.start, mine.stop)

    def block(self, rows: slice, columns: slice) -> Picture:
        """Return (values, allowed) of a part as shown; `allowed` is None for stages before the mask."""
        if self.transposed:
            rows, columns = columns, rows
        found = self.evaluation.read(self.stage, self.box(rows, columns))
        values, allowed = found[(0,) * (found.ndim - 2)], None
        if self._entry.behind_mask:
            allowed = self.evaluation.allowed(self.batch, self._read_head if self._heads else None, rows, columns)
        if self.transposed:
            return values.T, None if allowed is None else allowed.T
        return values, allowed

    def box(self, rows: slice, columns: slice) -> Box:
        """Return the box of a part in the stage, in which nothing is transposed."""
        (height, width), first = self.shape[::-1] if self.transposed else self.shape, self._columns.start
        down, right = _cuts((rows, columns), (height, width))
        return (*self._place, down, slice(first + right.start, first + right.stop))

    @property
    def draws_pictures(self) -> bool:
        """Whether to ask `pooled` rather than read a large block."""
        return self.evaluation.draws_pictures

    def pooled(self, height: int, width: int, part: PicturePart | None = None) -> Picture:
        """Return (values, allowed) of a picture in height × width blocks, or of a part of its blocks. Not for a
        transposed plane.

        The value of a block is its number of largest magnitude over open cells, sign kept; NaN wins.
        """
        return self.evaluation.pooled(self.stage, self.batch, self._read_head, height, width, part)

    def pooled_once(self, height: int, width: int, part: slice) -> Picture:
        """Pool some rows of blocks as `pooled` does and keep nothing."""
        return self.evaluation.pooled_once(self.stage, self.batch, self._read_head, height, width, part)

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """Return the full index in the stage of a cell at (row, column) as shown."""
        if self.transposed:
            row, column = column, row
        if self._heads:
            return (self.batch, self.head or 0, row, column)
        return (self.batch, row, self._columns.start + column)

    def cells(self, box: Box) -> tuple[slice, slice] | None:
        """Return (rows, columns) as shown of the part of a stage's box that lies in this plane; None for no part."""
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

    @cached_property
    def _read_head(self) -> int | None:
        """The head whose cells are read; None for those of all heads, in a stage without heads."""
        return 0 if self.head is None and self._heads else self.head

    @cached_property
    def _place(self) -> Box:
        """The item and, in a stage with heads, the head."""
        item, head = slice(self.batch, self.batch + 1), self.head or 0
        return (item, slice(head, head + 1)) if self._heads else (item,)

    @cached_property
    def _columns(self) -> slice:
        if self._heads or self.head is None:
            return slice(0, self.evaluation.shape(self.stage)[-1])
        return self.evaluation.head_columns(self.stage, self.head)
