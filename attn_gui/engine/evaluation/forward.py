"""The forward direction: every cell of every stage that reads some input cells, whatever their numbers are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.graph import indices

from .readout import Readout
from .spread import Piece, Spread, behind_mask, piece_of, shared_masks

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
        super().__init__(evaluation, _spread(evaluation, changed))

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


def _spread(evaluation: Readout, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Piece[Gate]]]:
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
