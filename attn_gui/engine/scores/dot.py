"""Dot products of queries and keys (Vaswani et al., 2017, divide them by √d_k)."""

from __future__ import annotations

from collections.abc import Mapping

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.signs import Signs
from attn_gui.engine.graph.linear import Linear
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.scores.verdicts import Reason

from .score import Params, Score, along_query


class Dot(Linear, Score):
    """q · k: a sum of products that the formula says in full."""

    label = QT_TRANSLATE_NOOP("Scores", "dot")
    matrix, text, cell = "{q} {{{k}}}^T", "{q} {k}ᵀ", ""
    sentence = QT_TRANSLATE_NOOP(
        "Sentences", "Score of query {query} and key {key}: {value}. It is the sum of {count} products."
    )
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
