"""The Gaussian kernel of Nadaraya-Watson regression (Watson, 1964), as a score before the softmax."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.contraction import contract, faded
from attn_gui.engine.graph.expressions.expression import Expression, Negative, Number, Product, Sum, add
from attn_gui.engine.graph.expressions.functions import Named, Power, Quotient
from attn_gui.engine.graph.expressions.leaves import Addends, Leaves, squares
from attn_gui.engine.graph.expressions.signs import Signs
from attn_gui.engine.graph.facts import Name
from attn_gui.engine.graph.powers import length, lengths
from attn_gui.engine.graph.stage import UNIT, Input, given
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.scores import verdicts
from attn_gui.engine.scores.verdicts import Reason

from .score import D, Params, Score, Setting, along_query

HELPER = '''
def gaussian(query, key, w, key_norm):
    """Minus half the squared distances times w², in which ‖k‖² counts key_norm times."""
    distances = {xp}.sum((query[..., :, None, :] - key[..., None, :, :]) ** 2, axis=-1)
    if key_norm != 1:
        distances = distances + (key_norm - 1) * {xp}.sum(key**2, axis=-1)[..., None, :]
    return -(w**2) / 2 * distances
'''


class Gaussian(Score):
    """−(w·‖q − k‖)²/2, the ‖k‖² in it times key_norm: with 0 a dot product is left, up to a number for each query."""

    label = QT_TRANSLATE_NOOP("Scores", "Gaussian")
    cell = r"-\frac{{\|{q}_i - {k}_j\|^2}}{{2}}"
    wide_cell = r"-\frac{{w^2}}{{2}} \|{q}_i - {k}_j\|^2"
    normed_cell = r"-\frac{{w^2}}{{2}} \left(\|{q}_i - {k}_j\|^2 + (\kappa - 1) \|{k}_j\|^2\right)"
    sentence = QT_TRANSLATE_NOOP(
        "Sentences", "Score of query {query} and key {key}: {value}. It is minus half their squared distance."
    )
    wide_sentence = QT_TRANSLATE_NOOP(
        "Sentences",
        "Score of query {query} and key {key}: {value}. It is minus half their squared distance, times {w} squared.",
    )
    normed_sentence = QT_TRANSLATE_NOOP(
        "Sentences",
        "Score of query {query} and key {key}: {value}. It is minus half their squared distance, in "
        "which the squared length of the key counts {norm} times, times {w} squared.",
    )
    term = "−w²(q−k)²/2"
    numbers = MappingProxyType(
        {
            "w": Setting(
                1.0,
                Name("w", "w", "w"),
                QT_TRANSLATE_NOOP("Settings", "w, one over the width of the kernel"),
                QT_TRANSLATE_NOOP("Tips", "One over the width of the kernel: a = −(w · ‖q − k‖)² / 2"),
            ),
            "key_norm": Setting(
                1.0,
                Name("κ", r"\kappa", r"\kappa"),
                QT_TRANSLATE_NOOP("Settings", "κ, how much the squared length of a key counts"),
                QT_TRANSLATE_NOOP("Tips", "The factor κ of ‖k‖² in the Gaussian score; 0 leaves a dot product"),
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
        """‖q‖² is common to all keys."""
        return float(params["w"] ** 2)

    def move_key(
        self, place: int, query: Array, key: Array, step: float, params: Params
    ) -> tuple[Array, Reason | None] | None:
        """The score is a parabola of the key around q / key_norm, or a plane where key_norm is 0."""
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
        of_keys = contract(grad, key, axes=(4,), zero_wins=True)
        to_query = w * w * (of_keys - faded(grad.sum(axis=4, keepdims=True), query))
        rows = grad.sum(axis=(2, 3), keepdims=True)
        to_key = w * w * (contract(grad, query, axes=(2, 3), zero_wins=True) - faded(norm * rows, key))
        to_w = faded(grad, self._distance(query, key, norm)) * -w
        to_norm = faded(grad, (key**2).sum(axis=D, keepdims=True)) * (w * w / -2.0)
        return to_query, to_key, to_w, to_norm

    def rounding(self, values: Sequence[Input], errors: Sequence[Input]) -> Array:
        query, key, w, norm = given(values)
        slip = lengths(given(errors)[0], D) + lengths(given(errors)[1], D)
        extra = w**2 * np.abs(norm - 1)
        terms = np.abs(self.forward(*values))[..., None] + extra * (key**2).sum(axis=D, keepdims=True)
        moved = np.abs(w) * slip * (np.sqrt(2 * terms) + np.abs(w) * slip * UNIT) + extra * lengths(key, D) * slip
        return np.asarray((query.shape[D] + 6) * terms + moved)

    def explain(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        return self._written(inputs, normed=given(inputs)[3].one.value != 1.0)

    def general(self, at: tuple[int, ...], *inputs: Leaves | None) -> Expression:
        return self._written(inputs, normed=True)

    @staticmethod
    def _written(inputs: Sequence[Leaves | None], *, normed: bool) -> Expression:
        """The formula, with κ in it or without."""
        query, key, w, norm = given(inputs)
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

    def addends(self, at: tuple[int, ...], *inputs: Leaves | None) -> list[Addends]:
        query, key, w, norm = given(inputs)
        terms = (query.values - key.values) ** 2 + (norm.one.value - 1.0) * key.values**2
        return [Addends(terms * (w.one.value**2 / -2.0), [query, key])]


def to_sphere(point: Array, center: Array, growth: float) -> Array | None:
    """The shortest way from `point` to the sphere around `center` with a squared radius larger by `growth`.

    None if that would be negative: then nothing is nearer than the center.
    """
    arm = point - center
    radius, other = length(arm), math.sqrt(abs(growth))
    if growth < 0 and other > radius:
        return None
    new = math.hypot(radius, other) if growth >= 0 else math.sqrt(radius - other) * math.sqrt(radius + other)
    if radius == 0:
        return np.asarray(new * np.eye(1, len(point))[0])
    return np.asarray(arm / radius * (growth / (new + radius)))
