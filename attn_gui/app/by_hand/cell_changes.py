"""Changes of a box of cells of a stage: of the matrix where one is given, else as interventions; each one step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from attn_gui.app.state.making import Making
from attn_gui.document.document import Document, cast_cells, check_finite
from attn_gui.document.edits import Label, SetCells
from attn_gui.engine import STAGE
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.creation.interventions import (
    filled,
    multiplied,
    taken,
    with_cells_free,
    with_cells_scaled,
    with_cells_set,
    with_cells_taken,
)
from attn_gui.engine.graph import indices
from attn_gui.engine.interventions import Intervention

Interventions = tuple[Intervention, ...]


class CellChanges:
    """Boxes are in the stage's own axes; what is too large or does not fit is said, and changes nothing."""

    def __init__(self, document: Document, making: Making) -> None:
        self._document, self._making = document, making

    def given(self, stage: str) -> bool:
        """Whether the cells of a stage are those of a matrix of the problem."""
        return stage in self._document.problem.arrays()

    def _changed(self, stage: str, box: Box) -> bool:
        """Whether something by hand stands over a matrix in these cells, which would hide another number in it."""
        problem, axes = self._document.problem, STAGE[stage].axes
        shape = (problem.batch_size, *problem.arrays()[stage].shape[1 - len(axes) :])
        over = [record for record in problem.interventions if record.stage == stage and record.enabled]
        return any(indices.meet(record.box(axes, shape), box) is not None for record in over)

    def set(self, stage: str, box: Box, values: Array, label: Label) -> None:
        """Give the cells values that broadcast to the box."""

        def numbers(array: Array, own: Box) -> Array:
            return filled(array, own, cast_cells(values, array.dtype))

        def cells(known: Interventions, stage: str, axes: Sequence[str], box: Box) -> Interventions:
            return with_cells_set(known, stage, axes, box, cast_cells(values, np.dtype(self._document.problem.dtype)))

        self._change(stage, box, label, numbers, cells)

    def multiply(self, stage: str, box: Box, factor: float, label: Label) -> None:
        """Multiply the cells."""

        def numbers(array: Array, own: Box) -> Array:
            product = multiplied(array, own, factor)
            check_finite(product, array[own])
            return product

        self._change(stage, box, label, numbers, with_cells_scaled, factor)

    def take(self, stage: str, box: Box, source: Mapping[str, int], label: Label) -> None:
        """Give the cells those of another place, axis by axis."""
        axes = STAGE[stage].axes
        self._change(stage, box, label, lambda array, own: taken(array, axes, own, source), with_cells_taken, source)

    def free(self, stage: str, box: Box, shape: tuple[int, ...], label: Label) -> None:
        """Leave the cells of a stage of this shape as computed; nothing is done where they are."""
        known = self._document.problem.interventions
        kept = with_cells_free(known, stage, STAGE[stage].axes, shape, box)
        if kept != known:
            self._making.change(label, lambda: {"interventions": kept})

    def _change(
        self,
        stage: str,
        box: Box,
        label: Label,
        numbers: Callable[[Array, Box], Array],
        with_cells: Callable[..., Interventions],
        *given: object,
    ) -> None:
        """A matrix gets `numbers` of itself and its own box; `with_cells` adds an intervention that holds `given`."""
        problem = self._document.problem
        if not self.given(stage) or self._changed(stage, box):
            added = partial(with_cells, problem.interventions, stage, STAGE[stage].axes, box, *given)
            self._making.change(label, lambda: {"interventions": added()})
            return
        array = problem.arrays()[stage]
        own = box[len(box) - array.ndim :]
        self._making.begin(
            label,
            lambda: SetCells(stage, own, numbers(array, own), label),
            lambda edit, _fresh: self._document.apply(edit),
        )
