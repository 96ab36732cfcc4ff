"""Derived maps of an evaluation: an evaluation that has them beside the stages, and keeps none of their cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.following import derived_nodes
from attn_gui.engine.chain.node import Node
from attn_gui.engine.evaluation.dense import Evaluation, Recomputed
from attn_gui.engine.evaluation.plane import Pooling
from attn_gui.engine.evaluation.pooling import Picture
from attn_gui.engine.graph import indices
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import StageError
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.stages.derived import MAPS, entry_of

from .strips import Part, PooledByStrips

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
