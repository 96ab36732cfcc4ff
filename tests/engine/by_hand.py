"""Interventions on every stage, of every kind, for tests: on a box with another prime on every axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.interventions import INTERVENTIONS


def boxes(evaluation: Evaluation, stage: str) -> dict[str, Any]:
    """A box inside the stage: one place on the first axis, stretches on the others, the last axis but one whole."""
    axes = dict(zip(evaluation.axes(stage), evaluation.shape(stage), strict=True))
    first, *others = axes
    found: dict[str, Any] = {first: axes[first] - 1}
    for axis in others:
        if axis != list(axes)[-2] and axes[axis] > 2:
            found[axis] = (1, axes[axis] - 1)
    return found


def records(evaluation: Evaluation, stage: str, seed: int = 5) -> Iterator[dict[str, Any]]:
    """One intervention of every kind."""
    rng = np.random.default_rng(seed)
    at = boxes(evaluation, stage)
    last = evaluation.axes(stage)[-1]
    width = evaluation.shape(stage)[-1]
    stretch = at.get(last, (0, width))
    yield {"kind": "set", "stage": stage, "at": at, "values": rng.normal(size=(stretch[1] - stretch[0],))}
    yield {"kind": "scale", "stage": stage, "at": at, "factor": -0.75 if stage != "masked" else 0.75}
    axis = evaluation.axes(stage)[1]
    yield {"kind": "copy", "stage": stage, "at": at, "source": {axis: 0}}


def with_record(problem: Problem, record: Mapping[str, Any], *more: Mapping[str, Any]) -> Problem:
    return problem.replace(interventions=(record, *more))


def kinds() -> tuple[str, ...]:
    return tuple(INTERVENTIONS)
