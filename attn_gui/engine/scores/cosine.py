"""Cosine similarity (Graves et al., "Neural Turing Machines", 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.contraction import contract, faded, faded_over
from attn_gui.engine.graph.expressions.expression import Expression, Number, Product, Sum
from attn_gui.engine.graph.expressions.functions import Evaluated, Function, Named, Quotient
from attn_gui.engine.graph.expressions.leaves import SQUARED, Addends, Leaves, Shares, squarable, squares
from attn_gui.engine.graph.expressions.signs import Signs
from attn_gui.engine.graph.powers import lengths, leveled
from attn_gui.engine.graph.stage import ELEMENTARY, Input, given
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP

from .score import D, Params, Score

HELPER = '''
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


class Cosine(Score):
    """The cosine of the angle between query and key; 0 where one of them is all zeros."""

    label = QT_TRANSLATE_NOOP("Scores", "cosine")
    cell = r"\frac{{{q}_i \cdot {k}_j}}{{\|{q}_i\| \, \|{k}_j\|}}"
    sentence = QT_TRANSLATE_NOOP(
        "Sentences",
        "Score of query {query} and key {key}: {value}. It is the cosine of the angle between them.",
    )
    term = "q·k/‖q‖‖k‖"
    code, helper = "cosines({inputs})", HELPER
    formula = "logits[b (g r) i j] = query[b i (g r d)], key[b j (g d)]"
    squares = MappingProxyType({0: SQUARED, 1: SQUARED})

    def work(self, params: Params, width: int) -> int:
        return 1

    def exponent(self, q: str, k: str, params: Params, signs: Signs) -> str:
        lengths = signs.times.join(signs.length % one for one in (q, k))
        return f"{q}{signs.dot}{k} / {signs.inside(lengths)}"

    def forward(self, *inputs: Input) -> Array:
        query, key = given(inputs)
        (query, _), (key, _) = leveled(query, D), leveled(key, D)
        dot = contract(query, key, axes=(D,), ordered=self.ordered)
        norms = _norm(query) * _norm(key)
        return np.asarray(np.where(norms == 0, 0.0, dot / np.where(norms == 0, 1.0, norms))[..., 0])

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        query, key = given(inputs)
        (unit_q, q), (unit_k, k) = _unit(query), _unit(key)
        to_query = contract(grad, unit_k, axes=(4,), zero_wins=True)
        to_key = contract(grad, unit_q, axes=(2, 3), zero_wins=True)
        along = faded(grad, result)
        back = to_query - faded(along.sum(axis=4, keepdims=True), unit_q)
        forth = to_key - faded(along.sum(axis=(2, 3), keepdims=True), unit_k)
        return faded_over(back, q), faded_over(forth, k)

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        sizes, slips = ([lengths(array, D) for array in given(arrays)] for arrays in (values, errors))
        tilts = [slip / np.where(size == 0, 1.0, size) for size, slip in zip(sizes, slips, strict=True)]
        return np.asarray(2 * (tilts[0] + tilts[1]) + 2 * (given(values)[0].shape[D] + ELEMENTARY))

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        query, key = given(inputs)
        if not (query.values.any() and key.values.any()) and np.isfinite(query.values * key.values).all():
            return Number(0.0)
        q, k = squarable(query, "max_q"), squarable(key, "max_k")  # their units make no difference
        values = q.values * k.values
        dot = Sum(values.size, lambda c: Product(q[[c]], k[[c]]), values)
        lengths = Product(self._length(q, "q"), self._length(k, "k"))
        return Quotient(Evaluated(dot, rf"{q.row_latex} \cdot {k.row_latex}"), lengths)

    def _length(self, cells: Leaves | Shares, sign: str) -> Named:
        return Named(f"norm_{sign}", rf"\|{cells.row_latex}\|", Function("sqrt", squares(cells)))

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        query, key = given(inputs)
        (q, _), (k, _) = leveled(query.values, 0), leveled(key.values, 0)
        norms = float(np.sqrt((q**2).sum()) * np.sqrt((k**2).sum())) or 1.0
        return [Addends(q * k / norms, [query, key])]


def _norm(x: Array) -> Array:
    return np.asarray(np.sqrt((x**2).sum(axis=D, keepdims=True)))


def _unit(x: Array) -> tuple[Array, Array]:
    """A vector of length 1, and the length it had; zeros have an infinite one, since nothing changes along them."""
    level, exponent = leveled(x, D)
    length = np.where(_norm(level) == 0, np.inf, _norm(level))
    return level / length, np.ldexp(length, exponent)
