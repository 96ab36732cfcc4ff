"""Score functions (dot, additive, cosine, Gaussian, average): arithmetic, formulas, numbers, the sentence on a score. A
new one is one class and its entry in SCORES."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import verdicts
from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions import (
    SQUARED,
    Addends,
    Evaluated,
    Expression,
    Function,
    Leaves,
    Named,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Shares,
    Signs,
    Sum,
    add,
    squarable,
    squares,
)
from attn_gui.engine.graph.indices import contract, length, lengths, leveled, zero_safe_product, zero_safe_quotient
from attn_gui.engine.graph.stage import (
    ELEMENTARY,
    UNIT,
    FormulaTemplate,
    Input,
    LinearStage,
    Operator,
    Role,
    Stage,
    StageName,
)
from attn_gui.engine.verdicts import Reason
from attn_gui.languages import N_

Params = Mapping[str, Any]

D = 5  # the axis of a head's columns that is summed, in the order b g r i j d of the factors

F, S = 6, 7  # key width and hidden width, in the order b g r i j d f s

COSINE_HELPER = '''
def over_largest(rows):
    """Each row over its largest magnitude, which keeps its direction: so no square is too large or too small."""
    top = {xp}.amax({xp}.abs(rows), axis=-1, keepdims=True)
    return rows / {xp}.where(top == 0.0, 1.0, top)


def cosines(query, key):
    """Of every query with every key; 0 where one of them is all zeros."""
    query, key = over_largest(query), over_largest(key)
    lengths = {xp}.sum(query**2, axis=-1)[..., :, None] ** 0.5 * {xp}.sum(key**2, axis=-1)[..., None, :] ** 0.5
    products = query @ key.swapaxes(-1, -2)
    return {xp}.where(lengths == 0.0, 0.0, products / {xp}.where(lengths == 0.0, 1.0, lengths))
'''

HELPER = '''
def gaussian(query, key, w, key_norm):
    """Minus half the squared distances times w², in which ‖k‖² counts key_norm times."""
    distances = {xp}.sum((query[..., :, None, :] - key[..., None, :, :]) ** 2, axis=-1)
    if key_norm != 1:
        distances = distances + (key_norm - 1) * {xp}.sum(key**2, axis=-1)[..., None, :]
    return -(w**2) / 2 * distances
'''


# --- base -----------------------------------------------------------------------------------------
class ScoreSetting(NamedTuple):
    """A number of a score function: its default, its symbol, and words about it."""

    default: float
    name: StageName
    title: str  # English; context "Settings"
    about: str  # English; context "Tips"


class Score(Stage):
    """An entry of SCORES: the arithmetic of a score function, and all words about it. Texts are English.

    The tables that its formula reads beside query and key are parameters, whose shapes follow from the formula.
    """

    name = "scores"
    axes = ("batch", "head", "query", "key")
    called = StageName("S", "S", "s", "Scores", "注意力分数")
    form = FormulaTemplate("{score_cell}", "{score}", "{score}")
    operator = Operator("score", "score", "评分函数", always=True)
    wording, role = "score", Role.SCORE
    elementary = True
    label = ""  # in lists; context "Scores"
    matrix = "a({q}, {k})"  # LaTeX of the scores of all pairs
    text = "a({q}, {k})"  # the same for a screen reader
    cell = "a({q}_i, {k}_j)"  # LaTeX of the score of one pair; empty where `matrix` says it all
    sentence = N_("Score of query {query} and key {key}: {value}.")
    term = ""  # heads the values of the terms that it adds up; empty where they are the products of their cells
    numbers: Mapping[str, ScoreSetting] = MappingProxyType({})
    table_names: Mapping[str, StageName] = MappingProxyType({})  # a table that is not among them goes by its own name
    units = ""  # its table of one axis that has a number for each hidden unit
    kernel_width = ""  # its number that can be fitted to the data
    dot = False  # the dot product itself: explained together with the scale, and with a kernel of its own
    root_scale = False  # multiplied by 1/√d_k unless told otherwise
    equal_keys = True  # equal keys have equal scores, wherever they stand
    common = False  # adds to `slope` times the dot product a number that all keys of a query share

    @property
    def tables(self) -> dict[str, tuple[str, ...]]:
        """The letters of the axes of each table among its parameters."""
        return {ref.name: ref.axes for ref in self.inputs if ref.axes and ref.name not in ("query", "key")}

    @property
    def parameters(self) -> dict[str, StageName]:
        """The symbols of all tables and numbers among its parameters."""
        tables = {
            part: self.table_names.get(part) or StageName(part, *2 * (rf"\mathrm{{{part}}}",)) for part in self.tables
        }
        return tables | {part: setting.name for part, setting in self.numbers.items()}

    @property
    def defaults(self) -> dict[str, float]:
        """The default values of its numbers."""
        return {name: setting.default for name, setting in self.numbers.items()}

    @property
    def looks(self) -> bool:
        """Whether it depends on queries and keys at all."""
        return bool(self.inputs)

    @property
    def widths(self) -> dict[str, str]:
        """The letter of a head's columns for query and key; the same letter where both must be equally wide."""
        found = {ref.name: ref.axes[-1][-1] for ref in self.inputs if ref.name in ("query", "key")}
        return {"query": "d", "key": "d"} | found

    def work(self, params: Params, width: int) -> int:
        """Return how many numbers are computed one by one for each pair; 0 where BLAS does it."""
        return width

    def multiplications(self, params: Params, width: int) -> int:
        """Return the number of multiplications for one pair, after the tables have been applied."""
        return width

    def described(self, params: Params, width: int) -> tuple[str, Mapping[str, float]]:
        """Return a sentence on the score, and the numbers in it; `width` is that of a head of a query."""
        return self.sentence, {}

    def cell_of(self, params: Params) -> str:
        """Return the LaTeX of the score of one pair, as short as its numbers allow."""
        return self.cell

    def exponent(self, q: str, k: str, params: Params, signs: Signs) -> str:
        """Return the score of one query and one key as written in an exponent."""
        return f"a{signs.inside(f'{q}, {k}')}"

    def slope(self, params: Params) -> float | None:
        """Return the factor of the dot product in a score that is linear in the query; None for other scores."""
        return None

    def move_key(
        self, place: int, query: Array, key: Array, step: float, params: Params
    ) -> tuple[Array, Reason | None] | None:
        """Return (smallest change of the key at `place` that raises its score by `step`, why it falls short, or None).

        None where the change has to be found step by step.
        """
        return None


def along_query(place: int, query: Array, step: float) -> tuple[Array, Reason | None]:
    """Return the smallest change of a key that raises its dot product with the query by `step`."""
    size = length(query)
    if size == 0:
        return np.zeros(len(query)), Reason(verdicts.NO_LEVER, key=place, why="query")
    return query / size * (step / size), None


# Bahdanau, Cho, Bengio (2015).
class Additive(Score):
    """w · tanh(q W_q + k W_k): a network of one hidden layer; queries and keys may differ in width."""

    label = N_("Scores", "additive")
    cell = r"\tanh\left({q}_i W_q + {k}_j W_k\right) w"
    sentence = N_(
        "Score of query {query} and key {key}: {value}. It is the sum of {count} hidden units, each times its weight.",
    )
    term = "w·tanh"
    units = "w_score"
    code = "{xp}.tanh(({0} @ {2})[..., :, None, :] + ({1} @ {3})[..., None, :, :]) @ {4}"
    table_names = MappingProxyType(
        {
            "w_score_query": StageName("W_q", "W_q", "w^q", "Score weights of the query", "查询的评分权重"),
            "w_score_key": StageName("W_k", "W_k", "w^k", "Score weights of the key", "键的评分权重"),
            "w_score": StageName("w", "w", "w", "Score weights of the hidden units", "隐藏单元的评分权重"),
        }
    )
    formula = (
        "logits[b (g r) i j] = query[b i (g r d)], key[b j (g f)], w_score_query[d s], w_score_key[f s], w_score[s]"
    )

    def work(self, params: Params, width: int) -> int:
        return int(params[self.units].shape[0])

    def multiplications(self, params: Params, width: int) -> int:
        return self.work(params, width)

    def described(self, params: Params, width: int) -> tuple[str, Mapping[str, float]]:
        return self.sentence, {"count": self.work(params, width)}

    def exponent(self, q: str, k: str, params: Params, signs: Signs) -> str:
        return f"w{signs.dot}{signs.tanh}{signs.inside(f'{q} W_q + {k} W_k')}"

    def forward(self, *inputs: Array) -> Array:
        of_query, of_key, w = self._sides(inputs)
        total = np.zeros(np.broadcast_shapes(of_query[..., :1].shape, of_key[..., :1].shape))
        for s in range(w.shape[S]):
            total += w[..., s : s + 1] * np.tanh(of_query[..., s : s + 1] + of_key[..., s : s + 1])
        return np.asarray(total[..., 0, 0, 0])

    def _sides(self, inputs: Sequence[Array]) -> tuple[Array, Array, Array]:
        query, key, w_query, w_key, w = inputs
        of_query = contract(query, w_query, axes=(D,), ordered=self.ordered)
        return of_query, contract(key, w_key, axes=(F,), ordered=self.ordered), w

    def pull_back(self, grad: Array, result: Array, *inputs: Array) -> Sequence[Input]:
        query, key, w_query, w_key, _ = inputs
        of_query, of_key, w = self._sides(inputs)
        back, forth, to_w = np.zeros(of_query.shape), np.zeros(of_key.shape), np.zeros(w.shape)
        for s in range(w.shape[S]):
            here = (..., slice(s, s + 1))
            hidden = np.tanh(of_query[here] + of_key[here])
            inner = zero_safe_product(grad * w[here], 1 - hidden**2)
            back[here], forth[here] = inner.sum(axis=4, keepdims=True), inner.sum(axis=(2, 3), keepdims=True)
            to_w[here] = zero_safe_product(grad, hidden).sum()
        to_query = contract(back, w_query, axes=(S,))
        to_key = contract(forth, w_key, axes=(S,))
        to_w_query = contract(back, query, axes=(0, 1, 2, 3), zero_wins=True)
        to_w_key = contract(forth, key, axes=(0, 1, 4), zero_wins=True)
        return to_query, to_key, to_w_query, to_w_key, to_w

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        query, key, w_query, w_key, w = (np.abs(array) for array in values)
        off_query, off_key, *_ = errors
        inner = (
            contract(off_query + (query.shape[D] + 1) * query, w_query, axes=(D,)),
            contract(off_key + (key.shape[F] + 1) * key, w_key, axes=(F,)),
        )
        own = (w.shape[S] + 2 * ELEMENTARY) * w.sum()
        return np.asarray(contract(inner[0], w, axes=(S,)) + contract(inner[1], w, axes=(S,)) + own)

    def explain(self, at: tuple[int, ...], *inputs: Leaves) -> Expression:
        query, key, w_query, w_key, w = inputs
        hidden = self._hidden(inputs)

        def inner(s: int) -> Expression:
            asked = Sum(query.values.size, lambda d: Product(query[[d, 0, 0]], w_query[[d, 0, s]]))
            offered = Sum(key.values.size, lambda f: Product(key[[0, f, 0]], w_key[[0, f, s]]))
            seen = Evaluated(add(*asked.parts, *offered.parts), rf"\left({together}\right)_{{{s}}}")
            return Product(w[[0, 0, s]], Function("tanh", seen))

        together = " + ".join(f"{leaves.row_latex} {weight}" for leaves, weight in ((query, "W_q"), (key, "W_k")))
        symbols = rf"\sum_s w_s\,\tanh\left({together}\right)_s"
        return Sum(w.values.size, inner, hidden * w.values.reshape(-1), symbols)

    def _hidden(self, inputs: Sequence[Leaves]) -> Array:
        """Return the hidden units for one query and one key."""
        query, key, w_query, w_key, _ = (leaves.values for leaves in inputs)
        of_query, of_key = (query * w_query).sum(axis=(0, 1)), (key * w_key).sum(axis=(0, 1))
        return np.asarray(np.tanh(of_query + of_key))

    def addends(self, at: tuple[int, ...], *inputs: Leaves) -> list[Addends]:
        """Return one term for each hidden unit."""
        *_, w = inputs
        return [Addends(w.values * self._hidden(inputs), [w])]


class Average(Score):
    """Every key counts the same: neither query nor key is read."""

    label = N_("Scores", "average")
    matrix = text = cell = "0"
    sentence = N_(
        "Score of query {query} and key {key}: {value}. Average pooling does not look: every key scores the same.",
    )
    formula = "logits[b h i j] = "
    code = "{xp}.zeros({shape})"

    def work(self, params: Params, width: int) -> int:
        return 1

    def multiplications(self, params: Params, width: int) -> int:
        return 0

    def exponent(self, q: str, k: str, params: Params, signs: Signs) -> str:
        return "0"

    def forward(self, *inputs: Input) -> Array:
        return np.zeros((1, 1, 1, 1))

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        return ()

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        return np.zeros((1, 1, 1, 1))

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        return Number(0.0)

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        return []


# Graves et al., "Neural Turing Machines" (2014).
class Cosine(Score):
    """The cosine of the angle between query and key; 0 where one of them is zero."""

    label = N_("Scores", "cosine")
    cell = r"\frac{{{q}_i \cdot {k}_j}}{{\|{q}_i\| \, \|{k}_j\|}}"
    sentence = N_(
        "Score of query {query} and key {key}: {value}. It is the cosine of the angle between them.",
    )
    term = "q·k/‖q‖‖k‖"
    code, helper = "cosines({inputs})", COSINE_HELPER
    formula = "logits[b (g r) i j] = query[b i (g r d)], key[b j (g d)]"
    squares = MappingProxyType({0: SQUARED, 1: SQUARED})

    def work(self, params: Params, width: int) -> int:
        return 1

    def exponent(self, q: str, k: str, params: Params, signs: Signs) -> str:
        lengths = signs.times.join(signs.length % one for one in (q, k))
        return f"{q}{signs.dot}{k} / {signs.inside(lengths)}"

    def forward(self, query: Array, key: Array) -> Array:
        (query, _), (key, _) = leveled(query, D), leveled(key, D)
        dot = contract(query, key, axes=(D,), ordered=self.ordered)
        norms = _norm(query) * _norm(key)
        return np.asarray(np.where(norms == 0, 0.0, dot / np.where(norms == 0, 1.0, norms))[..., 0])

    def pull_back(self, grad: Array, result: Array, query: Array, key: Array) -> Sequence[Input]:
        (unit_q, q), (unit_k, k) = _unit(query), _unit(key)
        to_query = contract(grad, unit_k, axes=(4,), zero_wins=True)
        to_key = contract(grad, unit_q, axes=(2, 3), zero_wins=True)
        along = zero_safe_product(grad, result)
        back = to_query - zero_safe_product(along.sum(axis=4, keepdims=True), unit_q)
        forth = to_key - zero_safe_product(along.sum(axis=(2, 3), keepdims=True), unit_k)
        return zero_safe_quotient(back, q), zero_safe_quotient(forth, k)

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        sizes, slips = ([lengths(array, D) for array in arrays] for arrays in (values, errors))
        tilts = [slip / np.where(size == 0, 1.0, size) for size, slip in zip(sizes, slips, strict=True)]
        return np.asarray(2 * (tilts[0] + tilts[1]) + 2 * (values[0].shape[D] + ELEMENTARY))

    def explain(self, at: tuple[int, ...], query: Leaves, key: Leaves) -> Expression:
        if not (query.values.any() and key.values.any()) and np.isfinite(query.values * key.values).all():
            return Number(0.0)
        q, k = squarable(query, "max_q"), squarable(key, "max_k")  # their units make no difference
        values = q.values * k.values
        dot = Sum(values.size, lambda c: Product(q[[c]], k[[c]]), values)
        lengths = Product(self._length(q, "q"), self._length(k, "k"))
        return Quotient(Evaluated(dot, rf"{q.row_latex} \cdot {k.row_latex}"), lengths)

    def _length(self, cells: Leaves | Shares, sign: str) -> Named:
        return Named(f"norm_{sign}", rf"\|{cells.row_latex}\|", Function("sqrt", squares(cells)))

    def addends(self, at: tuple[int, ...], query: Leaves, key: Leaves) -> list[Addends]:
        (q, _), (k, _) = leveled(query.values, 0), leveled(key.values, 0)
        norms = float(np.sqrt((q**2).sum()) * np.sqrt((k**2).sum())) or 1.0
        return [Addends(q * k / norms, [query, key])]


def _norm(x: Array) -> Array:
    return np.asarray(np.sqrt((x**2).sum(axis=D, keepdims=True)))


def _unit(x: Array) -> tuple[Array, Array]:
    """Return (vector of length 1, its former length); a zero vector has infinite length, so that its gradient is 0."""
    level, exponent = leveled(x, D)
    length = np.where(_norm(level) == 0, np.inf, _norm(level))
    return level / length, np.ldexp(length, exponent)


# Vaswani et al. (2017), who divide it by √d_k.
class Dot(LinearStage, Score):
    """q · k: a sum of products that the formula says in full."""

    label = N_("Scores", "dot")
    matrix, text, cell = "{q} {{{k}}}^T", "{q} {k}ᵀ", ""
    sentence = N_("Score of query {query} and key {key}: {value}. It is the sum of {count} products.")
    root_scale = True

    def __init__(self) -> None:
        formula = "logits[b (g r) i j] = query[b i (g r d)] * key[b j (g d)]"
        super().__init__(Score.name, " ".join(Score.axes), formula, dot=True)

    def work(self, params: Params, width: int) -> int:
        return 0

    def described(self, params: Params, width: int) -> tuple[str, Mapping[str, float]]:
        return self.sentence, {"count": width}

    def exponent(self, q: str, k: str, params: Params, signs: Signs) -> str:
        return f"{q}{signs.dot}{k}"

    def slope(self, params: Params) -> float | None:
        return 1.0

    def move_key(
        self, place: int, query: Array, key: Array, step: float, params: Params
    ) -> tuple[Array, Reason | None] | None:
        return along_query(place, query, step)


# --- Gaussian -------------------------------------------------------------------------------------
# The kernel of Nadaraya-Watson regression (Watson, 1964), as a score before the softmax.
class Gaussian(Score):
    """−(w·‖q − k‖)²/2, the ‖k‖² in it times key_norm: with 0 a dot product is left, up to a number for each query."""

    label = N_("Scores", "Gaussian")
    cell = r"-\frac{{\|{q}_i - {k}_j\|^2}}{{2}}"
    wide_cell = r"-\frac{{w^2}}{{2}} \|{q}_i - {k}_j\|^2"
    normed_cell = r"-\frac{{w^2}}{{2}} \left(\|{q}_i - {k}_j\|^2 + (\kappa - 1) \|{k}_j\|^2\right)"
    sentence = N_("Score of query {query} and key {key}: {value}. It is minus half their squared distance.")
    wide_sentence = N_(
        "Score of query {query} and key {key}: {value}. It is minus half their squared distance, times {w} squared.",
    )
    normed_sentence = N_(
        "Score of query {query} and key {key}: {value}. It is minus half their squared distance, in "
        "which the squared length of the key counts {norm} times, times {w} squared.",
    )
    term = "−w²(q−k)²/2"
    numbers = MappingProxyType(
        {
            "w": ScoreSetting(
                1.0,
                StageName("w", "w", "w"),
                N_("Settings", "w, one over the width of the kernel"),
                N_("Tips", "One over the width of the kernel: a = −(w · ‖q − k‖)² / 2"),
            ),
            "key_norm": ScoreSetting(
                1.0,
                StageName("κ", r"\kappa", r"\kappa"),
                N_("Settings", "κ, how much the squared length of a key counts"),
                N_("Tips", "The factor κ of ‖k‖² in the Gaussian score; 0 leaves a dot product"),
            ),
        }
    )
    kernel_width = "w"
    code, helper = "gaussian({inputs})", HELPER
    common = True
    formula = "logits[b (g r) i j] = query[b i (g r d)], key[b j (g d)], w[], key_norm[]"

    def described(self, params: Params, width: int) -> tuple[str, Mapping[str, float]]:
        w, norm = params["w"], params["key_norm"]
        if norm != 1:
            return self.normed_sentence, {"w": w, "norm": norm}
        return (self.sentence, {}) if w == 1 else (self.wide_sentence, {"w": w})

    def cell_of(self, params: Params) -> str:
        if params["key_norm"] != 1:
            return self.normed_cell
        return self.cell if params["w"] == 1 else self.wide_cell

    def exponent(self, q: str, k: str, params: Params, signs: Signs) -> str:
        w, norm = params["w"], params["key_norm"]
        number = signs.number(w) if w >= 0 else signs.inside(signs.number(w))
        front = "" if w == 1 else f"{number}{signs.square}{signs.times}"
        apart = f"{signs.length % f'{q} {signs.minus} {k}'}{signs.square}"
        if norm != 1:
            less = signs.inside(f"{signs.number(norm)} {signs.minus} 1")
            apart = signs.inside(f"{apart} + {less}{signs.times}{signs.length % k}{signs.square}")
        return f"{signs.minus}{front}{apart} / 2"

    def slope(self, params: Params) -> float | None:
        """Return what a key gains along its query: w², since ‖q‖² is common to all keys."""
        return float(params["w"] ** 2)

    def move_key(
        self, place: int, query: Array, key: Array, step: float, params: Params
    ) -> tuple[Array, Reason | None] | None:
        """Move the key along the score: a parabola around q / key_norm, or a plane where key_norm is 0."""
        w, norm = params["w"] ** 2, params["key_norm"]
        if w == 0:
            return np.zeros(len(key)), Reason(verdicts.NO_LEVER, key=place, why="score_params.w")
        if norm == 0:
            return along_query(place, query, step / w)
        center = query / norm
        move = to_sphere(key, center, -2 * step / (w * norm))
        if move is not None:
            return move, None
        most = -w / 2 * float(query @ query) * (1 - 1 / norm)
        return center - key, Reason(verdicts.FARTHEST, most=most)

    def forward(self, query: Array, key: Array, w: Array, norm: Array) -> Array:
        return np.asarray((self._distance(query, key, norm) * (w * w / -2.0))[..., 0])

    def _distance(self, query: Array, key: Array, norm: Input) -> Array:
        """Return ‖q − k‖² + (key_norm − 1)·‖k‖², column by column, without cancellation and with little memory."""
        total = np.zeros(np.broadcast_shapes(query[..., :1].shape, key[..., :1].shape))
        for c in range(query.shape[D]):
            total += (query[..., c : c + 1] - key[..., c : c + 1]) ** 2
        if norm is not None and (norm != 1.0).any():
            total += (norm - 1.0) * (key**2).sum(axis=D, keepdims=True)
        return total

    def pull_back(self, grad: Array, result: Array, query: Array, key: Array, w: Array, norm: Array) -> Sequence[Input]:
        of_keys = contract(grad, key, axes=(4,), zero_wins=True)
        to_query = w * w * (of_keys - zero_safe_product(grad.sum(axis=4, keepdims=True), query))
        rows = grad.sum(axis=(2, 3), keepdims=True)
        to_key = w * w * (contract(grad, query, axes=(2, 3), zero_wins=True) - zero_safe_product(norm * rows, key))
        to_w = zero_safe_product(grad, self._distance(query, key, norm)) * -w
        to_norm = zero_safe_product(grad, (key**2).sum(axis=D, keepdims=True)) * (w * w / -2.0)
        return to_query, to_key, to_w, to_norm

    def rounding(self, values: Sequence[Any], errors: Sequence[Any]) -> Array:
        query, key, w, norm = values
        slip = lengths(errors[0], D) + lengths(errors[1], D)
        extra = w**2 * np.abs(norm - 1)
        terms = np.abs(self.forward(*values))[..., None] + extra * (key**2).sum(axis=D, keepdims=True)
        moved = np.abs(w) * slip * (np.sqrt(2 * terms) + np.abs(w) * slip * UNIT) + extra * lengths(key, D) * slip
        return np.asarray((query.shape[D] + 6) * terms + moved)

    def explain(self, at: tuple[int, ...], query: Leaves, key: Leaves, w: Leaves, norm: Leaves) -> Expression:
        return self._written(query, key, w, norm, normed=norm.one.value != 1.0)

    def general(self, at: tuple[int, ...], query: Leaves, key: Leaves, w: Leaves, norm: Leaves) -> Expression:
        return self._written(query, key, w, norm, normed=True)

    @staticmethod
    def _written(query: Leaves, key: Leaves, w: Leaves, norm: Leaves, *, normed: bool) -> Expression:
        """Return the formula, with or without κ."""
        symbols = rf"\sum_c \left({query.latex} - {key.latex}\right)^{{2}}"
        apart = Sum(
            query.values.size,
            lambda c: Power(add(query[[c]], Negative(key[[c]])), 2),
            (query.values - key.values) ** 2,
            symbols,
        )
        q, k = (leaves.row_latex for leaves in (query, key))
        distance: Expression = Named("distance", rf"\|{q} - {k}\|^{{2}}", apart)
        if normed:
            own = Named("length", rf"\|{k}\|^{{2}}", squares(key))
            distance = add(distance, Product(add(norm.one, Negative(Number(1.0))), own))
        return Negative(Quotient(Product(Power(w.one, 2), distance), Number(2.0)))

    def addends(self, at: tuple[int, ...], query: Leaves, key: Leaves, w: Leaves, norm: Leaves) -> list[Addends]:
        terms = (query.values - key.values) ** 2 + (norm.one.value - 1.0) * key.values**2
        return [Addends(terms * (w.one.value**2 / -2.0), [query, key])]


def to_sphere(point: Array, center: Array, growth: float) -> Array | None:
    """Return the shortest way from `point` to the sphere around `center` whose squared radius is larger by `growth`.

    None if that would be negative: no point is nearer than the center.
    """
    arm = point - center
    radius, other = length(arm), math.sqrt(abs(growth))
    if growth < 0 and other > radius:
        return None
    new = math.hypot(radius, other) if growth >= 0 else math.sqrt(radius - other) * math.sqrt(radius + other)
    if radius == 0:
        return np.asarray(new * np.eye(1, len(point))[0])
    return np.asarray(arm / radius * (growth / (new + radius)))


# --- catalog --------------------------------------------------------------------------------------
SCORES: dict[str, Score] = {
    "dot": Dot(),
    "additive": Additive(),
    "cosine": Cosine(),
    "gaussian": Gaussian(),
    "average": Average(),
}
"""The one list that problems, files, menus and words are made from, each when it is asked."""
