"""Error classes (FieldError, ShapeError, its fixes), sentences that refuse a problem, notes; numbers in sentences.

Each sentence is a template, which may be translated before it is filled in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from typing import Any, Literal

# --- numbers --------------------------------------------------------------------------------------
# Numbers as they are written in a sentence.


MINUS = "\N{MINUS SIGN}"
HUGE = 10**25  # whole numbers from here on are written as a power of ten
WILD = {"inf": "∞", "-inf": f"{MINUS}∞", "nan": "NaN"}


def spelled(number: Real | float) -> str:
    """Return a number in short, with a true minus: 3, −2.5, −∞."""
    if isinstance(number, Integral) and abs(int(number)) >= HUGE:
        return f"{MINUS if number < 0 else ''}10^{int(math.log10(abs(int(number))))}"
    text = str(number) if isinstance(number, Integral) else f"{float(number):g}"
    return WILD.get(text) or short_power(text).replace("-", MINUS)


def short_power(text: str) -> str:
    """Return a formatted number with its power of ten as short as it can be: 1e-07 is 1e-7, 1.0e+12 is 1.0e12."""
    digits, mark, power = text.partition("e")
    return f"{digits}e{int(power)}" if mark else text


def size_text(count: float) -> str:
    """Return a number of bytes for people: 12 bytes, 1.5 MB."""
    if count < 1000:
        return f"{count} bytes"
    power = min(len(f"{count:.0f}") - 1, 14) // 3
    return f"{count / 1000**power:,.1f} {('', 'kB', 'MB', 'GB', 'TB')[power]}"


# --- fields --------------------------------------------------------------------------------------
MISSING = "{field} is missing: give query, key and value, or x with w_query, w_key and w_value."
NO_SCORES = "The weights are given here: there are no queries and keys from which they follow."
NO_VALUES = "There are no values here: the weights have nothing to mix."
BOTH_WAYS = "{field} and {other} exclude each other: give query, key and value, or x with weights."
ONE_WAY = "{field} and {other} exclude each other: give one of them."
UNKNOWN_FIELD = "{field} is not a field of a problem."
NEEDS = "{field} needs {other}."
NOT_READ = "{field} has no part in the weights where normalize is {normalize}: choose {choices}, or leave it out."
CHOICE = "{field} must be one of {choices}, got {got}."
NOT_WHOLE = "{field} must be a whole number, got {got}."
NOT_POSITIVE = "{field} must be at least 1, got {got}."
NOT_NUMBER = "{field} must be a number, got {got}."
NOT_FINITE = "{field} must be finite, got {got}."
NOT_ABOVE_ZERO = "{field} must be greater than 0, got {got}."
NOT_SWITCH = "{field} must be True or False, got {got}."
NOT_TEXTS = "{field} must be texts, got {got}."
NOT_RECORD = "{field} must be a mapping, got {got}."
NOT_LAYERS = (
    '{field} must be mask layers, such as "causal" or {{"kind": "padding", "lengths": 3}}, or an array of True and '
    "False (True = may attend); got {got}."
)
MASK_OF_0_AND_1 = (
    "{field} holds 0 and 1 as numbers: where 1 means may attend, give {field}=array.astype(bool); where they are added "
    'to the scores, write {field}=[{{"kind": "bias", "values": array}}].'
)
MASK_OF_NUMBERS = (
    '{field} holds numbers: to add them to the scores, write {field}=[{{"kind": "bias", "values": array}}]; to open '
    "and close keys, give True and False (True = may attend)."
)
NOT_NUMBERS = "{field} must hold real numbers, got {got}."
UNREADABLE = "{field} cannot be read as an array: {reason}."
MASKED_ARRAY = "{field} has masked cells, which no number stands for: fill them, and close them with a mask layer."
NOT_BOOLEANS = "{field} must hold True and False, got {got}."
NUMBERS_NO_BOOLEANS = (
    "{field} must hold True and False, got {got}: numbers that are to be added to the scores make a layer of the kind "
    "bias, with values."
)
NOT_A_VIEW = "{field} must be a contiguous array of {expected} to be read in place, got {got}."
UNKNOWN_LAYER = "{field} must be one of the mask layers {choices}, got {got}."
TOO_MANY_LAYERS = "{field} has {got} layers; at most {most} are possible."
NOT_INTERVENTIONS = "{field} must be a tuple of interventions, got {got}."
UNKNOWN_INTERVENTION = "{field} must be one of the interventions {choices}, got {got}."
TOO_MANY_INTERVENTIONS = "{field} has {got} entries; at most {most} are possible."
TOO_MANY_NUMBERS = "{field} hold {got} numbers; at most {most} are possible."
NOT_NAME = "{field} must be a name, got {got}."
NOT_A_STAGE = "{field} must be a stage of this problem, one of {choices}; got {got}."
NO_AXIS = "{field}: {stage} has no axis {got}; it has {choices}."
STRETCH = "{field} must be a whole number or a stretch (start, stop) with start < stop, got {got}."
ONE_PLACE = "{field} must be one whole number, got {got}."
TOO_LONG_TEXT = "{field}: text {place} has {got} letters; at most {most} are possible."
UNKNOWN_PARAMETER = "{field} does not have the parameter {got}; it has {choices}."

# --- what was given instead ---------------------------------------------------------------------
NOTHING = "nothing"
A_SWITCH = "true or false"
A_NUMBER = "a number"
A_TEXT = "a text"
A_LIST = "a list"
A_MAPPING = "names with values"
AN_ARRAY = "an array"
SOMETHING = "something else"
UNEVEN_ROWS = "rows of different lengths"
STRANGE_CELLS = "cells that are no numbers, or too large for any type of them"

# --- shapes --------------------------------------------------------------------------------------
AXES = "{matrix} must have {expected} axes, got the shape {shape}."
FOUR_AXES = (
    "{matrix} must have {expected} axes, got the shape {shape}: heads on an axis of their own are taken by "
    "Problem.from_heads(query, key, value)."
)
LEADING_AXIS = (
    "{matrix} has the shape {shape}, and its first axis may be {got} heads or {got} batch items: for heads call "
    "Problem.from_heads(query, key, value), for items Problem(…, batch_axis=True)."
)
VALUE_AXIS = (
    "{matrix} has the shape {shape}, and its first axis may be {got} heads or {got} batch items: for heads give it "
    "four axes, for items call Problem(weights=…, value=…, num_heads={got}, batch_axis=True)."
)
HEAD_AXES = "{matrix} must have the axes (head, row, column) or (batch, head, row, column), got the shape {shape}."
SAME_HEADS = (
    "{matrix} must have as many heads as {other}: expected {expected}, got {got} in the shape {shape}, whose axes are "
    "(head, row, column) or (batch, head, row, column) unless axes says others."
)
SHARED_HEADS = (
    "{expected} heads of {other} cannot share {got} heads of {matrix} evenly: its shape is {shape}, whose axes are "
    "(head, row, column) or (batch, head, row, column) unless axes says others."
)
COUNTED_HEADS = (
    "{matrix} has {got} heads and not {expected}: its shape is {shape}, whose axes are (head, row, column) or (batch, "
    "head, row, column) unless axes says others."
)
SEVERAL_ORDERS = "query, key and value can be read in {got} orders of axes; say which: {expected}."
OTHER_AXES = "{matrix} must have {expected} axes, {named}; got the shape {shape}."
NO_ORDER = "{field} must be an order of batch, head, token, column, the first two where there are such axes; got {got}."
OVERFLOWN = "{field} holds {got}, too large for {dtype}: it is {value} now."
ROUNDED = "{field} holds {got}, a whole number that {dtype} has not got: it is {value} now."
KEYS_LIE = "weights do not add up to 1 along their last axis but along axis {axis}, as they do along the keys."
READ_BY_SHAPES = "query, key and value were read as {reading}: no other order of axes fits."
EMPTY = "{matrix} has an axis without cells: its shape is {shape}."
KV_HEADS = "num_kv_heads must divide num_heads: {heads} heads cannot share {got} K/V heads evenly."
HEADS = "{matrix} has {got} columns, which {heads} heads cannot share evenly."
EQUAL_WIDTH = "A head of {matrix} must be as wide as a head of {other}: expected {expected} columns, got {got}."
EVEN_WIDTH = "Rotary positions pair the columns of a head: {matrix} must have an even number, got {got}."
SAME_ROWS = "{matrix} must have as many rows as {other}: expected {expected}, got {got}."
SAME_BATCH = "{matrix} must have as many batch items as {other}: expected {expected}, got {got}."
INNER = "{matrix} must have as many rows as {other} has columns: expected {expected}, got {got}."
COLUMNS = "{matrix} must have as many columns as {other}: expected {expected}, got {got}."
LENGTH = "{matrix} must have one number for each column of {other}: expected {expected}, got {got}."
HEAD_LENGTH = "{matrix} must have one number for each column of a head of {partner}: expected {expected}, got {got}."
HALF_HEAD = (
    "{matrix} must have one number for each pair of columns of a head of {partner}: expected {expected}, got {got}."
)
EACH_HEAD = "{matrix} must have one number for each head: expected {expected}, got {got}."
MAP_EACH_HEAD = "{matrix} must have one matrix for each head: expected {expected}, got {got}."
MAP_AXES = (
    "{matrix} must have the axes (query, key), (head, query, key) or (batch, head, query, key), got the shape {shape}."
)
TOKENS = "{matrix} must have one text for each row of {other}: expected {expected}, got {got}."
LENGTHS = "{matrix} must have one number, or one for each batch item: expected {expected}, got {got}."
BROADCAST = "{matrix} must broadcast to (batch, head, query, key) = {expected}, got the shape {got}."
OUTSIDE = "{matrix}: {other} has {expected} cells along its axis {axis}, got {got}."
SET_VALUES = "{matrix} must broadcast to the cells of {other} that are set, {expected}; got the shape {got}."
BLOCK_WIDTH = "The residual adds x, so {matrix} must be as wide as x: expected {expected} columns, got {got}."

# --- what would make shapes fit ------------------------------------------------------------------
TRANSPOSE_FIX = "Transpose {matrix}: {before} becomes {shape}."
RESIZE_FIX = "Resize {matrix} from {before} to {shape}; new cells are 0."
COUNT_FIX = "Change the number of {matrix} from {before} to {shape}."
PROJECT_FIX = "Multiply {matrix} by a new matrix of random numbers, {shape}: {before} becomes {after}."
ADD_FIX = "Add {matrix}, {shape} random numbers, so that the output is as wide as x."

# --- calls ---------------------------------------------------------------------------------------
TAKES_TRACE = "{call} takes a trace, got {got}: call {right}."
ONE_STATE = "{call} reads one state, no difference: take comparison.before or comparison.after."
TAKES_PROBLEM = "{call} takes a problem, got {got}: call {right}."
SLICES = "A block takes its rows and columns as slices without a step, got {got}: call {call}."

# --- two problems --------------------------------------------------------------------------------
COMPARED = "{matrix} cannot be compared: its shape is {expected} before and {got} after, other in {named}."

# --- cells of a result ---------------------------------------------------------------------------
NO_STAGE = "{stage} is not a stage of this problem; it has {choices}."
INDEX = "{stage} takes an index of {expected} whole numbers ({axes}) within {shape}, got ({got})."
BOX = "A box of {stage} must lie within its shape {shape}, got {got}."
NEEDS_HEAD = "{stage} has a map for every head: say which one."
TOO_LARGE = "{stage} would take {size} GB: read it in parts with trace.block."
TOO_LONG = "The score {score} takes too long for {heads} heads of {n} × {m} cells; only dot products can be so large."
FIT_SCORE = "Only the w of a Gaussian score can be fitted to the data; the {score} score has none."
FIT_POINTS = "Fitting w takes two points or more, and no more than can be tried at once; got {got}."
ONE_OF = "Give either an index or a cotangent, not {got}."
COTANGENT = "The cotangent must have the shape of {stage}: expected {expected}, got {got}."

# --- changing sizes ------------------------------------------------------------------------------
ONE_SIZE = "Change one size at a time, got {got}."
HEAD_COUNTS = "{got} heads cannot share the columns evenly; {choices} can."
KV_COUNTS = "{got} K/V heads cannot serve {heads} heads evenly; {choices} can."
EVEN_HEAD = "Rotary positions pair the columns of a head: d_k must be even, got {got}."
DIRECT_WIDTH = "d_model is {heads} × {width} = {expected} here: change the heads or d_k instead."
BLOCK_FIXED = "The block adds x to the output, so d_model and the width of w_output change together."
TOO_MUCH = "That takes {size} of new numbers; at most {share} may be taken, as {free} of memory are free."
NO_MEMORY = "There is not enough memory for {size} of new numbers."
NO_MEMORY_TO_COMPUTE = "There is not enough memory to compute this."
NOT_COMPUTED = "This could not be computed."
SELF_ATTENTION = "In self-attention the keys are the queries: change n instead of m."
KV_WIDTH = "K/V heads have {after} columns now instead of {before}, so that they fit the query heads."
KV_FELL = "K/V heads: {before} do not divide {heads} heads, {after} do."
READS_ANOTHER = "Head {head} reads another K/V head now."
MANY_READ_ANOTHER = "{count} heads read other K/V heads now, head {head} first."
BY_HAND_WENT = "A change by hand went with its cells."
MANY_BY_HAND_WENT = "{count} changes by hand went with their cells."

# --- heads among one another ---------------------------------------------------------------------
NO_PLACE = "There is no place {got}; places go from 0 to {most}."
NO_HEAD = "There is no head {got}; there are {heads}, counted from 0."
GROUPS_FIXED = "Heads share K/V heads in groups of {group}: head {head} can only change places within its own group."
ONE_GROUP = (
    "Heads share {kv} K/V heads in groups of {group}, and one head more or less would leave them uneven: make as many "
    "K/V heads as heads first."
)
ONLY_HEAD = "One head has to stay."
WHOLE_GROUPS = "Head {head} reads the same K/V head and would change too: average whole groups of {group} heads."
TWO_HEADS = "An average takes two heads or more."
SLOPES_STAY = "The slopes of {layer} belong to the places of the heads and stay there."
SLOPES_ANEW = "The slopes of {layer} follow from the number of heads and the place of each: they are worked out anew."


def spoken(value: object) -> str:
    """Return a value as written in a sentence: numbers short, with a true minus, lists without brackets."""
    if isinstance(value, tuple) and value and all(isinstance(part, str) for part in value):
        return ", ".join(value)
    if isinstance(value, tuple) and value and all(isinstance(part, Real) for part in value):
        return f"({', '.join(map(spoken, value))}{',' if len(value) == 1 else ''})"
    return spelled(value) if isinstance(value, Real) and not isinstance(value, bool) else str(value)


def say(template: str, values: dict[str, object]) -> str:
    """Return the template with every value filled in."""
    return template.format(**{name: spoken(value) for name, value in values.items()})


# --- classes --------------------------------------------------------------------------------------
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Note:
    """A sentence, or a word of one, that can be translated later: `message` is `template` with `values` filled in."""

    template: str
    values: dict[str, object] = field(default_factory=dict)

    @property
    def message(self) -> str:
        return say(self.template, self.values)

    def translated(self, translate: Callable[[str, str], str], context: str) -> str:
        """Return it in another language, notes within it too; `context` is that of its templates."""
        values = {
            name: value.translated(translate, context) if isinstance(value, Note) else value
            for name, value in self.values.items()
        }
        return translate(context, self.template).format(**values)

    def __str__(self) -> str:
        return self.message


class MessageError(Exception):
    """An error that is said in one sentence: `template` with `values` filled in."""

    def __init__(self, template: str, **args: object) -> None:
        super().__init__(say(template, args))
        self.template = template
        self.values = args


class FieldError(MessageError, ValueError):
    """A value that a problem cannot have."""


class FieldTypeError(MessageError, TypeError):
    """A value of the wrong sort."""


class StageError(MessageError, KeyError):
    """A stage that the problem does not have."""

    def __str__(self) -> str:
        return str(self.args[0])


class PlaceError(MessageError, IndexError):
    """A cell or a box outside its stage."""


@dataclass(frozen=True)
class Fix:
    """One change that makes clashing shapes fit: `kind` "transpose", "resize" or "project" of `matrix`.

    `before` is the shape that the matrix has, `after` the one it gets, `shape` the same, or the shape of the new
    matrix that it is multiplied by. `whole`: the problem is valid then; else this clash is gone and another remains.
    """

    kind: Literal["transpose", "resize", "project"]
    matrix: str
    before: Shape
    after: Shape
    shape: Shape
    whole: bool = True

    @property
    def counts(self) -> bool:
        """Whether it is a number of tokens that changes, and no matrix."""
        return self.matrix in ("query_tokens", "key_tokens")

    @property
    def template(self) -> str:
        """The sentence for a button's hint, to be translated before `values` are filled in."""
        if not self.before:
            return ADD_FIX
        if self.counts:
            return COUNT_FIX
        return {"transpose": TRANSPOSE_FIX, "resize": RESIZE_FIX}.get(self.kind, PROJECT_FIX)

    @property
    def values(self) -> dict[str, object]:
        sizes = {"before": self.before, "after": self.after, "shape": self.shape}
        return {"matrix": self.matrix, **{name: " × ".join(map(str, shape)) for name, shape in sizes.items()}}

    @property
    def message(self) -> str:
        return say(self.template, self.values)

    def __str__(self) -> str:
        return self.message


class ShapeError(MessageError, ValueError):
    """Matrices that do not fit together.

    `matrices` and `axes` name the clashing sides ("row", "column", "batch"), `expected` and `got` their sizes;
    `fixes` are the changes that would work.
    """

    offers: Callable[[], tuple[Fix, ...]] = tuple  # whoever has all fields says what would help
    given: Mapping[str, Any] | None = None  # the fields that clash, for whoever has not got them, as after reading

    def __init__(
        self,
        template: str,
        *,
        matrices: tuple[str, ...],
        axes: tuple[str, ...],
        expected: object,
        got: object,
        **args: object,
    ) -> None:
        args |= {"matrix": matrices[0], "expected": expected, "got": got}
        if len(matrices) > 1:
            args["other"] = matrices[1]
        super().__init__(template, **args)
        self.matrices, self.axes, self.expected, self.got = matrices, axes, expected, got

    @cached_property
    def fixes(self) -> tuple[Fix, ...]:
        """Changes that make the shapes fit, tried out when asked for; empty where no single change does."""
        return self.offers()
