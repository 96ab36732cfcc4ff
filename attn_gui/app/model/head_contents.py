"""Contents of the grid of heads, from a run of the model; read off the GUI thread."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from attn_gui.engine import Problem
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.figure.display import Values
from attn_gui.figure.reading import Tell
from attn_gui.models.run import Run
from attn_gui.views.model.head_model import HeadNumber, HeadPlace

SIDE = 48
"""Blocks of a small map at most, by side."""


def small_maps(run: Run, tell: Tell) -> Mapping[HeadPlace, Values]:
    """The weights of every head in at most 48 × 48 blocks."""
    found: dict[HeadPlace, Values] = {}
    for layer in range(run.model.num_layers):
        for head, weights in enumerate(run.attention(layer)):
            rows, columns = (min(side, SIDE) for side in weights.shape)
            found[HeadPlace(layer, head)] = pool(np.asarray(weights), None, rows, columns)[0]
        tell((layer + 1) / run.model.num_layers)
    return found


def readings(run: Run, problem: Problem, key: str, tell: Tell) -> Mapping[HeadPlace, HeadNumber]:
    """A reading of every head; `problem` has the tokens and sizes that all layers share."""
    reading, found = READINGS[key], dict[HeadPlace, HeadNumber]()
    most = reading.most(problem)
    for layer in range(run.model.num_layers):
        for head, weights in enumerate(run.attention(layer)):
            rows = [(slice(0, len(weights)), np.asarray(weights, np.float64))]
            value = reading.measure(problem, partial(iter, rows))
            share = value / most if most and np.isfinite(value) else 0.0
            found[HeadPlace(layer, head)] = HeadNumber(reading.written(value), share)
        tell((layer + 1) / run.model.num_layers)
    return found
