"""The request to a solver and its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from attn_gui.engine.analysis.solving.unknowns import Cells
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.graph.indices import cell
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores.verdicts import Reason
from attn_gui.engine.stages import STAGE

from .row import Row


@dataclass(frozen=True)
class Solution:
    """The answer of a solver.

    `problem` holds the change, `field` and `box` say which cells it touches (a new bias layer stands last in the mask),
    `norm` how long it is. `reached` is the cell in the new problem. `residual`: |reached − target|; where closed
    formulas keep the odds, the root of the summed squares by which the logits of the open keys miss what was asked.
    `odds`: whether those among the other open keys were kept or free; None for output cells, and where nothing moves.
    `feasible`: whether the target can be reached, or where there is no closed formula was reached; if not, `problem` is
    the nearest, or the nearest that was found: `reason` says which.
    `condition` is the condition number of the linear system, 1 where there is none.
    """

    problem: Problem
    reached: float
    residual: float
    feasible: bool
    reason: Reason
    field: str
    box: Box
    norm: float = 0.0
    condition: float = 1.0
    odds: str | None = None

    def __repr__(self) -> str:
        cells = ", ".join(f"{cut.start}:{cut.stop}" for cut in self.box)
        return (
            f"Solution(reached={self.reached!r}, feasible={self.feasible}, residual={self.residual:.3g}, "
            f"norm={self.norm:.6g}, odds={self.odds!r}, {self.field}[{cells}], reason={str(self.reason)!r})"
        )


@dataclass(frozen=True)
class Ask:
    """A target for one cell of a stage, and the cells that may change for it."""

    evaluation: Evaluation
    cells: Cells
    box: Box
    stage: str
    place: tuple[int, ...]
    target: float
    by: str
    cancelled: Callable[[], bool]
    old: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "old", np.array(self.cells.array[self.box], float))

    @property
    def row(self) -> Row:
        """The row of the maps that the cell stands in."""
        return Row(self.evaluation, *self.place[:3])

    @property
    def key(self) -> int:
        return self.place[-1]

    @property
    def of_weight(self) -> bool:
        """Whether the cell is a share of its row: it is moved by log-odds then."""
        return STAGE[self.stage].shares

    @property
    def problem(self) -> Problem:
        return self.evaluation.problem

    @property
    def reached(self) -> float:
        """The cell as it is now."""
        return float(self.evaluation.box(self.stage, cell(self.place)).item())

    def change(self, values: Array) -> None:
        """Add numbers to the cells."""
        self.cells.write(self.evaluation, self.box, self.old + values.reshape(self.old.shape))

    def answer(
        self, residual: float, feasible: bool, reason: Reason, *, odds: str | None = None, condition: float = 1.0
    ) -> Solution:
        """The solution that the cells hold now."""
        return Solution(
            self.cells.problem(),
            self.reached,
            residual,
            feasible,
            reason,
            self.cells.field,
            self.box,
            self.cells.moved(self.box, self.old),
            condition,
            odds,
        )
