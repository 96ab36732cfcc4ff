"""The forward direction: every cell of every stage that reads some input cells, whatever their numbers are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import indices
from .graph import Node
from .indices import Box
from .layout import Array

if TYPE_CHECKING:
    from .evaluation import Evaluation

KEYS = 256  # keys that are looked through at a time for an open one


class Gate(NamedTuple):
    """Keys of one map; a row is reached where one of them is open."""

    batch: int
    head: int
    start: int
    stop: int


class Piece(NamedTuple):
    """A box as (start, stop) of every axis, and what the mask says about its rows."""

    cuts: tuple[tuple[int, int], ...]
    gate: Gate | None

    @property
    def box(self) -> Box:
        return tuple(slice(start, stop) for start, stop in self.cuts)


class Forward:
    """What a change of some cells reaches: `boxes` around it at once, exact `cells` of the part that is asked for.

    Behind the mask only open cells count, and of later stages only rows that such a cell leads to; the mask is read
    for the part asked and nothing more. A cell of a mask layer reaches its own cell of the maps, open or not.
    """

    def __init__(self, evaluation: Evaluation, changed: Mapping[str, Sequence[Box]]) -> None:
        """`changed`: boxes of the chain's sources and stages."""
        self._evaluation = evaluation
        self._pieces = _spread(evaluation, changed)
        self.stages = tuple(name for name in evaluation.stages if name in self._pieces)

    def boxes(self, stage: str) -> list[Box]:
        """Boxes that hold every reached cell of a stage; none where it is not reached."""
        return indices.join([piece.box for piece in self._pieces.get(stage, ())]) if stage in self.stages else []

    def cells(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Array:
        """Booleans (rows, columns): which cells of a block are reached; the block is named as in `Evaluation.block`.

        Raises StageError (a KeyError) for a stage that the problem does not have.
        """
        node = self._evaluation.node(stage)
        place = self._place(node, batch, head, rows, columns)
        found = self._within(stage, place)
        if not found.any() or not self._masked(node):
            return found
        allowed = self._evaluation.allowed(place[0].start, place[1].start, place[2], place[3])
        return found & (True if allowed is None else allowed) | self._within("allowed", place)

    def _place(self, node: Node, batch: int, head: int | None, rows: slice, columns: slice) -> Box:
        shape = node.shape
        if len(shape) == 4:
            return (*indices.cell((batch, head or 0)), _cut(rows, shape[2]), _cut(columns, shape[3]))
        mine = self._evaluation.head_columns(node.name, head) if head is not None else slice(0, shape[2])
        inside = _cut(columns, mine.stop - mine.start)
        across = slice(mine.start + inside.start, mine.start + inside.stop)
        return (slice(batch, batch + 1), _cut(rows, shape[1]), across)

    def _masked(self, node: Node) -> bool:
        """Whether closed cells of this stage are out of reach: of the maps from the mask on."""
        stages = self._evaluation.stages
        behind = "masked" in stages and stages.index(node.name) >= stages.index("masked")
        return behind and {"i", "j"} <= set(node.left)

    def _within(self, name: str, place: Box) -> Array:
        found = np.zeros(indices.shape_of(place)[-2:], bool)
        for piece in self._pieces.get(name, ()):
            shared = indices.meet(piece.box, place)
            if shared is not None:
                down, across = indices.within(shared, place)[-2:]
                found[down, across] |= True if piece.gate is None else self._open(piece.gate, shared[-2])[:, None]
        return found

    def _open(self, gate: Gate, rows: slice) -> Array:
        """In which of the rows one of the keys is open; rows in which one was found are not looked at again."""
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
        return found


def _spread(evaluation: Evaluation, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Piece]]:
    """Pieces of every stage and source, from stage to stage."""
    found = {name: [_piece(box, None) for box in boxes] for name, boxes in changed.items()}
    shared = _shared(evaluation)
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


def _gated(node: Node, position: int, piece: Piece, box: Box, shared: tuple[bool, bool]) -> list[Piece]:
    """The box as it is, or map by map with the keys of which one has to be open."""
    if position not in node.gates:
        return [_piece(box, piece.gate)]
    ranges = indices.ranges_of(node.inputs[position].axes, piece.box, node.sizes)
    start, stop = ranges.get("j", (0, node.sizes["j"]))
    batches, heads = box[0], box[1]
    return [
        _piece((*indices.cell((batch, head)), *box[2:]),
               Gate(0 if shared[0] else batch, 0 if shared[1] else head, start, stop))
        for batch in range(batches.start, batches.stop) for head in range(heads.start, heads.stop)
    ]  # fmt: skip


def _shared(evaluation: Evaluation) -> tuple[bool, bool]:
    """Whether all batch items, and all heads, have the same mask."""
    nodes = [node for node in evaluation.nodes if node.name == "allowed"]
    letters = {letter for node in nodes for ref in node.inputs for axis in ref.axes for letter in axis}
    return "b" not in letters, "h" not in letters


def _piece(box: Box, gate: Gate | None) -> Piece:
    return Piece(tuple((cut.start, cut.stop) for cut in box), gate)


def _cut(cut: slice, length: int) -> slice:
    start, stop, _ = cut.indices(length)
    return slice(start, max(start, stop))
