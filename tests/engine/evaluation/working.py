"""The working arrays of a document: problems of views on them, edits in place; an evaluation follows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attn_gui.engine import DenseEvaluation, Evaluation, Problem, Recomputed, layer_from_mapping
from attn_gui.engine.arrays import Box
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

WILD = (np.inf, -np.inf, np.nan, 1e308, -1e308, 1e17, -1e17, 1e10, 1e6)


class Working:
    def __init__(self, problem: Problem, tile: int | None = 3, chunk: int | None = 4, *, dense: bool = False) -> None:
        self.arrays = {name: np.array(array) for name, array in problem.arrays().items()}
        self.rest = {name: value for name, value in problem.fields().items() if not isinstance(value, np.ndarray)}
        self.rest["dtype"] = problem.dtype
        self.sizes, self.dense = (tile, chunk), dense
        self.evaluation: Any = self.fresh()

    def problem(self) -> Problem:
        fields = dict(self.rest)
        for name, array in self.arrays.items():
            put(fields, name, array)
        return Problem.over(fields)

    def write(self, name: str, box: Box, values: Any) -> Recomputed:
        with np.errstate(all="ignore"):
            self.arrays[name][box] = values
        return self.evaluation.update(self.problem(), {name: [box]})

    def stage(self, name: str) -> Any:
        return np.array(whole(self.evaluation, name))

    def fresh(self) -> Any:
        if self.dense:
            return DenseEvaluation(self.problem())
        return StreamingEvaluation(self.problem(), tile=self.sizes[0], chunk=self.sizes[1])

    def worst(self, stages: Sequence[str] = ()) -> float:
        """The largest difference from a dense evaluation, relative to the stage's largest value."""
        return apart(DenseEvaluation(self.problem()), self.evaluation, stages)


def put(fields: dict[str, Any], name: str, value: Any) -> None:
    """Put a value where the name of its array leads: mask.0.values, score_params.w, query."""
    head, *tail = name.split(".")
    if head == "mask":
        layers = list(fields["mask"])
        layers[int(tail[0])] = layer_from_mapping(layers[int(tail[0])].to_mapping() | {tail[1]: value})
        fields["mask"] = tuple(layers)
    else:
        fields[head] = {**fields[head], tail[0]: value} if tail else value


def with_value(problem: Problem, name: str, value: Any) -> Problem:
    """The problem with another array or number."""
    fields = dict(problem.fields())
    put(fields, name, value)
    return problem.replace(**{name.partition(".")[0]: fields[name.partition(".")[0]]})


def rounding(dtype: str, terms: int, size: float) -> float:
    """What the rounding of a sum may amount to: λ √terms u times the largest that it holds on the way.

    Roundings have either sign; more than λ = 6 has one sum in ten million (Higham and Mary, A new approach to
    probabilistic rounding error analysis, 2019). u is half of ε.
    """
    return float(6 * np.sqrt(terms) * np.finfo(dtype).eps / 2 * size)


def whole(evaluation: Evaluation, stage: str) -> Any:
    return evaluation.box(stage, indices.whole(evaluation.shape(stage)))


def apart(dense: Evaluation, other: Evaluation, stages: Sequence[str] = ()) -> float:
    found = 0.0
    for name in stages or dense.stages:
        expected, got = (whole(one, name) for one in (dense, other))
        assert np.array_equal(np.isfinite(expected), np.isfinite(got)), name
        assert np.array_equal(np.isnan(expected), np.isnan(got)), name
        finite = np.isfinite(expected)
        size = np.abs(expected[finite]).max(initial=0.0) or 1.0
        found = max(found, float(np.abs(expected[finite] / size - got[finite] / size).max(initial=0.0)))
    return found


def random_box(shape: Sequence[int], rng: np.random.Generator, most: int = 2) -> Box:
    low = [int(rng.integers(length)) for length in shape]
    return tuple(slice(a, min(n, a + int(rng.integers(1, most + 1)))) for a, n in zip(low, shape, strict=True))


def random_values(array: Any, box: Box, rng: np.random.Generator, amplitude: float = 10.0) -> Any:
    if array.dtype == bool:
        return rng.random(indices.shape_of(box)) < 0.6
    return rng.normal(size=indices.shape_of(box)) * (amplitude if rng.random() < 0.1 else 1)
