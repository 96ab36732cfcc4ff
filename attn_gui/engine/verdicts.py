"""What verification and solving can say, as templates like those of `sentences`."""

# --- verification --------------------------------------------------------------------------------
ROUNDING = "A cell may differ by what rounding can add up to along the formulas that lead to it, with these numbers."
ROWS_SUM = (
    "Rows of weights sum to 1, or to 0 without an open key: worst difference {difference}; "
    "{wrong} rows do not, {wild} rows hold NaN."
)
CLOSED_ZERO = "Weights behind a mask are exactly 0: {wrong} of {count} are not."
NO_MASK = "Weights behind a mask are exactly 0: there is no mask."
SPLIT = "Splitting into heads and concatenating gives the same back; heads: {heads}."
KEY_ORDER = "Permuting keys with their values changes nothing: worst difference {difference} in {count} rows."
HAS_POSITIONS = "Permuting keys with their values changes nothing: does not apply where positions count."
FUTURE = "The causal future has no influence: NaN put into later keys {count} times, earlier rows compared bit by bit."
NO_CAUSAL = "The causal future has no influence: there is no causal layer."
NO_FUTURE = "The causal future has no influence: no query has a later key."
