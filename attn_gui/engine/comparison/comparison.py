"""Comparison of two problems for scripts: what differs, where, and which change is to blame for a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import prod

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.evaluation.derived.derived_maps import with_derived
from attn_gui.engine.evaluation.trace import Trace, problem_in
from attn_gui.engine.graph import indices
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.stages import STAGE

from .blaming import Suspect, blame
from .difference import difference_of

AT_ONCE = 1 << 22  # cells that are compared at a time


class Comparison(Mapping[str, Array]):
    """After − before of two problems by stage: always with the batch axis, read-only, in their dtype.

    A mapping as a trace is: `comparison["weights"]`, `list(comparison)`. `before` and `after` are the two traces,
    `difference` the trace of what lies between them, of which `block` never computes more than a part. A stage that
    one problem lacks is compared with the last one before it of the same kind: `masked` with `scaled`.
    """

    def __init__(self, before: Trace, after: Trace) -> None:
        self.before, self.after = before, after
        sides = with_derived(before.evaluation), with_derived(after.evaluation)
        self._face = difference_of(*sides, STAGE)
        self.difference = Trace(self._face)

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that can be compared, in order."""
        return self.difference.stages

    def __getitem__(self, stage: str) -> Array:
        """A whole stage or derived map, after − before, subtracted once.

        Raises ShapeError, which names the axes, where the shapes differ, StageError (a KeyError) for a stage that
        neither problem has, ValueError past 2 GB.
        """
        return self.difference[stage]

    def __iter__(self) -> Iterator[str]:
        return iter(self.stages)

    def __len__(self) -> int:
        return len(self.stages)

    __eq__ = object.__eq__  # as a mapping it would compare every stage
    __hash__ = object.__hash__

    def __contains__(self, stage: object) -> bool:
        return stage in self.stages

    def __repr__(self) -> str:
        return f"<comparison of {', '.join(self.stages)}>"

    def moved(self, stage: str) -> list[Box]:
        """Boxes (slices of the stage's axes) of the cells whose bits differ; a NaN is like any other NaN.

        They hold exactly these cells, or where that would take more than `indices.MOST_BOXES`, lie around them. Raises
        as reading the stage does, but for its size.
        """
        shape = self.difference.shape(stage)
        boxes = [box for tile in _tiles(shape) for box in self._apart(stage, tile)]
        return indices.join(_stacked(boxes)) if boxes else []

    def blame(self, stage: str, index: tuple[int, ...], between: Sequence[Problem] = ()) -> tuple[Suspect, ...]:
        """The changes between the two problems, that which moved a cell of the stage most first.

        `index` has one whole number per axis, batch included. Each change is taken back alone, and the cell computed
        without it. With the states `between` the two, as a history of edits has them, each step is a suspect.
        Raises StageError, PlaceError (an IndexError) outside the stage.
        """
        return blame((self.before.problem, *between, self.after.problem), stage, index)

    def _apart(self, stage: str, tile: Box) -> list[Box]:
        """Cells of a tile in which the two differ."""
        names = self._face.pair(stage)
        sides = (self._face.before, self._face.after)
        before, after = (side.box(name, tile).astype(np.float64) for side, name in zip(sides, names, strict=True))
        flags = (before.view(np.uint64) != after.view(np.uint64)) & ~(np.isnan(before) & np.isnan(after))
        if not flags.any():
            return []
        found = list(islice(indices.rectangles(flags), indices.MOST_BOXES + 1))
        parts = found if len(found) <= indices.MOST_BOXES else indices.open_parts(flags, indices.whole(flags.shape))
        return [_shifted(part, tile) for part in parts]


def _shifted(part: Box, tile: Box) -> Box:
    return tuple(slice(a.start + b.start, a.start + b.stop) for a, b in zip(tile, part, strict=True))


def _tiles(shape: tuple[int, ...]) -> Iterator[Box]:
    """Boxes of no more cells than are compared at a time: rows of one head, or the stage as a whole."""
    if prod(shape) <= AT_ONCE:
        yield indices.whole(shape)
        return
    *outer, rows, columns = shape
    step = max(1, AT_ONCE // columns)
    for place in np.ndindex(*outer):
        for low in range(0, rows, step):
            yield (*indices.cell(place), slice(low, min(low + step, rows)), slice(0, columns))


def _stacked(boxes: list[Box]) -> list[Box]:
    """The boxes, those that tiles have cut taken together again."""
    cuts = sorted(tuple((cut.start, cut.stop) for cut in box) for box in boxes)
    for axis in range(len(boxes[0]) - 2, -1, -1):
        found: dict[tuple[tuple[int, int], ...], list[tuple[int, int]]] = {}
        for box in sorted(cuts, key=lambda box: box[axis]):
            same = found.setdefault((*box[:axis], *box[axis + 1 :]), [])
            if same and same[-1][1] == box[axis][0]:
                same[-1] = (same[-1][0], box[axis][1])
            else:
                same.append(box[axis])
        cuts = [(*rest[:axis], cut, *rest[axis:]) for rest, own in found.items() for cut in own]
    return [tuple(slice(*cut) for cut in box) for box in sorted(cuts)]


def compare(before: Problem, after: Problem) -> Comparison:
    """Two problems side by side: `[stage]` is after − before, `.moved(stage)` where they differ.

    `.blame(stage, index)` is which of the changes between them moved a cell most. Only stages of equal shapes can be
    compared. Raises FieldTypeError for what is no problem, FieldError where no evaluation can hold one.
    """
    traces = [Trace(evaluation_of(problem_in(problem, "compare"))) for problem in (before, after)]
    return Comparison(*traces)
