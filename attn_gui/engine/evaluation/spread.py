"""Cells related to given cells, stage by stage: bounding boxes at once, exact cells of a part on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.graph import indices

from .readout import Readout

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
