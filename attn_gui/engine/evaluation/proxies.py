"""Evaluations over another one: derived maps, now − before, the state before under the names of the present steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import ShapeError, StageError
from attn_gui.engine.evaluation.evaluation import Evaluation, PicturePart, Recomputed
from attn_gui.engine.evaluation.pooling import Picture
from attn_gui.engine.evaluation.reach import BackwardReach, ForwardReach
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import derived_nodes
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.sources import Source
from attn_gui.engine.graph.symbols_and_titles import computed_name, plain_name
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import MAPS, STAGE, is_derived

AT_ONCE = 1 << 20  # numbers of a derived map that are held on the way to one number for each key


class EvaluationProxy(Evaluation):
    """An evaluation that answers everything as `of` does, but for the numbers that a subclass gives by `fetch`.

    Where a stage has the very numbers of one of `of`, `_same` names that one, which is then read and drawn there.
    """

    def __init__(self, of: Evaluation, *beside: Evaluation) -> None:
        """Read `of`, and other evaluations `beside` it."""
        self.of, self.problem, self.mask, self.stages = of, of.problem, of.mask, of.stages
        self._read = of, *beside
        self.draws_pictures = all(each.draws_pictures for each in self._read)

    def _same(self, stage: str) -> str | None:
        """Return the stage of `of` with exactly the numbers of a stage; None where they differ."""
        return None

    def _awaited(self, stage: str) -> str:
        """Return the stage of `of` that has to be computed before a stage can be read."""
        return self._same(stage) or stage

    # --- nodes -----------------------------------------------------------------------------------
    @property
    def nodes(self) -> tuple[Node, ...]:
        return self.of.nodes

    @property
    def sources(self) -> Mapping[str, Source]:
        return self.of.sources

    def node(self, stage: str) -> Node:
        return self.of.node(stage)

    @property
    def behind(self) -> Evaluation:
        return self.of if self.kind or self.covers else self

    @property
    def closes(self) -> bool:
        """Whether all that is read has a mask layer that can close cells: only then is a cell closed here."""
        return all(each.closes for each in self._read)

    # --- numbers ---------------------------------------------------------------------------------
    def read(self, stage: str, box: Box) -> Array:
        same = self._same(stage)
        return super().read(stage, box) if same is None else self.of.read(same, box)

    def has_field(self, field: str) -> bool:
        return self.of.has_field(field)

    def field(self, field: str) -> Array:
        return self.of.field(field)

    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
        return self.of.allowed(batch, head, rows, columns)

    def layers_in(self, box: Box) -> list[tuple[int, Array]]:
        return self.of.layers_in(box)

    # --- pictures --------------------------------------------------------------------------------
    def pooled(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: PicturePart | None = None
    ) -> Picture:
        same = self._same(stage)
        if same is None:
            return super().pooled(stage, batch, head, rows, columns, part)
        return self.of.pooled(same, batch, head, rows, columns, part)

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        same = self._same(stage)
        if same is None:
            return super().pooled_once(stage, batch, head, rows, columns, part)
        return self.of.pooled_once(same, batch, head, rows, columns, part)

    def pooled_at(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None:
        same = self._same(stage)
        if same is None:
            return super().pooled_at(stage, batch, head, down, across)
        return self.of.pooled_at(same, batch, head, down, across)

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        kept = columns if self._same(stage) is not None else 0
        return self.of.lacking(self._awaited(stage), batch, head, rows, kept)

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        return self.of.ready(self._awaited(stage), batch, head, rows)

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """Return the entropies of rows of weights of `of`; rows that are no weights have none."""
        return self.of.entropies(batch, head, rows)

    # --- computing -------------------------------------------------------------------------------
    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        return self.of.update(problem, changed)

    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        return all(each.complete(heads, progress=progress, cancelled=cancelled) for each in self._read)

    # --- what a change reaches -------------------------------------------------------------------
    def reach(self, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Box]]:
        return self.of.reach(changed)

    def forward(self, changed: Mapping[str, Sequence[Box]]) -> ForwardReach:
        return self.of.forward(changed)

    def backward(self, cells: Mapping[str, Sequence[Box]]) -> BackwardReach:
        return self.of.backward(cells)


# --- derived maps ---------------------------------------------------------------------------------
class DerivedEvaluation(EvaluationProxy):
    """An evaluation with its derived maps, which are computed by block where they are read.

    Of a map with one number for each key (a norm) those of a head are kept once they are known.
    """

    def __init__(self, of: Evaluation) -> None:
        super().__init__(of)
        self._lay_out()

    def _lay_out(self) -> None:
        of = self.of
        self.problem, self.mask, self.last_parts = of.problem, of.mask, None
        self._own = {node.name: node for node in derived_nodes(of.problem, of.sources)}
        self.stages = (*of.stages, *(name for name in self._own if name in MAPS))
        self._norms: dict[tuple[str, int, int], Array] = {}

    def _same(self, stage: str) -> str | None:
        return None if stage in self._own else stage

    def _awaited(self, stage: str) -> str:
        while stage in self._own:
            stage = self._own[stage].inputs[0].name
        return stage

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (*self.of.nodes, *self._own.values())

    def node(self, stage: str) -> Node:
        if stage in self._own:
            return self._own[stage]
        if plain_name(stage) not in self.stages:
            raise StageError(errors.NO_STAGE, stage=repr(stage), choices=self.stages)
        return self.of.node(stage)

    def explains(self, name: str) -> bool:
        """Return whether a stage of this name is computed here; also a norm, which is no map."""
        return name in self._own or super().explains(name)

    def fetch(self, name: str, box: Box) -> Array:
        """Return the numbers of a box of any stage, source or derived map, as float64."""
        if name not in self._own:
            return self.of.fetch(name, box)
        if name in MAPS:
            outer, array = self._own[name].compute(box, self.fetch)
            return array[indices.within(box, outer)]
        batches, heads = (range(cut.start, cut.stop) for cut in box[:2])
        return np.stack([[self._norm(name, batch, head)[box[2]] for head in heads] for batch in batches])

    def _norm(self, name: str, batch: int, head: int) -> Array:
        """Return (m,), one number for each key of a head, computed some keys at a time."""
        place = name, batch, head
        if place not in self._norms:
            node = self._own[name]
            width, keys = self._own[node.inputs[0].name].shape[-1], node.shape[2]
            step, parts = max(1, AT_ONCE // max(width, 1)), []
            for part in indices.in_parts(slice(0, keys), step):
                box = (*indices.cell((batch, head)), part)
                outer, array = node.compute(box, self.fetch)
                parts.append(array[indices.within(box, outer)][0, 0])
            self._norms[place] = np.concatenate(parts)
        return self._norms[place]

    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Update `of`, and forget the norms."""
        found = super().update(problem, changed)
        self._lay_out()
        return found

    # with the derived maps among the nodes
    reach, forward, backward = Evaluation.reach, Evaluation.forward, Evaluation.backward


def with_derived(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with its derived maps."""
    return evaluation if set(MAPS).intersection(evaluation.stages) else DerivedEvaluation(evaluation)


def reading(evaluation: Evaluation, stage: str) -> Evaluation:
    """Return the evaluation that has a stage: the given one, or with its derived maps where the stage is one of these.

    A difference takes those of its two sides: a map derived from differences would be another number. Raises StageError
    (a KeyError) for an unknown name.
    """
    if not isinstance(stage, str):
        raise StageError(errors.NO_STAGE, stage=repr(stage), choices=evaluation.stages)
    own = stage in evaluation.stages or evaluation.signed or not is_derived(stage)
    return evaluation if own else with_derived(evaluation)


def derived_maps(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the names of the derived maps that an evaluation can be asked for."""
    found = derived_nodes(evaluation.problem, evaluation.sources)
    return tuple(node.name for node in found if node.name in MAPS)


# --- difference -----------------------------------------------------------------------------------
class Difference(EvaluationProxy):
    """After − before, computed where it is read: nothing is kept beside the two evaluations.

    It has the stages that either side has and the derived maps of both, where their shapes are equal. A stage that one
    side lacks is compared with the last one before it that writes the same variable: without a mask, the masked scores
    are the scaled ones. A cell is closed where both sides close it.
    """

    kind = "difference"

    def __init__(self, before: Evaluation, after: Evaluation, stages: Iterable[str] | None = None) -> None:
        """Compare the given stages, or all that either has."""
        super().__init__(after, before)
        self.before, self.after = before, after
        names = (*STAGE, *MAPS) if stages is None else stages
        self._pairs = {name: found for name in names if (found := _fitting(before, after, name)) is not None}
        self.stages = tuple(self._pairs)

    # --- nodes -----------------------------------------------------------------------------------
    def pair(self, stage: str) -> tuple[str, str]:
        """Return the names of the compared stages, before and after. Raises StageError, ShapeError as `compare`."""
        plain = plain_name(stage)
        before, after = self._pairs.get(plain) or pair_of(self.before, self.after, plain)
        return (before, after) if plain == stage else (self.before.computed(before), self.after.computed(after))

    def sides(self, stage: str) -> tuple[tuple[Evaluation, str], ...]:
        """Return (evaluation, name of the stage) of before and of after."""
        before, after = self.pair(stage)
        return (self.before, before), (self.after, after)

    def node(self, stage: str) -> Node:
        """Return the node of a stage after, or before where only that side has it.

        Raises StageError (a KeyError) where neither has it, ShapeError for other shapes.
        """
        plain = plain_name(stage)
        self.pair(plain)
        side = self.after if plain in self.after.stages else self.before
        return side.node(stage if plain == stage else side.computed(plain))

    def computed(self, stage: str) -> str:
        """Return the name of a stage before the interventions of both sides; its own where neither has any."""
        return computed_name(stage) if any(side.computed(name) != name for side, name in self.sides(stage)) else stage

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self.node(stage) for stage in self.stages)

    # --- numbers ---------------------------------------------------------------------------------
    def fetch(self, name: str, box: Box) -> Array:
        """Return after − before of a box, as float64; of the mask booleans, cells that either side leaves open."""
        if name == self.mask:
            return np.asarray(self.before.fetch(str(self.before.mask), box) | self.after.fetch(name, box))
        before, after = self.pair(name)
        with np.errstate(all="ignore"):
            return self.after.fetch(after, box) - self.before.fetch(before, box)

    def read(self, stage: str, box: Box) -> Array:
        """Return after − before of a box as shown: each side rounded to its problem's dtype, then subtracted."""
        before, after = self.pair(stage)
        with np.errstate(all="ignore"):
            found = np.asarray(self.after.read(after, box) - self.before.read(before, box))
        found.flags.writeable = False
        return found

    def has_field(self, field: str) -> bool:
        """Return whether both problems have an array of this name, of the same shape."""
        before, after = (side.problem.arrays().get(field) for side in (self.before, self.after))
        return before is not None and after is not None and before.shape == after.shape

    def field(self, field: str) -> Array:
        """Return after − before of a whole array of the problem; NaN where one of them has no such array."""
        return self._less(field, self.after.field(field), lambda: self.before.field(field))

    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """Return after − before of a block of a matrix of the problem; NaN where one of them has no such matrix."""
        place = field, batch, rows, columns
        return self._less(field, self.after.field_block(*place), lambda: self.before.field_block(*place))

    def _less(self, field: str, after: Array, before: Callable[[], Array]) -> Array:
        if not self.has_field(field):
            return np.full(after.shape, np.nan)
        with np.errstate(all="ignore"):
            return np.asarray(after - before())

    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
        """Return cells of a map that the mask of either leaves open; None where one of them closes none."""
        found = [side.allowed(batch, head, rows, columns) for side in (self.before, self.after)]
        if found[0] is None or found[1] is None:
            return None
        return np.asarray(found[0] | found[1])

    # --- computing -------------------------------------------------------------------------------
    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Return the number of cells of both maps to compute for these rows; no picture is kept."""
        return sum(side.lacking(name, batch, head, rows, 0) for side, name in self.sides(stage))

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Return whether cells of these rows can be read without computing whole rows of weights in either."""
        return all(side.ready(name, batch, head, rows) for side, name in self.sides(stage))


class BeforeState(EvaluationProxy):
    """The numbers of the state before, under the names of the stages that a difference compares.

    A map stays in place while it shows one side or the other; a stage that was not there is replaced as in the
    difference.
    """

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.before)
        self._difference, self.stages = difference, difference.stages
        self.draws_pictures = difference.draws_pictures

    def _same(self, stage: str) -> str:
        return self._difference.pair(stage)[0]

    def sides(self, stage: str) -> tuple[tuple[Evaluation, str], ...]:
        return self._difference.sides(stage)[:1]

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self.node(stage) for stage in self.stages)

    def node(self, stage: str) -> Node:
        """Return the node of a stage in the state before, with its formula and operands."""
        return self.of.node(self._same(stage))

    def fetch(self, name: str, box: Box) -> Array:
        """Return the numbers before, as float64; of the mask booleans, the open cells."""
        return self.of.fetch(name if name == self.mask else self._same(name), box)

    def has_field(self, field: str) -> bool:
        """Return whether both problems have an array of this name, of the same shape."""
        return self._difference.has_field(field)


def pair_of(before: Evaluation, after: Evaluation, stage: str) -> tuple[str, str]:
    """Return the names of the stages that two evaluations compare as `stage`: their own, or their stand-ins.

    Raises StageError (a KeyError) where neither has it, ShapeError where the shapes differ.
    """
    if stage not in {*before.stages, *after.stages}:
        choices = tuple(name for name in (*STAGE, *MAPS) if name in {*before.stages, *after.stages})
        raise StageError(errors.NO_STAGE, stage=repr(stage), choices=choices)
    found = stand_in(before, stage), stand_in(after, stage)
    shapes = before.shape(found[0]), after.shape(found[1])
    if shapes[0] != shapes[1]:
        axes = before.axes(found[0])
        apart = tuple(name for name, one, other in zip(axes, *shapes, strict=True) if one != other)
        raise ShapeError(
            errors.COMPARED,
            matrices=(stage,),
            axes=apart,
            expected=shapes[0],
            got=shapes[1],
            named=", ".join(apart),
        )
    return found[0], found[1]


def stand_in(side: Evaluation, stage: str) -> str:
    """Return the name of a stage that an evaluation has, or of the last one before it that writes the same variable.

    Raises StageError (a KeyError) where it has neither.
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
