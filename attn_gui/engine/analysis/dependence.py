"""Which token moves which output of attention, of convolutions and of an RNN; what each costs, longest path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np

from attn_gui.engine.analysis.sensitivity import gradients
from attn_gui.engine.arrays import Array, check, item_of
from attn_gui.engine.checks import Record
from attn_gui.engine.creation.create import made_direct
from attn_gui.engine.creation.resize import resize
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.threads import one_blas_thread
from attn_gui.engine.fields import DIRECT
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import lengths
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES

WORK = 1e10  # multiplications of W_O, or of the projections, with what the heads depend on
HELD = 1 << 29  # bytes that are held at a time for as many tokens as are wanted; for fewer than two more may be
PIECE = 1 << 20  # numbers by which rows of Q, K and V, or of the output, are pulled back at a time
KEPT = 8  # stages of one map, about

WIDTH = 3  # tokens that one convolution looks at: the one before, the token, the one after

CHANNELS, LAYERS, SEED = 16, 2, 0  # channels of the seeded layers; convolutions and seed unless others are chosen

MOST_TOKENS = 32


# --- self-attention -------------------------------------------------------------------------------
def sequence(problem: Problem) -> Array:
    """Return the numbers of every token (n, d): X, or where Q, K and V are given these three side by side."""
    rows = [np.asarray(getattr(problem, name), dtype=np.float64) for name in _fields(problem)]
    return np.concatenate([item_of(array, 0) for array in rows], axis=1)


def _fields(problem: Problem) -> tuple[str, ...]:
    """Return the names of the fields that hold the numbers of a token."""
    return ("x",) if problem.projected else DIRECT


def _own_width(problem: Problem) -> int:
    """Return d, how many numbers a token has in `sequence`."""
    return sum(int(np.shape(getattr(problem, name))[-1]) for name in _fields(problem))


def first_tokens(problem: Problem, count: int) -> Problem:
    """Return the problem with only its first tokens, as queries and as keys."""
    if problem.n > count:
        problem = problem.replace(**resize(problem, n=count).fields)
    return problem.replace(**resize(problem, m=count).fields) if problem.m > count else problem


def dependence(problem: Problem, progress: Callable[[float], None]) -> Array:
    """Return ‖∂y_i/∂x_j‖ (Frobenius) as (i, j), of the output (after W_O) by the numbers of each token; see `sequence`.

    For self-attention over one sequence. Several columns of the output are pulled back together, each in a copy of the
    problem along the batch axis. `progress` gets the share done and ends the work by raising. Raises FieldError where
    the columns are so many that this would take too much memory.
    """
    check(held(problem, problem.n))
    found = _by_heads(problem, progress) if _apart(problem) else _by_rows(problem, progress)
    progress(1.0)
    return found


def _apart(problem: Problem) -> bool:
    """Return whether the dependence splits: Q, K, V by X row by row, the heads by their own columns, the output by W_O.

    So it is unless an intervention mixes them.
    """
    evaluation = DenseEvaluation(problem, keep=0)
    read = evaluation.stages[: evaluation.stages.index(evaluation.projection) + 1]
    by_hand = [record for record in problem.interventions if record.enabled and record.stage in read]
    return not any(_mixes(record, evaluation) for record in by_hand)


def _mixes(record: Intervention, evaluation: Evaluation) -> bool:
    """Return whether an intervention changes cells outside the heads' part, or copies from elsewhere."""
    axes, cells = evaluation.axes(record.stage), indices.whole(evaluation.shape(record.stage))
    return "head" not in axes or record.origin(cells, axes) is not None


def _by_rows(problem: Problem, progress: Callable[[float], None]) -> Array:
    """Return the dependence from whole rows of the output, a few columns at a time, whatever the interventions."""
    plain = DenseEvaluation(problem, keep=0)
    width, found = plain.shape(plain.projection)[-1], np.zeros((problem.n, problem.n))
    step = _columns_at_once(problem, problem.n)
    evaluation = DenseEvaluation(_copied(problem, step))
    with one_blas_thread():
        for i, low in product(range(problem.n), range(0, width, step)):
            progress((i + low / width) / problem.n)
            row = slice(0, step), slice(i, i + 1), slice(0, width)
            moved = gradients(evaluation, evaluation.projection, row, np.eye(step, width, low)[:, None, :])
            tokens = np.concatenate([moved[name] for name in _fields(problem)], axis=2)
            found[i] = np.hypot(found[i], _by_token(tokens))
    return found


def _by_heads(problem: Problem, progress: Callable[[float], None]) -> Array:
    """Return the dependence from each head's columns to Q, K and V, and from there row by row: far less work."""
    direct = problem.replace(**made_direct(DenseEvaluation(problem, keep=0)))
    before = [_of_rows(problem, name, progress) for name in DIRECT] if problem.projected else None
    evaluation, found = DenseEvaluation(_copied(direct, direct.d_v)), np.zeros((problem.n, problem.n))
    after = None if problem.w_output is None else problem.w_output.astype(np.float64).T
    with one_blas_thread():
        for i in range(problem.n):
            heads = []
            for head in range(problem.num_heads):
                progress((i + head / problem.num_heads) / problem.n)
                moved = _of_head(evaluation, i, head, before)
                if after is None:  # columns of their own for each head: nothing is added but squares
                    found[i] = np.hypot(found[i], _by_token(moved))
                else:
                    heads.append(moved)
            if after is not None:
                found[i] = _by_token(np.tensordot(after, np.concatenate(heads), 1))
    return found


def _by_token(moved: Array) -> Array:
    """Return the lengths (…, token) of derivatives (column, token, number of the token), over both others."""
    return np.asarray(lengths(np.swapaxes(moved, 0, 1).reshape(moved.shape[1], -1), -1)[:, 0])


def affordable(problem: Problem, most: int) -> int:
    """Return the number of tokens, two to `most`, whose dependence takes a few seconds and little memory."""
    count = max(2, min(most, problem.n, int((WORK / max(_work(problem), 1)) ** 0.5)))
    while count > 2 and held(problem, count) > HELD:
        count -= 1
    return count


def _work(problem: Problem) -> int:
    """Return about how many multiplications each pair of tokens takes."""
    own, width = _own_width(problem), problem.num_heads * problem.d_v
    out = 1 if problem.w_output is None else int(problem.w_output.shape[-1])
    if not _apart(problem):
        return max(out, width) * (own * _given_width(problem) if problem.projected else own)
    return own * width * max(out, 2 * problem.d_k if problem.projected else 1)


def held(problem: Problem, count: int) -> int:
    """Return about how many bytes the dependence of the first `count` tokens holds at a time."""
    if not _apart(problem):
        return 8 * _columns_at_once(problem, count) * _of_copy(problem, count)
    own, columns, heads = _own_width(problem), problem.d_v, problem.num_heads
    numbers = _given_width(problem) * own * count if problem.projected else 0
    numbers += columns * _of_copy(problem, count)
    if problem.w_output is not None:
        numbers += (2 * heads * columns + int(problem.w_output.shape[-1])) * own * count
    return int(8 * numbers)


def _columns_at_once(problem: Problem, count: int) -> int:
    """Return how many columns of the output are pulled back at a time for `count` tokens."""
    shaped = DenseEvaluation(problem, keep=0)
    return max(1, min(shaped.shape(shaped.projection)[-1], PIECE // _of_copy(problem, count)))


def _of_copy(problem: Problem, count: int) -> int:
    """Return about how many numbers a copy of the problem with `count` tokens holds."""
    each = 2 * _given_width(problem) + KEPT * problem.num_heads * count + _own_width(problem)
    return int(count * each)


def _given_width(problem: Problem) -> int:
    """Return the number of columns of Q, K and V together."""
    shaped = DenseEvaluation(problem, keep=0)
    return sum(shaped.shape(name)[-1] for name in DIRECT)


def _of_head(evaluation: Evaluation, i: int, head: int, before: list[Array] | None) -> Array:
    """Return ∂o_i/∂x as (column of the head, token, number of the token), for one query and head."""
    width = evaluation.problem.d_v
    box = slice(0, width), slice(head, head + 1), slice(i, i + 1), slice(0, width)
    found = gradients(evaluation, evaluation.mixed, box, np.eye(width)[:, None, None, :])
    if before is None:
        return np.concatenate([found[name] for name in DIRECT], axis=2)
    total = np.zeros(())
    for name, way in zip(DIRECT, before, strict=True):
        mine = evaluation.head_columns(name, head)
        total = total + np.swapaxes(found[name][:, :, mine], 0, 1) @ way[:, mine]
    return np.swapaxes(total, 0, 1)


def _of_rows(problem: Problem, name: str, progress: Callable[[float], None]) -> Array:
    """Return ∂(row of Q, K or V)/∂(same row of X) as (token, column, column of X): no row depends on another one."""
    width, own = DenseEvaluation(problem, keep=0).shape(name)[-1], _own_width(problem)
    found, step = np.empty((problem.n, width, own)), max(1, PIECE // (problem.n * max(width, own)))
    for low in range(0, width, step):
        progress(0.0)
        count = min(step, width - low)
        cotangent = np.repeat(np.eye(count, width, low)[:, None, :], problem.n, axis=1)
        evaluation = DenseEvaluation(_copied(problem, count), keep=0)
        moved = gradients(evaluation, name, indices.whole(cotangent.shape), cotangent)["x"]
        found[:, low : low + count] = np.swapaxes(moved, 0, 1)
    return found


def _copied(problem: Problem, count: int) -> Problem:
    """Return the problem as a batch of `count` equal items."""
    given: dict[str, Any] = {name: getattr(problem, name) for name in _fields(problem)}
    copied = {name: np.repeat(array.reshape(1, *array.shape[-2:]), count, axis=0) for name, array in given.items()}
    by_hand = tuple(_of_every_item(record) for record in problem.interventions)
    return problem.replace(**copied, interventions=by_hand, dtype="float64")


def _of_every_item(record: Intervention) -> Intervention:
    """Return the intervention without its place along the batch axis."""
    places = {name: getattr(record, name) for name in ("at", "source") if hasattr(record, name)}
    return record.changed(
        **{name: Record({axis: at for axis, at in place.items() if axis != "batch"}) for name, place in places.items()}
    )


@dataclass(frozen=True, eq=False)
class Convolutions:
    """z_t = tanh(Σ_s z_{t+s−1} K_s) layer by layer, zeros beyond both ends; kernels (3, columns in, columns out).

    Source: Waibel et al., "Phoneme recognition using time-delay neural networks" (1989).
    """

    kernels: tuple[Array, ...]

    @classmethod
    def seeded(cls, inputs: int, channels: int, layers: int, seed: int) -> Convolutions:
        """Return convolutions with independent normal weights of variance 1 / (3 · columns in)."""
        draw, found = np.random.default_rng(seed).standard_normal, []
        for layer in range(layers):
            columns = inputs if layer == 0 else channels
            found.append(draw((WIDTH, columns, channels)) / np.sqrt(WIDTH * columns))
        return cls(tuple(found))

    def forward(self, x: Array) -> Array:
        """Return outputs (n, channels) for (n, inputs)."""
        return self._states(x)[-1]

    def dependence(self, x: Array) -> Array:
        """Return ‖∂z_i/∂x_j‖ (Frobenius) as (i, j), by the chain rule from layer to layer; 0 beyond their reach."""
        slopes, n, layers = [1 - states**2 for states in self._states(x)], len(x), len(self.kernels)
        first = self._first()
        found = np.zeros((n, n))
        for j in range(n):
            near = slice(max(0, j - layers), min(n, j + layers + 1))
            moved = np.zeros((near.stop - near.start, *first.shape[1:]))
            for s in range(WIDTH):
                if near.start <= j - s + 1 < near.stop:
                    moved[j - s + 1 - near.start] = first[s]
            moved *= slopes[0][near][:, :, None]
            for kernel, slope in zip(self.kernels[1:], slopes[1:], strict=True):
                shifted = np.pad(moved, ((1, 1), (0, 0), (0, 0)))
                parts = (kernel[s].T @ shifted[s : s + len(moved)] for s in range(WIDTH))
                moved = slope[near][:, :, None] * sum(parts, np.zeros(()))
            found[near, j] = np.sqrt((moved**2).sum(axis=(1, 2)))
        return found

    def _first(self) -> Array:
        """Return the first kernels (3, channels, columns), with fewer columns that keep every length."""
        kernel = self.kernels[0]
        rows = np.swapaxes(kernel, 1, 2).reshape(-1, kernel.shape[1])
        short = np.asarray(np.linalg.qr(rows.T, mode="r")).T
        return np.asarray(short.reshape(WIDTH, kernel.shape[2], -1))

    def _states(self, x: Array) -> list[Array]:
        """Return the outputs of every layer."""
        found: list[Array] = []
        for kernel in self.kernels:
            padded = np.pad(found[-1] if found else x, ((1, 1), (0, 0)))
            found.append(np.tanh(sum((padded[s : s + len(x)] @ kernel[s] for s in range(WIDTH)), np.zeros(()))))
        return found


@dataclass(frozen=True, eq=False)
class Recurrent:
    """h_t = tanh(x_t W + h_{t−1} U), h_{−1} = 0, with W (inputs, channels) and U (channels, channels).

    Source: Elman, "Finding structure in time" (1990).
    """

    w: Array
    u: Array

    @classmethod
    def seeded(cls, inputs: int, channels: int, seed: int) -> Recurrent:
        """Return a layer with independent normal weights of variance 1 / rows: powers of U do not grow."""
        draw = np.random.default_rng(seed).standard_normal
        return cls(draw((inputs, channels)) / np.sqrt(inputs), draw((channels, channels)) / np.sqrt(channels))

    def forward(self, x: Array) -> Array:
        """Return outputs (n, channels) for (n, inputs)."""
        state, found = np.zeros(len(self.u)), []
        for row in x:
            state = np.tanh(row @ self.w + state @ self.u)
            found.append(state)
        return np.array(found)

    def dependence(self, x: Array) -> Array:
        """Return ‖∂h_i/∂x_j‖ (Frobenius) as (i, j), by the chain rule from step to step."""
        slopes, n = 1 - self.forward(x) ** 2, len(x)
        found, first = (
            np.zeros((n, n)),
            np.asarray(np.linalg.qr(self.w, mode="r")).T,
        )  # as long as w.T, and no wider than itself
        for j in range(n):
            moved = slopes[j][:, None] * first
            found[j, j] = np.linalg.norm(moved)
            for i in range(j + 1, n):
                moved = slopes[i][:, None] * (self.u.T @ moved)
                found[i, j] = np.linalg.norm(moved)
        return found


# --- layers compared ------------------------------------------------------------------------------
def comparable(problem: Problem) -> bool:
    """Return whether the three layers can be compared: the problem is self-attention over one sequence of one item."""
    return problem.n == problem.m and problem.context is None and problem.batch_size == 1


def small_layers(x: Array, layers: int = LAYERS, seed: int = SEED) -> tuple[Array, Array]:
    """Return ‖∂y_i/∂x_j‖ as (i, j) of a recurrent layer and of `layers` convolutions over tokens x (n, d)."""
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


# --- costs ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Cost:
    """Costs of one layer over n tokens, and their orders of growth in the paper.

    `path` is the number of layers or steps between the two tokens farthest apart; None where a signal does not get
    there with fewer layers than `needed`, which is 0 where no number is enough. Source: Vaswani et al., "Attention Is
    All You Need" (2017), table 1.
    """

    multiplications: int
    sequential: int
    path: int | None
    orders: tuple[str, str, str]
    needed: int = 1


def recurrent_cost(n: int, width: int) -> Cost:
    """Return the cost of a recurrent layer with as many channels as the input has columns: x W and h U in each step."""
    return Cost(2 * n * width * width, n, n, ("O(n·d²)", "O(n)", "O(n)"))


def convolution_cost(n: int, width: int, layers: int) -> Cost:
    """Return the cost of a stack of convolutions as wide as the input; kernel places beyond the ends do not count."""
    places = sum(min(t + WIDTH // 2, n - 1) - max(t - WIDTH // 2, 0) + 1 for t in range(n))
    needed = max(1, -(-(n - 1) // (WIDTH // 2)))
    count = layers * places * width * width
    orders = "O(k·n·d²)", "O(1)", "O(logₖ n)"
    return Cost(count, layers, layers if layers >= needed else None, orders, needed)


def attention_cost(problem: Problem) -> Cost:
    """Return the cost of scores and mixing of all heads of one item, with the path that the mask leaves.

    Projections and the tables of the score are counted by `projection_multiplications`.
    """
    products = SCORES[problem.score].multiplications(problem.score_params, problem.d_k)
    count = problem.num_heads * problem.n * problem.m * (products + problem.d_v)
    needed = _layers_to_first(problem)
    return Cost(count, 1, 1 if needed == 1 else None, ("O(n²·d)", "O(1)", "O(1)"), needed)


def _layers_to_first(problem: Problem) -> int:
    """Return how many layers with these masks, of any head, connect the last query to key 0; 0 if none do."""
    evaluation, whole = DenseEvaluation(problem, keep=0), (slice(0, problem.n), slice(0, problem.m))
    opened = np.zeros((problem.n, problem.m), dtype=bool)
    for head in range(problem.num_heads):
        found = evaluation.allowed(0, head, *whole)
        opened |= True if found is None else found
    reached = opened[-1]
    for layers in range(1, problem.n + 1):
        if reached[0]:
            return layers
        reached = reached | opened[reached].any(axis=0)
    return 0


def projection_multiplications(problem: Problem) -> int:
    """Return the multiplications of W_Q, W_K, W_V, W_O and the score's tables, which the paper leaves out."""
    rows = {"w_query": problem.n, "w_key": problem.m, "w_value": problem.m, "w_output": problem.n}
    score, arrays = SCORES[problem.score], problem.arrays()
    rows_by_letter = {
        score.widths["query"]: problem.n * problem.num_heads,
        score.widths["key"]: problem.m * problem.kv_heads,
    }
    for table, letters in score.tables.items():
        rows[f"score_params.{table}"] = rows_by_letter.get(letters[0], 0)
    return sum(count * int(arrays[name].size) for name, count in rows.items() if name in arrays)
