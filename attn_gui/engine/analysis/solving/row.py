"""One row of a map, as solving sees it: which keys are open, and what the scores are linear in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.graph.indices import cell
from attn_gui.engine.problem.errors import FieldError
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import verdicts


@dataclass(frozen=True)
class Row:
    """Query `query` of head `head` in batch item `item`; all numbers are float64 copies."""

    evaluation: Evaluation
    item: int
    head: int
    query: int

    @property
    def problem(self) -> Problem:
        return self.evaluation.problem

    def read(self, stage: str) -> Array:
        """The row in one of the maps, one number for each key."""
        box = (*cell((self.item, self.head, self.query)), slice(0, self.problem.m))
        return np.array(self.evaluation.fetch(stage, box)[0, 0, 0])

    @property
    def logits(self) -> Array:
        """The logits of the row, before the temperature."""
        return self.read(self.softmax_reads)

    @property
    def softmax_reads(self) -> str:
        """The stage that the softmax reads."""
        logits = self.evaluation.logits
        assert logits is not None, "solving refuses given weights"
        return logits

    @property
    def open(self) -> Array:
        """Keys that take part in the softmax. Raises ValueError where no softmax is left."""
        logits = self.logits
        if np.isnan(logits).any() or np.isposinf(logits).any():
            raise FieldError(verdicts.WILD, stage=self.evaluation.scores)
        return np.asarray(~np.isneginf(logits))

    # --- vectors ---------------------------------------------------------------------------------
    def _part(self, name: str, rows: slice) -> Box:
        return slice(self.item, self.item + 1), rows, self.evaluation.head_columns(name, self.head)

    def query_vector(self) -> Array:
        """The query as scores read it: (d_k,), turned by its position where positions are rotary."""
        name = self.evaluation.latest("query")
        return np.array(self.evaluation.fetch(name, self._part(name, slice(self.query, self.query + 1)))[0, 0])

    def key_vectors(self, rows: slice | None = None) -> Array:
        """The keys as scores read them: (m, d_k)."""
        name = self.evaluation.latest("key")
        return np.array(self.evaluation.fetch(name, self._part(name, rows or slice(0, self.problem.m)))[0])

    def unturned(self, name: str, row: int, vector: Array) -> Array:
        """A change of a turned row as a change of the row before; a turn keeps lengths, so the smallest stays so."""
        if (latest := self.evaluation.latest(name)) == name:
            return vector
        node = self.evaluation.node(latest)
        box = self._part(name, slice(row, row + 1))
        pieces = node.pull_back(box, vector[None, None], self.evaluation.fetch)
        return np.asarray(next(piece for source, _, piece in pieces if source == node.inputs[0].name)).reshape(-1)

    def cells(self, name: str, row: int) -> Box:
        """The box of one head's row in `query` or `key`, or of a whole row of `x`, in the field's own axes."""
        if name == "x":
            return row_box(self.problem.x.shape, self.item, row)
        _, rows, columns = self._part(name, slice(row, row + 1))
        leading = (slice(self.item, self.item + 1),) if getattr(self.problem, name).ndim == 3 else ()
        return (*leading, rows, columns)


def row_box(shape: tuple[int, ...], item: int, row: int) -> Box:
    """A whole row of an array that may have a batch axis."""
    leading = (slice(item, item + 1),) if len(shape) == 3 else ()
    return (*leading, slice(row, row + 1), slice(0, shape[-1]))
