"""What a sweep moves (temperature, scale, a cell …), which number of a row it reads; numbers for the slider of d_k."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from attn_gui.engine.analysis.head_readings import most_of_row, weights_by_hand
from attn_gui.engine.analysis.sensitivity import gradient_before
from attn_gui.engine.arrays import Array, Progress, silent
from attn_gui.engine.comparison import READY, WITH_SCALE
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation, bits, row_entropy
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import length, leveled
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.engine.interventions import Set
from attn_gui.engine.masks import Parameter
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES, ScoreSetting
from attn_gui.engine.stages import STAGE
from attn_gui.languages import N_

Words = tuple[tuple[str, str], ...]

CHOSEN_CELL = N_("Pages", "the chosen cell")

WIDEST = 256  # columns of the seeded Q and K at most
LONGEST = 512  # rows of them at most
SEED = 0

WIDTHS = (1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 160, 192, 224, 256)  # values of d_k for which Q and K are drawn
SIDE = 128  # queries and keys that are drawn for each of them
AT_ONCE = 1 << 18  # cells of a map that are read for its statistics; of a larger one rows at even distances
SATURATED = 0.95
"""A row is called saturated above this weight: less than 0.1 of ‖diag(a) − aaᵀ‖ is left, whose most is 0.5."""

T = TypeVar("T")


# --- quantities -----------------------------------------------------------------------------------
@dataclass(frozen=True)
class MapRow:
    """A row of a map with one of its keys: item, head, query, key."""

    batch: int = 0
    head: int = 0
    query: int = 0
    key: int = 0


@dataclass(frozen=True)
class SweptQuantity:
    """One number of a problem that a sweep can move; `quantities_of` returns all of them.

    `words` are pairs (context, English) for translators, to be joined by a colon. `now` is its value in the problem,
    None where it has none, `span` the two ends between which it runs unless told otherwise. `put(problem, value)`
    returns the problem with another value, and `fits(value)` whether it can have that.
    """

    words: Words
    now: float | None
    span: tuple[float, float]
    put: Callable[[Problem, float], Problem]
    fits: Callable[[float], bool] = math.isfinite
    whole: bool = False
    seeded: bool = False
    """Whether random numbers stand in the place of the problem's, and no token is theirs."""

    def row(self, problem: Problem, row: MapRow) -> MapRow:
        """Return the row to read in a problem that `put` gave."""
        return MapRow(query=min(row.query, problem.n - 1), key=min(row.key, problem.m - 1)) if self.seeded else row


def quantities_of(problem: Problem, cell: SweptQuantity | None = None) -> Mapping[str, SweptQuantity]:
    """Return every quantity of a problem by its key; `cell` is that of the chosen cell."""
    scale, theta = problem.effective_scale, problem.rotary_theta
    found = {"scale": SweptQuantity((("Names", "scale"),), scale, (0.0, max(1.0, 2 * scale)), _putter("scale"))}
    if "temperature" in NORMALIZERS[problem.normalize].reads:
        temperature = problem.temperature or 1.0
        found["temperature"] = _positive_field("temperature", ("Settings", "temperature"), temperature, (0.1, 4.0))
    found["softcap"] = _positive_field("softcap", ("Settings", "softcap"), problem.softcap, (0.5, 30.0))
    words = (("Pages", N_("Pages", "dₖ of random Q and K")),)
    found["d_k"] = SweptQuantity(
        words,
        None,
        (1.0, float(WIDEST)),
        with_seeded_width,
        lambda value: 1 <= value <= WIDEST,
        whole=True,
        seeded=True,
    )
    if theta is not None:
        ends = min(1.0, theta), 2 * theta
        found["rotary_theta"] = _positive_field(
            "rotary_theta", ("Settings", "base of the rotary positions"), theta, ends
        )
    for name, setting in SCORES[problem.score].numbers.items():
        found[f"score_params.{name}"] = _score_number(problem, name, setting)
    for position, layer in enumerate(problem.mask):
        for parameter in layer.parameters if layer.enabled else ():
            if parameter.kind == "int":
                found[f"{layer.name_at(position)}.{parameter.name}"] = _layer_number(problem, position, parameter)
    return found if cell is None else {**found, "cell": cell}


def quantity_of_cell(problem: Problem, stage: str, place: tuple[int, ...], value: float) -> SweptQuantity:
    """Return a cell of a stage: of Q, K or V as they are given the number itself, else what is set there by hand."""
    words = (("Pages", CHOSEN_CELL), ("", f"{symbol(stage)}[{', '.join(map(str, place[-2:]))}]"))
    array = problem.arrays().get(stage)
    if array is None:
        at = dict(zip(STAGE[stage].axes, place, strict=True))

        def put_by_hand(problem: Problem, value: float) -> Problem:
            return problem.replace(interventions=(*problem.interventions, Set(stage=stage, at=at, values=value)))

        return SweptQuantity(words, value, (0.0, 1.0) if STAGE[stage].shares else _around(value), put_by_hand)
    index = place[len(place) - array.ndim :]

    def put_given(problem: Problem, value: float) -> Problem:
        cells = np.array(problem.arrays()[stage])
        cells[index] = value
        return problem.replace(**{stage: cells})

    now = float(array[index])
    return SweptQuantity(words, now, _around(now), put_given)


def _putter(field: str) -> Callable[[Problem, float], Problem]:
    return lambda problem, value: problem.replace(**{field: value})


def _positive_field(field: str, words: tuple[str, str], now: float | None, span: tuple[float, float]) -> SweptQuantity:
    return SweptQuantity((words,), now, span, _putter(field), lambda value: math.isfinite(value) and value > 0)


def _score_number(problem: Problem, name: str, setting: ScoreSetting) -> SweptQuantity:
    """Return a number of the score function."""
    now = float(problem.score_params[name])

    def put(problem: Problem, value: float) -> Problem:
        return problem.replace(score_params={**problem.score_params, name: value})

    return SweptQuantity((("Settings", setting.title),), now, (0.0, 2 * max(1.0, abs(now))), put)


def _layer_number(problem: Problem, position: int, parameter: Parameter) -> SweptQuantity:
    """Return a whole number of a mask layer, such as how far a window reaches."""
    layer = problem.mask[position]
    now = getattr(layer, parameter.name)

    def put(problem: Problem, value: float) -> Problem:
        changed = problem.mask[position].changed(**{parameter.name: round(value)})
        return problem.replace(mask=(*problem.mask[:position], changed, *problem.mask[position + 1 :]))

    words = ("Masks", layer.label), ("Masks", parameter.label)
    span = 0.0, float(max(problem.m - 1, 1))
    return SweptQuantity(words, None if now is None else float(now), span, put, whole=True)


def with_seeded_width(problem: Problem, width: float) -> Problem:
    """Return a problem of one head whose Q and K are independent standard normal numbers; narrower ones are the first
    columns of the widest. Masks that are rules, softcap, temperature and the scale are the problem's."""
    n, m = min(problem.n, LONGEST), min(problem.m, LONGEST)
    rng = np.random.default_rng(SEED)
    query, key = rng.standard_normal((n, WIDEST)), rng.standard_normal((m, WIDEST))
    rules = (layer for layer in problem.mask if layer.cells is None)
    return Problem(
        query=query[:, : round(width)],
        key=key[:, : round(width)],
        value=rng.standard_normal((m, 1)),
        scale=problem.scale,
        softcap=problem.softcap,
        temperature=problem.temperature,
        normalize=problem.normalize,
        mask=tuple(layer for layer in rules if len(layer.shape((2, 1, 1, 1))) < 4),  # the same for every item
    )


def _around(value: float) -> tuple[float, float]:
    """Return a stretch with a value in its middle."""
    middle = value if math.isfinite(value) else 0.0
    reach = max(1.0, 2 * abs(middle))
    return middle - reach, middle + reach


def values_between(
    quantity: SweptQuantity, low: float, high: float, steps: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return `steps` values from one end to the other, evenly apart; of whole numbers perhaps fewer."""
    found = 2 * np.linspace(low / 2, high / 2, max(steps, 2))  # the two may be farther apart than a number reaches
    if not quantity.whole:
        return found
    rounded = np.unique(np.rint(found))
    return rounded if low <= high else rounded[::-1]


# --- readings of a row ----------------------------------------------------------------------------
# Readings of one row of a map, a number each; a new one is one entry of ROW_READINGS.
class RowReading(NamedTuple):
    """One number of a row: its words (context "Pages"), and how it is read; NaN where there is none."""

    title: str
    read: Callable[[Evaluation, MapRow], float]
    fits: Callable[[Problem], bool] = lambda problem: True
    """Whether it means anything in a problem."""


def _query_gradient(evaluation: Evaluation, row: MapRow) -> float:
    """Return ‖∂a/∂q‖: how much one weight moves with its query, by the chain that the problem has between the two."""
    box = indices.cell((row.batch, row.head, row.query, row.key))
    pieces = gradient_before(evaluation, evaluation.weights, box, np.ones((1, 1, 1, 1)), "query")
    with np.errstate(all="ignore"):
        return length(np.array([length(piece) for _, piece in pieces]))


ROW_READINGS: Mapping[str, RowReading] = MappingProxyType(
    {
        "entropy": RowReading(
            N_("Pages", "entropy of the row (bits)"),
            lambda evaluation, row: bits(float(row_entropy(weights(evaluation, row)))),
            lambda problem: NORMALIZERS[problem.normalize].shares,
        ),
        "weight": RowReading(
            N_("Pages", "the chosen weight"),
            lambda evaluation, row: float(weights(evaluation, row)[row.key]),
        ),
        "largest": RowReading(
            N_("Pages", "the largest weight"),
            lambda evaluation, row: float(weights(evaluation, row).max()),
        ),
        "norm": RowReading(
            N_("Pages", "norm of the head's output"),
            lambda evaluation, row: length(_row(evaluation, evaluation.mixed, row)),
        ),
        "score_variance": RowReading(  # as the score function gives them
            N_("Pages", "variance of the scores"),
            lambda evaluation, row: _variance(evaluation, evaluation.scores, row),
        ),
        "logit_variance": RowReading(  # after scale, softcap and biases
            N_("Pages", "variance of what enters the softmax"),
            lambda evaluation, row: _variance(evaluation, str(evaluation.logits), row),
        ),
        "saturation": RowReading(  # the Jacobian of the softmax at temperature 1: 0 lets no gradient through
            N_("Pages", "saturation ‖diag(a) − aaᵀ‖"),
            lambda evaluation, row: jacobian_norm(weights(evaluation, row)),
            lambda problem: NORMALIZERS[problem.normalize].elementary,
        ),
        "gradient": RowReading(N_("Pages", "gradient of the chosen weight, ‖∂a/∂q‖"), _query_gradient),
    }
)
"""The readings by their keys."""


def weights(evaluation: Evaluation, row: MapRow) -> Array:
    """Return the weights of a row, one for each key."""
    return _row(evaluation, evaluation.weights, row)


def variance(numbers: Array) -> float:
    """Return the variance of numbers, over their count; NaN of none."""
    if not len(numbers):
        return float("nan")
    with np.errstate(all="ignore"):
        level, exponent = leveled(numbers, 0)  # less the first of them: equal ones have none, however large
        return float(np.ldexp(np.var(level - level[0]), 2 * exponent)[0])


def jacobian_norm(shares: Array) -> float:
    """Return ‖diag(a) − aaᵀ‖ by its square, Σ a²(1 − a)² + Σ a²(Σ b² − a²): no m × m matrix is made, nothing cancels.

    Weights that were set by hand may be far beyond 1: they are squared over the largest of them.
    """
    top = max(1.0, float(np.abs(shares).max(initial=0.0)))
    with np.errstate(all="ignore"):
        level = shares / top
        squares = level**2
        others = squares.sum() - squares
        largest = int(squares.argmax())
        others[largest] = np.delete(squares, largest).sum()
        return float(np.sqrt((squares * ((1 - shares) / top) ** 2).sum() + (squares * others).sum()) * top * top)


def _row(evaluation: Evaluation, name: str, row: MapRow) -> Array:
    """Return one row of a stage, as float64."""
    width = evaluation.shape(name)[-1]
    place = indices.cell((row.batch, row.head, row.query))
    with np.errstate(all="ignore"):
        return np.array(evaluation.fetch(name, (*place, slice(0, width)))[0, 0, 0], dtype=np.float64)


def _variance(evaluation: Evaluation, name: str, row: MapRow) -> float:
    """Return the variance of a row of a map over its open keys: over their count, not one less."""
    scores = _row(evaluation, name, row)
    opened = evaluation.allowed(row.batch, row.head, slice(row.query, row.query + 1), slice(0, len(scores)))
    return variance(scores if opened is None else scores[opened[0]])


# --- scaling of dot products ----------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class ScaledRow:
    """A row of weights (m,) at a scale: its entropy and what that can be at most in bits, ‖diag(a) − aaᵀ‖, and ‖∂a/∂q‖
    of the weight of one key. Of weights that are changed by hand nothing says what the softmax does."""

    scale: float
    weights: Array
    allowed: Array | None
    entropy: float
    ceiling: float
    jacobian: float
    gradient: float
    by_hand: bool

    @property
    def saturated(self) -> bool:
        """Whether one weight of several, or beside a sink, takes nearly all."""
        return bool(not self.by_hand and self.ceiling > 0 and self.weights.max(initial=0.0) > SATURATED)


@dataclass(frozen=True, eq=False)
class ScaledEntropies:
    """Entropies (scales, rows) in bits of some `queries` (rows,), and the most that they can be: `ceilings` (rows,)."""

    queries: Array
    values: Array
    ceilings: Array


def seeded_variances() -> Array:
    """Return the variance of q · k for every one of WIDTHS, over all pairs of 128 queries and 128 keys with independent
    standard normal numbers; narrower ones are the first columns of the widest. It comes near d_k."""
    rng = np.random.default_rng(SEED)
    query, key = rng.standard_normal((SIDE, max(WIDTHS))), rng.standard_normal((SIDE, max(WIDTHS)))
    return np.array([np.var(query[:, :width] @ key[:, :width].T) for width in WIDTHS])


def score_variance(problem: Problem, batch: int, head: int) -> float:
    """Return the variance of the scores of a head over its open cells, before the scale; NaN where there is none."""
    found = DenseEvaluation(problem, keep=0)
    rows, keys = read_rows(problem), slice(0, problem.m)
    seen = []
    for row in rows.tolist():
        at = slice(row, row + 1)
        opened = found.allowed(batch, head, at, keys)
        scores = np.asarray(found.block(found.scores, batch, head, at, keys)[0], dtype=np.float64)
        seen.append(scores if opened is None else scores[opened[0]])
    return variance(np.concatenate(seen))


def at_scales(problem: Problem, scales: Sequence[float], row: MapRow) -> tuple[ScaledRow, ...]:
    """Return a row at each of several scales."""
    return tuple(_scaled_row(changed, scale, row) for scale, changed in _changed(problem, scales))


def entropies_at_scales(problem: Problem, scales: Sequence[float], row: MapRow) -> ScaledEntropies:
    """Return the entropies in bits of the rows of a head at each of several scales."""
    rows = read_rows(problem)
    values = np.empty((len(scales), len(rows)))
    ceilings = np.empty(len(rows))
    for number, (_, changed) in enumerate(_changed(problem, scales)):
        for place, query in enumerate(rows.tolist()):
            at = MapRow(row.batch, row.head, query, row.key)
            values[number, place] = row_entropy(weights(changed, at))
            ceilings[place] = most_of_row(changed, row.batch, row.head, query)
    return ScaledEntropies(rows, bits(values), bits(ceilings))


def read_rows(problem: Problem) -> Array:
    """Return the queries whose rows are read: all, or of a large map as many as make so many cells."""
    count = min(problem.n, max(AT_ONCE // problem.m, 1))
    return np.unique(np.rint(np.linspace(0, problem.n - 1, count)).astype(int))


def _changed(problem: Problem, scales: Sequence[float]) -> Iterator[tuple[float, Evaluation]]:
    for scale in scales:
        yield scale, DenseEvaluation(problem.replace(scale=scale), keep=0)


def _scaled_row(evaluation: Evaluation, scale: float, row: MapRow) -> ScaledRow:
    shares = weights(evaluation, row)
    at = slice(row.query, row.query + 1)
    opened = evaluation.allowed(row.batch, row.head, at, slice(0, len(shares)))
    return ScaledRow(
        scale,
        shares,
        None if opened is None else np.array(opened[0]),
        bits(float(row_entropy(shares))),
        bits(most_of_row(evaluation, row.batch, row.head, row.query)),
        jacobian_norm(shares),
        _query_gradient(evaluation, row),
        bool(weights_by_hand(evaluation.problem, row.batch, row.head, row.query).any()),
    )


def sweep(
    problem: Problem,
    quantity: SweptQuantity,
    values: Sequence[float],
    row: MapRow,
    read: Callable[[Evaluation, MapRow], T],
    progress: Callable[[float], None] = lambda share: None,
) -> list[T]:
    """Return the results of `read` for every value; `progress` gets the share done, and ends the work by raising.

    No stage is kept: `read` has computed what it fetches, so a row of a long problem costs a row. Raises ValueError
    with a sentence for a value that the problem cannot have.
    """
    found = []
    for number, value in enumerate(values):
        progress(number / len(values))
        changed = quantity.put(problem, float(value))
        found.append(read(DenseEvaluation(changed, keep=0), quantity.row(changed, row)))
    progress(1.0)
    return found


# --- slider of d_k --------------------------------------------------------------------------------
TOKENS = 16  # of the seeded Q, K and V
NARROWEST_D_K, WIDEST_D_K = 2, 512
POINTS = tuple(round(NARROWEST_D_K ** (1 + place / 4)) for place in range(33))
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
    query, key = rng.standard_normal((TOKENS, WIDEST_D_K)), rng.standard_normal((TOKENS, WIDEST_D_K))
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


def d_k_entropies(problem: Problem, batch: int = 0, head: int = 0, progress: Progress = silent) -> Entropies:
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
    return d_k_entropies(seeded(WIDEST_D_K))


def _mean_bits(scores: Array, opened: Array | None) -> float:
    """Return the mean entropy of the softmax of every row, in bits."""
    with np.errstate(all="ignore"):
        scores = scores if opened is None else np.where(opened, scores, -np.inf)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
    closed = opened is not None and ~opened.any(axis=1)
    return bits(float(np.where(closed, 0.0, row_entropy(shares)).mean()))
