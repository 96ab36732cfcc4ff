"""The difference of two long problems, which draws its pictures itself: strips of both maps at a time, none kept."""

from __future__ import annotations

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.derived.strips import PooledByStrips
from attn_gui.engine.evaluation.plane import Pooling

from .difference import Difference


class PooledDifference(PooledByStrips, Difference):
    """After − before of two evaluations that hold no maps: a block's largest change is found from its cells."""

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
