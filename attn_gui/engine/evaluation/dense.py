"""The evaluation that keeps every step up to 2 GB: what an edit recomputes, how many cells (“25 scores”)."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import StageError
from attn_gui.engine.evaluation.evaluation import AT_ONCE, Evaluation, Recomputed
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import EffectiveMaskNode, InterventionNode, moved_boxes, nodes_of
from attn_gui.engine.graph.nodes import Node, reach
from attn_gui.engine.graph.sources import Source, sources_of
from attn_gui.engine.graph.symbols_and_titles import computed_name, plain_name
from attn_gui.engine.problem import Problem

NOTHING: Mapping[str, Array] = {}
KEEP = 2 << 30  # bytes: a larger stage is not kept but computed by blocks
TILE = 1 << 22  # cells of such a stage that are held at a time
MANY, SMALL = 4, 1 << 13  # so many small boxes are quicker computed as one

REMEMBERED = 1 << 22  # cells of a stage: so large a part is remembered until another one is read


class DenseEvaluation(Evaluation):
    """An evaluation that computes every stage and keeps those of up to `keep` bytes; it copies no array of the problem.

    Kept numbers are float64, rounded to the problem's dtype only when they are read. What is too large for that dtype
    is ±∞ for the stages that follow, too.
    """

    _kept_dtype: np.dtype[Any] = np.dtype(np.float64)  # what kept stages are held as

    def __init__(self, problem: Problem, keep: int = KEEP, known: Mapping[str, Array] = NOTHING) -> None:
        """Compute all stages but those in `known`, which a problem that differs in later stages has computed."""
        self._keep = keep
        self._build(problem, known)

    def _build(self, problem: Problem, known: Mapping[str, Array] = NOTHING) -> None:
        self._lay_out(problem, known)
        with np.errstate(all="ignore"):
            for node in self._nodes:
                if node.stage.alias:
                    self._tie(node)
                elif node.name not in known and self._kept(node):
                    self._arrays[node.name] = self._empty(node)
                    self._compute(node, indices.whole(node.shape))

    def _lay_out(self, problem: Problem, arrays: Mapping[str, Array] = NOTHING) -> None:
        """Build the nodes of a problem; `arrays` are the kept stages that are computed already."""
        self.problem, self.last_parts = problem, None
        self._sources = sources_of(problem)
        self._nodes = tuple(self._wired())
        self._by_name = {node.name: node for node in self._nodes}
        self.stages = tuple(node.name for node in self._nodes if not node.stage.hidden)
        self.mask = next((node.name for node in reversed(self._nodes) if node.stage.boolean), None)
        self._arrays = dict(arrays)

    def _wired(self) -> list[Node]:
        return nodes_of(self.problem, self._sources)

    def _kept(self, node: Node) -> bool:
        """Return whether a stage is kept; subclasses for long problems keep fewer."""
        return int(np.prod(node.shape)) * (1 if node.stage.boolean else 8) <= self._keep

    def _tie(self, node: Node) -> None:
        """Let a stage that is an alias share the array of its input, where that is held."""
        name = node.inputs[0].name
        if name not in self._sources and name not in self._arrays:
            return
        cells = np.asarray(self._sources[name].cells) if name in self._sources else self._arrays[name]
        self._arrays[node.name] = np.broadcast_to(cells if cells.ndim == len(node.shape) else cells[None], node.shape)

    # --- reading ---------------------------------------------------------------------------------
    @property
    def nodes(self) -> tuple[Node, ...]:
        return self._nodes

    @property
    def sources(self) -> Mapping[str, Source]:
        return self._sources

    def node(self, stage: str) -> Node:
        if (stage not in self.stages and plain_name(stage) not in self.stages) or stage not in self._by_name:
            raise StageError(errors.NO_STAGE, stage=repr(stage), choices=self.stages)
        return self._by_name[stage]

    def fetch(self, name: str, box: Box) -> Array:
        if name in self._sources:
            return self._sources[name].read(box)
        if name in self._arrays:
            array = self._arrays[name][box]
            return array if array.dtype == np.float64 or array.dtype == np.bool_ else array.astype(np.float64)
        outer, array = self._by_name[name if name in self._by_name else self._older(name)].compute(box, self.fetch)
        return array[indices.within(box, outer)]

    def _older(self, name: str) -> str:
        """Return the stage to read in place of one whose intervention has gone, for a reader that began before."""
        return plain_name(name) if plain_name(name) in self._by_name else str(self.mask)

    def held(self, name: str) -> Array:
        """Return the array of a kept stage, without a copy."""
        return self._arrays[name]

    # --- changing --------------------------------------------------------------------------------
    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow cells that have changed in place: compute again the cells of kept stages that they reach."""
        start = time.perf_counter()
        if problem.bare_structure != self.problem.bare_structure:
            self._build(problem)
            boxes = {name: [indices.whole(self.shape(name))] for name in self.stages}
            cells = {name: indices.count(found[0]) for name, found in boxes.items()}
            return Recomputed(boxes, cells, time.perf_counter() - start)
        with np.errstate(all="ignore"):
            moved = self._take_up(problem)
            reached = reach(self._nodes, self._named(changed) | moved, self.fetch, self._refresh_mask)
            reached = self._joined(reached, moved)
            counts = {
                node.name: self._compute_all(node, _merged(reached[node.name]))
                for node in self._nodes
                if node.name in reached and node.name in self._arrays and not (node.stage.alias or node.stage.boolean)
            }
        return Recomputed(self._shown(reached), self._shown(counts), time.perf_counter() - start)

    def _take_up(self, problem: Problem) -> dict[str, list[Box]]:
        """Adopt another problem of the same structure; return the cells of each stage whose interventions differ."""
        if problem is self.problem:
            return {}  # other numbers in the arrays that are read
        if problem.structure == self.problem.structure and problem.interventions == self.problem.interventions:
            self.problem, self._sources = problem, sources_of(problem)
            for node in self._nodes:
                if node.stage.alias:
                    self._tie(node)
            return {}
        before, arrays = self.nodes, self._arrays
        self._lay_out(problem, arrays)  # others may read meanwhile: nothing is missing at any time
        for node in self._nodes:
            if node.stage.alias:
                self._tie(node)
            elif self._kept(node):
                self._inherit(node, arrays)
        self._arrays = {node.name: self._arrays[node.name] for node in self._nodes if node.name in self._arrays}
        return moved_boxes(before, self._nodes)

    def _inherit(self, node: Node, arrays: Mapping[str, Array]) -> None:
        """Keep a stage in the array that it had, or that was computed for it before its interventions."""
        plain = plain_name(node.name)
        found, computed = arrays.get(plain), arrays.get(computed_name(plain))
        if isinstance(node, InterventionNode) and found is not None:
            self._arrays[node.name] = np.array(found, self._kept_dtype) if computed is None else found
            return
        found = found if computed is None else computed
        if found is not None and not isinstance(node, EffectiveMaskNode):
            self._arrays[node.name] = found
            return
        self._arrays[node.name] = self._empty(node)
        self._compute(node, indices.whole(node.shape))

    def _empty(self, node: Node) -> Array:
        """Return a new array to keep a stage in, not yet computed."""
        kind = np.float64 if node.stage.exact else self._kept_dtype
        return np.empty(node.shape, bool if node.stage.boolean else kind)

    @staticmethod
    def _joined(reached: dict[str, list[Box]], moved: Mapping[str, list[Box]]) -> dict[str, list[Box]]:
        """Return the boxes of every stage from both: reached by earlier changes, and moved in the stage itself."""
        return reached | {name: indices.join([*boxes, *reached.get(name, ())]) for name, boxes in moved.items()}

    def _refresh_mask(self, node: Node, boxes: list[Box]) -> list[Box]:
        """Compute boxes of a mask again; return the parts that changed: another layer may close the same cells."""
        if node.name not in self._arrays:
            return boxes
        found = []
        for box in boxes:
            before = self._arrays[node.name][box].copy()
            self._compute(node, box)
            found += indices.open_parts(self._arrays[node.name][box] != before, box)
        return found

    def _compute_all(self, node: Node, boxes: list[Box]) -> int:
        """Compute and keep the cells of boxes; return how many cells were evaluated, each counted once."""
        return sum(self._compute(node, box) for box in boxes) - indices.repeated(boxes)

    def _compute(self, node: Node, box: Box) -> int:
        """Compute and keep the cells of a box; return how many were evaluated."""
        count = 0
        for tile in self._tiles(node, box):
            outer, array = node.compute(tile, self.fetch)
            self._arrays[node.name][tile] = array[indices.within(tile, outer)]
            count += array.size
        return count

    def anew(self, names: Collection[str]) -> dict[str, Array]:
        """Return new arrays of kept stages, computed as a fresh evaluation would; the kept ones stay as they are."""
        found: dict[str, Array] = {}

        def fetch(name: str, box: Box) -> Array:
            return found[name][box].astype(np.float64) if name in found else DenseEvaluation.fetch(self, name, box)

        for node in self._nodes:
            if node.name in names:
                array = self._empty(node)
                for tile in self._tiles(node, indices.whole(node.shape)):
                    outer, part = node.compute(tile, fetch)
                    array[tile] = part[indices.within(tile, outer)]
                found[node.name] = array
        return found

    def _tiles(self, node: Node, box: Box) -> Iterator[Box]:
        """Yield parts of a box, each reading no more of stages that are not kept than may be held at once."""
        unkept = [ref.name for ref in node.inputs if ref.name in self._by_name and ref.name not in self._arrays]
        if not unkept or "i" not in node.axes:
            yield box
            return
        axis = node.axes.index("i")
        row = max(int(np.prod(self._by_name[name].shape)) // self.problem.n for name in unkept)
        step = max(1, TILE // row)
        for part in indices.in_parts(box[axis], step):
            yield (*box[:axis], part, *box[axis + 1 :])


def _merged(boxes: list[Box]) -> list[Box]:
    if len(boxes) <= MANY:
        return boxes
    one = indices.around(boxes)
    return [one] if indices.count(one) <= SMALL else boxes


# The evaluation of long maps that are given: they are read where they lie, and never copied.
class GivenEvaluation(DenseEvaluation):
    """An evaluation of long given weights, read where they lie: it keeps the mixed values, and no map."""

    draws_pictures = True

    def _kept(self, node: Node) -> bool:
        return not node.stage.square and super()._kept(node)

    def _tiles(self, node: Node, box: Box) -> Iterator[Box]:
        """Yield rows of one head at a time where a box reads whole rows of a map."""
        if not node.stage.per_head:
            yield box
            return
        step = max(1, AT_ONCE // self.problem.m)
        for item in range(box[0].start, box[0].stop):
            for head in range(box[1].start, box[1].stop):
                for rows in indices.in_parts(box[2], step):
                    yield *indices.cell((item, head)), rows, box[3]


# --- a few rows -----------------------------------------------------------------------------------
def heads_of(node: Node, box: Box) -> list[Box]:
    """Return a box as one box for each head where all heads together read more than may be held."""
    if len(box) < 4 or sum(indices.count(part) for part in node.needs(box)[1] if part) <= REMEMBERED:
        return [box]
    return [(box[0], slice(head, head + 1), *box[2:]) for head in range(box[1].start, box[1].stop)]


class RowwiseEvaluation(DenseEvaluation):
    """An evaluation that keeps K and V in float64, and of all else only the cells that were read last.

    Each stage reads those before it: if nothing were remembered, every stage of a row would compute the scores again.
    """

    def _build(self, problem: Problem, known: Mapping[str, Array] = NOTHING) -> None:
        self._last: dict[str, tuple[Box, Array]] = {}
        super()._build(problem, known)

    def _kept(self, node: Node) -> bool:
        return node.stage.input_side and node.stage.by_key

    def fetch(self, name: str, box: Box) -> Array:
        if name in self._sources or (name in self._arrays and self._arrays[name].dtype == np.float64):
            return super().fetch(name, box)
        if name not in self._last or not indices.contains(self._last[name][0], box):
            part = self._part(name, box)
            if part[1].size > REMEMBERED:
                return part[1][indices.within(box, part[0])]
            self._last[name] = part
        outer, array = self._last[name]
        return array[indices.within(box, outer)]

    def _part(self, name: str, box: Box) -> tuple[Box, Array]:
        if name in self._arrays:
            return box, super().fetch(name, box)
        node = self._by_name[name]
        if len(by_head := heads_of(node, box)) > 1:
            return box, np.concatenate([self.fetch(name, one) for one in by_head], axis=1)
        return node.compute(box, self.fetch)

    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        self._last.clear()
        try:
            return super().update(problem, changed)
        finally:
            self._last.clear()  # what was read on the way may be older than the last of what has changed
