"""Expressions and claims of a lesson ({weights[0, 1]}, sums): what may stand in them, and what they come to.

The grammar is read with Python's own parser and carried out node by node: what is not listed here is refused.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np

from attn_gui.engine.analysis.dependence import DEPENDENCES, MOST_TOKENS, comparable
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.analysis.sensitivity import Gradient
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import FieldError, short_power
from attn_gui.engine.evaluation.evaluation import Evaluation, bits, row_entropy
from attn_gui.engine.graph import indices
from attn_gui.engine.stages import STAGE
from attn_gui.models.attribution import head_numbers, without_each_head
from attn_gui.models.changed_layers import plain_layer
from attn_gui.models.model import Run

MOST_PRODUCTS = 1 << 30
"""Multiplications of runs without a head each that a number of a lesson is worth: a second or so."""

HERE: Mapping[str, Callable[[NumberSource], int]] = MappingProxyType(
    {"layer": lambda number_source: number_source.layer, "head": lambda number_source: number_source.head}
)
"""Of a model: which layer is on the table and which head on show, as numbers and as places of a matrix."""

LONGEST, DEEPEST, MOST_CELLS = 200, 12, 1 << 20  # letters, nested parts, cells that one part of a matrix may have
LONGEST_TOKEN = 40
LARGEST = 1e300
Value = Any  # a float, or an array of floats

SIZES = ("n", "m", "d_k", "d_v", "d_model", "d_out", "num_heads", "kv_heads", "batch_size")
ARITHMETIC: Mapping[type[ast.AST], Callable[..., Value]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: np.divide,
        ast.Pow: np.power,
        ast.USub: operator.neg,
        ast.Eq: operator.eq,
        ast.NotEq: operator.ne,
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
    }
)


# --- measures -------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class ModelRuns:
    """Two runs of a model that the problem is a layer of: now, and without any edit or intervention."""

    now: Run
    before: Run

    @property
    def has_few_heads(self) -> bool:
        """Whether the model is small enough to be run without each of its heads in turn."""
        model = self.now.model
        numbers = sum(table.size for layer in model.layers for table in plain_layer(layer).weights.values())
        return model.num_layers * model.num_heads * numbers * len(self.now.ids) <= MOST_PRODUCTS

    @cached_property
    def without(self) -> Array:
        """(layer, head, vocabulary): probabilities of the next token with one more head switched off."""
        heads = self.now.model.num_layers, self.now.model.num_heads
        found = [run.probabilities() for _place, run in without_each_head(self.now)]
        return np.reshape(found, (*heads, -1))


@dataclass(frozen=True, eq=False)
class NumberSource:
    """What the numbers of a lesson are computed from: an evaluation, and for a layer of a model the model's runs.

    `layer` and `head` are those on the table.
    """

    evaluation: Evaluation
    runs: ModelRuns | None = None
    layer: int = 0
    head: int = 0
    _measured: dict[str, Array | None] = field(default_factory=dict, init=False, repr=False)

    def matrix(self, name: str) -> Array | None:
        """Return a matrix of the problem, or one of MEASURES; None for an unknown name."""
        arrays = self.evaluation.problem.arrays()
        return arrays[name] if name in arrays else self.measured(name)

    def measured(self, name: str) -> Array | None:
        """Return the matrix of a measure, computed once; None if there is no such measure, or not for this problem."""
        if name not in self._measured:
            measure = MEASURES.get(name)
            self._measured[name] = None if measure is None else measure(self)
        return self._measured[name]


def _dependence(name: str, number_source: NumberSource) -> Array | None:
    problem = number_source.evaluation.problem
    return DEPENDENCES[name](problem) if comparable(problem) and problem.n <= MOST_TOKENS else None


def _readings(key: str, number_source: NumberSource) -> Array | None:
    """Return (layer, head); edits change the weights that are read, but not the tokens and sizes."""
    if (runs := number_source.runs) is None:
        return None
    plain = runs.before.problem(number_source.layer)
    return READINGS[key].shown(head_numbers(runs.now, plain, key)) if READINGS[key].fits(plain) else None


def _probabilities(read: Callable[[ModelRuns], Array | None], number_source: NumberSource) -> Array | None:
    runs = number_source.runs
    return None if runs is None or runs.now.model.ends.head is None else read(runs)


OF_TOKENS: Mapping[str, Callable[[ModelRuns], Array | None]] = MappingProxyType(
    {
        "probability": lambda runs: runs.now.probabilities(),
        "probability_before": lambda runs: runs.before.probabilities(),
        "probability_without": lambda runs: runs.without if runs.has_few_heads else None,
    }
)
"""Probabilities of the next token (…, vocabulary) by name."""

MEASURES: Mapping[str, Callable[[NumberSource], Array | None]] = MappingProxyType(
    {name: partial(_dependence, name) for name in DEPENDENCES}
    | {key: partial(_readings, key) for key in READINGS}
    | {name: partial(_probabilities, read) for name, read in OF_TOKENS.items()}
)
"""Matrices that a lesson can name, None where they cannot be computed: ‖∂y_i/∂x_j‖ of the compared layers, readings
(layer, head), probabilities."""


# --- expressions ----------------------------------------------------------------------------------
class ExpressionError(ValueError):
    """An expression that cannot be read or computed; the message is part of a sentence."""


class WithheldError(ExpressionError):
    """An expression that reads a covered cell."""


def _cosine(a: Array, b: Array) -> float:
    a, b = np.ravel(a), np.ravel(b)
    norms = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / norms if norms else 0.0


FUNCTIONS: Mapping[str, tuple[int, Callable[..., Value]]] = MappingProxyType(
    {
        "sqrt": (1, np.sqrt),
        "exp": (1, np.exp),
        "log": (1, np.log),
        "abs": (1, np.abs),
        "sum": (1, np.sum),
        "mean": (1, np.mean),
        "var": (1, np.var),
        "max": (1, np.max),
        "min": (1, np.min),
        "norm": (1, lambda cells: np.linalg.norm(np.ravel(cells))),
        "argmax": (1, lambda cells: np.argmax(cells, axis=-1).astype(float)),
        "places": (1, lambda cells: np.arange(np.shape(cells)[-1], dtype=float)),
        "entropy": (1, lambda shares: bits(row_entropy(shares))),
        "dot": (2, lambda a, b: np.ravel(a) @ np.ravel(b)),
        "cosine": (2, _cosine),
    }
)
"""Functions by name, with the count of what they take; rows of a matrix are taken one by one where one would."""


@dataclass(frozen=True)
class LessonExpression:
    """A parsed expression; `number` computes it."""

    text: str
    tree: ast.expr

    @property
    def cell(self) -> tuple[str, tuple[int, ...]] | None:
        """(stage, written indices) if the whole expression is one cell of a stage."""
        tree = self.tree
        if not (isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Name) and tree.value.id in STAGE):
            return None
        places = [part.value for part in _parts(tree.slice) if isinstance(part, ast.Constant)]
        whole = tuple(place for place in places if isinstance(place, int))
        return (tree.value.id, whole) if len(whole) == len(_parts(tree.slice)) else None

    @property
    def root(self) -> bool:
        """Whether the whole expression is a square root."""
        return isinstance(self.tree, ast.Call) and isinstance(self.tree.func, ast.Name) and self.tree.func.id == "sqrt"

    @property
    def measured(self) -> bool:
        """Whether it needs a matrix of MEASURES, which takes long even for a small problem."""
        read = (part.value for part in ast.walk(self.tree) if isinstance(part, ast.Subscript))
        return any(isinstance(name, ast.Name) and name.id in MEASURES for name in read)

    def number(self, number_source: NumberSource) -> float:
        """Return the number, 1 and 0 for true and false. Raises ExpressionError for a cell that is not there."""
        with np.errstate(all="ignore"):
            found = np.asarray(_value(self.tree, number_source), dtype=float)
        if found.size != 1:
            raise ExpressionError(f"{self.text} has {found.size} numbers")
        return float(found.reshape(()))

    def holds(self, number_source: NumberSource) -> bool:
        """Return whether it is true; False if it cannot be computed."""
        try:
            return self.number(number_source) == 1.0
        except ExpressionError:
            return False

    def sides(self, number_source: NumberSource) -> str:
        """Return a comparison with its two numbers, "0.5 > 0.7"; "" for other expressions."""
        if not isinstance(self.tree, ast.Compare):
            return ""
        parts = (LessonExpression("", side) for side in (self.tree.left, self.tree.comparators[0]))
        left, right = (ast.Name(short_power(f"{part.number(number_source):.4g}")) for part in parts)
        return ast.unparse(ast.Compare(left, self.tree.ops, [right]))


def expression(text: str) -> LessonExpression:
    """Parse an expression. Raises ExpressionError for one that is too long or not in the grammar."""
    text = text.strip()
    if len(text) > LONGEST:
        raise ExpressionError(f"{len(text)} letters")
    try:
        with warnings.catch_warnings():  # of Python about how it is written, such as "\d" for a token
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError(text) from None
    _check(tree, 0)
    return LessonExpression(text, tree)


def cell_index(evaluation: Evaluation, stage: str, places: tuple[int, ...]) -> tuple[int, ...]:
    """Return the full index of a cell, with 0 for leading indices that are left out. Raises ExpressionError."""
    if stage not in evaluation.stages:
        raise ExpressionError(stage)
    shape = evaluation.shape(stage)
    index = (0,) * (len(shape) - len(places)) + places
    if (
        len(places) < 2
        or len(index) != len(shape)
        or any(not 0 <= k < size for k, size in zip(index, shape, strict=True))
    ):
        raise ExpressionError(f"{stage}[{', '.join(map(str, places))}]")
    return index


# --- reading -------------------------------------------------------------------------------------
def _check(tree: ast.expr, depth: int) -> None:
    """Raise ExpressionError for whatever is not in the grammar."""
    if depth > DEEPEST or not _known(tree):
        raise ExpressionError(ast.unparse(tree) if depth <= DEEPEST else "…")
    for part in _operands(tree):
        _check(part, depth + 1)


def _known(tree: ast.expr) -> bool:
    match tree:
        case ast.Constant(value=value):
            return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST
        case ast.Name(id=name):
            return name in SIZES or name in HERE or name == "scale"
        case ast.BinOp(op=op) | ast.UnaryOp(op=op):
            return type(op) in ARITHMETIC
        case ast.Compare(ops=[op]):
            return type(op) in ARITHMETIC
        case ast.Call(func=ast.Name(id="gradient"), args=args, keywords=[]):
            return len(args) == 2 and all(isinstance(part, ast.Subscript) for part in args)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return name in FUNCTIONS and len(args) == FUNCTIONS[name][0]
        case ast.Subscript(value=ast.Name(id=name)):
            return re.fullmatch(r"[a-z_]\w*", name) is not None and all(map(_is_place, _parts(tree.slice)))
    return False


def _operands(tree: ast.expr) -> list[ast.expr]:
    match tree:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.Call(args=args):
            return list(args)
    return []


def _parts(tree: ast.expr) -> list[ast.expr]:
    return list(tree.elts) if isinstance(tree, ast.Tuple) else [tree]


def _is_place(tree: ast.expr) -> bool:
    if isinstance(tree, ast.Slice):
        return tree.lower is tree.upper is tree.step is None
    if isinstance(tree, ast.Name):
        return tree.id in HERE
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        return len(tree.value) <= LONGEST_TOKEN
    return isinstance(tree, ast.Constant) and type(tree.value) is int and tree.value < MOST_CELLS


# --- carrying out --------------------------------------------------------------------------------
def _value(tree: ast.expr, number_source: NumberSource) -> Value:
    match tree:
        case ast.Constant(value=value):
            return np.float64(value)  # type: ignore[arg-type]  # numbers alone were let through
        case ast.Name(id=name) if name in HERE:
            return np.asarray(_place(tree, number_source, of_token=False), dtype=float)
        case ast.Name(id=name):
            problem = number_source.evaluation.problem
            return np.float64(problem.effective_scale if name == "scale" else getattr(problem, name))
        case ast.Subscript(value=ast.Name(id=name)):
            return _cells(name, _parts(tree.slice), number_source, number_source.evaluation, number_source.matrix)
        case ast.Call(func=ast.Name(id="gradient"), args=[of, ast.Subscript(value=ast.Name(id=name)) as by]):
            gradient = _gradient(of, number_source.evaluation)
            return _cells(name, _parts(by.slice), number_source, gradient, gradient.by_fields.get)
    values = [_value(part, number_source) for part in _operands(tree)]
    try:
        found = np.asarray(_operation(tree)(*values), dtype=float)  # true and false are numbers, too
    except (ValueError, IndexError):  # rows of other lengths, a number where a row is needed
        raise ExpressionError(ast.unparse(tree)) from None
    wrong = ~np.isfinite(found) if isinstance(tree, ast.BinOp) else np.isnan(found)  # log(0) is −∞
    if wrong.any() and all(np.isfinite(value).all() for value in values):
        raise ExpressionError(ast.unparse(tree))
    return found


def _operation(tree: ast.expr) -> Callable[..., Value]:
    """Return the function of an expression's operator or call."""
    match tree:
        case ast.Call(func=ast.Name(id=name)):
            return FUNCTIONS[name][1]
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.Compare(ops=[op]):
            return ARITHMETIC[type(op)]
    raise ExpressionError(ast.unparse(tree))


def _gradient(of: ast.expr, evaluation: Evaluation) -> Gradient:
    """Return the gradient of one cell of a stage."""
    cell = LessonExpression(ast.unparse(of), of).cell
    if cell is None:
        raise ExpressionError(ast.unparse(of))
    index = cell_index(evaluation, *cell)
    return Gradient(evaluation, cell[0], indices.cell(index), np.ones((1,) * len(index)))


def _place(tree: ast.expr, number_source: NumberSource, *, of_token: bool) -> int | slice:
    """Return an index of a matrix; with `of_token` one of the vocabulary, which may be written as a token."""
    match tree:
        case ast.Constant(value=int() as place):
            return place
        case ast.Slice():
            return slice(None)
        case ast.Name(id=name) if number_source.runs is not None:
            return HERE[name](number_source)
        case ast.Constant(value=str() as token) if number_source.runs is not None and of_token:
            with suppress(FieldError):
                return number_source.runs.now.token_id(token)
    raise ExpressionError(ast.unparse(tree))


def _cells(
    name: str,
    parts: list[ast.expr],
    number_source: NumberSource,
    evaluation: Evaluation,
    matrix_of: Callable[[str], Array | None],
) -> Array:
    """Return cells of a stage of `evaluation`, or of a matrix, with 0 for leading indices that are not written."""
    written = f"{name}[{', '.join(map(ast.unparse, parts))}]"
    matrix = None if name in evaluation.stages else matrix_of(name)
    if name not in evaluation.stages and matrix is None:
        raise ExpressionError(written)
    tokens = matrix is not None and name in OF_TOKENS
    places = [_place(part, number_source, of_token=tokens and part is parts[-1]) for part in parts]
    shape = evaluation.shape(name) if matrix is None else matrix.shape
    box = _box(places, shape)
    if box is None or indices.count(box) > MOST_CELLS:
        raise ExpressionError(written)
    if matrix is None and evaluation.covers and evaluation.left_out(name, box):
        raise WithheldError(written)
    found = evaluation.box(name, box) if matrix is None else matrix[box]
    kept = [cut.stop for place, cut in zip(places, box[-len(places) :], strict=True) if isinstance(place, slice)]
    return np.asarray(found, dtype=np.float64).reshape(kept)


def _box(places: Sequence[int | slice], shape: Sequence[int]) -> Box | None:
    """Return the box of indices of the last axes, with 0 for the others; None for an index outside."""
    if len(places) > len(shape):
        return None
    every = zip([*([0] * (len(shape) - len(places))), *places], shape, strict=True)
    box = tuple(slice(k, k + 1) if isinstance(k, int) else slice(0, size) for k, size in every)
    return box if all(cut.stop <= size for cut, size in zip(box, shape, strict=True)) else None
