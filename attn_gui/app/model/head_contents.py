"""Contents of the grid of heads, from a run of the model; read off the GUI thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from PySide6.QtGui import QImage

from attn_gui.engine import Problem
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.progress import Tell
from attn_gui.figure.compose import weights_picture
from attn_gui.figure.display import Values
from attn_gui.figure.tokens import Theme
from attn_gui.models.attribution import head_numbers, problem_read
from attn_gui.models.model import Run
from attn_gui.views.model.head_grid import HeadNumber, HeadPlace

SIDE = 48
"""Blocks of a small map at most, by side."""
NOTHING = "–"
"""Stands for the number of a head in which a reading has nothing to count."""


class SmallMaps(NamedTuple):
    """Pictures of the weights of every head of a run, in the colors of a theme."""

    run: Run
    theme: Theme
    pictures: Mapping[HeadPlace, QImage]


def small_maps(run: Run, theme: Theme, before: SmallMaps | None, tell: Tell) -> SmallMaps:
    """The weights of every head in at most 48 × 48 blocks; of layers that have not changed as they were before."""
    known = None if before is None or before.theme != theme else before
    if known is not None and known.run is run:
        return known
    found: dict[HeadPlace, QImage] = {}
    for layer in range(run.model.num_layers):
        places = [HeadPlace(layer, head) for head in range(run.model.num_heads)]
        if known is not None and run.is_same(known.run, layer):
            found |= {place: known.pictures[place] for place in places}
        else:
            found |= zip(places, (_picture(weights, theme) for weights in run.attention(layer)), strict=True)
        tell((layer + 1) / run.model.num_layers)
    return SmallMaps(run, theme, found)


def _picture(weights: Values, theme: Theme) -> QImage:
    rows, columns = (min(side, SIDE) for side in weights.shape)
    return weights_picture(pool(np.asarray(weights), None, rows, columns)[0], weights.shape[1], theme)


def readings(run: Run, problem: Problem, key: str, tell: Tell) -> Mapping[HeadPlace, HeadNumber]:
    """A reading of every head; `problem` has the tokens and sizes that all unchanged layers share."""
    reading, found = READINGS[key], dict[HeadPlace, HeadNumber]()
    for layer, values in enumerate(head_numbers(run, problem, key, tell)):
        own = problem_read(run, layer, problem)
        most = reading.most(own)
        for head, value in enumerate(values):
            share = value / most if most and np.isfinite(value) else 0.0
            written = reading.written(value) if reading.fits(own) else NOTHING
            found[HeadPlace(layer, head)] = HeadNumber(written, float(value), share)
    return found
