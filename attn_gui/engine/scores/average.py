"""Average pooling: every score is 0, whatever queries and keys are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.expression import Expression, Number
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves
from attn_gui.engine.graph.expressions.signs import Signs
from attn_gui.engine.graph.stage import Input
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP

from .score import Params, Score


class Average(Score):
    """Every key counts the same: no cell of the query or the key is read."""

    label = QT_TRANSLATE_NOOP("Scores", "average")
    matrix = text = cell = "0"
    sentence = QT_TRANSLATE_NOOP(
        "Sentences",
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

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        return np.zeros((1, 1, 1, 1))

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        return Number(0.0)

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        return []
