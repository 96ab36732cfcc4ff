"""Numbers for the slider of d_k: Q and K repeated or random, variance, entropies, gradient of the softmax."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from attn_gui.engine.analysis.sweep import MapRow, jacobian_norm, variance, weights
from attn_gui.engine.arrays import Array
from attn_gui.engine.comparison import READY, WITH_SCALE
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation, bits, row_entropy
from attn_gui.engine.memory import Progress, silent
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES

TOKENS, SEED = 16, 0  # of the seeded Q, K and V
NARROWEST, WIDEST = 2, 512
POINTS = tuple(round(NARROWEST ** (1 + place / 4)) for place in range(33))
"""Widths of the curves, evenly apart on a logarithmic axis; the narrowest stand there more than once."""
MOST = 1 << 16  # cells of the largest map that is read whole at every width
SOURCES = OWN, RANDOM, REPEATED = "own", "seeded", "repeated"
"""Keys of what Q and K are at a width: a problem's own, seeded ones, or its own with their columns repeated."""

Entropies = tuple[tuple[float, ...], tuple[float, ...]]


class DkReading(NamedTuple):
    """Numbers at one d_k: variance of the scaled scores, mean entropy of the rows in bits, ‖∂a/∂s′‖ of one row."""

    variance: float
    entropy: float
    gradient: float


@cache
def _drawn() -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(SEED)
    query, key = rng.standard_normal((TOKENS, WIDEST)), rng.standard_normal((TOKENS, WIDEST))
    return query, key, rng.standard_normal((TOKENS, 64))


def seeded(width: int) -> Problem:
    """Return a problem of 16 tokens whose Q and K are the first `width` of 512 columns of standard normal numbers."""
    query, key, value = _drawn()
    return Problem(query=query[:, :width], key=key[:, :width], value=value)


def can_repeat(problem: Problem) -> bool:
    """Return whether `repeated` and `entropies` take a problem.

    Q and K have to be given, nothing else may depend on d_k, and between scores and softmax there may only be a scale,
    masks that close cells and a temperature.
    """
    bound = (problem.x, problem.rotary_theta, problem.rotary_frequencies, problem.query_norm, problem.key_norm)
    between = (problem.softcap, problem.sink, *problem.interventions)
    adds = any(layer.enabled and layer.adds for layer in problem.mask)
    plain = problem.query is not None and all(each is None for each in (*bound, *between)) and not adds
    return plain and fits(problem)


def fits(problem: Problem) -> bool:
    """Return whether the weights are a softmax of scores times 1/√d_k, of a map small enough for every width."""
    softmax = NORMALIZERS[problem.normalize].elementary
    return softmax and SCORES[problem.score].root_scale and problem.n * problem.m <= MOST


def repeated(problem: Problem, width: int) -> Problem:
    """Return the problem with the columns of each head of Q and K repeated, or cut, to a width."""
    found = {}
    for name, heads in (("query", problem.num_heads), ("key", problem.kv_heads)):
        array = getattr(problem, name)
        parts = array.reshape(*array.shape[:-1], heads, problem.d_k)
        taken = parts[..., np.arange(width) % problem.d_k]
        found[name] = taken.reshape(*array.shape[:-1], heads * width)
    return problem.replace(**found)


def two_states(problem: Problem) -> tuple[Evaluation, Evaluation]:
    """Return the problem without its scale, and with it."""
    least = 8 * problem.batch_size * problem.num_heads * problem.n * problem.m
    now = DenseEvaluation(problem, least)
    return DenseEvaluation(READY[WITH_SCALE].made(problem), least, {now.scores: now.held(now.scores)}), now


def read_d_k(evaluation: Evaluation, row: MapRow) -> DkReading:
    """Return the numbers of one head, and of one of its rows."""
    problem = evaluation.problem
    place = slice(row.batch, row.batch + 1), slice(row.head, row.head + 1), slice(0, problem.n), slice(0, problem.m)
    scores = evaluation.fetch(evaluation.scores, place)[0, 0] * problem.effective_scale
    opened = evaluation.allowed(row.batch, row.head, slice(0, problem.n), slice(0, problem.m))
    seen = scores.ravel() if opened is None else scores[opened]
    found = bits(row_entropy(evaluation.fetch(evaluation.weights, place)[0, 0]))
    return DkReading(variance(seen), float(found.mean()), jacobian_norm(weights(evaluation, row)))


def entropies(problem: Problem, batch: int = 0, head: int = 0, progress: Progress = silent) -> Entropies:
    """Return mean entropies in bits of a head's rows for `repeated` at each of POINTS: (without scale, with scale).

    Computed in a few lines of its own, in a fiftieth of the time that evaluations would take.
    """
    evaluation, found = DenseEvaluation(problem), []
    query, key = (
        evaluation.fetch(name, (slice(batch, batch + 1), slice(0, rows), evaluation.head_columns(name, head)))[0]
        for name, rows in (("query", problem.n), ("key", problem.m))
    )
    opened = evaluation.allowed(batch, head, slice(0, problem.n), slice(0, problem.m))
    for number, width in enumerate(POINTS):
        columns = np.arange(width) % problem.d_k
        scores = query[:, columns] @ key[:, columns].T
        own = width**-0.5 if problem.scale is None else problem.scale
        found.append([_mean_bits(scores * scale / (problem.temperature or 1.0), opened) for scale in (1.0, own)])
        progress((number + 1) / len(POINTS))
    without, with_scale = zip(*found, strict=True)
    return without, with_scale


@cache
def seeded_entropies() -> Entropies:
    """Return the entropies of `seeded`, as `entropies` does."""
    return entropies(seeded(WIDEST))


def _mean_bits(scores: Array, opened: Array | None) -> float:
    """Return the mean entropy of the softmax of every row, in bits."""
    with np.errstate(all="ignore"):
        scores = scores if opened is None else np.where(opened, scores, -np.inf)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
    closed = opened is not None and ~opened.any(axis=1)
    return bits(float(np.where(closed, 0.0, row_entropy(shares)).mean()))
