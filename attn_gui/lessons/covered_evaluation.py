"""Evaluation with cells left out, for an exercise: nothing that reads it can give them away."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.proxies import Face
from attn_gui.engine.graph import indices

from .worksheets import Blank


class Covered(Face):
    """The numbers of an evaluation, NaN in place of blanks and of the same numbers under another name.

    A head's result stands in the joined heads too, a scaled score behind a mask that leaves it open: of such copies
    each is left out with the other.
    """

    covers = True

    def __init__(self, of: Evaluation, blanks: Collection[Blank]) -> None:
        super().__init__(of)
        self._cells: dict[str, dict[tuple[int, ...], Blank]] = {}  # of each stage, for which blank a cell stands
        self._given = of.problem.arrays().keys()  # Q, K and V that are not computed have nothing to leave out
        blanks = [blank for blank in blanks if blank.stage not in self._given]
        for blank in blanks:
            for stage, index in _copies(of, blank):
                self._cells.setdefault(stage, {}).setdefault(index, blank)
        for blank in blanks:
            self._cells.setdefault(blank.stage, {})[blank.index] = blank

    def fetch(self, name: str, box: Box) -> Array:
        """The numbers of a box with those left out as NaN; of the mask, which cells are open."""
        found, left_out = self.of.fetch(name, box), self.left_out(name, box)
        if not left_out:
            return found
        found = found.copy()
        for index in left_out:
            found[tuple(k - cut.start for k, cut in zip(index, box, strict=True))] = np.nan
        return found

    def blank_at(self, stage: str, index: tuple[int, ...]) -> Blank | None:
        """The blank of which a cell has the number; None where it has none of one."""
        return self._cells.get(stage, {}).get(index)

    def left_out(self, stage: str, box: Box) -> list[tuple[int, ...]]:
        """The cells of a box that are left out."""
        cells = self._cells.get(stage, {})
        return [at for at in cells if all(cut.start <= k < cut.stop for k, cut in zip(at, box, strict=True))]

    def tells(self, stage: str, index: tuple[int, ...]) -> bool:
        """Whether the explanation of a cell may name a number that is left out: of its row, or of what made it."""
        row = (*indices.cell(index[:-1]), slice(0, self.shape(stage)[-1]))
        if stage in self._given:
            return False
        if self.left_out(stage, row):
            return True
        made_of = self.of.backward({stage: [row]})
        return any(self.left_out(name, box) for name in self._cells for box in made_of.boxes(name))


def _copies(of: Evaluation, blank: Blank) -> list[tuple[str, tuple[int, ...]]]:
    """The cells of other stages that are made of this cell alone, or it of them, and are equal to it."""
    number, given = of.fetch(blank.stage, blank.box).reshape(()), of.problem.arrays()
    here = {blank.stage: [blank.box]}
    ways, found = ((of.forward(here), of.backward), (of.backward(here), of.forward)), []
    for way, back in ways:
        for stage in of.stages:
            boxes = way.boxes(stage) if stage != blank.stage and stage not in given else []
            if len(boxes) != 1 or indices.count(boxes[0]) != 1 or of.fetch(stage, boxes[0]).reshape(()) != number:
                continue
            if list(back({stage: boxes}).boxes(blank.stage)) == [blank.box]:
                found.append((stage, tuple(cut.start for cut in boxes[0])))
    return found
