"""Fresh computations of the state on show: the one now, the one before, or their difference."""

import numpy as np

from attn_gui.app.program import Program
from attn_gui.document.matrix_model import leading
from attn_gui.engine import DenseEvaluation, Evaluation, Problem
from attn_gui.engine.analysis.sensitivity import Gradient
from attn_gui.engine.arrays import Array
from attn_gui.engine.comparison import READY
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.evaluation.proxies import BeforeState, Difference
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.figure.overlays import differentiated
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.modes import BEFORE, BOTH, DIFFERENCE, GRADIENT, NOW


def computed(problem: Problem) -> Evaluation:
    """A fresh evaluation."""
    return RowwiseEvaluation(problem) if is_long(problem) else DenseEvaluation(problem)


class FreshEvaluations:
    """The evaluation that the maps have to show, what stands in their left half, and the arrays of the tables."""

    def __init__(self, program: Program) -> None:
        self._look, self._problem = program.view.look, program.document.problem
        baseline = program.baseline
        self.mode = self._look.compare if baseline.comparable or self._look.compare == GRADIENT else NOW
        self.now = self.shown = self.before = computed(self._problem)
        self._before: Problem | None = None
        self.gradient = self._gradient() if isinstance(program.view.overlay, Gradient) else None
        self.covered = program.view.overlay is not None and self.gradient is None  # cells are left out for an exercise
        if self.gradient is not None:
            self.shown = self.before = self.gradient
        if self.mode in (NOW, GRADIENT):
            return
        ready = READY.get(baseline.key)
        before = baseline.problem if ready is None else ready.made(self._problem, baseline.head)
        assert before is not None
        sides = computed(before), self.now, self.now.stages
        difference = Difference(*sides)
        self.before = BeforeState(difference)
        self.shown = {BEFORE: self.before, DIFFERENCE: difference}.get(self.mode, self.now)
        self._before = None if self.mode in BOTH else before

    def _gradient(self) -> Gradient:
        """The gradient that is on show, taken anew."""
        look, cell = self._look, self._look.cell
        assert cell is not None
        plane = stage_plane(self.now, cell.stage, look.batch, look.head)
        of = differentiated(plane, cell.row, cell.column, look.gradient)
        return Gradient(self.now, cell.stage, of.box, of.weights)

    def array(self, field: str) -> Array | None:
        """Rows and columns of a matrix as its table has to show them; None where that state has no such matrix."""
        if self.gradient is not None:
            whole = np.asarray(self.gradient.field(field))
            return whole[leading(field, whole.shape, self._look.batch, self._look.head)] if whole.ndim > 2 else whole
        now = self._cut(field, self._problem)
        if self._before is None:
            return now
        before = self._cut(field, self._before)
        if before is None or self.mode == BEFORE:
            return before
        assert now is not None
        if now.shape != before.shape:
            return None
        with np.errstate(all="ignore"):
            return np.asarray(now.astype(np.float32) - before if now.dtype.kind == "b" else now - before)

    def _cut(self, field: str, problem: Problem) -> Array | None:
        array = problem.arrays().get(field)
        if array is None or array.ndim < 3:
            return array
        return np.asarray(array[leading(field, array.shape, self._look.batch, self._look.head)])

    def sides(self, stage: str) -> list[tuple[Evaluation, str]]:
        """The states that the numbers of a stage are made of, with its name in each."""
        if self.gradient is not None:  # its numbers come from all that follows
            return [(self.gradient, each) for each in self.gradient.stages]
        if not isinstance(self.before, Difference):
            return [(self.now, stage)]
        return list(zip((self.before.before, self.before.after), self.before.pair(stage), strict=True))
