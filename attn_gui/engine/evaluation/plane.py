"""A picture of a stage: the two axes of one head of one batch item."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, cast, runtime_checkable

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.graph.stage import Stage

from .dense import Evaluation
from .pooling import Picture


@runtime_checkable
class Pooling(Protocol):
    """An evaluation that draws pictures of its stages itself, as that of long problems does."""

    def pooled(
        self,
        stage: str,
        batch: int,
        head: int | None,
        rows: int,
        columns: int,
        part: tuple[slice, slice] | None = None,
    ) -> Picture: ...
    def pooled_once(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice
    ) -> Picture: ...
    def pooled_at(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None: ...
    def is_map(self, stage: str) -> bool: ...
    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int: ...
    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool: ...
    def entropies(self, batch: int, head: int, rows: slice) -> Array: ...


@dataclass(frozen=True)
class Plane:
    """A matrix that a map shows. In a stage without heads `head` picks the head's columns, None shows them all."""

    evaluation: Evaluation
    stage: str
    batch: int = 0
    head: int | None = 0
    transposed: bool = False

    @cached_property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) as shown; an evaluation keeps the shapes that it begins with."""
        rows, columns = self._lengths()
        return (columns, rows) if self.transposed else (rows, columns)

    @property
    def signed(self) -> bool:
        """Whether its numbers lie to both sides of 0."""
        return self.evaluation.signed or not self._entry.shares

    def block(self, rows: slice, columns: slice) -> tuple[Array, Array | None]:
        """(values, allowed) of a part as shown; `allowed` only for stages behind the mask."""
        if self.transposed:
            rows, columns = columns, rows
        head = self.head if self.head is not None or not self._heads else 0
        values = self.evaluation.block(self.stage, self.batch, head, rows, columns)
        allowed = None
        if self._entry.behind_mask:
            allowed = self.evaluation.allowed(self.batch, head if self._heads else None, rows, columns)
        if self.transposed:
            return values.T, None if allowed is None else allowed.T
        return values, allowed

    @cached_property
    def draws_pictures(self) -> bool:
        """Whether the evaluation pools the plane itself: then no large block need be asked for."""
        return isinstance(self.evaluation, Pooling)

    def pooled(self, height: int, width: int, part: tuple[slice, slice] | None = None) -> tuple[Array, Array | None]:
        """(values, allowed) of a picture in height × width blocks, or of a part of its blocks; see `draws_pictures`.

        Of each block the number of largest magnitude over allowed cells, sign kept; NaN wins. Not for transposes.
        """
        head = self.head if self.head is not None or not self._heads else 0
        return cast(Pooling, self.evaluation).pooled(self.stage, self.batch, head, height, width, part)

    def pooled_once(self, height: int, width: int, part: slice) -> tuple[Array, Array | None]:
        """Pool as `pooled` does, for some rows of blocks, with nothing kept by the evaluation."""
        head = self.head if self.head is not None or not self._heads else 0
        return cast(Pooling, self.evaluation).pooled_once(self.stage, self.batch, head, height, width, part)

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """The full index in the stage of a cell as shown."""
        if self.transposed:
            row, column = column, row
        if self._heads:
            return (self.batch, self.head or 0, row, column)
        return (self.batch, row, self._columns().start + column)

    def cells(self, box: Box) -> tuple[slice, slice] | None:
        """The part of a stage's box that this plane shows, as it shows it; None for no part."""
        batch, *middle, rows, columns = box
        if not batch.start <= self.batch < batch.stop:
            return None
        if middle and not middle[0].start <= (self.head or 0) < middle[0].stop:
            return None
        mine = self._columns()
        start, stop = max(columns.start, mine.start) - mine.start, min(columns.stop, mine.stop) - mine.start
        if start >= stop or rows.start >= rows.stop:
            return None
        across = slice(start, stop)
        return (across, rows) if self.transposed else (rows, across)

    @property
    def _entry(self) -> Stage:
        return self.evaluation.node(self.stage).stage

    @property
    def _heads(self) -> bool:
        return self._entry.per_head

    def _columns(self) -> slice:
        if self._heads or self.head is None:
            return slice(0, self.evaluation.shape(self.stage)[-1])
        return self.evaluation.head_columns(self.stage, self.head)

    def _lengths(self) -> tuple[int, int]:
        mine = self._columns()
        return self.evaluation.shape(self.stage)[-2], mine.stop - mine.start
