"""The three layers that are compared over one sequence: a seeded RNN, seeded convolutions, and the attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.problem.problem import Problem

from .attention_reach import dependence, sequence
from .convolution_stack import Convolutions
from .recurrent_layer import Recurrent

CHANNELS, LAYERS, SEED = 16, 2, 0
"""Channels of the seeded layers; convolutions and seed unless others are chosen."""

MOST_TOKENS = 32


def comparable(problem: Problem) -> bool:
    """Whether the three can be laid over a problem: self-attention over one sequence of one item."""
    return problem.n == problem.m and problem.context is None and problem.batch_size == 1


def small_layers(x: Array, layers: int = LAYERS, seed: int = SEED) -> tuple[Array, Array]:
    """‖∂y_i/∂x_j‖ as (i, j) of the recurrent layer and of so many convolutions over tokens (n, d)."""
    with np.errstate(all="ignore"):
        recurrent = Recurrent.seeded(x.shape[1], CHANNELS, seed).dependence(x)
        return recurrent, Convolutions.seeded(x.shape[1], CHANNELS, layers, seed).dependence(x)


DEPENDENCES: Mapping[str, Callable[[Problem], Array]] = MappingProxyType(
    {
        "rnn": lambda problem: small_layers(sequence(problem))[0],
        "cnn": lambda problem: small_layers(sequence(problem))[1],
        "attention": lambda problem: dependence(problem, lambda share: None),
    }
)
"""‖∂y_i/∂x_j‖ as (i, j) by the name of the layer, for a problem that is `comparable`."""
