"""Which cells depend on a cell and on which it depends, through masks, softmax rows and copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.nodes import CellPart, Node
from attn_gui.engine.graph.stage import Role

if TYPE_CHECKING:  # every evaluation is asked for these, and they ask it for its mask
    from attn_gui.engine.evaluation.evaluation import Evaluation

G = TypeVar("G")

KEYS = 256  # keys that are looked through at a time for an open one

ROWS = 64  # rows of a mask that are looked through at a time
MOST_PARTS = 1 << 11  # boxes of open keys; a mask in more pieces gives the one box around them


# --- related cells --------------------------------------------------------------------------------
class GatedBox(NamedTuple, Generic[G]):
    """A box as (start, stop) for every axis; its gate tells which of its cells count, None for all."""

    cuts: tuple[tuple[int, int], ...]
    gate: G | None

    @property
    def box(self) -> Box:
        return tuple(slice(start, stop) for start, stop in self.cuts)


class RelatedCells(Generic[G]):
    """Cells related to given ones, as pieces of stages and sources; subclasses say how these are found and gated."""

    def __init__(self, evaluation: Evaluation, pieces: Mapping[str, Sequence[GatedBox[G]]]) -> None:
        self._evaluation = evaluation
        self._pieces = pieces
        self.stages = tuple(name for name in evaluation.stages if name in pieces)

    def boxes(self, name: str) -> list[Box]:
        """Return boxes that hold all found cells of a stage or of a field (dotted, in its own axes)."""
        return indices.join([part for piece in self._named(name) for part in self._parts(piece)])

    def cells(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Array:
        """Return booleans (rows, columns): the found cells of a block, which is given as to `Evaluation.block`.

        Raises StageError (a KeyError) for a stage that the problem does not have.
        """
        node = self._evaluation.node(stage)
        return self._shown(node, self._evaluation.block_box(stage, batch, head, rows, columns))

    def _named(self, name: str) -> list[GatedBox[G]]:
        """Return the pieces of a stage, or of every source that reads a field."""
        if name in self._evaluation.stages:
            return list(self._pieces.get(name, ()))
        sources = (key for key, source in self._evaluation.sources.items() if source.field == name)
        return [piece for source in sources for piece in self._pieces.get(source, ())]

    def _within(self, name: str, place: Box) -> Array:
        found = np.zeros(indices.shape_of(place)[-2:], bool)
        for piece in self._pieces.get(name, ()):
            shared = indices.intersection(piece.box, place)
            if shared is not None:
                down, across = indices.within(shared, place)[-2:]
                found[down, across] |= True if piece.gate is None else self._open(piece.gate, shared)
        return found

    # --- what a direction says -------------------------------------------------------------------
    def _parts(self, piece: GatedBox[G]) -> list[Box]:
        """Return the boxes of a piece."""
        return [piece.box]

    def _shown(self, node: Node, place: Box) -> Array:
        """Return booleans: the found cells at a box of a stage."""
        return self._within(node.name, place)

    def _open(self, gate: G, box: Box) -> Array:
        """Return booleans for the last two axes of a box: cells that a gate lets through."""
        raise NotImplementedError


def piece_of(box: Box, gate: G | None = None) -> GatedBox[G]:
    """Return a box with its gate as a GatedBox."""
    return GatedBox(tuple((cut.start, cut.stop) for cut in box), gate)


def shared_masks(evaluation: Evaluation) -> tuple[bool, bool]:
    """Return (whether all batch items have the same mask, whether all heads have)."""
    nodes = [node for node in evaluation.nodes if node.stage.boolean]
    letters = {letter for node in nodes for ref in node.inputs for axis in ref.axes for letter in axis}
    return "b" not in letters, "h" not in letters


def behind_mask(evaluation: Evaluation, node: Node) -> bool:
    """Return whether a stage is a map in which the mask can have closed cells."""
    stages = evaluation.stages
    if not evaluation.closes or not node.stage.square:
        return False
    first = next(stage for stage in stages if evaluation.node(stage).stage.behind_mask)
    return stages.index(node.name) >= stages.index(first)


# --- forward direction ----------------------------------------------------------------------------
class OpenKeysGate(NamedTuple):
    """A range of keys of one map: a row is reached only where one of them is open to it."""

    batch: int
    head: int
    start: int
    stop: int


class ForwardReach(RelatedCells[OpenKeysGate]):
    """The cells that depend on given cells.

    Behind the mask only open cells count, and of later stages only rows with such a cell; no more of the mask is read
    than the part that is asked for. A cell of a mask layer reaches its cell of the maps whether it is open or not.
    """

    def __init__(self, evaluation: Evaluation, changed: Mapping[str, Sequence[Box]]) -> None:
        """Follow `changed`, boxes of sources and stages, forward."""
        super().__init__(evaluation, _spread_forward(evaluation, changed))

    def _shown(self, node: Node, place: Box) -> Array:
        found = self._within(node.name, place)
        if not found.any() or not behind_mask(self._evaluation, node):
            return found
        allowed = self._evaluation.allowed(place[0].start, place[1].start, place[2], place[3])
        return found & (True if allowed is None else allowed) | self._within("allowed", place)

    def _open(self, gate: OpenKeysGate, box: Box) -> Array:
        """Return booleans: rows with an open key in the gate; a row once found open is not read again."""
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


def _spread_forward(
    evaluation: Evaluation, changed: Mapping[str, Sequence[Box]]
) -> dict[str, list[GatedBox[OpenKeysGate]]]:
    """Return pieces of every stage and source, from stage to stage."""
    found: dict[str, list[GatedBox[OpenKeysGate]]] = {
        name: [piece_of(box) for box in boxes] for name, boxes in changed.items()
    }
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


def _gated(
    node: Node, position: int, piece: GatedBox[OpenKeysGate], box: Box, shared: tuple[bool, bool]
) -> list[GatedBox[OpenKeysGate]]:
    """Return the box as it is, or one box for each map, gated by its keys of which one has to be open."""
    if position not in node.gates:
        return [piece_of(box, piece.gate)]
    ranges = indices.ranges_of(node.inputs[position].axes, piece.box, node.sizes)
    start, stop = ranges.get("j", (0, node.sizes["j"]))
    batches, heads = box[0], box[1]
    return [
        piece_of(
            (*indices.cell((batch, head)), *box[2:]),
            OpenKeysGate(0 if shared[0] else batch, 0 if shared[1] else head, start, stop),
        )
        for batch in range(batches.start, batches.stop)
        for head in range(heads.start, heads.stop)
    ]


# --- backward direction ---------------------------------------------------------------------------
class KeyFlags(NamedTuple):
    """The open ones among all keys, a byte each, and the axis of a box that runs over keys."""

    axis: int
    flags: bytes

    def within(self, cut: slice) -> Array:
        return np.frombuffer(self.flags, bool)[cut]


class BackwardReach(RelatedCells[KeyFlags]):
    """The cells that given cells depend on, up to the fields.

    Behind the mask a row depends on its open keys, and on the mask that says which these are; a closed cell depends on
    the mask alone. Of several rows at once a key counts where one of them sees it.
    """

    def __init__(self, evaluation: Evaluation, cells: Mapping[str, Sequence[Box]]) -> None:
        """Follow `cells`, boxes of stages and sources, backward."""
        super().__init__(evaluation, _spread_backward(evaluation, cells))

    def _parts(self, piece: GatedBox[KeyFlags]) -> list[Box]:
        return open_parts(piece)

    def _open(self, gate: KeyFlags, box: Box) -> Array:
        flags = gate.within(box[gate.axis])
        return flags[None, :] if gate.axis == len(box) - 1 else flags[:, None]


def _spread_backward(evaluation: Evaluation, cells: Mapping[str, Sequence[Box]]) -> dict[str, list[GatedBox[KeyFlags]]]:
    """Return pieces of every stage and source, from the last stage to the first."""
    found: dict[str, list[GatedBox[KeyFlags]]] = {}
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


def _shown_as(
    evaluation: Evaluation, found: Mapping[str, Sequence[GatedBox[KeyFlags]]]
) -> dict[str, list[GatedBox[KeyFlags]]]:
    """Return pieces of stages that are aliases of a found source: a given Q, K or V is both a field and a stage."""
    nodes = (node for node in evaluation.nodes if node.stage.alias and node.name not in found)
    return {
        node.name: [piece_of(box) for piece in found[node.inputs[0].name] for box in node.affected(0, piece.box)]
        for node in nodes
        if node.inputs[0].name in found and node.inputs[0].name in evaluation.sources
    }


def _closed_by(evaluation: Evaluation, name: str, box: Box) -> str | None:
    """Return the name of the masking stage if it closes all cells of the box, so that nothing else counts."""
    if name not in evaluation.stages or not behind_mask(evaluation, evaluation.node(name)):
        return None
    flags = evaluation.fetch(str(evaluation.mask), box)
    return None if flags.any() else evaluation.part(Role.CLOSE)


def _read(evaluation: Evaluation, node: Node, piece: GatedBox[KeyFlags]) -> Iterator[tuple[str, GatedBox[KeyFlags]]]:
    """Yield (name, piece) for the inputs of a piece of a stage; keys behind a gate count only where they are open."""
    for own in _by_place(node, piece):
        for box, opened in _by_map(evaluation, node, own):
            for ref, part in node.reads(box):
                axis = next((k for k, letters in enumerate(ref.axes) if letters == "j"), None)
                if axis is None or "j" in node.stage.along:
                    yield ref.name, piece_of(part)
                elif opened is not None and ref.name != "allowed":
                    if opened[part[axis]].any():
                        yield ref.name, piece_of(part, KeyFlags(axis, opened.tobytes()))
                else:
                    yield ref.name, piece_of(part, own.gate and KeyFlags(axis, own.gate.flags))


def _by_place(node: Node, piece: GatedBox[KeyFlags]) -> list[GatedBox[KeyFlags]]:
    """Return a piece as pieces whose gates hold: where an intervention copies from other keys, the open parts."""
    if piece.gate is None or not isinstance(node, InterventionNode):
        return [piece]
    axis, copied = piece.gate.axis, []
    for step in node.steps:
        origin = step.record.origin(step.box, node.stage.axes)
        if origin is not None and origin[axis] != step.box[axis]:
            copied.append(step.box)
    found = [piece_of(box, piece.gate) for box in indices.outside([piece.box], copied)]
    for box in copied:
        shared = indices.intersection(box, piece.box)
        found += map(piece_of, () if shared is None else open_parts(piece_of(shared, piece.gate)))
    return found


def _by_map(evaluation: Evaluation, node: Node, piece: GatedBox[KeyFlags]) -> Iterator[tuple[Box, Array | None]]:
    """Yield (box, None), or where the stage has gates (box of one map, booleans (m,): keys that are open in it)."""
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


def _open_keys(evaluation: Evaluation, batch: int, head: int, rows: slice) -> Array:
    """Return booleans (m,): keys that at least one of the queries sees."""
    found = np.zeros(evaluation.problem.m, bool)
    for part in indices.in_parts(rows, ROWS):
        allowed = evaluation.allowed(batch, head, part, slice(0, found.size))
        assert allowed is not None, "a gate stands where there is a mask"
        found |= allowed.any(axis=0)
    return found


def open_parts(piece: GatedBox[KeyFlags]) -> list[Box]:
    """Return the boxes of the open keys of a piece; the one box around them where they would be too many."""
    if piece.gate is None:
        return [piece.box]
    axis, cut = piece.gate.axis, piece.box[piece.gate.axis]
    runs = list(indices.runs(piece.gate.within(cut)))
    if len(runs) > MOST_PARTS:
        runs = [(runs[0][0], runs[-1][1])]
    return [(*piece.box[:axis], slice(cut.start + low, cut.start + high), *piece.box[axis + 1 :]) for low, high in runs]


# --- parts of a cell ------------------------------------------------------------------------------
def parts_of(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> tuple[CellPart, ...]:
    """Return the parts of a cell by stage, back to the matrices of the problem, those of queries before those of keys.

    The other maps have the cell of the same pair as a part; so has what a weight is multiplied by, and the sum that
    this goes into. The last answer is remembered, since tables, maps and spine ask for the same cell one after another.
    Raises IndexError for a cell that the stage does not have: the search for its parts would not end.
    """
    asked, shape = (stage, tuple(index)), evaluation.shape(stage)
    if not all(0 <= place < length for place, length in zip(index, shape, strict=True)):
        raise IndexError(f"{stage} has the shape {shape}, got the cell {tuple(index)}")
    if evaluation.last_parts is None or evaluation.last_parts[0] != asked:
        evaluation.last_parts = asked, _found(evaluation, stage, index)
    return evaluation.last_parts[1]


def _found(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> tuple[CellPart, ...]:
    found: list[CellPart] = []
    for part in (*_before(evaluation, stage, index), *_after(evaluation, stage, indices.cell(index))):
        if part not in found:
            found.append(part)
    return tuple(sorted(found, key=lambda part: any("j" in letters for letters in part.axes)))


def _before(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> Iterator[CellPart]:
    hidden = {node.name for node in evaluation.nodes if node.stage.hidden}
    boxes: dict[str, list[Box]] = {stage: [indices.cell(index)]}
    for node in reversed(evaluation.nodes):
        for box in boxes.get(node.name, ()):
            yield CellPart(node.name, box, node.axes)
            for (ref, field), part in zip(zip(node.inputs, node.fields, strict=True), _inputs(node, box), strict=True):
                if part is not None and ref.name not in hidden:
                    boxes.setdefault(ref.name, []).append(part)
                    if field not in evaluation.stages:  # a stage says so itself, a given Q, K or V included
                        yield CellPart(field, part, ref.axes)


def _inputs(node: Node, box: Box) -> list[Box | None]:
    """Return the boxes of the inputs; of a map of pairs the same pair, though a softmax reads its whole row."""
    if not node.stage.square:
        return node.needs(box)[1]
    ranges = indices.ranges_of(node.axes, box, node.sizes)
    return [None if ref.optional else indices.box_of(ref.axes, ranges, node.sizes) for ref in node.inputs]


def _after(evaluation: Evaluation, stage: str, box: Box) -> Iterator[CellPart]:
    """Yield the other maps of pairs, and what the cell of a map is multiplied by and summed into."""
    own = evaluation.node(stage)
    if not own.stage.square:
        return
    for node in evaluation.nodes:
        if node.stage.square and not node.stage.hidden:
            yield CellPart(node.name, box, node.axes)
        elif own.name in (read := [ref.name for ref in node.inputs]):
            ranges = indices.ranges_of(node.inputs[read.index(own.name)].axes, box, node.sizes)
            for ref, field in zip(node.inputs, node.fields, strict=True):
                yield CellPart(field, indices.box_of(ref.axes, ranges, node.sizes), ref.axes)
            yield CellPart(node.name, indices.box_of(node.axes, ranges, node.sizes), node.axes)
