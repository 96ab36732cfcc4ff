"""Sentences of verifying and of targets: why something does not hold, was not judged, or cannot be reached."""

from __future__ import annotations

from typing import Self

from attn_gui.engine.errors import say


class Reason(str):
    """Sentence whose `template` may be translated before `values` are filled in."""

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, **values: object) -> Self:
        reason = super().__new__(cls, say(template, values))
        reason.template, reason.values = template, values
        return reason


# --- verification --------------------------------------------------------------------------------
ROUNDING = "A cell may differ by what rounding can add up to along the formulas that lead to it, with these numbers."
UNKNOWN_SCORE = "The reference does not know the score {name}: no stage is judged."
UNKNOWN_NORMALIZATION = "The reference does not know the normalization {name}: no stage is judged."
UNKNOWN_LAYER = "The reference does not know the mask layer {name}: no stage is judged."
UNKNOWN_BLOCK = "The reference does not know {name} of the block: no stage is judged."
UNKNOWN_INTERVENTION = "The reference does not know the intervention {name}: no stage is judged."
UNKNOWN_STAGE = "The reference does not know the stage {name}: no stage is judged."
ROWS_SUM_SINK = (
    "Rows of weights and the share of the sink sum to 1, or to 0 without an open key: worst difference {difference}; "
    "{wrong} rows do not, {wild} rows hold NaN."
)
ROWS_SUM = (
    "Rows of weights sum to 1, or to 0 without an open key: worst difference {difference}; "
    "{wrong} rows do not, {wild} rows hold NaN."
)
NO_SUM = "Rows of weights sum to 1: does not apply without a normalization that makes shares of them."
CLOSED_ZERO = "Weights behind a mask are exactly 0: {wrong} of {count} are not."
NO_MASK = "Weights behind a mask are exactly 0: there is no mask."
GIVEN_SUM = (
    "The weights are given and taken as they are: {wrong} of {count} rows miss the sum 1 by more than {least}; largest "
    "difference {difference}, negative weights: {negative}, not finite: {wild}."
)
NO_HEADS = "Splitting into heads and concatenating gives the same back: there are no values."
NO_VALUES = "Permuting keys with their values changes nothing: there are no values."
SPLIT = "Splitting into heads and concatenating gives the same back; heads: {heads}."
KEY_ORDER = "Permuting keys with their values changes nothing: worst difference {difference} in {count} rows."
HAS_POSITIONS = "Permuting keys with their values changes nothing: does not apply where positions count."
FUTURE = "The causal future has no influence: NaN put into later keys {count} times, earlier rows compared bit by bit."
BY_HAND = "The causal future has no influence: does not apply where cells are changed by hand."
NO_CAUSAL = "The causal future has no influence: there is no causal layer."
NO_FUTURE = "The causal future has no influence: no query has a later key."
SAMPLE_OF_WEIGHTS = "{sentence} A sample: {count} of {all} rows of weights were looked at."
SAMPLE_OF_QUERIES = "{sentence} A sample: {count} of {all} query rows were looked at."

# --- solving: what is refused --------------------------------------------------------------------
UNSOLVABLE = "{stage} cannot be solved for: choose a weight, a score or a cell of the output."
TARGET_WEIGHT = "A weight lies between 0 and 1: choose a target in between, not {got}."
PROJECTED = "The {by} row is computed from X here: change the row of X or a bias instead, or work on Q, K, V directly."
NO_X = "There is no X here: change the query row instead."
KEY_OF_OUTPUT = "An output cell reads every key: change the query row or a bias instead."
BEFORE_BIAS = "{stage} comes before the bias: change the query or the key row instead."
NOT_LINEAR = "The {score} score is not linear in the query row: let the odds go free, or change the key row or a bias."
SOFTCAP_QUERY = (
    "With a softcap, logits are not linear in the query row: let the odds go free, or change the key row or a bias."
)
GAUSSIAN_SCORE = (
    "The Gaussian score is not linear in the query row: let the odds go free, or change the key row, or solve for a "
    "weight."
)
NOT_KEPT = (
    "Beside a sink, a norm of Q or K, or a change by hand, or without a softmax, nothing keeps the odds among the "
    "other keys: let them go free."
)
AVERAGE = "Average pooling reads neither queries nor keys: change a bias instead."
WILD = "Solving needs finite numbers: {stage} of this row holds NaN or infinity."
BIAS_SIZE = "A bias of its own for this row would take {count} numbers, more than {most}."

# --- solving: what was found ---------------------------------------------------------------------
REACHED = "Reached by the smallest change of the {by} row that keeps the odds among the other open keys."
REACHED_KEY = "Reached by the smallest change of the key row; in other rows its weights change too."
INEXACT = "Reached but for rounding, which leaves {residual}: numbers are large here (condition number {condition})."
TOO_LONG = "Not reached: with a row as long as is needed, rounding leaves {residual} (condition number {condition})."
UNREACHABLE = (
    "No query row reaches this and keeps the odds among the other open keys: the system has the rank {rank}, "
    "with the target {more}. This is the nearest in least squares of the logits."
)
REACHED_X = (
    "Reached by a small change of the row of X that keeps the odds among the other open keys ({steps} steps); other "
    "rows change too where they read it."
)
FREE = (
    "Reached by the smallest change of the {by} row that {steps} steps found; the odds among the other open keys "
    "change with it."
)
FREE_NEEDED = (
    "Reached by the smallest change of the {by} row that {steps} steps found. The odds among the other keys change "
    "with it: with {open} open keys and d_k = {width} hardly any target can be reached that keeps them."
)
HULL = (
    "No {by} row gives key {key} a weight above {most}: its vector is a weighted mean of those of the other open keys. "
    "This is the nearest."
)
CLOSED = "Key {key} is closed to this query by a mask or by a bias of −∞: its weight stays 0."
ALONE = "Key {key} is the only one open to this query: its weight stays 1."
NO_LEVER = "No key row changes the score of key {key} for this query: {why} is 0."
CAPPED = "The softcap keeps scores between −{cap} and {cap}, and this would need {needed}. This is the nearest."
FARTHEST = "No key row has such a score for this query; {most} is the nearest."
NEARBY = "A nearby solution, found step by step (Gauss–Newton, {steps} steps); a smaller change may do."
STUCK = (
    "Not reached: found step by step (Gauss–Newton, {steps} steps), {residual} away. That nothing comes nearer is not "
    "proved."
)
OUTSIDE = "Not reached: the open keys hold values from {low} to {high} here, and an output is a mean of them."
OUTSIDE_SINK = (
    "Not reached: the open keys hold values from {low} to {high} here, and beside a sink an output lies between them "
    "and 0."
)
CLOSED_ROW = "Not reached: no key is open to this query, so that its output stays 0."
