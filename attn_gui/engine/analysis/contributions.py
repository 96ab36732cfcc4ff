"""Contributions of the heads to the output: what each of them adds to it through its rows of W_O."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.powers import lengths, leveled


@dataclass(frozen=True)
class Contributions:
    """`parts` (head, row, column) and `bias` (column,) or None: what adds up to `output` (row, column)."""

    parts: Array
    bias: Array | None
    output: Array

    @property
    def total(self) -> Array:
        """The sum of the parts, heads in order, the bias last."""
        with np.errstate(all="ignore"):
            found = self.parts.sum(axis=0)
            return np.asarray(found if self.bias is None else found + self.bias)

    @property
    def difference(self) -> float:
        """The largest distance between a cell of the sum and that of the output; see `farthest`."""
        return farthest(self.total, self.output)

    def norms(self) -> Array:
        """‖part‖ of every head and row, the bias as one more head: (parts, row)."""
        return self._lengths(self.all_parts())

    def whole_norms(self) -> Array:
        """‖·‖ of the sum and of the output, as two more parts: (2, row)."""
        return self._lengths(np.stack([self.total, self.output]))

    def shares(self) -> Array:
        """part · output / ‖output‖² of every part and row: they add up to 1, NaN where the output is all zeros."""
        with np.errstate(all="ignore"):  # squares of levels, which neither overflow nor vanish
            whole, exponent = leveled(self.output, -1)
            square = (whole**2).sum(axis=-1)
            parts, more = leveled(self.all_parts(), -1)
            shares = (parts * whole).sum(axis=-1) / np.where(square > 0, square, np.nan)
            return np.asarray(np.ldexp(shares, (more - exponent)[..., 0]))

    @staticmethod
    def _lengths(rows: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(lengths(rows, -1)[..., 0])

    def all_parts(self) -> Array:
        """The parts of the heads, and the bias as one more where there is one: (part, row, column)."""
        if self.bias is None:
            return self.parts
        return np.concatenate([self.parts, np.broadcast_to(self.bias, (1, *self.output.shape))])


def farthest(total: Array, output: Array) -> float:
    """The largest distance of a cell of one from that of the other: 0 where both are NaN, NaN where one alone is."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(total - output)
    same = (total == output) | (np.isnan(total) & np.isnan(output))
    return float(np.max(np.where(same, 0.0, apart), initial=0.0))


def contributions(evaluation: Evaluation, batch: int, rows: slice) -> Contributions:
    """out_h = O_h W_O[rows of h] for some queries of an item; without W_O each head fills columns of its own.

    `rows` is a slice with start and stop. Rows of the output that are set by hand are not what the heads add up to.
    Source: Elhage et al. 2021, *A Mathematical Framework for Transformer Circuits*, "Attention heads are independent
    and additive".
    """
    problem, node = evaluation.problem, evaluation.node(evaluation.projection)
    joined, width = evaluation.joined, node.shape[-1]
    cut = slice(batch, batch + 1), rows
    parts = np.zeros((problem.num_heads, rows.stop - rows.start, width))
    with np.errstate(all="ignore"):
        for head in range(problem.num_heads):
            mine = evaluation.head_columns(joined, head)
            own = evaluation.fetch(joined, (*cut, mine))[0]
            if problem.w_output is None:
                parts[head, :, mine] = own
            else:
                parts[head] = own @ problem.w_output[mine].astype(np.float64)
        output = evaluation.fetch(node.name, (*cut, slice(0, width)))[0]
    bias = None if problem.b_output is None else problem.b_output.astype(np.float64)
    return Contributions(parts, bias, np.array(output, dtype=np.float64))


def part_block(evaluation: Evaluation, batch: int, head: int, rows: slice, columns: slice) -> Array:
    """Some cells of what one head adds to the output, as (row, column)."""
    problem, node = evaluation.problem, evaluation.node(evaluation.projection)
    joined, width = evaluation.joined, node.shape[-1]
    mine = evaluation.head_columns(joined, head)
    rows, columns = slice(*rows.indices(node.shape[1])[:2]), slice(*columns.indices(width)[:2])
    with np.errstate(all="ignore"):
        own = evaluation.fetch(joined, (*indices.cell((batch,)), rows, mine))[0]
        if problem.w_output is not None:
            return np.asarray(own @ problem.w_output[mine, columns].astype(np.float64))
        found = np.zeros((rows.stop - rows.start, width))
        found[:, mine] = own
        return found[:, columns]
