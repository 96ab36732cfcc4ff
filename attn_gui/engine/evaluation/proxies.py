"""Evaluations that read another evaluation: derived maps, overlays, differences and the problem before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

import numpy as np

from attn_gui.engine import sentences
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.checks import as_box
from attn_gui.engine.derived_stages import MAPS, entry_of
from attn_gui.engine.errors import ShapeError, StageError
from attn_gui.engine.evaluation.dense import Backward, Evaluation, Forward, Recomputed
from attn_gui.engine.evaluation.pooling import Picture, Pooling
from attn_gui.engine.evaluation.strips import Part, PooledByStrips
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import derived_nodes
from attn_gui.engine.graph.nodes import Node, computed_name, plain_name
from attn_gui.engine.graph.sources import Source
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE

# --- derived maps ---------------------------------------------------------------------------------
# Derived maps of an evaluation: an evaluation that has them beside the stages, and keeps none of their cells.


AT_ONCE = 1 << 20  # numbers of a derived map that are held on the way to one number for each key


class Derived(Evaluation):
    """The stages of an evaluation, and the maps that are made of them: computed by the block where they are read.

    Of what has one number for each key (a norm) those of a head are kept once they are known.
    """

    def __init__(self, base: Evaluation) -> None:
        self.base = base
        self._take(base)

    def _take(self, base: Evaluation) -> None:
        self.problem, self.mask, self.last_parts = base.problem, base.mask, None
        self._lay_out_over(base)
        self._norms: dict[tuple[str, int, int], Array] = {}

    def _lay_out_over(self, base: Evaluation) -> None:
        self._sources, own = dict(base.sources), derived_nodes(base.problem, base.sources)
        self._nodes = [*base.nodes, *own]
        self._by_name = {node.name: node for node in self._nodes}
        self._own = {node.name for node in own}
        self._fields = {}
        for name, source in self._sources.items():
            self._fields.setdefault(source.field, []).append(name)
        self.stages = (*base.stages, *(node.name for node in own if node.name in MAPS))
        self._arrays = {}

    def node(self, stage: str) -> Node:
        """The stage at work. Raises StageError (a KeyError) for one that the problem does not have."""
        return self._by_name[stage] if stage in self._own else super().node(stage)

    def explains(self, name: str) -> bool:
        """Whether a name is that of numbers that are computed here: a norm, too, which is no map."""
        return name in self._own or super().explains(name)

    # --- reading ---------------------------------------------------------------------------------
    def fetch(self, name: str, box: Box) -> Array:
        """The numbers of a box of any stage, source or derived map, as float64."""
        if name not in self._own:
            return self.base.fetch(name, box)
        node = self._by_name[name]
        if name in MAPS:
            outer, array = node.compute(box, self.fetch)
            return array[indices.within(box, outer)]
        batches, heads = (range(cut.start, cut.stop) for cut in box[:2])
        return np.stack([[self._norm(name, batch, head)[box[2]] for head in heads] for batch in batches])

    def box(self, stage: str, box: Box) -> Array:
        """The numbers of a box, read-only, in the problem's dtype."""
        return super().box(stage, box) if stage in self._own else self.base.box(stage, box)

    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
        """Cells of a map that the mask leaves open; None when no boolean layer is enabled."""
        return self.base.allowed(batch, head, rows, columns)

    def held(self, name: str) -> Array:
        """A whole kept stage as it is held."""
        return self.base.held(name)

    def _norm(self, name: str, batch: int, head: int) -> Array:
        """One number for each key of a head, a part of the keys at a time."""
        place = name, batch, head
        if place not in self._norms:
            node = self._by_name[name]
            width, keys = self._by_name[node.inputs[0].name].shape[-1], node.shape[2]
            step, parts = max(1, AT_ONCE // max(width, 1)), []
            for low in range(0, keys, step):
                box = (*indices.cell((batch, head)), slice(low, min(low + step, keys)))
                outer, array = node.compute(box, self.fetch)
                parts.append(array[indices.within(box, outer)][0, 0])
            self._norms[place] = np.concatenate(parts)
        return self._norms[place]

    # --- what an evaluation does beside being read -----------------------------------------------
    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow cells that have changed in place, as the evaluation behind it does."""
        found = self.base.update(problem, changed)
        self._take(self.base)
        return found

    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Compute what the evaluation behind it does not know yet; False if cancelled."""
        return self.base.complete(heads, progress=progress, cancelled=cancelled)


class PooledDerived(PooledByStrips, Derived):
    """Stages draw their own pictures, as before; of a derived map a block's largest number is found from its cells."""

    @property
    def _drawing(self) -> Pooling:
        return cast(Pooling, self.base)

    def pooled(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: Part = None) -> Picture:
        """(values, allowed) of a picture of a stage in rows × columns blocks, or of a part of its blocks."""
        if stage in self._own:
            return super().pooled(stage, batch, head, rows, columns, part)
        return self._drawing.pooled(stage, batch, head, rows, columns, part)

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        """Pool some rows of blocks as `pooled` does, with nothing kept."""
        if stage in self._own:
            return super().pooled_once(stage, batch, head, rows, columns, part)
        return self._drawing.pooled_once(stage, batch, head, rows, columns, part)

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Cells of maps that have to be computed before these rows can be shown."""
        return self._drawing.lacking(self._behind(stage), batch, head, rows, 0 if stage in self._own else columns)

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Whether cells of these rows can be read without computing whole rows of weights."""
        return self._drawing.ready(self._behind(stage), batch, head, rows)

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """The entropies of rows of weights."""
        return self._drawing.entropies(batch, head, rows)

    def _behind(self, stage: str) -> str:
        """The stage that a derived map waits for: the last one of the evaluation that it is made of."""
        while stage in self._own:
            stage = self._by_name[stage].inputs[0].name
        return stage


def with_derived(evaluation: Evaluation) -> Evaluation:
    """The evaluation with its derived maps."""
    if isinstance(evaluation, Derived):
        return evaluation
    return PooledDerived(evaluation) if isinstance(evaluation, Pooling) else Derived(evaluation)


def reading(evaluation: Evaluation, stage: str) -> Evaluation:
    """The evaluation that has a stage: itself, or with its derived maps where one of them is meant.

    A difference has those of its two sides: one made of differences of stages would be another number.
    Raises StageError (a KeyError) for what is no name.
    """
    if not isinstance(stage, str):
        raise StageError(sentences.NO_STAGE, stage=repr(stage), choices=evaluation.stages)
    own = stage in evaluation.stages or evaluation.signed or not is_derived(stage)
    return evaluation if own else with_derived(evaluation)


def is_derived(name: str) -> bool:
    """Whether a name is that of a derived map, or of what one of them is made of."""
    return entry_of(name) is not None


def derived_maps(evaluation: Evaluation) -> tuple[str, ...]:
    """The names of the derived maps that an evaluation can be asked for."""
    found = derived_nodes(evaluation.problem, evaluation.sources)
    return tuple(node.name for node in found if node.name in MAPS)


# --- overlay --------------------------------------------------------------------------------------
# An evaluation that shows another one in a way of its own: it has its stages, nodes and mask, and other numbers.


class Face(Evaluation):
    """Evaluation in which all but the numbers is that of `of`; a subclass says what `fetch` gives."""

    def __init__(self, of: Evaluation) -> None:
        self.of, self.problem, self.mask, self.last_parts = of, of.problem, of.mask, None
        self.stages = of.stages

    # --- what it is made of ----------------------------------------------------------------------
    def node(self, stage: str) -> Node:
        """The stage at work. Raises StageError (a KeyError) for a stage that the problem does not have."""
        return self.of.node(stage)

    def node_at(self, stage: str, index: tuple[int, ...]) -> Node:
        """The node that makes one cell of a stage."""
        return self.of.node_at(stage, index)

    def computed(self, stage: str) -> str:
        """The name of a stage as it is before its interventions; its own where it has none."""
        return self.of.computed(stage)

    @property
    def nodes(self) -> tuple[Node, ...]:
        return self.of.nodes

    @property
    def behind(self) -> Evaluation:
        return self.of

    @property
    def closes(self) -> bool:
        """Whether a mask layer is enabled that can close cells."""
        return self.of.closes

    @property
    def sources(self) -> Mapping[str, Source]:
        return self.of.sources

    # --- reading ---------------------------------------------------------------------------------
    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """A block of a matrix of the problem, by its dotted name."""
        return self.of.field_block(field, batch, rows, columns)

    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
        """Cells of a map that the mask leaves open."""
        return self.of.allowed(batch, head, rows, columns)

    def layers_at(self, index: tuple[int, ...]) -> list[tuple[int, bool]]:
        """The layers of the mask at one cell of a map."""
        return self.of.layers_at(index)

    # --- what an evaluation does beside being read -----------------------------------------------
    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Compute what is not known yet; False if cancelled."""
        return self.of.complete(heads, progress=progress, cancelled=cancelled)

    def update(self, problem: object, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow nothing: after an edit another one is laid over the evaluation."""
        return Recomputed()

    def reach(self, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Box]]:
        """The boxes of every stage that a change would reach."""
        return self.of.reach(changed)

    def forward(self, changed: Mapping[str, Sequence[Box]]) -> Forward:
        """Every cell that reads the given ones."""
        return self.of.forward(changed)

    def backward(self, cells: Mapping[str, Sequence[Box]]) -> Backward:
        """Every cell that the given ones were computed from."""
        return self.of.backward(cells)


# --- difference -----------------------------------------------------------------------------------


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


# --- problem before -------------------------------------------------------------------------------
# The problem before, read by the stages that a comparison has: so a map stays where it is while its sides change.


class Earlier(Difference):
    """The numbers before, under the names of the stages that are compared; for one that was not there stands the same
    as in a difference."""

    kind = ""

    def __init__(self, before: Evaluation, after: Evaluation, stages: Iterable[str] | None = None) -> None:
        super().__init__(before, after, stages)
        self.problem, self.mask = before.problem, before.mask

    def node(self, stage: str) -> Node:
        """The stage at work before: formulas and operands are those of that problem."""
        return self.before.node(self._own_name(stage))

    def node_at(self, stage: str, index: tuple[int, ...]) -> Node:
        """The node that makes one cell before."""
        return self.before.node_at(self._own_name(stage), index)

    def computed(self, stage: str) -> str:
        """The name of a stage before as it is before its interventions."""
        return self.before.computed(self._own_name(stage))

    def _own_name(self, stage: str) -> str:
        return self.pair(stage)[0]

    @property
    def behind(self) -> Evaluation:
        return self

    @property
    def closes(self) -> bool:
        """Whether the problem before has a mask layer that can close cells."""
        return self.before.closes

    def fetch(self, name: str, box: Box) -> Array:
        """The numbers before, as float64; of the mask, which cells are open."""
        if name == self.mask:
            return self.before.fetch(name, box)
        return self.before.fetch(self.pair(name)[0], box)

    def box(self, stage: str, box: Box) -> Array:
        """The numbers before, read-only."""
        return self.before.box(self.pair(stage)[0], box)

    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """A block of a matrix of the problem before."""
        return self.before.field_block(field, batch, rows, columns)

    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
        """Cells of a map that the mask before leaves open."""
        return self.before.allowed(batch, head, rows, columns)

    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Compute what is not known yet; False if cancelled."""
        return self.before.complete(heads, progress=progress, cancelled=cancelled)


class PooledEarlier(Earlier, PooledDifference):
    """State before of a long problem, whose evaluation draws its pictures and keeps what it can of them."""

    @property
    def _own(self) -> Pooling:
        assert isinstance(self.before, Pooling)
        return self.before

    def pooled(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: Part = None) -> Picture:
        """(values, allowed) of a picture of the problem before."""
        return self._own.pooled(self.pair(stage)[0], batch, head, rows, columns, part)

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        """Some rows of such a picture, with nothing kept."""
        return self._own.pooled_once(self.pair(stage)[0], batch, head, rows, columns, part)

    def pooled_at(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None:
        """A picture over blocks whose edges are given."""
        return self._own.pooled_at(self.pair(stage)[0], batch, head, down, across)

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Cells that have to be computed before these rows can be shown."""
        return self._own.lacking(self.pair(stage)[0], batch, head, rows, columns)

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Whether these rows can be read without computing whole rows of weights."""
        return self._own.ready(self.pair(stage)[0], batch, head, rows)

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """The entropies before."""
        return self._own.entropies(batch, head, rows)


def earlier_of(before: Evaluation, after: Evaluation, stages: Iterable[str] | None = None) -> Earlier:
    """The earlier of two evaluations, by the stages that both are compared by."""
    pooling = isinstance(before, Pooling) and isinstance(after, Pooling)
    return (PooledEarlier if pooling else Earlier)(before, after, stages)
