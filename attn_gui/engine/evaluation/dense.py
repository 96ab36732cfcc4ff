"""The dense evaluation: every stage of a problem is kept, and an edit recomputes only what it reaches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.graph import indices
from attn_gui.engine.graph import node as graph
from attn_gui.engine.graph.node import Node
from attn_gui.engine.graph.sources import Source, layer_position, sizes_of, sources_of
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.checks import as_box
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import FieldError, StageError
from attn_gui.engine.stages import stages_of

from .backward import Backward
from .forward import Forward

T = TypeVar("T")

KEEP = 2 << 30  # bytes: a larger stage is not kept but computed by blocks
TILE = 1 << 22  # cells of such a stage that are held at a time
MANY, SMALL = 4, 1 << 13  # so many small boxes are quicker computed as one


@dataclass(frozen=True)
class Recomputed:
    """Result of an update: the changed `boxes` of every stage, the number of evaluated `cells`, the time it took."""

    boxes: dict[str, list[Box]] = field(default_factory=dict)
    cells: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


class Evaluation:
    """All stages of one problem. It copies no array of the problem: it reads them where they are.

    Numbers are held as float64 and rounded to the problem's dtype once, when they are read.
    """

    _kind: np.dtype[Any] = np.dtype(np.float64)  # what kept stages are held as

    def __init__(self, problem: Problem, keep: int = KEEP) -> None:
        self._keep = keep
        self._build(problem)

    def _build(self, problem: Problem) -> None:
        self.problem = problem
        self._sources = sources_of(problem)
        self._nodes = graph.build(stages_of(problem), self._sources, sizes_of(problem))
        self._by_name = {node.name: node for node in self._nodes}
        self._fields: dict[str, list[str]] = {}
        for name, source in self._sources.items():
            self._fields.setdefault(source.field, []).append(name)
        self.stages = tuple(node.name for node in self._nodes if not node.stage.hidden)
        self._arrays: dict[str, Array] = {}
        with np.errstate(all="ignore"):
            for node in self._nodes:
                if node.stage.alias:
                    if node.inputs[0].name in self._sources or node.inputs[0].name in self._arrays:
                        self._tie(node)
                elif self._kept(node):
                    self._arrays[node.name] = np.empty(node.shape, bool if node.stage.boolean else self._kind)
                    self._compute(node, indices.whole(node.shape))

    def _kept(self, node: Node) -> bool:
        return int(np.prod(node.shape)) * (1 if node.stage.boolean else 8) <= self._keep

    def _tie(self, node: Node) -> None:
        """Let an alias show the cells of its input."""
        name = node.inputs[0].name
        cells = np.asarray(self._sources[name].cells) if name in self._sources else self._arrays[name]
        self._arrays[node.name] = np.broadcast_to(cells if cells.ndim == len(node.shape) else cells[None], node.shape)

    # --- reading ---------------------------------------------------------------------------------
    def fetch(self, name: str, box: Box) -> Array:
        """The numbers of a box of any stage or source, as float64 (or booleans), kept or computed on the spot."""
        if name in self._sources:
            return self._sources[name].read(box)
        if name in self._arrays:
            array = self._arrays[name][box]
            return array if array.dtype == np.float64 or array.dtype == np.bool_ else array.astype(np.float64)
        outer, array = self._by_name[name].compute(box, self.fetch)
        return array[indices.within(box, outer)]

    def node(self, stage: str) -> Node:
        """The stage at work. Raises StageError (a KeyError) for a stage that the problem does not have."""
        if stage not in self.stages:
            raise StageError(sentences.NO_STAGE, stage=repr(stage), choices=self.stages)
        return self._by_name[stage]

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self._nodes)

    @property
    def closes(self) -> bool:
        """Whether a mask layer is enabled that can close cells."""
        return any(node.stage.boolean for node in self._nodes)

    @property
    def sources(self) -> Mapping[str, Source]:
        return self._sources

    def shape(self, stage: str) -> tuple[int, ...]:
        """The lengths of a stage's axes, batch included."""
        return self.node(stage).shape

    def axes(self, stage: str) -> tuple[str, ...]:
        """The names of a stage's axes."""
        return self.node(stage).stage.axes

    def box(self, stage: str, box: Box) -> Array:
        """The numbers of a box, read-only, in the problem's dtype."""
        box = as_box(stage, self.shape(stage), box)
        with np.errstate(all="ignore"):
            array: Array = self.fetch(stage, box).astype(self.problem.dtype, copy=False).view()
        array.flags.writeable = False
        return array

    def block(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Array:
        """A 2-D block. In a stage without heads `columns` count within the head's columns, or all (head None)."""
        shape = self.shape(stage)
        if len(shape) == 4:
            if head is None:
                raise FieldError(sentences.NEEDS_HEAD, stage=stage)
            place = (*indices.cell((batch, head)), _cut(rows, shape[2]), _cut(columns, shape[3]))
            return np.asarray(self.box(stage, place)[0, 0])
        mine = self.head_columns(stage, head) if head is not None else slice(0, shape[2])
        inside = _cut(columns, mine.stop - mine.start)
        across = slice(mine.start + inside.start, mine.start + inside.stop)
        return np.asarray(self.box(stage, (slice(batch, batch + 1), _cut(rows, shape[1]), across))[0])

    def allowed(self, batch: int, head: int, rows: slice, columns: slice) -> Array | None:
        """Cells of a map that the mask leaves open; None when no boolean layer is enabled."""
        if "allowed" not in self._by_name:
            return None
        n, m = self.problem.n, self.problem.m
        return np.asarray(self.fetch("allowed", (*indices.cell((batch, head)), _cut(rows, n), _cut(columns, m)))[0, 0])

    def layers_at(self, index: tuple[int, ...]) -> list[tuple[int, bool]]:
        """(position, whether it is open there) of every enabled boolean layer, for one cell of a map."""
        node = self._by_name["allowed"]
        _, parts, _ = node.needs(indices.cell(index))
        return [
            (layer_position(ref.name), bool(self.fetch(ref.name, box).all()))
            for ref, box in zip(node.inputs, parts, strict=True)
            if box is not None
        ]

    def head_columns(self, stage: str, head: int) -> slice:
        """The columns of a stage that belong to a query head (a K/V head is shared by its group)."""
        columns, problem = self.shape(stage)[-1], self.problem
        counts = {"": 1, "h": problem.num_heads, "g": problem.num_kv_heads}
        heads = counts[self.node(stage).stage.heads]
        head, width = head * heads // problem.num_heads, columns // heads
        return slice(head * width, (head + 1) * width)

    # --- changing --------------------------------------------------------------------------------
    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow cells that have changed in place; `problem` already holds them.

        `changed` names dotted fields with boxes in the array's own axes, `[()]` for a number. A problem of another
        structure (shapes, heads, masks) is computed again.
        """
        start = time.perf_counter()
        if problem.structure != self.problem.structure:
            self._build(problem)
            boxes = {name: [indices.whole(self.shape(name))] for name in self.stages}
            cells = {name: indices.count(found[0]) for name, found in boxes.items()}
            return Recomputed(boxes, cells, time.perf_counter() - start)
        self.problem, self._sources = problem, sources_of(problem)
        for node in self._nodes:
            if node.stage.alias and node.inputs[0].name in self._sources:
                self._tie(node)
        with np.errstate(all="ignore"):
            reached = graph.reach(self._nodes, self._named(changed), self.fetch, self._settle)
            counts = {
                node.name: sum(self._compute(node, box) for box in _merged(reached[node.name]))
                for node in self._nodes
                if node.name in reached and node.name in self._arrays and not (node.stage.alias or node.stage.boolean)
            }
        return Recomputed(self._shown(reached), self._shown(counts), time.perf_counter() - start)

    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Compute what is not known yet, of (batch, head) pairs or of all; False if cancelled. Here all is known."""
        return True

    def reach(self, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Box]]:
        """The boxes of every stage that a change of the given fields, or of stages, would reach."""
        return self._shown(graph.reach(self._nodes, self._named(changed), self.fetch))

    def forward(self, changed: Mapping[str, Sequence[Box]]) -> Forward:
        """Every cell that reads cells of the given fields (dotted, in their own axes) or stages, to be asked by part.

        Raises PlaceError (an IndexError) for a box outside.
        """
        return Forward(self, self._named(changed))

    def backward(self, cells: Mapping[str, Sequence[Box]]) -> Backward:
        """Every cell that cells of the given stages or fields (dotted, in their own axes) were computed from.

        Raises PlaceError (an IndexError) for a box outside.
        """
        return Backward(self, self._named(cells))

    def _named(self, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Box]]:
        """Boxes of fields as boxes of the sources that read them."""
        found: dict[str, list[Box]] = {}
        for name, boxes in changed.items():
            for source in self._fields.get(name, ()):
                shape = self._sources[source].shape
                found[source] = [box for box in (as_box(name, shape, box) for box in boxes) if indices.count(box)]
            if name not in self._fields and name in self.stages:
                found[name] = [as_box(name, self.shape(name), box) for box in boxes]
        return found

    def _shown(self, found: Mapping[str, T]) -> dict[str, T]:
        return {name: found[name] for name in self.stages if name in found}

    def _settle(self, node: Node, boxes: list[Box]) -> list[Box]:
        """Bring a mask up to date; the parts where it changed, since layers may close the same cell."""
        if node.name not in self._arrays:
            return boxes
        found = []
        for box in boxes:
            before = self._arrays[node.name][box].copy()
            self._compute(node, box)
            found += indices.open_parts(self._arrays[node.name][box] != before, box)
        return found

    def _compute(self, node: Node, box: Box) -> int:
        """Compute and keep the cells of a box; returns how many were evaluated."""
        count = 0
        for tile in self._tiles(node, box):
            outer, array = node.compute(tile, self.fetch)
            self._arrays[node.name][tile] = array[indices.within(tile, outer)]
            count += array.size
        return count

    def _tiles(self, node: Node, box: Box) -> Iterator[Box]:
        """Boxes that read no more of a stage that is not kept than can be held."""
        unkept = [ref.name for ref in node.inputs if ref.name in self._by_name and ref.name not in self._arrays]
        if not unkept or "i" not in node.axes:
            yield box
            return
        axis = node.axes.index("i")
        row = max(int(np.prod(self._by_name[name].shape)) // self.problem.n for name in unkept)
        step = max(1, TILE // row)
        for low in range(box[axis].start, box[axis].stop, step):
            yield (*box[:axis], slice(low, min(low + step, box[axis].stop)), *box[axis + 1 :])


def _merged(boxes: list[Box]) -> list[Box]:
    if len(boxes) <= MANY:
        return boxes
    one = indices.around(boxes)
    return [one] if indices.count(one) <= SMALL else boxes


def _cut(cut: slice, length: int) -> slice:
    start, stop, _ = cut.indices(length)
    return slice(start, max(start, stop))
