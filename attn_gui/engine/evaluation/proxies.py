"""The difference of two evaluations, read as an evaluation is: maps and tables show it like any other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.chain.symbols import computed_name, plain_name
from attn_gui.engine.evaluation.backward import Backward
from attn_gui.engine.evaluation.dense import Evaluation, Recomputed
from attn_gui.engine.evaluation.derived.strips import PooledByStrips
from attn_gui.engine.evaluation.forward import Forward
from attn_gui.engine.evaluation.plane import Pooling
from attn_gui.engine.graph.sources import Source
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.checks import as_box
from attn_gui.engine.problem.errors import ShapeError, StageError
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.stages import STAGE
from attn_gui.engine.stages.derived import MAPS


class Difference(Evaluation):
    """After − before, computed where it is read: nothing is kept beside the two evaluations.

    It has the stages that either of them has and the derived maps of both, as far as their shapes are equal. For a
    stage that one lacks stands the last one before it that writes the same variable: without a mask, the masked scores
    are the scaled ones.
    A cell is closed where both close it.
    """

    kind = "difference"

    def __init__(self, before: Evaluation, after: Evaluation, stages: Iterable[str] | None = None) -> None:
        """Compare the given stages, or all that either has."""
        self.before, self.after = before, after
        self.problem, self.mask, self.last_parts = after.problem, after.mask, None
        names = (*STAGE, *MAPS) if stages is None else stages
        self._pairs = {name: found for name in names if (found := _fitting(before, after, name)) is not None}
        self.stages = tuple(self._pairs)

    # --- what it is made of ----------------------------------------------------------------------
    def pair(self, stage: str) -> tuple[str, str]:
        """The stages of before and after that are compared. Raises StageError, ShapeError as `compare` does."""
        plain = plain_name(stage)
        before, after = self._pairs.get(plain) or pair_of(self.before, self.after, plain)
        return (before, after) if plain == stage else (self.before.computed(before), self.after.computed(after))

    def node(self, stage: str) -> Node:
        """The stage at work. Raises StageError (a KeyError) where neither has it, ShapeError for other shapes."""
        side, plain = self._side(stage), plain_name(stage)
        return side.node(stage if plain == stage else side.computed(plain))

    def node_at(self, stage: str, index: tuple[int, ...]) -> Node:
        """The node that makes one cell of a stage."""
        return self._side(stage).node_at(stage, index)

    def computed(self, stage: str) -> str:
        """The name of a stage as both are before their interventions; its own where neither has any."""
        sides = zip((self.before, self.after), self.pair(stage), strict=True)
        return computed_name(stage) if any(side.computed(name) != name for side, name in sides) else stage

    def _side(self, stage: str) -> Evaluation:
        """The state whose formula stands for a stage: the one after, where it has it."""
        self.pair(plain_name(stage))
        return self.after if plain_name(stage) in self.after.stages else self.before

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self.node(stage) for stage in self.stages)

    @property
    def behind(self) -> Evaluation:
        return self.after

    @property
    def closes(self) -> bool:
        """Whether both have a mask layer that can close cells: only then is a cell closed here."""
        return self.before.closes and self.after.closes

    @property
    def sources(self) -> Mapping[str, Source]:
        return self.after.sources

    # --- reading ---------------------------------------------------------------------------------
    def fetch(self, name: str, box: Box) -> Array:
        """After − before of a box, as float64; of the mask of both, which cells either leaves open."""
        if name == self.mask:
            return np.asarray(self.before.fetch(str(self.before.mask), box) | self.after.fetch(name, box))
        before, after = self.pair(name)
        with np.errstate(all="ignore"):
            return self.after.fetch(after, box) - self.before.fetch(before, box)

    def box(self, stage: str, box: Box) -> Array:
        """After − before of a box as both are read: each rounded to its problem's dtype, subtracted once."""
        before, after = self.pair(stage)
        box = as_box(stage, self.shape(stage), box)
        with np.errstate(all="ignore"):
            found = np.asarray(self.after.box(after, box) - self.before.box(before, box))
        found.flags.writeable = False
        return found

    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """After − before of a block of a matrix of the problem; NaN where one of them has no such matrix."""
        own = self.after.field_block(field, batch, rows, columns)
        if not self.has_field(field):
            return np.full(own.shape, np.nan)
        with np.errstate(all="ignore"):
            return np.asarray(own - self.before.field_block(field, batch, rows, columns))

    def has_field(self, field: str) -> bool:
        """Whether both problems have a matrix of this name, of one shape."""
        before, after = (side.problem.arrays().get(field) for side in (self.before, self.after))
        return before is not None and after is not None and before.shape == after.shape

    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
        """Cells of a map that the mask of either leaves open; None where one of them closes none."""
        found = [side.allowed(batch, head, rows, columns) for side in (self.before, self.after)]
        if found[0] is None or found[1] is None:
            return None
        return np.asarray(found[0] | found[1])

    # --- what an evaluation does beside being read -----------------------------------------------
    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Compute what either does not know yet; False if cancelled."""
        return all(side.complete(heads, progress=progress, cancelled=cancelled) for side in (self.before, self.after))

    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow cells that have changed in the problem after."""
        return self.after.update(problem, changed)

    def reach(self, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Box]]:
        """The boxes of every stage after that a change would reach."""
        return self.after.reach(changed)

    def forward(self, changed: Mapping[str, Sequence[Box]]) -> Forward:
        """Every cell after that reads the given ones."""
        return self.after.forward(changed)

    def backward(self, cells: Mapping[str, Sequence[Box]]) -> Backward:
        """Every cell after that the given ones were computed from."""
        return self.after.backward(cells)

    def layers_at(self, index: tuple[int, ...]) -> list[tuple[int, bool]]:
        """The layers of the mask after, at one cell of a map."""
        return self.after.layers_at(index)


class PooledDifference(PooledByStrips, Difference):
    """Difference of two evaluations that hold no maps: strips of both at a time, none kept."""

    # --- what is known ---------------------------------------------------------------------------
    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Cells of both maps that have to be computed for these rows; nothing of a picture is kept."""
        return sum(side.lacking(name, batch, head, rows, 0) for side, name in self._sides(stage))

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Whether cells of these rows can be read without computing whole rows of weights in either."""
        return all(side.ready(name, batch, head, rows) for side, name in self._sides(stage))

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """The entropies after: a mean of differences would not say which rows see a key."""
        return self._sides(self.stages[0])[1][0].entropies(batch, head, rows)

    def _sides(self, stage: str) -> tuple[tuple[Pooling, str], tuple[Pooling, str]]:
        before, after = self.pair(stage)
        assert isinstance(self.before, Pooling)
        assert isinstance(self.after, Pooling)
        return (self.before, before), (self.after, after)


def difference_of(before: Evaluation, after: Evaluation, stages: Iterable[str] | None = None) -> Difference:
    """The difference of two evaluations, which pools its pictures itself where both of them do."""
    if not (isinstance(before, Pooling) and isinstance(after, Pooling)):
        return Difference(before, after, stages)
    return PooledDifference(before, after, stages)


def pair_of(before: Evaluation, after: Evaluation, stage: str) -> tuple[str, str]:
    """The stages of two evaluations that are compared as `stage`: each side's own, or what stands for it there.

    Raises StageError (a KeyError) where neither has it, ShapeError where the shapes differ.
    """
    if stage not in {*before.stages, *after.stages}:
        choices = tuple(name for name in (*STAGE, *MAPS) if name in {*before.stages, *after.stages})
        raise StageError(sentences.NO_STAGE, stage=repr(stage), choices=choices)
    found = stand_in(before, stage), stand_in(after, stage)
    shapes = before.shape(found[0]), after.shape(found[1])
    if shapes[0] != shapes[1]:
        axes = before.axes(found[0])
        apart = tuple(name for name, one, other in zip(axes, *shapes, strict=True) if one != other)
        raise ShapeError(
            sentences.COMPARED,
            matrices=(stage,),
            axes=apart,
            expected=shapes[0],
            got=shapes[1],
            named=", ".join(apart),
        )
    return found[0], found[1]


def stand_in(side: Evaluation, stage: str) -> str:
    """The stage itself, or the last one before it that writes the same variable.

    Raises StageError (a KeyError) where an evaluation has neither.
    """
    if stage in side.stages or stage not in STAGE:
        return side.node(stage).name
    order, target = list(STAGE), STAGE[stage].target.name
    earlier = [name for name in order[: order.index(stage)] if name in side.stages]
    found = [name for name in earlier if side.node(name).stage.target.name == target]
    return found[-1] if found else side.node(stage).name


def _fitting(before: Evaluation, after: Evaluation, stage: str) -> tuple[str, str] | None:
    try:
        return pair_of(before, after, stage)
    except (StageError, ShapeError):
        return None
