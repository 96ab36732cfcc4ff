"""Matrices that a lesson can name beside stages and fields, and the record that its numbers are computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType

import numpy as np

from attn_gui.engine.analysis.dependence import DEPENDENCES, MOST_TOKENS, comparable
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.readout import Readout
from attn_gui.engine.problem import Problem
from attn_gui.models.attributing.head_numbers import head_numbers
from attn_gui.models.attributing.logit_readings import without_each_head
from attn_gui.models.passes.edited_layer import plain_layer
from attn_gui.models.run import Run

MOST_PRODUCTS = 1 << 30
"""Multiplications of runs without a head each that a number of a lesson is worth: a second or so."""


@dataclass(frozen=True, eq=False)
class Runs:
    """A model that the problem is a layer of: its run as it is now, and the one with nothing changed by hand."""

    now: Run
    before: Run

    @property
    def has_few_heads(self) -> bool:
        """Whether the model is so small that it can be run without each of its heads in turn."""
        model = self.now.model
        numbers = sum(table.size for layer in model.layers for table in plain_layer(layer).weights.values())
        return model.num_layers * model.num_heads * numbers * len(self.now.ids) <= MOST_PRODUCTS

    @cached_property
    def without(self) -> Array:
        """(layer, head, vocabulary): the probabilities of the next token with each head alone switched off besides."""
        heads = self.now.model.num_layers, self.now.model.num_heads
        found = [run.probabilities() for _place, run in without_each_head(self.now)]
        return np.reshape(found, (*heads, -1))


@dataclass(frozen=True, eq=False)
class Ground:
    """Ground that the numbers of a lesson are computed from.

    An evaluation; where the problem is a layer of a model, the model's runs, which layer it is, and the head on show.
    """

    evaluation: Readout
    runs: Runs | None = None
    layer: int = 0
    head: int = 0
    _measured: dict[str, Array | None] = field(default_factory=dict, init=False, repr=False)

    def measured(self, name: str) -> Array | None:
        """The matrix of a measure, computed once; None where there is no such measure, or not here."""
        if name not in self._measured:
            measure = MEASURES.get(name)
            self._measured[name] = measure.cells(self) if measure is not None and measure.needs(self) else None
        return self._measured[name]


HERE: Mapping[str, Callable[[Ground], int]] = MappingProxyType(
    {"layer": lambda ground: ground.layer, "head": lambda ground: ground.head}
)
"""Of a model: which layer is on the table and which head on show, as numbers and as places of a matrix."""


@dataclass(frozen=True)
class Measure:
    """A matrix that a lesson can name: `needs` says whether it can be computed, `cells` computes it.

    The last axis of one with `tokens` is that of the vocabulary.
    """

    needs: Callable[[Ground], bool]
    cells: Callable[[Ground], Array]
    tokens: bool = False


def _has_sequence(ground: Ground) -> bool:
    problem = ground.evaluation.problem
    return comparable(problem) and problem.n <= MOST_TOKENS


def _dependence(name: str, ground: Ground) -> Array:
    return DEPENDENCES[name](ground.evaluation.problem)


def _has_heads(key: str, ground: Ground) -> bool:
    return ground.runs is not None and READINGS[key].fits(_unchanged(ground))


def _readings(key: str, ground: Ground) -> Array:
    return head_numbers(_runs(ground).now, _unchanged(ground), key)


def _unchanged(ground: Ground) -> Problem:
    """The layer on the table as the model has it: its tokens and sizes are those of all layers."""
    return _runs(ground).before.problem(ground.layer)


def _has_prediction(ground: Ground) -> bool:
    return ground.runs is not None and ground.runs.now.model.ends.head is not None


def _has_few_heads(ground: Ground) -> bool:
    return _has_prediction(ground) and _runs(ground).has_few_heads


def _runs(ground: Ground) -> Runs:
    assert ground.runs is not None, "it is among the needs"
    return ground.runs


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {name: Measure(_has_sequence, partial(_dependence, name)) for name in DEPENDENCES}
    | {key: Measure(partial(_has_heads, key), partial(_readings, key)) for key in READINGS}
    | {
        "probability": Measure(_has_prediction, lambda ground: _runs(ground).now.probabilities(), tokens=True),
        "probability_before": Measure(
            _has_prediction, lambda ground: _runs(ground).before.probabilities(), tokens=True
        ),
        "probability_without": Measure(_has_few_heads, lambda ground: _runs(ground).without, tokens=True),
    }
)
"""By name: ‖∂y_i/∂x_j‖ of the compared layers; readings (layer, head); probabilities of the next token (…, token)."""
