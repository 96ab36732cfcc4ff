"""The backward direction: every cell of every stage and field that some cells were computed from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.hand_node import ByHand
from attn_gui.engine.chain.node import Node
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.indices import Reference

from .readout import Readout
from .spread import Piece, Spread, behind_mask, piece_of, shared_masks

ROWS = 64  # rows of a mask that are looked through at a time
MOST_PARTS = 1 << 11  # a piece in more parts than this is told as one box


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
        super().__init__(evaluation, _spread(evaluation, cells))

    def _parts(self, piece: Piece[OpenKeys]) -> list[Box]:
        return open_parts(piece)

    def _open(self, gate: OpenKeys, box: Box) -> Array:
        flags = gate.within(box[gate.axis])
        return flags[None, :] if gate.axis == len(box) - 1 else flags[:, None]


def _spread(evaluation: Readout, cells: Mapping[str, Sequence[Box]]) -> dict[str, list[Piece[OpenKeys]]]:
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
