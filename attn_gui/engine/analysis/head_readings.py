"""Numbers below each head (entropy, stable rank, induction …) and their names; largest weights, cosines of rows.

A new reading is one class and its entry in READINGS. Words are English templates of the context "Readings"."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import short_power
from attn_gui.engine.evaluation.evaluation import EntropyT, Evaluation, bits, row_entropy
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import length, leveled
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE, stage_of
from attn_gui.languages import N_

Flags = npt.NDArray[np.bool_]

WEIGHTS = next(name for name, stage in STAGE.items() if stage.shares)
AT_ONCE = 1 << 20  # weights that are read at a time
PASSES, CLOSE = 32, 1e-9  # of the search for the largest singular value: at most, and the share that may still come
MILD = 128  # powers of two whose squares are far from the ends of float64

Rows = Iterator[tuple[slice, Array]]  # parts of the weights: some rows of all keys, in order
Cells = list[tuple[slice, slice]]


# --- largest entropy ------------------------------------------------------------------------------
def most_entropy(keys: int, by_hand: int = 0, *, sink: bool = False) -> float:
    """Return the largest −Σ a log a of a row with `keys` open keys and `by_hand` weights set by interventions.

    A set weight adds 1/e at most, whatever it is. The others sum to 1, or beside a sink or set weights to some S ≤ 1:
    their S log(keys / S) is largest at S = keys/e, or at 1 where that is more.
    """
    less = keys < math.e and (sink or by_hand > 0)
    return (keys / math.e if less else math.log(max(keys, 1))) + by_hand / math.e


def most_of_row(evaluation: Evaluation, batch: int, head: int, query: int) -> float:
    """Return the largest entropy that a row can have, given its mask, its sink and the weights set by interventions."""
    problem = evaluation.problem
    opened = evaluation.allowed(batch, head, slice(query, query + 1), slice(0, problem.m))
    by_hand = weights_by_hand(problem, batch, head, query)
    count = problem.m - int(by_hand.sum()) if opened is None else int((opened[0] & ~by_hand).sum())
    return most_entropy(count, int(by_hand.sum()), sink=problem.sink is not None)


def weights_by_hand(problem: Problem, batch: int, head: int, query: int) -> Flags:
    """Return booleans (m,): weights of a row that interventions change."""
    found = np.zeros(problem.m, dtype=bool)
    for *place, keys in _boxes_by_hand(problem):
        if all(cut.start <= here < cut.stop for cut, here in zip(place, (batch, head, query), strict=True)):
            found[keys] = True
    return found


def _boxes_by_hand(problem: Problem) -> list[Box]:
    """Return the boxes of weights that interventions change."""
    stage = stage_of(Role.WEIGHT)
    records = (record for record in problem.interventions if record.enabled and record.stage == stage)
    return [record.box(STAGE[stage].axes, problem.map_shape) for record in records]


# --- readings -------------------------------------------------------------------------------------
class HeadReading:
    """One number of a head, computed from its weights."""

    key: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]  # what is counted
    singles: ClassVar[bool] = True  # whether it counts some cells and not all
    of_shares: ClassVar[bool] = True  # whether it means nothing where rows do not add up to 1
    needs: ClassVar[str] = N_("Readings", "Needs weights whose rows add up to 1")

    def said(self, problem: Problem) -> str:
        """Return the sentence that describes it for a problem."""
        return self.sentence

    def explained(self, problem: Problem) -> str:
        """Return the longer sentence, where there is room."""
        return self.said(problem)

    def most(self, problem: Problem) -> float:
        """Return the largest possible value."""
        return 1.0

    def shown(self, value: EntropyT) -> EntropyT:
        """Return numbers in the unit in which they are shown."""
        return value

    def written(self, value: float) -> str:
        """Return the number as it is written below a head."""
        return "NaN" if math.isnan(value) else f"{self.shown(value):.2f}"

    def fits(self, problem: Problem) -> bool:
        """Return whether the problem has anything to count."""
        return not self.of_shares or NORMALIZERS[problem.normalize].shares

    def measure(self, problem: Problem, rows: Callable[[], Rows]) -> float:
        """Return the number, NaN where a weight is; each call of `rows` starts again at the first row."""
        raise NotImplementedError

    def cells(self, problem: Problem, rows: Callable[[], Rows]) -> Cells:
        """Return the counted cells as rectangles."""
        return [(slice(0, problem.n), slice(0, problem.m))]


class Entropy(HeadReading):
    """Mean over the rows that see a key of −Σ a log a, in nats; shown in bits."""

    key = "entropy"
    singles = False
    title = N_("Readings", "entropy (bits)")
    sentence = N_("Readings", "mean entropy in bits, 0 … log₂ {keys} = {most}")
    ends = N_("Readings", "mean entropy of rows in bits: 0 for one key only, log₂ {keys} = {most} for all keys alike")
    uneven = N_("Readings", "mean entropy in bits, 0 … {most}")  # of rows that do not add up to 1

    def said(self, problem: Problem) -> str:
        return self.sentence if self.most(problem) == math.log(problem.m) else self.uneven

    def explained(self, problem: Problem) -> str:
        return self.ends if self.said(problem) == self.sentence else self.uneven

    def most(self, problem: Problem) -> float:
        ends = [[(cut.start, cut.stop) for cut in box] for box in _boxes_by_hand(problem)]
        boxes = np.array(ends, int).reshape(-1, 4, 2)
        rows, keys = boxes[:, :3], boxes[:, 3, 1] - boxes[:, 3, 0]
        meet = (rows[:, None, :, 0] < rows[None, :, :, 1]) & (rows[None, :, :, 0] < rows[:, None, :, 1])
        by_hand = min(problem.m, int((meet.all(axis=-1) @ keys).max(initial=0)))  # those in other rows do not count
        return most_entropy(problem.m - by_hand, by_hand, sink=problem.sink is not None)

    def shown(self, value: EntropyT) -> EntropyT:
        return bits(value)

    def measure(self, problem: Problem, rows: Callable[[], Rows]) -> float:
        total, count = 0.0, 0
        for _, weights in rows():
            seeing = (weights != 0).any(axis=-1)
            total, count = total + float(row_entropy(weights[seeing]).sum()), count + int(seeing.sum())
        return total / count if count else 0.0


class StableRank(HeadReading):
    """Sum of all squared singular values over the largest of them: in how many directions the rows differ.

    ‖A‖² (Frobenius) is a sum over rows; the largest singular value is found by Lanczos' method on AᵀA, one pass over
    the rows for each step. Source: Rudelson, Vershynin (2007), "Sampling from large matrices"; Golub, Van Loan (2013),
    §10.1.
    """

    key = "rank"
    singles = of_shares = False
    title = N_("Readings", "stable rank")
    sentence = N_("Readings", "Σσ² / σ₁², 1 (all rows alike) … {most}")

    def most(self, problem: Problem) -> float:
        return min(problem.n, problem.m)

    def written(self, value: float) -> str:
        return "NaN" if math.isnan(value) else short_power(f"{value:.3g}")

    def measure(self, problem: Problem, rows: Callable[[], Rows]) -> float:
        level = _leveled(rows)
        with np.errstate(over="ignore"):  # beside an infinite weight the others are not leveled
            squares = sum(float(np.square(weights).sum()) for _, weights in level())
        if math.isinf(squares):
            return math.nan
        return squares / _largest_square(level, problem.m) if squares > 0 else squares


class LargestWeight(HeadReading):
    """The largest of all weights."""

    key = "largest"
    of_shares = False
    title = N_("Readings", "largest weight")
    sentence = N_("Readings", "the largest weight of the head, 0 … 1")
    by_hand = N_("Readings", "the largest weight of the head; one set by hand may be any number")
    unbound = N_("Readings", "the largest weight of the head, which may be any number")

    def said(self, problem: Problem) -> str:
        if not NORMALIZERS[problem.normalize].fractions:
            return self.unbound
        return self.by_hand if bool(_boxes_by_hand(problem)) else self.sentence

    def measure(self, problem: Problem, rows: Callable[[], Rows]) -> float:
        return float(np.max([weights.max() for _, weights in rows()]))  # a NaN is the largest

    def cells(self, problem: Problem, rows: Callable[[], Rows]) -> Cells:
        best, place = -math.inf, (0, 0)
        for part, weights in rows():
            row, column = divmod(int(np.argmax(np.where(np.isnan(weights), -np.inf, weights))), weights.shape[1])
            if weights[row, column] > best:
                best, place = float(weights[row, column]), (part.start + row, column)
        return [(slice(place[0], place[0] + 1), slice(place[1], place[1] + 1))]


class Pattern(HeadReading):
    """Share of all weights that lies in the cells of a pattern: Σ a·pattern / Σ a, 0 without a weight.

    Source: `compute_head_attention_similarity_score` with error_measure "mul" of TransformerLens (Nanda, Bloom, 2022),
    transformer_lens/head_detector.py, and the patterns there.
    """

    def pattern(self, problem: Problem, rows: slice) -> Flags:
        """Return booleans: the counted cells of some rows."""
        raise NotImplementedError

    def measure(self, problem: Problem, rows: Callable[[], Rows]) -> float:
        inside, total = self._sums(problem, rows)
        if not math.isfinite(total):  # set by hand, finite numbers can have a sum that is not
            inside, total = self._sums(problem, _leveled(rows))
        return inside / total if total != 0 else 0.0

    def _sums(self, problem: Problem, rows: Callable[[], Rows]) -> tuple[float, float]:
        """Return (sum of weights in the pattern, sum of all weights)."""
        inside = total = 0.0
        for part, weights in rows():
            with np.errstate(over="ignore", invalid="ignore"):
                inside += float(weights[self.pattern(problem, part)].sum())
                total += float(weights.sum())
        return inside, total

    def cells(self, problem: Problem, rows: Callable[[], Rows]) -> Cells:
        step = max(1, AT_ONCE // problem.m)
        found: Cells = []
        for low in range(0, problem.n, step):
            flags = self.pattern(problem, slice(low, min(low + step, problem.n)))
            edges = np.diff(np.pad(flags.astype(np.int8), ((0, 0), (1, 1))), axis=1)
            places, columns = np.nonzero(edges)  # in order: where a run begins, where it ends, the next one
            runs = zip(places[::2].tolist(), columns[::2].tolist(), columns[1::2].tolist(), strict=True)
            found += [(slice(low + row, low + row + 1), slice(left, right)) for row, left, right in runs]
        return found


class SinkShare(Pattern):
    """Weight on the first key.

    Source: Xiao et al. (2023), "Efficient Streaming Language Models with Attention Sinks".
    """

    key = "sink"
    title = N_("Readings", "sink mass")
    sentence = N_("Readings", "share of the weights on key 0")

    def pattern(self, problem: Problem, rows: slice) -> Flags:
        return np.broadcast_to(np.arange(problem.m) == 0, (rows.stop - rows.start, problem.m))

    def cells(self, problem: Problem, rows: Callable[[], Rows]) -> Cells:
        return [(slice(0, problem.n), slice(0, 1))]


class OfTokens(Pattern):
    """A pattern of tokens that attend to tokens of the same sequence."""

    needs = N_("Readings", "Needs queries and keys of one sequence, with tokens, and weights whose rows add up to 1")

    def fits(self, problem: Problem) -> bool:
        own = problem.query_tokens is not None and problem.query_tokens == problem.names_of_keys
        return own and super().fits(problem)


class PreviousToken(OfTokens):
    """Key j = i − 1."""

    key = "previous_token"
    title = N_("Readings", "previous token")
    sentence = N_("Readings", "share on the token before: j = i − 1")

    def pattern(self, problem: Problem, rows: slice) -> Flags:
        i, j = np.ogrid[rows, 0 : problem.m]
        return np.asarray(j == i - 1)


class DuplicateToken(OfTokens):
    """An earlier key with the query's own token."""

    key = "duplicate_token"
    title = N_("Readings", "duplicate token")
    sentence = N_("Readings", "share on the same token before: j < i")

    def pattern(self, problem: Problem, rows: slice) -> Flags:
        i, j = np.ogrid[rows, 0 : problem.m]
        return np.asarray((_numbered(problem)[rows, None] == _numbered(problem)) & (j < i))


class Induction(OfTokens):
    """The key after an earlier one with the query's own token."""

    key = "induction"
    title = N_("Readings", "induction")
    sentence = N_("Readings", "share on what followed the same token")

    def pattern(self, problem: Problem, rows: slice) -> Flags:
        i, j = np.ogrid[rows, 0 : problem.m]
        before = np.concatenate([[-1], _numbered(problem)[:-1]])
        return np.asarray((_numbered(problem)[rows, None] == before) & (j <= i))


READINGS: dict[str, HeadReading] = {
    reading.key: reading
    for reading in (
        Entropy(),
        StableRank(),
        LargestWeight(),
        SinkShare(),
        PreviousToken(),
        DuplicateToken(),
        Induction(),
    )
}


def rows_of(evaluation: Evaluation, batch: int, head: int, pulse: Callable[[], object] = bool) -> Rows:
    """Yield the weights of a head, as many rows at a time as may be held; `pulse` is called before each part."""
    n, m = evaluation.problem.n, evaluation.problem.m
    step = max(1, AT_ONCE // m)
    for rows in indices.in_parts(slice(0, n), step):
        pulse()
        weights = evaluation.block(WEIGHTS, batch, head, rows, slice(0, m))
        yield rows, weights.astype(np.float64, copy=False)


def _numbered(problem: Problem) -> Array:
    """Return a number for every token, equal for equal texts."""
    tokens = problem.query_tokens or ()
    numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    return np.array([numbers[token] for token in tokens])


def _leveled(rows: Callable[[], Rows]) -> Callable[[], Rows]:
    """Return rows over a power of two near the largest weight: set weights may be too large to be squared."""
    top = float(np.max([np.abs(weights).max() for _, weights in rows()]))
    exponent = int(np.frexp(top)[1]) if math.isfinite(top) else 0
    if abs(exponent) < MILD:
        return rows
    return lambda: ((part, np.ldexp(weights, -exponent)) for part, weights in rows())


def _largest_square(rows: Callable[[], Rows], keys: int) -> float:
    """Return the square of the largest singular value, by Lanczos from a vector that no weights are orthogonal to."""
    start = np.random.default_rng(0).standard_normal(keys)
    basis, found = [start / length(start)], 0.0
    diagonal: list[float] = []
    beside: list[float] = []
    for _ in range(min(PASSES, keys)):
        new = np.zeros(keys)
        for _part, weights in rows():
            new += (weights @ basis[-1]) @ weights
        diagonal.append(float(new @ basis[-1]))
        before, found = (
            found,
            float(np.linalg.eigvalsh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))[-1]),
        )
        for vector in basis * 2:  # twice is enough (Parlett)
            new -= (new @ vector) * vector
        left = length(new)
        if not found - before > CLOSE * found or left <= CLOSE * found:
            break
        beside.append(left)
        basis.append(new / left)
    return found


# --- largest weights ------------------------------------------------------------------------------
class Relation(NamedTuple):
    """A weight: its head, query and key."""

    head: int
    query: int
    key: int
    weight: float


def largest_weights(
    evaluation: Evaluation,
    batch: int,
    heads: Sequence[int],
    queries: range,
    least: float,
    most: int,
    progress: Callable[[float], None],
) -> tuple[list[Relation], float]:
    """Return the `most` largest weights of every query and head, largest first, none below `least`, and the mean of
    all.

    Neither 0 nor NaN nor a negative weight is any; in the mean they count as 0. It is a mean, since the sum of weights
    that are set by hand may be beyond float64. One head's rows are held at a time. `progress` gets the share done and
    ends the work by raising.
    """
    found, mean = [], 0.0
    rows, keys = slice(queries.start, queries.stop), slice(0, evaluation.problem.m)
    for number, head in enumerate(heads):
        progress(number / len(heads))
        block = np.nan_to_num(evaluation.block(evaluation.weights, batch, head, rows, keys), nan=0.0)
        mean += float((np.maximum(block, 0.0) / (block.size * len(heads))).sum(dtype=np.float64))
        for query, row in zip(queries, block, strict=True):
            for key in _largest(row, most):
                if row[key] > 0 and row[key] >= least:
                    found.append(Relation(head, query, int(key), float(row[key])))
    progress(1.0)
    return found, mean


def _largest(row: np.ndarray[tuple[int, ...], np.dtype[np.float64]], most: int) -> list[int]:
    """Return places of the largest numbers, largest first; of equal ones the first."""
    places = np.flatnonzero(row >= np.partition(row, -most)[-most]) if row.size > most else np.arange(row.size)
    return [int(place) for place in places[np.argsort(-row[places], kind="stable")][:most]]


# --- cosine similarity ----------------------------------------------------------------------------
def cosines(rows: Array) -> Array:
    """Return x_i · x_j / (‖x_i‖ ‖x_j‖) of (n, d) rows as (n, n).

    0 where one of them is all zeros, as in the score `cosine`.

    No norm overflows or vanishes. A row that is not finite gives NaN.
    """
    with np.errstate(all="ignore"):
        level = leveled(np.asarray(rows, dtype=np.float64), -1)[0]
        norms = np.sqrt((level**2).sum(axis=-1, keepdims=True))
        unit = level / np.where(norms == 0, 1.0, norms)
        found = np.clip(unit @ unit.T, -1.0, 1.0)
    found[~np.isfinite(rows).all(axis=-1)] = np.nan
    found[:, ~np.isfinite(rows).all(axis=-1)] = np.nan
    return np.asarray(found)


def mean_of_others(found: Array) -> float:
    """Return the mean cosine of two different tokens; NaN for one token alone."""
    n = len(found)
    return float((found.sum() - np.trace(found)) / (n * (n - 1))) if n > 1 else float("nan")
