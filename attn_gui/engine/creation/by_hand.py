"""Interventions from numbers that a person puts into cells of a stage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.interventions.set_cells import Set

Axes = Sequence[str]


def with_cells_set(
    interventions: Sequence[Intervention], stage: str, axes: Axes, box: Box, values: Array
) -> tuple[Intervention, ...]:
    """Interventions that give the cells of a box, in the stage's own axes, these values in the end.

    Numbers set in the very same cells before are replaced where nothing was done to the stage after that.
    """
    new = Set(stage=stage, at=_place(axes, box), values=values)
    kept = list(interventions)
    own = [k for k, record in enumerate(kept) if record.stage == stage]
    if own and isinstance(kept[own[-1]], Set) and kept[own[-1]].enabled and dict(kept[own[-1]].at) == dict(new.at):
        kept[own[-1]] = new
        return tuple(kept)
    return (*kept, new)


def rescaled(row: Array, place: int, share: float) -> Array:
    """A row of shares with `share` at one place and the others scaled so that the sum stays 1.

    Where all others are 0 there is nothing to scale, and they stay 0.
    """
    others = row.astype(np.float64)
    others[place] = 0.0
    total = others.sum()
    new = others * ((1.0 - share) / total) if total > 0 else others
    new[place] = share
    return new.astype(row.dtype)


def _place(axes: Axes, box: Box) -> dict[str, int | tuple[int, int]]:
    return {
        axis: cut.start if cut.stop - cut.start == 1 else (cut.start, cut.stop)
        for axis, cut in zip(axes, box, strict=True)
    }
