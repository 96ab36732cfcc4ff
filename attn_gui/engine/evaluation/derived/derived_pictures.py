"""Pictures of the derived maps of a long problem: strips of their cells at a time, none kept."""

from __future__ import annotations

from typing import cast

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.derived.derived_maps import Derived
from attn_gui.engine.evaluation.plane import Pooling
from attn_gui.engine.evaluation.pooling import Picture

from .strips import Part, PooledByStrips


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
