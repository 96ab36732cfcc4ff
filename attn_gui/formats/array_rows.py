"""Arrays written in blocks of rows: of a field, of a step, of one head or item; tokens at their rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from attn_gui.engine.arrays import Box, Progress, item_of, silent
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.graph import indices
from attn_gui.engine.problem import Problem
from attn_gui.formats.untrusted_bytes import Array

AT_ONCE = 1 << 22  # cells of a block

Tokens: TypeAlias = tuple[str, ...] | None


class ArrayRows(NamedTuple):
    """An array in parts: each call of `blocks` gives them anew, in the order of the array.

    `first_column` is the number of its first column in the matrix that it is cut from.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    blocks: Callable[[], Iterator[Array]]
    first_column: int = 0

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def column_numbers(self) -> tuple[str, ...]:
        """The numbers of its columns in the matrix that it is cut from."""
        return tuple(map(str, range(self.first_column, self.first_column + self.shape[-1])))


def rows_of(array: Array) -> ArrayRows:
    """Return an array as a single block."""
    return ArrayRows(array.shape, array.dtype, lambda: iter((array,)))


def has_items(problem: Problem, field: str) -> bool:
    """Return whether an array of a problem has a batch axis; three axes of maps begin with the heads."""
    return problem.arrays()[field].ndim > (3 if "." in field or field == GIVEN else 2)


def field_rows(problem: Problem, field: str, item: int) -> ArrayRows:
    """Return an array of a problem as a matrix or vector: one item of a batch, more axes one below another."""
    array = problem.arrays()[field]
    own = item_of(array, item) if has_items(problem, field) else array
    return rows_of(own.reshape(-1, own.shape[-1]) if own.ndim > 2 else own)


def as_matrix(rows: ArrayRows) -> ArrayRows:
    """Return a vector as a matrix of one row; a matrix as it is."""
    return rows._replace(shape=(1, 1, *rows.shape)[-2:], blocks=lambda: map(np.atleast_2d, rows.blocks()))


def stage_rows(evaluation: Evaluation, stage: str, progress: Progress = silent) -> ArrayRows:
    """Return a whole stage with all its axes."""
    shape = evaluation.shape(stage)
    *leading, height, width = shape

    def places() -> Iterator[Box]:
        for place in np.ndindex(*leading):
            for cut in _cuts(height, width):
                yield (*indices.cell(place), cut, slice(0, width))

    def blocks() -> Iterator[Array]:
        yield from _counted(places(), lambda box: evaluation.box(stage, box), prod(leading) * height, progress)

    return ArrayRows(shape, np.dtype(evaluation.problem.dtype), blocks)


def block_rows(
    evaluation: Evaluation, stage: str, batch: int, head: int | None, progress: Progress = silent
) -> ArrayRows:
    """Return the matrix of one item of a stage, of one head, of the columns of a head, or all (None)."""
    shape = evaluation.shape(stage)
    mine = slice(0, shape[-1]) if head is None or len(shape) == 4 else evaluation.head_columns(stage, head)
    height, width = shape[-2], mine.stop - mine.start
    place = indices.cell((batch, head or 0) if len(shape) == 4 else (batch,))

    def read(box: Box) -> Array:
        found = evaluation.box(stage, box)
        return found.reshape(found.shape[-2:])

    def blocks() -> Iterator[Array]:
        boxes = ((*place, cut, mine) for cut in _cuts(height, width))
        yield from _counted(boxes, read, height, progress)

    return ArrayRows((height, width), np.dtype(evaluation.problem.dtype), blocks, mine.start)


def stage_labels(evaluation: Evaluation, stage: str) -> tuple[Tokens, Tokens]:
    """Return the tokens of a stage's rows and columns, or None; in self-attention keys have the queries'."""
    problem, axes = evaluation.problem, evaluation.axes(stage)
    keys = problem.names_of_keys
    return keys if evaluation.node(stage).stage.by_key else problem.query_tokens, keys if axes[-1] == "key" else None


def counted_labels(evaluation: Evaluation, name: str, rows: ArrayRows) -> tuple[Sequence[str], Sequence[str]]:
    """Return the tokens of rows and columns of a stage, or of rows of a sequence; numbers where there are none."""
    sequences = {"x": evaluation.problem.query_tokens, "context": evaluation.problem.names_of_keys}
    tokens = stage_labels(evaluation, name) if name in evaluation.stages else (sequences.get(name), None)
    return tokens[0] or tuple(map(str, range(as_matrix(rows).shape[0]))), tokens[1] or rows.column_numbers


def _cuts(height: int, width: int) -> Iterator[slice]:
    return indices.in_parts(slice(0, height), max(1, AT_ONCE // max(width, 1)))


def _counted(boxes: Iterator[Box], read: Callable[[Box], Array], rows: int, progress: Progress) -> Iterator[Array]:
    """Yield the blocks and call `progress` with the share of the rows done after each."""
    done = 0
    for box in boxes:
        yield read(box)
        done += box[-2].stop - box[-2].start
        progress(done / rows)
