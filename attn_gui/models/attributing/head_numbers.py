"""A reading of every head of a model, from the weights of a run."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import Tell, silent
from attn_gui.models.passes.edited_layer import EditedLayer
from attn_gui.models.run import Run


def problem_read(run: Run, layer: int, problem: Problem) -> Problem:
    """The problem that says what the weights of a layer are of: that of all layers, unless this one was changed.

    It may have other keys then than the tokens of the text.
    """
    return run.problem(layer) if isinstance(run.model.layers[layer], EditedLayer) else problem


def head_numbers(run: Run, problem: Problem, key: str, tell: Tell = silent) -> Array:
    """(layer, head): a reading by its key; `problem` has the tokens and sizes that all unchanged layers share.

    NaN where a weight is, and where the reading has nothing to count in a layer as it was changed. `tell` is told the
    share that is done; what it raises ends it.
    """
    found = []
    for layer in range(run.model.num_layers):
        found.append(run.reading(key, layer, problem))
        tell((layer + 1) / run.model.num_layers)
    return np.array(found)
