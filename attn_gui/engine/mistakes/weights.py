"""Mistakes on the way from scores to weights: the factor, the mask, the softmax, which makes shares of the scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.stage import Input, Role, Stage, given
from attn_gui.engine.masks import Causal, Window
from attn_gui.engine.mistakes.mistake import Mistake, OfSoftmax, closes, divides_by_root, scaled_by, stages_with, takes
from attn_gui.engine.normalizers import Softmax
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import Allowed, Mask
from attn_gui.languages import QT_TRANSLATE_NOOP


# --- factor ----------------------------------------------------------------------------------------
class NotScaled(Mistake):
    """The step is left out."""

    key = "not_scaled"
    brief = QT_TRANSLATE_NOOP("Mistakes", "no scaling")
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "The scores were not scaled: before the softmax each is divided by √d_k, or multiplied by a scale that is "
        "given.",
    )

    def applies(self, problem: Problem) -> bool:
        return problem.effective_scale != 1.0

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, 1.0)


class ByWidth(Mistake):
    """The root is forgotten."""

    key = "divided_by_d_k"
    brief = QT_TRANSLATE_NOOP("Mistakes", "divided by {d_k}, not √{d_k}")
    said = QT_TRANSLATE_NOOP("Mistakes", "The scores were divided by d_k: it has to be its square root, √d_k.")

    def applies(self, problem: Problem) -> bool:
        return divides_by_root(problem) and problem.d_k > 1

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, 1.0 / problem.d_k)


class ByAllHeads(Mistake):
    """√d_model in the place of √d_k, d_model being the columns of all heads."""

    key = "divided_by_root_d_model"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scores were divided by the root of the width of all heads: each head has d_k columns only."
    )

    def applies(self, problem: Problem) -> bool:
        return divides_by_root(problem) and problem.num_heads > 1

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, float((problem.num_heads * problem.d_k) ** -0.5))


class TimesRoot(Mistake):
    """The root is on the wrong side of the fraction."""

    key = "multiplied_by_root"
    said = QT_TRANSLATE_NOOP("Mistakes", "The scores were multiplied by √d_k: they have to be divided by it.")

    def applies(self, problem: Problem) -> bool:
        return divides_by_root(problem) and problem.d_k > 1

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, float(problem.d_k**0.5))


class ScaleAfterBias(Mistake):
    """Two steps in the wrong order."""

    key = "scaled_after_mask"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scale came after the mask or bias that is added: it has to come before, on the scores alone."
    )

    def applies(self, problem: Problem) -> bool:
        return problem.effective_scale != 1.0 and any(layer.enabled and layer.adds for layer in problem.mask)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        late = [stage for stage in stages if takes(stage, Role.SCALE)]
        rest = [stage for stage in stages if not takes(stage, Role.SCALE)]
        last = max(place for place, stage in enumerate(rest) if takes(stage, Role.SCORE, Role.BIAS))
        return [*rest[: last + 1], *late, *rest[last + 1 :]]


class RootForgotten(Mistake):
    """The number under a root that was asked for."""

    key = "root_forgotten"
    said = QT_TRANSLATE_NOOP("Mistakes", "The root was forgotten: this is the number under it.")

    def applies(self, problem: Problem) -> bool:
        return False  # no cell is asked for

    def of_root(self, root: float) -> float | None:
        return root * root


class RootInverted(Mistake):
    """One over a root that was asked for."""

    key = "root_inverted"
    said = QT_TRANSLATE_NOOP("Mistakes", "This is one over the root: the root itself is asked for.")

    def applies(self, problem: Problem) -> bool:
        return False

    def of_root(self, root: float) -> float | None:
        return 1 / root if root else None


# --- mask ------------------------------------------------------------------------------------------
class FlippedMask(Allowed):
    """Keys that a layer closes."""

    def __init__(self, stage: Allowed) -> None:
        vars(self).update(vars(stage))

    def forward(self, *inputs: Input) -> Array:
        return ~super().forward(*inputs)


class MaskFlipped(Mistake):
    """Closed keys are attended to, open ones are not."""

    key = "mask_flipped"
    brief = QT_TRANSLATE_NOOP("Mistakes", "mask the wrong way round")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The mask was read the wrong way round: the hatched keys are those that must not count."
    )

    def applies(self, problem: Problem) -> bool:
        return closes(problem)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return [FlippedMask(stage) if isinstance(stage, Allowed) else stage for stage in stages]


class MultipliedMask(Mask):
    """Scores times the mask."""

    def forward(self, *inputs: Input) -> Array:
        logits, allowed = given(inputs)
        return np.where(allowed, logits, 0.0)


class ClosedAsZero(Mistake):
    """The mask multiplies the scores, and a score of 0 still has a share."""

    key = "closed_as_zero"
    instead = Role.CLOSE, MultipliedMask
    brief = QT_TRANSLATE_NOOP("Mistakes", "masked with 0, not −∞")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "Masked scores were set to 0, and e⁰ = 1 still counts: they have to be −∞ before the softmax."
    )

    def applies(self, problem: Problem) -> bool:
        return closes(problem)


class MaskedShares(Softmax):
    """Shares of all keys, of which those of the closed ones are taken away."""

    formula = "weights[b h i j] = logits[b h i j], temperature[]?, sink[h]?, allowed[b h i j]"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, sink, allowed = inputs
        return np.where(np.asarray(allowed, bool), super().forward(logits, temperature, sink), 0.0)


class MaskAfterSoftmax(OfSoftmax):
    """Closed weights are 0, and the rest of the row no longer adds up to 1."""

    key = "mask_after_softmax"
    brief = QT_TRANSLATE_NOOP("Mistakes", "mask after the softmax")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The mask came after the softmax: it has to come before, so that the open weights add up to 1."
    )

    def applies(self, problem: Problem) -> bool:
        return super().applies(problem) and closes(problem)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        unmasked = [stage for stage in stages if not takes(stage, Role.CLOSE)]
        return stages_with(unmasked, Role.WEIGHT, lambda softmax: MaskedShares())


class AddedMask(Mask):
    """Scores plus the mask: 1 for an open key."""

    def forward(self, *inputs: Input) -> Array:
        logits, allowed = given(inputs)
        return logits + allowed


class MaskAdded(Mistake):
    """The mask is added as 0 and 1, which closes nothing."""

    key = "mask_added"
    instead = Role.CLOSE, AddedMask
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "The mask was added to the scores as 0 and 1: what is added is 0 for an open key, −∞ for a closed one.",
    )

    def applies(self, problem: Problem) -> bool:
        return closes(problem)


class CausalTooEarly(Mistake):
    """The key at the query's own position is closed, too."""

    key = "causal_too_early"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The causal mask closed one key too many: a query sees the key at its own position, too."
    )

    def applies(self, problem: Problem) -> bool:
        return any(layer.enabled and isinstance(layer, Causal) for layer in problem.mask)

    def problem(self, problem: Problem) -> Problem:
        return _seeing(problem, -1)


class CausalTooLate(Mistake):
    """The key behind the query's own position is still open."""

    key = "causal_too_late"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The causal mask left one key too many open: a query sees none after its own position."
    )

    def applies(self, problem: Problem) -> bool:
        return any(layer.enabled and isinstance(layer, Causal) for layer in problem.mask)

    def problem(self, problem: Problem) -> Problem:
        return _seeing(problem, 1)


def _seeing(problem: Problem, right: int) -> Problem:
    """Return problem whose causal layers let a query see so many keys after its own position."""
    layers = (
        Window(right=right, align=layer.align, enabled=layer.enabled) if isinstance(layer, Causal) else layer
        for layer in problem.mask
    )
    return Problem.over(problem.fields() | {"mask": tuple(layers)})


# --- softmax ---------------------------------------------------------------------------------------
class ColumnShares(Softmax):
    """Scores of each column as shares of one."""

    along = "i"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        return np.swapaxes(super().forward(np.swapaxes(logits, -1, -2), temperature, None), -1, -2)


class DownColumns(OfSoftmax):
    """Columns add up to 1 instead of rows."""

    key = "softmax_down_columns"
    instead = Role.WEIGHT, ColumnShares
    brief = QT_TRANSLATE_NOOP("Mistakes", "normalized by column")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The softmax went down the columns: each row, the keys of one query, has to add up to 1."
    )

    def applies(self, problem: Problem) -> bool:
        return super().applies(problem) and max(problem.n, problem.m) > 1


class UndividedExponentials(Softmax):
    """e to the scores."""

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        return np.exp(logits if temperature is None else logits / temperature)


class NotDivided(OfSoftmax):
    """The denominator Z is left out."""

    key = "not_divided_by_z"
    instead = Role.WEIGHT, UndividedExponentials
    brief = QT_TRANSLATE_NOOP("Mistakes", "not divided by the sum")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "These are the powers of e alone: each has to be divided by Z, the sum of its row."
    )


class ScoreProportions(Softmax):
    """Open scores over the sum of their row."""

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        scores = np.where(np.isneginf(logits), 0.0, logits if temperature is None else logits / temperature)
        closed = np.isneginf(logits).all(axis=-1, keepdims=True)  # no sum is divided by there
        return np.where(closed, 0.0, scores / scores.sum(axis=-1, keepdims=True))


class PlainShares(OfSoftmax):
    """The exponential is forgotten."""

    key = "no_exponential"
    instead = Role.WEIGHT, ScoreProportions
    brief = QT_TRANSLATE_NOOP("Mistakes", "no exponential")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scores were divided by their own sum: the softmax takes e to each score first."
    )


class UnshiftedSoftmax(Softmax):
    """e^s over the sum of the row, as it is written: beyond e^709 there is no number, and ∞/∞ is none either."""

    def forward(self, *inputs: Input) -> Array:
        logits, scalar, sink = inputs
        assert logits is not None
        temperature = 1.0 if scalar is None else scalar
        powers = np.exp(logits / temperature)
        total = powers.sum(axis=-1, keepdims=True)
        closed = np.isneginf(logits).all(axis=-1, keepdims=True)  # no maximum could be taken off there
        return np.where(closed, 0.0, powers / (total if sink is None else total + np.exp(sink / temperature)))


class OverflowingSoftmax(OfSoftmax):
    """Large scores overflow, and far below 0 every power vanishes."""

    key = "maximum_not_taken_off"
    instead = Role.WEIGHT, UnshiftedSoftmax
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "e to a very large score overflows (and to a very small one vanishes): take the row's largest score off first, "
        "the shares stay the same.",
    )


class ScoresAsWeights(Softmax):
    """The scores themselves, those of closed keys left out."""

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        return np.where(np.isneginf(logits), 0.0, logits if temperature is None else logits / temperature)


class NoSoftmax(OfSoftmax):
    """A score is given, or taken, for a weight."""

    key = "no_softmax"
    instead = Role.WEIGHT, ScoresAsWeights
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scores were taken as they are: the softmax makes each row of them weights that add up to 1."
    )


class DropoutScaled(Softmax):
    """Weights as dropout leaves those that it keeps: larger by 1 / (1 − p)."""

    p = 0.1

    def forward(self, *inputs: Input) -> Array:
        return np.asarray(super().forward(*inputs) / (1 - self.p))


class DropoutOn(OfSoftmax):
    """Dropout is left on, with the rate of the first Transformer."""

    key = "dropout_on"
    instead = Role.WEIGHT, DropoutScaled
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "This is 1/0.9 of the right number: dropout (p = 0.1) was left on, which enlarges what it keeps."
    )
