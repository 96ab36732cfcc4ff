"""A reading of every head of a model, from the weights of a run."""

from __future__ import annotations

from functools import partial

import numpy as np

from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.arrays import Array
from attn_gui.engine.problem.problem import Problem
from attn_gui.formats.base import Tell, silent
from attn_gui.models.run import Run


def head_numbers(run: Run, problem: Problem, key: str, tell: Tell = silent) -> Array:
    """(layer, head): a reading by its key; `problem` has the tokens and sizes that all layers share.

    `tell` is told the share that is done; what it raises ends it.
    """
    found = np.zeros((run.model.num_layers, run.model.num_heads))
    for layer in range(run.model.num_layers):
        for head, weights in enumerate(run.attention(layer)):
            rows = [(slice(0, len(weights)), np.asarray(weights, np.float64))]
            found[layer, head] = READINGS[key].measure(problem, partial(iter, rows))
        tell((layer + 1) / run.model.num_layers)
    return found
