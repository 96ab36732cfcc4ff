"""The face that scripts see of an evaluation: stages by name, whole or in parts."""

from __future__ import annotations

from math import prod

import numpy as np

from . import indices, sentences
from .evaluation import KEEP, Evaluation
from .layout import Array
from .problem import Problem
from .sentences import FieldError


class Trace:
    """Every stage of one problem by name; always with the batch axis, read-only, in the problem's dtype."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    @property
    def problem(self) -> Problem:
        return self.evaluation.problem

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that the problem has, in order."""
        return self.evaluation.stages

    def axes(self, stage: str) -> tuple[str, ...]:
        return self.evaluation.axes(stage)

    def __contains__(self, stage: object) -> bool:
        return stage in self.stages

    def __getitem__(self, stage: str) -> Array:
        """A whole stage. Raises ValueError past 2 GB, StageError (a KeyError) for a stage that is not there."""
        shape = self.evaluation.shape(stage)
        _check_size(stage, shape, np.dtype(self.problem.dtype).itemsize)
        return self.evaluation.box(stage, indices.whole(shape))

    @property
    def allowed(self) -> Array:
        """Which cells of the maps the mask leaves open: (batch, head, query, key) booleans; ValueError past 2 GB."""
        shape = self.problem.map_shape
        if "masked" not in self.stages:
            return np.broadcast_to(np.True_, shape)
        _check_size("allowed", shape, 1)
        return self.evaluation.fetch("allowed", indices.whole(shape)).view()

    def block(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Array:
        """A 2-D part of a stage; never more than the part is computed or held."""
        return self.evaluation.block(stage, batch, head, rows, columns)


def _check_size(stage: str, shape: tuple[int, ...], itemsize: int) -> None:
    """Refuse what would not fit as one array."""
    size = prod(shape) * itemsize
    if size > KEEP:
        raise FieldError(sentences.TOO_LARGE, stage=stage, size=f"{size / 2**30:.1f}")
