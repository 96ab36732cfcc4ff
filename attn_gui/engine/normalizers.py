"""How scores become weights: softmax with temperature and sinks, none, φ(s) / Σ φ(s), sigmoid; names, formulas,
rounding. A new
way is one class and its entry in NORMALIZERS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions import (
    Addends,
    Cell,
    Expression,
    Function,
    Largest,
    Leaves,
    Named,
    Negative,
    Number,
    Quotient,
    Sum,
    UnlessClosed,
    add,
)
from attn_gui.engine.graph.indices import zero_safe_product
from attn_gui.engine.graph.stage import (
    ELEMENTARY,
    UNIT,
    FormulaTemplate,
    Input,
    Operator,
    Role,
    Stage,
    StageName,
)
from attn_gui.languages import N_

FEW = 4  # so many keys are written out instead of Z …
MILD = 16.0  # … while e^s is as exact as e^(s − max)
STEEPEST = 700.0  # e to this is still a number
HELPER = '''
def softmax(scores, temperature=None, sink=None):
    """Shares of one in each row; zeros where no key is open. A sink for each head is counted in the total alone."""
    heat = 1.0 if temperature is None else temperature
    top = {xp}.amax(scores, axis=-1, keepdims=True)
    if sink is not None:
        sink = sink.reshape(-1, 1, 1) if len(scores.shape) > 2 else sink
        top = {xp}.maximum(top, sink)
    top = {xp}.where(top == -inf, 0.0, top)
    powers = {xp}.exp((scores - top) / heat)
    total = {xp}.sum(powers, axis=-1, keepdims=True)
    total = total if sink is None else total + {xp}.exp((sink - top) / heat)
    return powers / {xp}.where(total == 0.0, 1.0, total)
'''

PHI_HELPER = '''
def shares(scores):
    """Each row of elu(s) + 1 over its sum; zeros where that is 0."""
    positive = {xp}.where(scores > 0.0, scores + 1.0, {xp}.exp({xp}.where(scores > 0.0, 0.0, scores)))
    total = {xp}.sum(positive, axis=-1, keepdims=True)
    return positive / {xp}.where(total == 0.0, 1.0, total)
'''

SIGMOID_HELPER = '''
def sigmoid(scores, temperature=1.0):
    """1 / (1 + e^(-s/T)), of which no power is too large."""
    steps = scores / temperature
    falling = {xp}.exp(-{xp}.abs(steps))
    return {xp}.where(steps < 0.0, falling, 1.0) / (1.0 + falling)
'''


class Normalizer(Stage):
    """An entry of NORMALIZERS: how scores become weights, and all words about it. Texts are English.

    Its formula may read the temperature and the sinks of a problem. A score of −∞ is a closed key, whose weight is 0.
    """

    name = "weights"
    axes = ("batch", "head", "query", "key")
    called = StageName("A", "A", "a", "Weights", "注意力权重")
    operator = Operator("normalize", "normalize", "归一化", always=True)
    behind_mask = True
    wording, role = "weight", Role.WEIGHT
    label = ""  # in lists; context "Normalizers"
    form = FormulaTemplate("A = {weights}")
    whole = "{0}"  # LaTeX of it taken of {0}
    plain = "{0}"  # the same in plain characters
    sentence = ""  # of a weight; "" for what is said of shares alone

    @property
    def reads(self) -> frozenset[str]:
        """The names of what its formula reads."""
        return frozenset(ref.name for ref in self.inputs)

    def latex_of(self, logits: str, closes: bool) -> str:
        """Return the LaTeX of all weights, given that of the scores; `closes`: a mask may have closed some."""
        return self.whole.format(logits)

    def text_of(self, logits: str) -> str:
        """Return the same in plain characters."""
        return self.plain.format(logits)

    def blind(self, logits: Array) -> Array:
        """Return booleans (…, rows): rows of scores that give no weight at all."""
        return np.asarray(np.isneginf(logits).all(axis=-1))


# --- softmax --------------------------------------------------------------------------------------
# Softmax over the keys of each query.
#
# The row's maximum is taken off first, so no finite score overflows. A row with no allowed key is all zero. A score
# of +∞ or NaN makes its row NaN, as IEEE arithmetic and PyTorch have it, except for keys at −∞: a closed key stays at
# 0. A sink (gpt-oss, 2025) is a learned logit of each head that no key has: what it takes of the row goes nowhere.
class Softmax(Normalizer):
    """Scores of each row as shares of one: e^(s/T) over the sum of the row, in which a sink may have a part too."""

    label = N_("Normalizers", "softmax")
    whole, plain = r"\mathrm{{softmax}}\left({0}\right)", "softmax({0})"
    shares = fractions = elementary = True
    code, helper = "softmax({inputs})", HELPER
    along = "j"
    formula = "weights[b h i j] = logits[b h i j], temperature[]?, sink[h]?"

    def forward(self, logits: Array, temperature: Input, sink: Input) -> Array:
        row_max = _top(logits, sink)
        exp_scores = _exp(logits - row_max, temperature)
        denominator = exp_scores.sum(axis=-1, keepdims=True)
        if sink is not None:
            denominator = denominator + _exp(sink - row_max, temperature)
        weights = exp_scores / np.where(denominator == 0, 1.0, denominator)
        if not np.isfinite(denominator).all():
            weights = np.where(np.isneginf(logits), 0.0, weights)
        return np.asarray(weights)

    def pull_back(self, grad: Array, result: Array, logits: Array, scalar: Input, sink: Input) -> Sequence[Input]:
        temperature = 1.0 if scalar is None else scalar
        pulls = np.where(result == 0, 0.0, zero_safe_product(grad, result))
        total = pulls.sum(axis=-1, keepdims=True)
        slope = (pulls - zero_safe_product(total, result)) / temperature
        of_sink = None if sink is None else -zero_safe_product(total, self._share(logits, scalar, sink)) / temperature
        if scalar is None:
            return slope, None, of_sink
        by_temperature = -(slope * np.where(result > 0, logits, 0.0)).sum(axis=-1, keepdims=True) / temperature
        if sink is not None and of_sink is not None:
            by_temperature = by_temperature - np.where(of_sink == 0, 0.0, of_sink * sink) / temperature
        return slope, by_temperature, of_sink

    @staticmethod
    def _share(logits: Array, temperature: Input, sink: Array) -> Array:
        """Return the share of 1 that the sink takes, row by row."""
        row_max = _top(logits, sink)
        own = _exp(sink - row_max, temperature)
        return np.asarray(own / (_exp(logits - row_max, temperature).sum(axis=-1, keepdims=True) + own))

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        """Bound the rounding: a slip of a score is a relative one of its weight, and of every weight in the row."""
        logits, scalar, sink = values
        temperature = 1.0 if scalar is None else scalar
        weights, top = self.forward(*values), _top(logits, sink)
        steps = np.where(np.isneginf(logits), 0.0, (top - logits) / temperature)
        slips = errors[0] / temperature + 2 * steps
        shared = np.where(weights == 0, 0.0, weights * slips).sum(axis=-1, keepdims=True)
        if sink is not None:
            shared = shared + 2 * np.where(np.isneginf(sink), 0.0, (top - sink) / temperature)
        relative = np.fmin((slips + shared + logits.shape[-1] + 2 * ELEMENTARY) * UNIT, STEEPEST)
        return np.where(weights == 0, 0.0, np.fmin(weights * np.expm1(relative), 1.0) / UNIT)

    def explain(self, at: tuple[int, ...], logits: Leaves, scalar: Leaves | None, sink: Leaves | None) -> Expression:
        row = logits.values
        temperature = None if scalar is None else scalar.one
        row_max = float(row.max())
        if np.isneginf(row_max) or np.isneginf(row[at]):
            return Number(0.0)
        unseen = [] if sink is None else [sink.one]  # it has no key, and a part in the sum
        if row.size <= FEW and _mild(np.append(row, [cell.value for cell in unseen]), temperature):
            seen = [cell for cell in logits if not np.isneginf(cell.value)]
            exp_scores = [_exp_score(cell, None, temperature) for cell in (*seen, *unseen)]
            return Quotient(_exp_score(logits[at], None, temperature), add(*exp_scores))
        top = max([logits[[int(row.argmax())]], *unseen], key=lambda cell: cell.value)
        largest = Named("max", r"\max", top)
        shifted = row - top.value
        values = np.exp(shifted if temperature is None else shifted / temperature.value)
        letter = logits.latex.rstrip("}")[-1]
        running = rf"\left({logits.latex} - \max\right) / T" if temperature is not None else rf"{logits.latex} - \max"
        symbols = rf"\sum_{letter} e^{{{running}}}"
        terms: Expression = Sum(row.size, lambda k: _exp_score(logits[[k]], largest, temperature), values, symbols)
        if unseen:
            terms = add(terms, _exp_score(unseen[0], largest, temperature))
        return Quotient(_exp_score(logits[at], largest, temperature), Named("Z", "Z", terms))

    def general(self, at: tuple[int, ...], logits: Leaves, scalar: Leaves | None, sink: Leaves | None) -> Expression:
        temperature = None if scalar is None else scalar.one
        cells = [*logits, *([] if sink is None else [sink.one])]
        largest = Named("max", r"\max", Largest(add(*cells)))
        total = Sum(len(cells), lambda k: _exp_score(cells[k], largest, temperature))
        return Quotient(_exp_score(logits[at], largest, temperature), Named("Z", "Z", total))

    def addends(self, at: tuple[int, ...], logits: Leaves, *others: Leaves | None) -> list[Addends]:
        values = self.forward(logits.values, *(None if leaves is None else leaves.values for leaves in others))
        return [Addends(values, [logits])]


def _top(logits: Array, sink: Input) -> Array:
    """Return the largest score of each row, the sink included; 0 where there is none."""
    row_max = logits.max(axis=-1, keepdims=True)
    row_max = row_max if sink is None else np.maximum(row_max, sink)
    return np.where(np.isneginf(row_max), 0.0, row_max)


def _exp(shifted: Array, temperature: Input) -> Array:
    return np.asarray(np.exp(shifted if temperature is None else shifted / temperature))


def _mild(row: Array, temperature: Expression | None) -> bool:
    finite = row[np.isfinite(row)]
    unit = 1.0 if temperature is None else temperature.value
    return finite.size == np.sum(~np.isneginf(row)) and abs(finite).max() < MILD * unit


def _exp_score(cell: Cell, largest: Expression | None, temperature: Expression | None) -> Expression:
    shifted = cell if largest is None else add(cell, Negative(largest))
    return Function("exp", shifted if temperature is None else Quotient(shifted, temperature, inline=True))


# --- without ---------------------------------------------------------------------------------------
class Keywise(Normalizer):
    """A normalization that turns each score into a number by itself; softmax subtracts the row's largest first."""

    def forward(self, logits: Array, temperature: Input = None) -> Array:
        return self.parts(logits, temperature)

    def parts(self, logits: Array, temperature: Input = None) -> Array:
        """Return the number of each key, before division by the total of its row."""
        raise NotImplementedError

    def totals(self, parts: Array) -> Array:
        """Return the divisor of each row: 1 where the numbers are the weights already."""
        return np.ones((*parts.shape[:-1], 1))


class Unnormalized(Keywise):
    """The scores themselves: attention is three matrix products then, and a row adds up to anything."""

    label = N_("Normalizers", "none")
    sentence = N_(
        "Query {query} gives key {key} a weight of {value}. It is the score itself: without a softmax a row adds up to "
        "anything.",
    )
    whole, plain = r"\left({0}\right)", "({0})"
    code = "{xp}.where({0} == -inf, 0.0, {0})"
    formula = "weights[b h i j] = logits[b h i j]"

    def latex_of(self, logits: str, closes: bool) -> str:
        return self.whole.format(logits) + (r"_{-\infty = 0}" if closes else "")

    def parts(self, logits: Array, temperature: Input = None) -> Array:
        return np.where(np.isneginf(logits), 0.0, logits)

    def pull_back(self, grad: Array, result: Array, logits: Array) -> Sequence[Input]:
        return (np.where(np.isneginf(logits), 0.0, grad),)

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        return np.where(np.isneginf(values[0]), 0.0, errors[0])

    def explain(self, at: tuple[int, ...], logits: Leaves) -> Expression:
        return Number(0.0) if np.isneginf(logits.one.value) else logits.one

    def general(self, at: tuple[int, ...], logits: Leaves) -> Expression:
        return UnlessClosed(logits.one, logits.one, 0.0)


# --- sum -------------------------------------------------------------------------------------------
# The feature map of Katharopoulos et al., "Transformers are RNNs" (2020), taken of the scores: elu(s) + 1.
class PositiveShares(Keywise):
    """Scores of each row as shares of one: φ(s) over the sum of the row, φ(s) = elu(s) + 1."""

    label = N_("Normalizers", "φ / Σ φ")
    whole, plain = r"\frac{{\varphi\left({0}\right)}}{{\sum \varphi}}", "φ({0}) / Σ φ"
    sentence = N_(
        "Query {query} gives key {key} a weight of {value}. It is φ of the score over the sum of the row; φ(s) is s + "
        "1 above 0, else e^s.",
    )
    shares = fractions = True
    code, helper = "shares({0})", PHI_HELPER
    along = "j"
    formula = "weights[b h i j] = logits[b h i j]"

    def parts(self, logits: Array, temperature: Input = None) -> Array:
        """Return elu(s) + 1: s + 1 above 0, else e^s."""
        return np.where(logits > 0, logits + 1, np.exp(np.where(logits > 0, 0.0, logits)))

    def totals(self, parts: Array) -> Array:
        """Return the sum of each row, 1 where it is 0, NaN where it is too large for a number."""
        totals = parts.sum(axis=-1, keepdims=True)
        return np.where(totals == 0, 1.0, np.where(np.isinf(totals), np.nan, totals))

    def blind(self, logits: Array) -> Array:
        """Return the rows without an open key, and those whose φ are all too small to be numbers."""
        return np.asarray((self.parts(logits) == 0).all(axis=-1))

    def forward(self, logits: Array, temperature: Input = None) -> Array:
        parts = self.parts(logits)
        return np.where(parts == 0, 0.0, parts / self.totals(parts))

    def pull_back(self, grad: Array, result: Array, logits: Array) -> Sequence[Input]:
        parts = self.parts(logits)
        total = zero_safe_product(grad, result).sum(axis=-1, keepdims=True)
        steepness = np.where(logits > 0, 1.0, parts) / self.totals(parts)
        return (np.where(steepness == 0, 0.0, steepness * (grad - total)),)

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        """Bound the rounding: log φ is no steeper than the score, so a slip is a relative one of its size at most."""
        weights = self.forward(*values)
        slips = errors[0] + 2 * ELEMENTARY
        shared = np.where(weights == 0, 0.0, weights * slips).sum(axis=-1, keepdims=True)
        relative = np.fmin((slips + shared + weights.shape[-1]) * UNIT, STEEPEST)
        return np.where(weights == 0, 0.0, np.fmin(weights * np.expm1(relative), 1.0) / UNIT)

    def explain(self, at: tuple[int, ...], logits: Leaves) -> Expression:
        own = logits[at]
        if np.isneginf(own.value) or self.blind(logits.values):
            return Number(0.0)
        if logits.values.size <= FEW:
            seen = [cell for cell in logits if not np.isneginf(cell.value)]
            return Quotient(_phi(own), add(*map(_phi, seen)))
        letter = logits.latex.rstrip("}")[-1]
        symbols = rf"\sum_{letter} \varphi\left({logits.latex}\right)"
        total = Sum(logits.values.size, lambda k: _phi(logits[[k]]), self.parts(logits.values), symbols)
        return Quotient(_phi(own), Named("Z", "Z", total))

    def general(self, at: tuple[int, ...], logits: Leaves) -> Expression:
        cells = list(logits)
        total = Sum(len(cells), lambda k: _phi_of_any(cells[k]))
        return Quotient(_phi_of_any(logits[at]), Named("Z", "Z", total))

    def addends(self, at: tuple[int, ...], logits: Leaves) -> list[Addends]:
        return [Addends(self.forward(logits.values), [logits])]


def _phi(score: Cell) -> Expression:
    return add(score, Number(1.0)) if score.value > 0 else Function("exp", score)


def _phi_of_any(score: Cell) -> Expression:
    """Return elu(s) + 1 as max(s, 0) + e^min(s, 0)."""
    above = Quotient(add(score, Function("abs", score)), Number(2.0))
    return add(above, Function("exp", _below(score)))


def _below(part: Expression) -> Expression:
    """Return min(x, 0) as (x − |x|) / 2, which a spreadsheet computes of ranges, too."""
    return Quotient(add(part, Negative(Function("abs", part))), Number(2.0))


# Ramapuram et al., "Theory, Analysis, and Best Practices for Sigmoid Self-Attention" (2024).
class Sigmoid(Keywise):
    """Each score on its own as a number between 0 and 1: 1 / (1 + e^(−s/T)); a row adds up to anything."""

    label = N_("Normalizers", "sigmoid")
    sentence = N_(
        "Query {query} gives key {key} a weight of {value}. It is the sigmoid of the score alone: a row adds up to "
        "anything.",
    )
    fractions = True
    whole, plain = r"\sigma\left({0}\right)", "σ({0})"
    code, helper = "sigmoid({inputs})", SIGMOID_HELPER
    formula = "weights[b h i j] = logits[b h i j], temperature[]?"

    def parts(self, logits: Array, temperature: Input = None) -> Array:
        steps = logits if temperature is None else logits / temperature
        falling = np.exp(-np.abs(steps))  # neither e^s nor e^(−s) overflows
        return np.asarray(np.where(steps < 0, falling, 1.0) / (1 + falling))

    def pull_back(self, grad: Array, result: Array, logits: Array, scalar: Input) -> Sequence[Input]:
        temperature = 1.0 if scalar is None else scalar
        flat = self.parts(-logits, scalar)  # 1 − a, to its last digit
        slope = np.where(result * flat == 0, 0.0, grad * result * flat) / temperature
        if scalar is None:
            return slope, None
        return slope, -np.where(slope == 0, 0.0, slope * logits) / temperature

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        """Bound the rounding: a slip of a score is at most as large a relative one of its weight, and a quarter."""
        logits, scalar = values
        temperature = 1.0 if scalar is None else scalar
        weights = self.forward(*values)
        steps = np.where(np.isfinite(logits), np.abs(logits) / temperature, 0.0)
        slips = np.fmin((errors[0] / temperature + 2 * steps) * UNIT, STEEPEST)
        moved = np.fmin(weights * np.expm1(slips), np.fmin(slips / 4, 1.0))
        return np.where(weights == 0, 0.0, moved / UNIT + 3 * ELEMENTARY * weights)

    def explain(self, at: tuple[int, ...], logits: Leaves, scalar: Leaves | None) -> Expression:
        cell = logits.one
        if np.isneginf(cell.value):
            return Number(0.0)
        heat = None if scalar is None else scalar.one
        if cell.value < -STEEPEST * (1.0 if heat is None else heat.value):  # e^(−s) is no number any more
            power = _exp_score(cell, None, heat)
            return Quotient(power, add(Number(1.0), power))
        opposite: Expression = Negative(cell)
        if heat is not None:
            opposite = Quotient(opposite, heat, inline=True)
        return Quotient(Number(1.0), add(Number(1.0), Function("exp", opposite)))

    def general(self, at: tuple[int, ...], logits: Leaves, scalar: Leaves | None) -> Expression:
        """Return e^min(x, 0) / (1 + e^(−|x|)), of which no part overflows."""
        steps: Expression = logits.one if scalar is None else Quotient(logits.one, scalar.one, inline=True)
        falling = Function("exp", Negative(Function("abs", steps)))
        return Quotient(Function("exp", _below(steps)), add(Number(1.0), falling))


# --- catalog ---------------------------------------------------------------------------------------
NORMALIZERS: dict[str, Normalizer] = {
    "softmax": Softmax(),
    "none": Unnormalized(),
    "sum": PositiveShares(),
    "sigmoid": Sigmoid(),
}
"""The one list that problems, files, menus and words are made from, each when it is asked; the first is the usual."""
