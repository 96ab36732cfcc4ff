"""Exact gradients of a cell or a sum by every number, the same by a small step; numbers of Head contributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Box, check
from attn_gui.engine.checks import as_array
from attn_gui.engine.errors import FieldError, ShapeError
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.pooling import Picture
from attn_gui.engine.evaluation.proxies import EvaluationProxy, reading
from attn_gui.engine.evaluation.threads import one_blas_thread
from attn_gui.engine.evaluation.trace import Trace, evaluation_in
from attn_gui.engine.fields import DIRECT
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import lengths, leveled
from attn_gui.engine.graph.nodes import Node, as_index
from attn_gui.engine.problem import Problem
from attn_gui.engine.shape_errors import fields_with

QUICK_NUMBERS, QUICK_CELLS = 1 << 17, 100_000  # of a problem and of its maps: gradients within a frame
AT_ONCE = 1 << 20  # cells of the maps of all heads that are pulled back at a time

Pieces = list[tuple[Box, Array]]


# --- gradients ------------------------------------------------------------------------------------
def sensitivity(
    source: Trace | Evaluation, stage: str, index: Sequence[int] | None = None, *, cotangent: Array | None = None
) -> dict[str, Array]:
    """Return {field: gradient} of one cell, or of Σ cotangent · stage, with respect to every number of the problem.

    Each gradient is float64 and has the field's own shape, numbers give 0-d arrays; zeros where nothing depends on
    the field. Tables of booleans have no gradient. `cotangent` has the stage's shape, batch included. A cell reads one
    row of the maps, so that a long problem's gradients need no map; those of a float32 one start from rounded Q, K, V.
    Raises StageError, PlaceError, ShapeError or ValueError; FieldError before more is taken than may be.
    Source: reverse accumulation, Griewank, Walther, "Evaluating Derivatives" (2008), §3.2.
    """
    evaluation = evaluation_in(source, "sensitivity", stage)
    if (index is None) == (cotangent is None):
        raise FieldError(errors.ONE_OF, got="both" if index is not None else "neither")
    node = evaluation.node(stage)
    _weigh(evaluation)
    if index is not None:
        parts = [(indices.cell(as_index(node, index)), np.ones((1,) * len(node.shape)))]
    else:
        weights = _checked(node, cotangent)
        parts = [(box, weights[box]) for box in _tiles(evaluation, node)]
    with np.errstate(all="ignore"):
        return _by_field(evaluation, _from_parts(evaluation, stage, parts))


def gradients(evaluation: Evaluation, stage: str, box: Box, weights: Array) -> dict[str, Array]:
    """Return {field: gradient} of Σ weights · stage over a box; of a long problem no map is held.

    Raises FieldError where the gradients cannot be held, as the functions below do.
    """
    _weigh(evaluation)
    with np.errstate(all="ignore"):
        return _by_field(evaluation, _from_parts(evaluation, stage, [(box, weights)]))


def step_gradients(evaluation: Evaluation, stage: str, box: Box, weights: Array) -> dict[str, tuple[Box, Array]]:
    """Return {stage: (box, gradient)} of Σ weights · stage over a box with respect to the stages before it.

    Each box is the part of a stage that the sum reads; outside of it the gradient is 0.
    """
    seen: dict[str, Pieces] = {}
    with np.errstate(all="ignore"):
        _pulled_back(evaluation, evaluation.nodes, {stage: [(box, weights)]}, seen)
    return {name: seen[name][0] for name in evaluation.stages if name != stage and seen.get(name)}


def all_gradients(
    evaluation: Evaluation, stage: str, box: Box, weights: Array
) -> tuple[dict[str, tuple[Box, Array]], dict[str, Array]]:
    """Return `step_gradients`, with the stage itself among them, and `gradients` of the same sum, in one pass."""
    _weigh(evaluation)
    seen: dict[str, Pieces] = {}
    with np.errstate(all="ignore"):
        pending = _pulled_back(evaluation, evaluation.nodes, {stage: [(box, weights)]}, seen)
        fields = _by_field(evaluation, pending)
    return {name: pieces[0] for name, pieces in seen.items() if pieces}, fields


def gradient(evaluation: Evaluation, stage: str, box: Box, weights: Array, field: str) -> Array:
    """Return the gradient of Σ weights · stage over a box by one field, float64 in the field's own shape."""
    _weigh(evaluation, field)
    found = np.zeros(evaluation.problem.arrays()[field].shape)
    with np.errstate(all="ignore"):
        for name, pieces in _from_parts(evaluation, stage, [(box, weights)]).items():
            if evaluation.sources[name].field == field:
                for part, piece in pieces:
                    found[part] += piece
    return found


def gradient_before(evaluation: Evaluation, stage: str, box: Box, weights: Array, before: str) -> Pieces:
    """Return (box, float64) pairs whose sum is the gradient of Σ weights · stage over a box with respect to `before`.

    `before` is Q as computed, or another stage; nothing is returned where the sum does not depend on it. The other
    matrices are held constant.
    """
    place = [node.name for node in evaluation.nodes].index(before)
    later = [node for node in evaluation.nodes[place + 1 :] if node.name not in DIRECT]
    with np.errstate(all="ignore"):
        return list(_pulled_back(evaluation, later, {stage: [(box, weights)]}).get(before, []))


def is_quickly_differentiated(problem: Problem) -> bool:
    """Return whether gradients of the problem take less than a frame."""
    numbers = sum(array.size for array in problem.arrays().values())
    return numbers <= QUICK_NUMBERS and prod(problem.map_shape) <= QUICK_CELLS


def strongest(gradients: Mapping[str, Array], count: int) -> list[tuple[str, tuple[int, ...], float]]:
    """Return the `count` largest gradients as (field, index, gradient), NaN first; zeros are left out."""
    found = []
    for field, gradient in gradients.items():
        size = np.nan_to_num(np.abs(gradient.ravel()), nan=np.inf, posinf=np.inf)
        kept = np.argpartition(-size, count - 1)[:count] if size.size > count else np.arange(size.size)
        for place in kept[size[kept] > 0]:
            index = tuple(int(k) for k in np.unravel_index(place, gradient.shape))
            found.append((float(size[place]), field, index, float(gradient.ravel()[place])))
    found.sort(key=lambda one: (-one[0], one[1], one[2]))
    return [(field, index, value) for _, field, index, value in found[:count]]


def _weigh(evaluation: Evaluation, *fields: str) -> None:
    """Raise FieldError where the gradients by these fields, or by all, would take too much memory."""
    arrays = evaluation.problem.arrays()
    check(sum(8 * arrays[name].size for name in fields or arrays if arrays[name].dtype != np.bool_))


def _checked(node: Node, cotangent: Array | None) -> Array:
    """Return the cotangent as float64 of the stage's shape. Raises ShapeError."""
    weights = as_array("cotangent", cotangent, axes=range(5))
    if weights.shape != node.shape:
        raise ShapeError(
            errors.COTANGENT,
            matrices=("cotangent", node.name),
            axes=(),
            expected=node.shape,
            got=weights.shape,
            stage=node.name,
        )
    return weights


def _tiles(evaluation: Evaluation, node: Node) -> Iterator[Box]:
    """Yield the box of the whole stage, or boxes of a few queries whose rows of maps can be held."""
    whole = indices.whole(node.shape)
    if node.stage.input_side or "i" not in node.left:
        yield whole
        return
    axis = next(place for place, letters in enumerate(node.axes) if "i" in letters)
    step = max(1, AT_ONCE // (prod(evaluation.problem.map_shape) // evaluation.problem.n))
    for part in indices.in_parts(whole[axis], step):
        yield (*whole[:axis], part, *whole[axis + 1 :])


def _from_parts(evaluation: Evaluation, stage: str, parts: Pieces) -> Mapping[str, Pieces]:
    """Return gradients of sources; several parts are pulled back one by one to Q, K and V, then together."""
    if len(parts) == 1:
        return _pulled_back(evaluation, evaluation.nodes, {stage: parts})
    early, late = ([node for node in evaluation.nodes if node.stage.input_side == first] for first in (True, False))
    shapes = {node.name: node.shape for node in early}
    held: dict[str, Array] = {}
    with one_blas_thread():  # small products, for which more threads wait for each other
        for box, weights in parts:
            for name, pieces in _pulled_back(evaluation, late, {stage: [(box, weights.astype(np.float64))]}).items():
                if name not in held:
                    held[name] = np.zeros(shapes[name] if name in shapes else evaluation.sources[name].shape)
                for part, piece in pieces:
                    held[name][part] += piece
    whole = {name: [(indices.whole(total.shape), total)] for name, total in held.items()}
    return _pulled_back(evaluation, early, whole)


def _pulled_back(
    evaluation: Evaluation, nodes: Sequence[Node], pending: dict[str, Pieces], seen: dict[str, Pieces] | None = None
) -> Mapping[str, Pieces]:
    """Return gradients of sources, pulled back from stage to stage; `seen` collects those of stages on the way."""
    for node in reversed(nodes):
        pieces = _gathered(pending.pop(node.name, []))
        if seen is not None:
            seen[node.name] = pieces
        for box, grad in pieces:
            for name, part, piece in node.pull_back(box, grad, evaluation.fetch):
                pending.setdefault(name, []).append((part, piece))
    return pending


def _gathered(pieces: Pieces) -> Pieces:
    """Return several pieces of a gradient as one, so that a stage that is read twice is pulled back once."""
    if len(pieces) < 2:
        return pieces
    outer = indices.around([box for box, _ in pieces])
    total = np.zeros(indices.shape_of(outer))
    for box, piece in pieces:
        total[indices.within(box, outer)] += piece
    return [(outer, total)]


def _by_field(evaluation: Evaluation, pending: Mapping[str, Pieces]) -> dict[str, Array]:
    problem = evaluation.problem
    found = {name: np.zeros(a.shape) for name, a in problem.arrays().items() if a.dtype != np.bool_}
    found |= {name: np.zeros(()) for name in problem.scalars()}
    for name, pieces in pending.items():
        field = evaluation.sources[name].field
        if field in found:
            for box, piece in pieces:
                found[field][box] += piece
    return found


# --- contributions of heads -----------------------------------------------------------------------
@dataclass(frozen=True)
class Contributions:
    """What adds up to `output` (row, column): `parts` (head, row, column), and `bias` (column,) or None."""

    parts: Array
    bias: Array | None
    output: Array

    @property
    def total(self) -> Array:
        """The sum of the parts, heads in order, the bias last."""
        with np.errstate(all="ignore"):
            found = self.parts.sum(axis=0)
            return np.asarray(found if self.bias is None else found + self.bias)

    @property
    def difference(self) -> float:
        """The largest distance between a cell of the total and of the output; see `farthest`."""
        return farthest(self.total, self.output)

    def norms(self) -> Array:
        """Return ‖part‖ for every head and row, with the bias as one more part: (parts, row)."""
        return self._lengths(self.all_parts())

    def whole_norms(self) -> Array:
        """Return ‖total‖ and ‖output‖ for every row: (2, row)."""
        return self._lengths(np.stack([self.total, self.output]))

    def shares(self) -> Array:
        """Return part · output / ‖output‖² for every part and row: they sum to 1; NaN where the output is 0."""
        with np.errstate(all="ignore"):  # squares of levels, which neither overflow nor vanish
            whole, exponent = leveled(self.output, -1)
            square = (whole**2).sum(axis=-1)
            parts, more = leveled(self.all_parts(), -1)
            shares = (parts * whole).sum(axis=-1) / np.where(square > 0, square, np.nan)
            return np.asarray(np.ldexp(shares, (more - exponent)[..., 0]))

    @staticmethod
    def _lengths(rows: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(lengths(rows, -1)[..., 0])

    def all_parts(self) -> Array:
        """Return (part, row, column): the parts of the heads, and the bias as one more where there is one."""
        if self.bias is None:
            return self.parts
        return np.concatenate([self.parts, np.broadcast_to(self.bias, (1, *self.output.shape))])


def farthest(total: Array, output: Array) -> float:
    """Return the largest distance between cells of two arrays: 0 where both are NaN, NaN where only one is."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(total - output)
    same = (total == output) | (np.isnan(total) & np.isnan(output))
    return float(np.max(np.where(same, 0.0, apart), initial=0.0))


def contributions(evaluation: Evaluation, batch: int, rows: slice) -> Contributions:
    """Return out_h = O_h W_O[rows of h] for some queries of an item; without W_O each head fills its own columns.

    `rows` is a slice with start and stop. Rows of the output that interventions set differ from the sum of the heads.
    Source: Elhage et al. 2021, *A Mathematical Framework for Transformer Circuits*, "Attention heads are independent
    and additive".
    """
    problem, node = evaluation.problem, evaluation.node(evaluation.projection)
    columns = slice(0, node.shape[-1])
    parts = np.stack([part_block(evaluation, batch, head, rows, columns) for head in range(problem.num_heads)])
    with np.errstate(all="ignore"):
        output = evaluation.fetch(node.name, (slice(batch, batch + 1), rows, columns))[0]
    bias = None if problem.b_output is None else problem.b_output.astype(np.float64)
    return Contributions(parts, bias, np.array(output, dtype=np.float64))


def part_block(evaluation: Evaluation, batch: int, head: int, rows: slice, columns: slice) -> Array:
    """Return (row, column): some cells of what one head adds to the output."""
    problem, node = evaluation.problem, evaluation.node(evaluation.projection)
    joined, width = evaluation.joined, node.shape[-1]
    mine = evaluation.head_columns(joined, head)
    rows, columns = slice(*rows.indices(node.shape[1])[:2]), slice(*columns.indices(width)[:2])
    with np.errstate(all="ignore"):
        own = evaluation.fetch(joined, (*indices.cell((batch,)), rows, mine))[0]
        if problem.w_output is not None:
            return np.asarray(own @ problem.w_output[mine, columns].astype(np.float64))
        found = np.zeros((rows.stop - rows.start, width))
        found[:, mine] = own
        return found[:, columns]


# --- finite difference ----------------------------------------------------------------------------
STEP = float(np.finfo(float).eps ** (1 / 3))
"""Of a number of magnitude 1: where the error of the difference and that of rounding are about equal."""


def finite_difference(
    problem: Problem, stage: str, box: Box, weights: Array, field: str, index: tuple[int, ...]
) -> float:
    """Return (f(x + h) − f(x − h)) / 2h of f = Σ weights · stage over a box, in float64, x one number of a field.

    h is ε^(1/3) · max(1, |x|); NaN where the problem cannot be computed on both sides. Rows that are not read are not
    computed. Source: Nocedal, Wright, *Numerical Optimization* (2006), §8.1.
    """
    arrays = problem.arrays()  # one number that cells were set to is an array without axes
    here = float(arrays[field][index] if field in arrays else problem.scalars()[field])
    ends = here + (step := STEP * max(1.0, abs(here))), here - step
    try:
        with np.errstate(all="ignore"):
            above, below = (_read(_with(problem, field, index, end), stage, box, weights) for end in ends)
            return float((above - below) / (ends[0] - ends[1]))
    except ValueError:
        return float("nan")


def _with(problem: Problem, field: str, index: tuple[int, ...], value: float) -> Problem:
    """Return the problem in float64 with one number changed. Raises FieldError where memory is short."""
    check(sum(array.size * (1 if array.dtype == np.bool_ else 8) for array in problem.arrays().values()))
    new: object = value
    if field in (arrays := problem.arrays()):
        new = array = np.array(arrays[field], dtype=np.float64)
        array[index] = value
    return problem.replace(dtype="float64", **fields_with(problem, {field: new}))


def _read(problem: Problem, stage: str, box: Box, weights: Array) -> float:
    found = reading(DenseEvaluation(problem, keep=0), stage).fetch(stage, box)
    return float(np.where(weights == 0, 0.0, weights * found).sum())


# --- gradients as an evaluation -------------------------------------------------------------------
class Gradient(EvaluationProxy):
    """∂ Σ weights · stage by every cell of every stage and matrix, for the evaluation as it was at that time.

    Later stages have zeros, since the sum does not depend on them. Of each stage only the box that the sum reads is
    kept, of a map one row.
    """

    kind = "gradient"

    def __init__(self, of: Evaluation, stage: str, box: Box, weights: Array) -> None:
        super().__init__(of)
        self._parts, self.by_fields = all_gradients(of, stage, box, weights)  # the latter by arrays and numbers

    def fetch(self, name: str, box: Box) -> Array:
        """Return the gradient by a box of a stage, float64; for the mask booleans, the open cells."""
        if name == self.mask:
            return self.of.fetch(name, box)
        found = np.zeros(indices.shape_of(box))
        if name in self._parts:
            held, cells = self._parts[name]
            common = indices.intersection(held, box)
            if common is not None:
                found[indices.within(common, box)] = cells[indices.within(common, held)]
        return found

    @property
    def dtype(self) -> np.dtype[Any]:
        """float64 for every problem: a gradient may be far smaller than the numbers."""
        return np.dtype(np.float64)

    def field(self, field: str) -> Array:
        """Return the gradient by a whole array of the problem, in its shape; NaN for booleans, which have none."""
        found = self.by_fields.get(field)
        return np.broadcast_to(np.nan, self.problem.arrays()[field].shape) if found is None else found

    def _pooled(self, stage: str, batch: int, head: int | None, down: Array, across: Array) -> Picture:
        """Pool a map without a mask by reading the blocks of the held rows alone: all others are 0."""
        if stage not in self._parts or (self.closes and self.node(stage).stage.behind_mask):
            return super()._pooled(stage, batch, head, down, across)
        rows = self._parts[stage][0][-2]
        first = int(np.searchsorted(down, rows.start, "right")) - 1
        last = int(np.searchsorted(down, rows.stop, "left"))
        first, last = max(first, 0), min(last, len(down) - 1)
        values = np.zeros((len(down) - 1, len(across) - 1))
        if first < last:
            values[first:last] = super()._pooled(stage, batch, head, down[first : last + 1], across)[0]
        return values, None

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Return 0: everything is computed when the gradient is taken."""
        return 0

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Return True: any row can be read at once."""
        return True
