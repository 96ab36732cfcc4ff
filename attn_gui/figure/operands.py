"""The matrices around a stage in the product picture, as its formula has them: no code per stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attn_gui.engine import STAGE, Evaluation, Plane, symbol
from attn_gui.engine.arrays import Box
from attn_gui.engine.creation.interventions import RESULT, off_heads
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.stage import LinearStage
from attn_gui.pictures.planes import FieldPlane, PlaneLike, matrix_of

QUERY, KEY, PLAIN = "query", "key", "plain"
"""Roles of an axis: its rows or columns are queries, keys, or neither."""


class StageOperand(NamedTuple):
    """A matrix beside a stage: a stage of the problem or one of its fields."""

    name: str
    rows: str = PLAIN
    columns: str = PLAIN
    transposed: bool = False

    def of(self, evaluation: Evaluation) -> bool:
        """Return whether an evaluation has such a stage or matrix."""
        return self.name in evaluation.stages or matrix_of(evaluation.problem, self.name) is not None

    def plane(self, evaluation: Evaluation, batch: int, head: int) -> PlaneLike:
        """Return the plane to show: the chosen head's part of a stage, or of a projection its columns of that head."""
        if self.name not in evaluation.stages:
            return FieldPlane(evaluation, self.name, batch, head)
        return Plane(evaluation, self.name, batch, None if STAGE[self.name].joined else head, self.transposed)

    @property
    def symbol(self) -> str:
        """The letter at the matrix: Q, Kᵀ, W_O."""
        return symbol(self.name) + ("ᵀ" if self.transposed else "")


class StageOperands(NamedTuple):
    """The matrices around a stage: stage = left · top; for the weights also O = stage · V on the right."""

    left: StageOperand | None = None
    top: StageOperand | None = None
    factor: StageOperand | None = None
    result: StageOperand | None = None
    rows: str = QUERY
    columns: str = PLAIN
    marks_result: bool = False

    def operands(self) -> dict[str, StageOperand]:
        """Return the operands by their place."""
        places = {"left": self.left, "top": self.top, "factor": self.factor, "result": self.result}
        return {place: operand for place, operand in places.items() if operand is not None}


def picture_of(stage: str, evaluation: Evaluation) -> StageOperands:
    """Return the picture of a stage of this problem: without operands where it has none to multiply."""
    node = evaluation.node(evaluation.computed(stage))  # cells that are changed by hand were such products before
    entry, rows, columns = node.stage, *_roles(node.axes)
    if entry.square:
        latest, compares = evaluation.latest, evaluation.problem.compares
        needed = {"query", "key", "value", "mixed"} if compares else {"value", "mixed"}
        if not needed <= latest.keys():  # two states of other widths are compared without them
            return StageOperands(rows=rows, columns=columns)
        left = StageOperand(latest["query"], QUERY) if compares else None
        top = StageOperand(latest["key"], columns=KEY, transposed=True) if compares else None
        factor, result = StageOperand(latest["value"], KEY), StageOperand(latest["mixed"], QUERY)
        return StageOperands(left, top, factor, result, rows, columns, marks_result=entry.shares)
    if not isinstance(entry, LinearStage) or entry.counts[0] < 2:
        return StageOperands(rows=rows, columns=columns)
    factors = zip(node.fields[:2], node.inputs[:2], strict=True)
    left, top = (StageOperand(field, *_roles(ref.axes)) for field, ref in factors)
    if not (left.of(evaluation) and top.of(evaluation)):  # the other of two states has no such stage
        return StageOperands(rows=rows, columns=columns)
    return StageOperands(left, top, rows=rows, columns=columns)


def _roles(axes: Sequence[str]) -> tuple[str, str]:
    """Return the roles of the rows and the columns of a matrix, by their letters in the formula."""
    roles, row, column = {"i": QUERY, "j": KEY}, *axes[-2:]
    return roles.get(row, PLAIN), roles.get(column, PLAIN)


def stage_plane(evaluation: Evaluation, stage: str, batch: int, head: int) -> Plane:
    """Return the plane that `heatmap.STAGE` shows: the chosen head's cells, or the whole matrix once the heads are
    joined."""
    return Plane(evaluation, stage, batch, None if evaluation.node(stage).stage.joined else head)


def repeated(evaluation: Evaluation, stage: str) -> str:
    """Return the stage before of which a stage shows nothing but the same matrix, "" where it shows one of its own.

    Without W_O the output is the joined heads, and they are the one head where there is only one.
    """
    node, problem = evaluation.node(stage), evaluation.problem
    before = node.inputs[0].name if node.inputs else ""
    joins = node.stage.joined and bool(node.stage.heads)
    same = node.stage.alias or (joins and problem.num_heads == 1 and problem.w_output is None)
    return before if same and before in evaluation.stages else ""


def off_areas(plane: PlaneLike | None) -> tuple[tuple[slice, slice], ...]:
    """Return the cells that a map shows of heads that are switched off; none in a map of differences."""
    if not isinstance(plane, Plane) or plane.evaluation.signed or not plane.evaluation.problem.interventions:
        return ()
    evaluation, entry = plane.evaluation, plane.evaluation.node(plane.stage).stage
    shape = tuple(slice(0, length) for length in evaluation.shape(plane.stage))
    boxes: list[Box] = []
    for head in off_heads(evaluation.problem):
        if plane.stage == RESULT:
            boxes.append((shape[0], slice(head, head + 1), *shape[2:]))
        elif entry.joined and entry.heads:
            boxes.append((*shape[:-1], evaluation.head_columns(plane.stage, head)))
    return tuple(part for part in map(plane.cells, boxes) if part is not None)


def by_hand_of(plane: PlaneLike | None) -> tuple[tuple[slice, slice], ...]:
    """Return the cells of a plane that interventions change."""
    if not isinstance(plane, Plane):
        return ()
    node = plane.evaluation.node(plane.stage)
    if not isinstance(node, InterventionNode):
        return ()
    cells = (plane.cells(step.box) for step in node.steps)
    return tuple(area for area in cells if area is not None)


def bands_of(evaluation: Evaluation, stage: str) -> tuple[int, ...]:
    """Return the first columns of the heads in the map of a stage that shows all of them side by side; else nothing."""
    entry = evaluation.node(stage).stage
    if not (entry.joined and entry.heads):
        return ()
    return tuple(evaluation.head_columns(stage, head).start for head in range(evaluation.problem.num_heads))
