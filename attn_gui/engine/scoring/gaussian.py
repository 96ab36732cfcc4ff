"""The Gaussian kernel of Nadaraya-Watson regression (Watson, 1964), as a score before the softmax."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.expression import Expression, Negative, Number, Product, Sum, add
from attn_gui.engine.layout import Array, contract
from attn_gui.engine.operators import Named, Power, Quotient
from attn_gui.engine.powers import lengths
from attn_gui.engine.stage import UNIT, Addends, Input, Leaves, Stage, given

D = 5  # the axis that is summed, in the order b g r i j d


class Gaussian(Stage):
    """−(w·‖q − k‖)²/2, the ‖k‖² in it times key_norm: with 0 a dot product is left, up to a number for each query."""

    name = "scores"
    axes = ("batch", "head", "query", "key")
    formula = "logits[b (g r) i j] = query[b i (g r d)], key[b j (g d)], w[], key_norm[]"

    def forward(self, *inputs: Input) -> Array:
        query, key, w, norm = given(inputs)
        return np.asarray((self._distance(query, key, norm) * (w * w / -2.0))[..., 0])

    def _distance(self, query: Array, key: Array, norm: Input) -> Array:
        """‖q − k‖² + (key_norm − 1)·‖k‖², column by column, so that nothing large cancels and little is held."""
        total = np.zeros(np.broadcast_shapes(query[..., :1].shape, key[..., :1].shape))
        for c in range(query.shape[D]):
            total += (query[..., c : c + 1] - key[..., c : c + 1]) ** 2
        if norm is not None and (norm != 1.0).any():
            total += (norm - 1.0) * (key**2).sum(axis=D, keepdims=True)
        return total

    def pull_back(self, grad: Array, result: Array, *inputs: Input) -> Sequence[Input]:
        query, key, w, norm = given(inputs)
        to_query = w * w * (contract(grad, key, axes=(4,), zero_wins=True) - grad.sum(axis=4, keepdims=True) * query)
        rows = grad.sum(axis=(2, 3), keepdims=True)
        to_key = w * w * (contract(grad, query, axes=(2, 3), zero_wins=True) - norm * rows * key)
        to_w = grad * self._distance(query, key, norm) * -w
        to_norm = grad * (key**2).sum(axis=D, keepdims=True) * (w * w / -2.0)
        return to_query, to_key, to_w, to_norm

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        query, key, w, norm = given(values)
        slip = lengths(given(errors)[0], D) + lengths(given(errors)[1], D)
        extra = w**2 * np.abs(norm - 1)
        terms = np.abs(self.forward(*values))[..., None] + extra * (key**2).sum(axis=5, keepdims=True)
        moved = np.abs(w) * slip * (np.sqrt(2 * terms) + np.abs(w) * slip * UNIT) + extra * lengths(key, D) * slip
        return np.asarray((query.shape[5] + 6) * terms + moved)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        query, key, w, norm = given(inputs)
        symbols = rf"\sum_c \left({query.latex} - {key.latex}\right)^{{2}}"
        apart = Sum(
            query.values.size, lambda c: Power(add(query[[c]], Negative(key[[c]])), 2),
            (query.values - key.values) ** 2, symbols,
        )  # fmt: skip
        q, k = (leaves.latex.split(",")[0] + "}" for leaves in (query, key))
        distance: Expression = Named("distance", rf"\|{q} - {k}\|^{{2}}", apart)
        if norm.one.value != 1.0:
            squares = Sum(
                key.values.size, lambda c: Power(key[[c]], 2), key.values**2, rf"\sum_c {key.latex}^{{2}}"
            )  # fmt: skip
            length = Named("length", rf"\|{k}\|^{{2}}", squares)
            distance = add(distance, Product(add(norm.one, Negative(Number(1.0))), length))
        return Negative(Quotient(Product(Power(w.one, 2), distance), Number(2.0)))

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        query, key, w, norm = given(inputs)
        squares = (query.values - key.values) ** 2 + (norm.one.value - 1.0) * key.values**2
        return [Addends(squares * (w.one.value**2 / -2.0), [query, key])]
