"""The dense evaluation: every stage of a problem is kept, and an edit recomputes only what it reaches."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.checks import as_box
from attn_gui.engine.evaluation.readout import Readout
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import Reference
from attn_gui.engine.graph.intervention_nodes import ByHand, Opened, moved_boxes
from attn_gui.engine.graph.nodes import Node, computed_name, plain_name, reach
from attn_gui.engine.graph.sources import sources_of
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.problem import Problem

# --- related cells --------------------------------------------------------------------------------
# Cells related to given cells, stage by stage: bounding boxes at once, exact cells of a part on request.


G = TypeVar("G")


class Piece(NamedTuple, Generic[G]):
    """A box as (start, stop) of every axis, and what the mask says about its cells; None where it says nothing."""

    cuts: tuple[tuple[int, int], ...]
    gate: G | None

    @property
    def box(self) -> Box:
        return tuple(slice(start, stop) for start, stop in self.cuts)


class Spread(Generic[G]):
    """Pieces of stages and sources; a direction says how they are found and what their gates leave open."""

    def __init__(self, evaluation: Readout, pieces: Mapping[str, Sequence[Piece[G]]]) -> None:
        self._evaluation = evaluation
        self._pieces = pieces
        self.stages = tuple(name for name in evaluation.stages if name in pieces)

    def boxes(self, name: str) -> list[Box]:
        """Boxes that hold every found cell of a stage or of a field (dotted, in its own axes); none where there is
        none."""
        return indices.join([part for piece in self._named(name) for part in self._parts(piece)])

    def cells(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Array:
        """Booleans (rows, columns): which cells of a block are found; the block is named as in `Evaluation.block`.

        Raises StageError (a KeyError) for a stage that the problem does not have.
        """
        node = self._evaluation.node(stage)
        return self._shown(node, self._evaluation.block_box(stage, batch, head, rows, columns))

    def _named(self, name: str) -> list[Piece[G]]:
        """The pieces of a stage, or of every source that reads a field."""
        if name in self._evaluation.stages:
            return list(self._pieces.get(name, ()))
        sources = (key for key, source in self._evaluation.sources.items() if source.field == name)
        return [piece for source in sources for piece in self._pieces.get(source, ())]

    def _within(self, name: str, place: Box) -> Array:
        found = np.zeros(indices.shape_of(place)[-2:], bool)
        for piece in self._pieces.get(name, ()):
            shared = indices.meet(piece.box, place)
            if shared is not None:
                down, across = indices.within(shared, place)[-2:]
                found[down, across] |= True if piece.gate is None else self._open(piece.gate, shared)
        return found

    # --- what a direction says -------------------------------------------------------------------
    def _parts(self, piece: Piece[G]) -> list[Box]:
        """The boxes of a piece."""
        return [piece.box]

    def _shown(self, node: Node, place: Box) -> Array:
        """Cells found so far at a place in a stage."""
        return self._within(node.name, place)

    def _open(self, gate: G, box: Box) -> Array:
        """Cells of the last two axes of a box that a gate leaves open."""
        raise NotImplementedError


def piece_of(box: Box, gate: G | None = None) -> Piece[G]:
    """A box as a piece."""
    return Piece(tuple((cut.start, cut.stop) for cut in box), gate)


def shared_masks(evaluation: Readout) -> tuple[bool, bool]:
    """Whether all batch items, and all heads, have the same mask."""
    nodes = [node for node in evaluation.nodes if node.stage.boolean]
    letters = {letter for node in nodes for ref in node.inputs for axis in ref.axes for letter in axis}
    return "b" not in letters, "h" not in letters


def behind_mask(evaluation: Readout, node: Node) -> bool:
    """Whether a stage is one of the maps from the mask on, in which cells can be closed."""
    stages = evaluation.stages
    if not evaluation.closes or not node.stage.square:
        return False
    first = next(stage for stage in stages if evaluation.node(stage).stage.behind_mask)
    return stages.index(node.name) >= stages.index(first)


# --- forward direction ----------------------------------------------------------------------------
# The forward direction: every cell of every stage that reads some input cells, whatever their numbers are.


KEYS = 256  # keys that are looked through at a time for an open one


class Gate(NamedTuple):
    """Keys of one map; a row is reached where one of them is open."""

    batch: int
    head: int
    start: int
    stop: int


class Forward(Spread[Gate]):
    """Cells that a change of some cells reaches.

    Behind the mask only open cells count, and of later stages only rows that such a cell leads to; the mask is read
    for the part asked and nothing more. A cell of a mask layer reaches its own cell of the maps, open or not.
    """

    def __init__(self, evaluation: Readout, changed: Mapping[str, Sequence[Box]]) -> None:
        """`changed`: boxes of the chain's sources and stages."""
        super().__init__(evaluation, _spread_forward(evaluation, changed))

    def _shown(self, node: Node, place: Box) -> Array:
        found = self._within(node.name, place)
        if not found.any() or not behind_mask(self._evaluation, node):
            return found
        allowed = self._evaluation.allowed(place[0].start, place[1].start, place[2], place[3])
        return found & (True if allowed is None else allowed) | self._within("allowed", place)

    def _open(self, gate: Gate, box: Box) -> Array:
        """Rows in which one of the keys is open; rows in which one was found are not looked at again."""
        rows = box[-2]
        found = np.zeros(rows.stop - rows.start, bool)
        for low in range(gate.start, gate.stop, KEYS):
            left = np.flatnonzero(~found)
            if not left.size:
                break
            part = slice(int(left[0]), int(left[-1]) + 1)
            keys = slice(low, min(low + KEYS, gate.stop))
            shifted = slice(rows.start + part.start, rows.start + part.stop)
            allowed = self._evaluation.allowed(gate.batch, gate.head, shifted, keys)
            found[part] |= True if allowed is None else allowed.any(axis=1)
        return found[:, None]


def _spread_forward(evaluation: Readout, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Piece[Gate]]]:
    """Pieces of every stage and source, from stage to stage."""
    found: dict[str, list[Piece[Gate]]] = {name: [piece_of(box) for box in boxes] for name, boxes in changed.items()}
    shared = shared_masks(evaluation)
    for node in evaluation.nodes:
        pieces = [
            one
            for k, ref in enumerate(node.inputs)
            for piece in found.get(ref.name, ())
            for box in node.affected(k, piece.box)
            for one in _gated(node, k, piece, box, shared)
        ]
        if pieces:
            found[node.name] = list(dict.fromkeys([*found.get(node.name, ()), *pieces]))
    return found


def _gated(node: Node, position: int, piece: Piece[Gate], box: Box, shared: tuple[bool, bool]) -> list[Piece[Gate]]:
    """The box as it is, or map by map with the keys of which one has to be open."""
    if position not in node.gates:
        return [piece_of(box, piece.gate)]
    ranges = indices.ranges_of(node.inputs[position].axes, piece.box, node.sizes)
    start, stop = ranges.get("j", (0, node.sizes["j"]))
    batches, heads = box[0], box[1]
    return [
        piece_of(
            (*indices.cell((batch, head)), *box[2:]),
            Gate(0 if shared[0] else batch, 0 if shared[1] else head, start, stop),
        )
        for batch in range(batches.start, batches.stop)
        for head in range(heads.start, heads.stop)
    ]


# --- backward direction ---------------------------------------------------------------------------
# The backward direction: every cell of every stage and field that some cells were computed from.


ROWS = 64  # rows of a mask that are looked through at a time
MOST_PARTS = 1 << 11  # boxes of open keys; a mask in more pieces gives the one box around them


class OpenKeys(NamedTuple):
    """Open keys among all of them (a byte each), and the axis of the box that runs over keys."""

    axis: int
    flags: bytes

    def within(self, cut: slice) -> Array:
        return np.frombuffer(self.flags, bool)[cut]


class Backward(Spread[OpenKeys]):
    """Origin of some cells, hop by hop up to the fields.

    Behind the mask a row comes from its open keys alone, and from the mask that says which ones these are. A closed
    cell comes from the mask and from nothing else. Of several rows at once a key counts where one of them sees it.
    """

    def __init__(self, evaluation: Readout, cells: Mapping[str, Sequence[Box]]) -> None:
        """`cells`: boxes of the chain's stages and sources."""
        super().__init__(evaluation, _spread_backward(evaluation, cells))

    def _parts(self, piece: Piece[OpenKeys]) -> list[Box]:
        return open_parts(piece)

    def _open(self, gate: OpenKeys, box: Box) -> Array:
        flags = gate.within(box[gate.axis])
        return flags[None, :] if gate.axis == len(box) - 1 else flags[:, None]


def _spread_backward(evaluation: Readout, cells: Mapping[str, Sequence[Box]]) -> dict[str, list[Piece[OpenKeys]]]:
    """Pieces of every stage and source, from the last stage to the first."""
    found: dict[str, list[Piece[OpenKeys]]] = {}
    for name, boxes in cells.items():
        for box in boxes:
            found.setdefault(_closed_by(evaluation, name, box) or name, []).append(piece_of(box))
    for node in reversed(evaluation.nodes):
        for piece in found.get(node.name, ()):
            for name, read in _read(evaluation, node, piece):
                found[name] = list(dict.fromkeys([*found.get(name, ()), read]))
    for name, boxes in cells.items():
        found.setdefault(name, list(map(piece_of, boxes)))
    return found | _shown_as(evaluation, found)


def _shown_as(evaluation: Readout, found: Mapping[str, Sequence[Piece[OpenKeys]]]) -> dict[str, list[Piece[OpenKeys]]]:
    """Q, K and V that are given have a name as fields and one as stages; asked for by the first, they show as both."""
    nodes = (node for node in evaluation.nodes if node.stage.alias and node.name not in found)
    return {
        node.name: [piece_of(box) for piece in found[node.inputs[0].name] for box in node.affected(0, piece.box)]
        for node in nodes
        if node.inputs[0].name in found and node.inputs[0].name in evaluation.sources
    }


def _closed_by(evaluation: Readout, name: str, box: Box) -> str | None:
    """The stage of the mask, where it closes all cells of the box: nothing else counts then."""
    if name not in evaluation.stages or not behind_mask(evaluation, evaluation.node(name)):
        return None
    flags = evaluation.fetch(str(evaluation.mask), box)
    return None if flags.any() else evaluation.part(Role.CLOSE)


def _read(evaluation: Readout, node: Node, piece: Piece[OpenKeys]) -> Iterator[tuple[str, Piece[OpenKeys]]]:
    """Inputs of a piece of a stage; of the keys that a gate has to let through only the open ones."""
    for own in _by_place(node, piece):
        for box, opened in _by_map(evaluation, node, own):
            for ref, part in node.reads(box):
                axis = _key_axis(ref)
                if axis is None or "j" in node.stage.along:
                    yield ref.name, piece_of(part)
                elif opened is not None and ref.name != "allowed":
                    if opened[part[axis]].any():
                        yield ref.name, piece_of(part, OpenKeys(axis, opened.tobytes()))
                else:
                    yield ref.name, piece_of(part, own.gate and OpenKeys(axis, own.gate.flags))


def _by_place(node: Node, piece: Piece[OpenKeys]) -> list[Piece[OpenKeys]]:
    """A piece with its gate where its keys are read at their own places; the open ones of those copied from another."""
    if piece.gate is None or not isinstance(node, ByHand):
        return [piece]
    axis, copied = piece.gate.axis, []
    for step in node.steps:
        origin = step.record.origin(step.box, node.stage.axes)
        if origin is not None and origin[axis] != step.box[axis]:
            copied.append(step.box)
    found = [piece_of(box, piece.gate) for box in indices.outside([piece.box], copied)]
    for box in copied:
        shared = indices.meet(box, piece.box)
        found += map(piece_of, () if shared is None else open_parts(piece_of(shared, piece.gate)))
    return found


def _by_map(evaluation: Readout, node: Node, piece: Piece[OpenKeys]) -> Iterator[tuple[Box, Array | None]]:
    """A piece with None, or where a gate stands its parts map by map with the keys that are open there."""
    if not node.gates:
        yield piece.box, None
        return
    shared = shared_masks(evaluation)
    batches, heads, rows = piece.box[:3]
    known: dict[tuple[int, int], Array] = {}
    for batch, head in product(range(batches.start, batches.stop), range(heads.start, heads.stop)):
        mask = 0 if shared[0] else batch, 0 if shared[1] else head
        if mask not in known:
            known[mask] = _open_keys(evaluation, *mask, rows)
        yield (*indices.cell((batch, head)), *piece.box[2:]), known[mask]


def _open_keys(evaluation: Readout, batch: int, head: int, rows: slice) -> Array:
    """Keys that at least one of the queries sees."""
    found = np.zeros(evaluation.problem.m, bool)
    for low in range(rows.start, rows.stop, ROWS):
        part = slice(low, min(low + ROWS, rows.stop))
        allowed = evaluation.allowed(batch, head, part, slice(0, found.size))
        found |= True if allowed is None else allowed.any(axis=0)
    return found


def open_parts(piece: Piece[OpenKeys]) -> list[Box]:
    """The boxes of the open keys of a piece; of too many the one around them."""
    if piece.gate is None:
        return [piece.box]
    axis, cut = piece.gate.axis, piece.box[piece.gate.axis]
    runs = list(indices.runs(piece.gate.within(cut)))
    if len(runs) > MOST_PARTS:
        runs = [(runs[0][0], runs[-1][1])]
    return [(*piece.box[:axis], slice(cut.start + low, cut.start + high), *piece.box[axis + 1 :]) for low, high in runs]


def _key_axis(ref: Reference) -> int | None:
    """The axis of an input that runs over keys."""
    return next((k for k, letters in enumerate(ref.axes) if letters == "j"), None)


# --- dense evaluation -----------------------------------------------------------------------------


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
