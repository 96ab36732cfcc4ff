"""Additive attention (Bahdanau, Cho, Bengio, 2015)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.contraction import contract, faded
from attn_gui.engine.graph.expressions.expression import Expression, Product, Sum, add
from attn_gui.engine.graph.expressions.functions import Evaluated, Function
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves
from attn_gui.engine.graph.expressions.signs import Signs
from attn_gui.engine.graph.facts import Name
from attn_gui.engine.graph.stage import ELEMENTARY, Input, given
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP

from .score import D, Params, Score

F, S = 6, 7  # key width and hidden width, in the order b g r i j d f s


class Additive(Score):
    """w · tanh(q W_q + k W_k): a network of one hidden layer; queries and keys may differ in width."""

    label = QT_TRANSLATE_NOOP("Scores", "additive")
    cell = r"\tanh\left({q}_i W_q + {k}_j W_k\right) w"
    sentence = QT_TRANSLATE_NOOP(
        "Sentences",
        "Score of query {query} and key {key}: {value}. It is the sum of {count} hidden units, each times its weight.",
    )
    term = "w·tanh"
    units = "w_score"
    code = "{xp}.tanh(({0} @ {2})[..., :, None, :] + ({1} @ {3})[..., None, :, :]) @ {4}"
    table_names = MappingProxyType(
        {
            "w_score_query": Name("W_q", "W_q", "w^q", "Score weights of the query", "查询的评分权重"),
            "w_score_key": Name("W_k", "W_k", "w^k", "Score weights of the key", "键的评分权重"),
            "w_score": Name("w", "w", "w", "Score weights of the hidden units", "隐藏单元的评分权重"),
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

    def forward(self, *inputs: Input) -> Array:
        of_query, of_key, w = self._sides(inputs)
        total = np.zeros(np.broadcast_shapes(of_query[..., :1].shape, of_key[..., :1].shape))
        for s in range(w.shape[S]):
            total += w[..., s : s + 1] * np.tanh(of_query[..., s : s + 1] + of_key[..., s : s + 1])
        return np.asarray(total[..., 0, 0, 0])

    def _sides(self, inputs: Sequence[Input]) -> tuple[Array, Array, Array]:
        query, key, w_query, w_key, w = given(inputs)
        of_query = contract(query, w_query, axes=(D,), ordered=self.ordered)
        return of_query, contract(key, w_key, axes=(F,), ordered=self.ordered), w

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        query, key, w_query, w_key, _ = given(inputs)
        of_query, of_key, w = self._sides(inputs)
        back, forth, to_w = np.zeros(of_query.shape), np.zeros(of_key.shape), np.zeros(w.shape)
        for s in range(w.shape[S]):
            here = (..., slice(s, s + 1))
            hidden = np.tanh(of_query[here] + of_key[here])
            inner = faded(grad * w[here], 1 - hidden**2)
            back[here], forth[here] = inner.sum(axis=4, keepdims=True), inner.sum(axis=(2, 3), keepdims=True)
            to_w[here] = faded(grad, hidden).sum()
        to_query = contract(back, w_query, axes=(S,))
        to_key = contract(forth, w_key, axes=(S,))
        to_w_query = contract(back, query, axes=(0, 1, 2, 3), zero_wins=True)
        to_w_key = contract(forth, key, axes=(0, 1, 4), zero_wins=True)
        return to_query, to_key, to_w_query, to_w_key, to_w

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        query, key, w_query, w_key, w = (np.abs(array) for array in given(values))
        off_query, off_key, *_ = given(errors)
        inner = (
            contract(off_query + (query.shape[D] + 1) * query, w_query, axes=(D,)),
            contract(off_key + (key.shape[F] + 1) * key, w_key, axes=(F,)),
        )
        own = (w.shape[S] + 2 * ELEMENTARY) * w.sum()
        return np.asarray(contract(inner[0], w, axes=(S,)) + contract(inner[1], w, axes=(S,)) + own)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        query, key, w_query, w_key, w = given(inputs)
        hidden = self._hidden(inputs)

        def inner(s: int) -> Expression:
            asked = Sum(query.values.size, lambda d: Product(query[[d, 0, 0]], w_query[[d, 0, s]]))
            offered = Sum(key.values.size, lambda f: Product(key[[0, f, 0]], w_key[[0, f, s]]))
            seen = Evaluated(add(*asked.parts, *offered.parts), rf"\left({together}\right)_{{{s}}}")
            return Product(w[[0, 0, s]], Function("tanh", seen))

        together = " + ".join(f"{leaves.row_latex} {weight}" for leaves, weight in ((query, "W_q"), (key, "W_k")))
        symbols = rf"\sum_s w_s\,\tanh\left({together}\right)_s"
        return Sum(w.values.size, inner, hidden * w.values.reshape(-1), symbols)

    def _hidden(self, inputs: Sequence[Leaves | None]) -> Array:
        """The hidden units of one query and one key."""
        query, key, w_query, w_key, _ = (leaves.values for leaves in inputs if leaves is not None)
        of_query, of_key = (query * w_query).sum(axis=(0, 1)), (key * w_key).sum(axis=(0, 1))
        return np.asarray(np.tanh(of_query + of_key))

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        """One term for each hidden unit."""
        *_, w = given(inputs)
        return [Addends(w.values * self._hidden(inputs), [w])]
