"""Aim of a page: the item, the head and the cell that it looks at, and what has been chosen on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import ref

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.graph import indices
from attn_gui.figure.operands import stage_plane
from attn_gui.formats.snapshots import Snapshot

if TYPE_CHECKING:
    from attn_gui.models.attribution import LikelyToken
    from attn_gui.models.model import Run


NO_LAYER = -1
CHOSEN = ("batch", "head", "stage", "cell", "states")
"""Fields of a context that the person chooses beside the numbers."""


@dataclass(frozen=True, eq=False)
class ModelContext:
    """A model that the problem is a layer of: its run as it is now, the one before anything was changed by hand, the
    layer on the table or NO_LAYER, the token at which predictions are read with the likeliest ones there, and the run
    of a second text, where there is one."""

    now: Run
    before: Run
    layer: int
    position: int
    likely: tuple[LikelyToken, ...] = ()
    other: Run | None = None

    def key(self) -> tuple[object, ...]:
        """Return what it reads: equal for contexts at the same runs, whatever the layer; keeps no run alive."""
        runs = (self.now, self.before, self.other)
        return (*(None if run is None else ref(run) for run in runs), self.position)


@dataclass(frozen=True)
class PageContext:
    """What a page looks at: the problem, an item, a head, a stage with the chosen `cell` (row and column as shown, or
    None), its `place` in the axes of the stage and its `value`; the page's `options`, the `states` kept beside the
    problem, and the `model` that it is a layer of."""

    problem: Problem
    batch: int = 0
    head: int = 0
    stage: str = ""
    cell: tuple[int, int] | None = None
    place: tuple[int, ...] = ()
    value: float = 0.0
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    states: tuple[Snapshot, ...] = ()
    model: ModelContext | None = None

    @classmethod
    def at(
        cls,
        evaluation: Evaluation,
        batch: int,
        head: int,
        stage: str,
        cell: tuple[int, int] | None,
        states: tuple[Snapshot, ...] = (),
    ) -> PageContext:
        """Return the context at a cell of an evaluation, its place and number read there."""
        if cell is None:
            return cls(evaluation.problem, batch, head, stage, states=states)
        place = stage_plane(evaluation, stage, batch, head).index(*cell)
        value = float(evaluation.box(stage, indices.cell(place)).item())
        return cls(evaluation.problem, batch, head, stage, cell, place, value, states=states)

    def query(self, evaluation: Evaluation) -> int | None:
        """Return the chosen query; None where none is."""
        if self.cell is None or evaluation.node(self.stage).stage.by_key:
            return None
        return self.cell[0]

    def key(self, evaluation: Evaluation) -> int | None:
        """Return the chosen key; None where none is."""
        if self.cell is None:
            return None
        stage = evaluation.node(self.stage).stage
        return self.cell[1] if stage.square else self.cell[0] if stage.by_key else None
