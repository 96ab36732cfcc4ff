"""The problem before, read by the stages that a comparison has: so a map stays where it is while its sides change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.derived.strips import Part
from attn_gui.engine.evaluation.plane import Pooling
from attn_gui.engine.evaluation.pooling import Picture

from .difference import Difference, PooledDifference


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
