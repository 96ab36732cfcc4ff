"""The dense evaluation: every stage of a problem is kept, and an edit recomputes only what it reaches."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.following import Opened
from attn_gui.engine.chain.hand_node import ByHand, moved_boxes
from attn_gui.engine.chain.node import Node, reach
from attn_gui.engine.chain.symbols import computed_name, plain_name
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.sources import sources_of
from attn_gui.engine.problem.checks import as_box
from attn_gui.engine.problem.problem import Problem

from .backward import Backward
from .forward import Forward
from .readout import Readout

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


class Evaluation(Readout):
    """All stages of one problem. It copies no array of the problem: it reads them where they are.

    Numbers are held as float64 and rounded to the problem's dtype once, when they are read; what lies beyond that is ±∞
    for the stages that follow, too.
    """

    _kind: np.dtype[Any] = np.dtype(np.float64)  # what kept stages are held as
    supply: object | None = None  # what draws pictures of it on another thread, where anything does; only carried here

    def __init__(self, problem: Problem, keep: int = KEEP) -> None:
        self._keep = keep
        self._build(problem)

    def _build(self, problem: Problem) -> None:
        self._lay_out(problem)
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

    @property
    def behind(self) -> Evaluation:
        """Evaluation that has the numbers of the stages themselves: of a difference the state after."""
        return self

    # --- changing --------------------------------------------------------------------------------
    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow cells that have changed in place; `problem` already holds them.

        `changed` names dotted fields with boxes in the array's own axes, `[()]` for a number. A problem of another
        structure (shapes, heads, masks) is computed again; of other interventions, what these reach.
        """
        start = time.perf_counter()
        if problem.bare_structure != self.problem.bare_structure:
            self._build(problem)
            boxes = {name: [indices.whole(self.shape(name))] for name in self.stages}
            cells = {name: indices.count(found[0]) for name, found in boxes.items()}
            return Recomputed(boxes, cells, time.perf_counter() - start)
        with np.errstate(all="ignore"):
            moved = self._take_up(problem)
            reached = reach(self._nodes, self._named(changed) | moved, self.fetch, self._settle)
            reached = self._joined(reached, moved)
            counts = {
                node.name: sum(self._compute(node, box) for box in _merged(reached[node.name]))
                for node in self._nodes
                if node.name in reached and node.name in self._arrays and not (node.stage.alias or node.stage.boolean)
            }
        return Recomputed(self._shown(reached), self._shown(counts), time.perf_counter() - start)

    def _take_up(self, problem: Problem) -> dict[str, list[Box]]:
        """Read the numbers of another problem of the same structure; the cells of stages that interventions changed."""
        if problem.structure == self.problem.structure and problem.interventions == self.problem.interventions:
            self.problem, self._sources = problem, sources_of(problem)
            for node in self._nodes:
                if node.stage.alias and node.inputs[0].name in self._sources:
                    self._tie(node)
            return {}
        before, arrays = self.nodes, self._arrays
        self._lay_out(problem, arrays)  # others may read meanwhile: nothing is missing at any time
        for node in self._nodes:
            if node.stage.alias:
                if node.inputs[0].name in self._sources or node.inputs[0].name in self._arrays:
                    self._tie(node)
            elif self._kept(node):
                self._inherit(node, arrays)
        self._arrays = {node.name: self._arrays[node.name] for node in self._nodes if node.name in self._arrays}
        return moved_boxes(before, self._nodes)

    def _inherit(self, node: Node, arrays: Mapping[str, Array]) -> None:
        """Keep a stage in the memory that it had, or that had been computed of it before it was changed by hand."""
        plain = plain_name(node.name)
        found, computed = arrays.get(plain), arrays.get(computed_name(plain))
        if isinstance(node, ByHand) and found is not None:
            self._arrays[node.name] = np.array(found, self._kind) if computed is None else found
            return
        found = found if computed is None else computed
        if found is not None and not isinstance(node, Opened):
            self._arrays[node.name] = found
            return
        self._arrays[node.name] = np.empty(node.shape, bool if node.stage.boolean else self._kind)
        self._compute(node, indices.whole(node.shape))

    @staticmethod
    def _joined(reached: dict[str, list[Box]], moved: Mapping[str, list[Box]]) -> dict[str, list[Box]]:
        """All boxes of every stage: reached from before it, and changed in it."""
        return reached | {name: indices.join([*boxes, *reached.get(name, ())]) for name, boxes in moved.items()}

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
        return self._shown(reach(self._nodes, self._named(changed), self.fetch))

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

    def anew(self, names: Collection[str]) -> dict[str, Array]:
        """Kept stages as a fresh evaluation computes them, beside those that are held."""
        found: dict[str, Array] = {}

        def fetch(name: str, box: Box) -> Array:
            return found[name][box].astype(np.float64) if name in found else Evaluation.fetch(self, name, box)

        for node in self._nodes:
            if node.name in names:
                array = np.empty(node.shape, self._kind)
                for tile in self._tiles(node, indices.whole(node.shape)):
                    outer, part = node.compute(tile, fetch)
                    array[tile] = part[indices.within(tile, outer)]
                found[node.name] = array
        return found

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
