"""Invariants of the window: what holds after anything that a person may have done."""

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

from attn_gui.app.program import Program
from attn_gui.document.matrix_model import MatrixModel
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.figure.stage_formulas import stage_plane

from .fresh_evaluations import FreshEvaluations
from .model_actions import shows_a_fresh_run

SAMPLED = 3  # cells of every map and table that are looked at
WILD = 1e6  # beyond this, what a sum leaves after cancelling depends on the order that it was taken in
EARLY = ("query", "key", "value", "rotated_query", "rotated_key", "scores")  # sums only: no exponential has seen them
Image = tuple[dict[str, tuple[str, tuple[int, ...], bytes]], str]
ROUNDING = {"float64": 1e-9, "float32": 1e-4}


def image(problem: Problem) -> Image:
    """Every byte of a problem, and everything else in words."""
    arrays = {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in problem.arrays().items()}
    rest = {name: value for name, value in problem.fields().items() if name not in arrays}
    return arrays, repr({name: _plain(value) for name, value in rest.items()})


def differing(found: Image, wanted: Image) -> object:
    """The arrays whose bytes differ, else all the rest of both; None where nothing does."""
    names = [name for name in found[0].keys() | wanted[0].keys() if found[0].get(name) != wanted[0].get(name)]
    return names or (None if found == wanted else (found[1], wanted[1]))


def _plain(value: Any) -> Any:
    """Without the arrays, whose bytes are compared."""
    if isinstance(value, Mapping):
        return {key: _plain(value[key]) for key in sorted(value)}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "to_mapping"):
        return _plain(value.to_mapping())
    return "array" if isinstance(value, np.ndarray) else value


class Invariants:
    """Looks behind the window: what is shown is what the document holds and what a fresh computation gives."""

    def __init__(self, program: Program, rnd: Random) -> None:
        self._program, self._window, self._rnd = program, program.window, rnd

    def hold(self) -> None:
        """Raise AssertionError for the first thing that is not as it has to be."""
        problem, evaluations = self._program.document.problem, FreshEvaluations(self._program)
        look = self._program.view.look
        assert look.stage in evaluations.now.stages
        assert look.head < problem.num_heads
        assert look.batch < problem.batch_size
        if not evaluations.covered and (evaluations.gradient is None or not self._is_wild(evaluations)):
            self._tables_show_the_state(problem, evaluations)
            self._maps_show_a_fresh_computation(evaluations)
        shows_a_fresh_run(self._program)
        there = self._window.instead is None  # a page in its place has a title of its own
        assert self._window.isWindowModified() == (self._program.document.modified and there)

    def _tables_show_the_state(self, problem: Problem, evaluations: FreshEvaluations) -> None:
        look, models = self._program.view.look, self._program.first.tables.models
        arrays, taken = problem.arrays(), evaluations.gradient is not None
        tables = {field for field, array in arrays.items() if array.ndim}  # one number has its cell in a map
        shown = tables | ({"query", "key", "value"} if problem.projected else set())
        assert set(models) == set(self._window.inputs.panels) == shown
        for field, model in models.items():
            if field in arrays:
                held = evaluations.array(field)
                if held is not None:
                    sides = evaluations.sides(field) if taken else ()
                    size = max((_size_of(*side, None) for side in sides), default=0.0)
                    self._same_cells(field, model, np.atleast_2d(held), exact=not taken, size=size)
            else:
                box = tuple(map(slice, (look.batch, 0, 0), (look.batch + 1, *evaluations.shown.shape(field)[1:])))
                size = max(_size_of(*side, self._queries(evaluations.now)) for side in evaluations.sides(field))
                self._same_cells(field, model, evaluations.shown.box(field, box)[0], exact=False, size=size)

    def _same_cells(
        self, field: str, model: MatrixModel, expected: np.ndarray, *, exact: bool, size: float = 0.0
    ) -> None:
        assert (model.rowCount(), model.columnCount()) == expected.shape, field
        for row, column in self._cells(expected.shape):
            found = float(model.index(row, column).data(MatrixModel.ValueRole))
            wanted = float(expected[row, column])
            same = (
                np.float64(found).tobytes() == np.float64(wanted).tobytes()
                if exact
                else self._near(found, wanted, size)
            )
            assert same or found == wanted or np.isnan([found, wanted]).all(), (
                f"table.{field}[{row}, {column}] shows {found!r}, not {wanted!r}"
            )

    def _maps_show_a_fresh_computation(self, evaluations: FreshEvaluations) -> None:
        look, maps, fresh = self._program.view.look, self._window.product.maps, evaluations.shown
        assert maps.stages == fresh.stages
        queries, sides = self._queries(evaluations.now), [side for side, _ in evaluations.sides(fresh.stages[0])]
        wild, blur = self._is_wild(evaluations), max(self._blur(side, queries) for side in sides)
        for stage in fresh.stages:
            plane = stage_plane(fresh, stage, look.batch, look.head)
            heatmap = maps.map(stage)
            assert heatmap.objectName() == f"heatmap.{stage}"
            assert heatmap.shape == plane.shape, stage
            if (wild or blur > 1e-3) and stage not in EARLY:
                continue
            size = max(_size_of(*side, queries) for side in evaluations.sides(stage))
            for row, column in self._cells(plane.shape, _rows(fresh, stage, queries)):
                found, color = heatmap.cell_at(row, column)
                other = heatmap.split
                left = other is not None and other.cell_at(row, column) is not None
                side = stage_plane(evaluations.before, stage, look.batch, look.head) if left else plane
                expected = float(side.block(slice(row, row + 1), slice(column, column + 1))[0][0, 0])
                near = self._near(found, expected, size, blur)
                assert near, f"heatmap.{stage}[{row}, {column}] shows {found!r}, not {expected!r}"
                assert color.isValid()

    @staticmethod
    def _is_wild(evaluations: FreshEvaluations) -> bool:
        """Whether some number is so large that the order of a sum shows, or so many that a gradient takes long."""
        sides = [side for side, _ in evaluations.sides(evaluations.shown.stages[0])]
        arrays = [array for side in sides for array in side.problem.arrays().values() if array.dtype.kind == "f"]
        long = evaluations.gradient is not None and is_long(evaluations.now.problem)
        return long or any(_size(array) > WILD for array in arrays)

    def _near(self, found: float, expected: float, size: float, blur: float = 0.0) -> bool:
        if found == expected or (np.isnan(found) and np.isnan(expected)):
            return True
        rounding = ROUNDING[self._program.document.problem.dtype]
        return bool(abs(found - expected) <= (rounding + blur) * max(1.0, size))

    def _queries(self, fresh: Evaluation) -> list[int]:
        """The queries that are looked at: all, or a few of so many that no evaluation keeps their rows."""
        count = fresh.problem.map_shape[2]
        return self._rnd.sample(range(count), min(SAMPLED, count)) if is_long(fresh.problem) else list(range(count))

    def _blur(self, fresh: Evaluation, queries: list[int]) -> float:
        """What the rounding of large scores does to the weights."""
        problem, stage = fresh.problem, "masked" if "masked" in fresh.stages else "scaled"
        if stage not in fresh.stages:  # the weights are given
            return 0.0
        last = max(_size_of(fresh, name, queries) for name in (stage, "scores"))
        return 100 * float(np.finfo(problem.dtype).eps) * last / (problem.temperature or 1.0)

    def _cells(self, shape: tuple[int, ...], rows: list[int] | None = None) -> list[tuple[int, int]]:
        if not all(shape):
            return []
        return [(self._rnd.choice(rows or range(shape[0])), self._rnd.randrange(shape[1])) for _ in range(SAMPLED)]


def _rows(fresh: Evaluation, stage: str, queries: list[int] | None) -> list[int] | None:
    """Of a stage behind the scores the rows of the queries; None for all."""
    return None if fresh.node(stage).stage.input_side else queries


def _size_of(fresh: Evaluation, stage: str, queries: list[int] | None) -> float:
    """The largest finite magnitude of a stage in the rows that are looked at."""
    shape, rows = fresh.shape(stage), _rows(fresh, stage, queries)
    axis = len(shape) - 2
    if rows is None or len(rows) == shape[axis]:
        return _size(fresh.fetch(stage, tuple(slice(0, length) for length in shape)))
    whole = [slice(0, length) for length in shape]
    return max(_size(fresh.fetch(stage, (*whole[:axis], slice(row, row + 1), whole[-1]))) for row in rows)


def _size(array: Array) -> float:
    """The largest finite magnitude."""
    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0
