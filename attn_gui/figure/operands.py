"""Which matrices stand around a stage in the product picture: one entry a stage, no code per stage."""

from __future__ import annotations

from dataclasses import dataclass

from attn_gui.engine import Evaluation, Plane, symbol
from attn_gui.figure.planes import FieldPlane, PlaneLike, matrix_of

QUERY, KEY, PLAIN = "query", "key", "plain"
"""Roles of an axis: its rows or columns are queries, keys, or neither."""

SQUARE = ("scores", "scaled", "capped", "biased", "masked", "weights")
"""The stages with a query and a key axis."""

WHOLE = ("concat", "output", "residual", "normalized", "block_output")
"""The stages of which every column is shown, whatever the head."""


@dataclass(frozen=True)
class Operand:
    """A matrix beside a stage: the first of `sources` (stages or fields) that the problem has."""

    sources: tuple[str, ...]
    rows: str = PLAIN
    columns: str = PLAIN
    transposed: bool = False

    def source(self, evaluation: Evaluation) -> str | None:
        """The stage or field that it shows in this problem."""
        problem = evaluation.problem
        for name in self.sources:
            if name in evaluation.stages or matrix_of(problem, name) is not None:
                return name
        return None

    def plane(self, evaluation: Evaluation, batch: int, head: int) -> PlaneLike | None:
        """What to show: the chosen head's part of a stage, or of a projection its columns of that head."""
        name = self.source(evaluation)
        if name is None:
            return None
        if name not in evaluation.stages:
            return FieldPlane(evaluation, name, batch, head)
        shown_head = None if name in WHOLE else head
        return Plane(evaluation, name, batch, shown_head, self.transposed)

    def symbol(self, evaluation: Evaluation) -> str:
        """The letter at the matrix: Q, Kᵀ, W_O."""
        name = self.source(evaluation)
        return symbol(name) + ("ᵀ" if self.transposed else "") if name is not None else ""


@dataclass(frozen=True)
class Picture:
    """The matrices around a stage: stage = left · top; for the weights also O = stage · V on the right."""

    left: Operand | None = None
    top: Operand | None = None
    factor: Operand | None = None
    result: Operand | None = None
    rows: str = QUERY
    columns: str = PLAIN
    marks_result: bool = False

    def operands(self) -> dict[str, Operand]:
        """The operands by their place."""
        places = {"left": self.left, "top": self.top, "factor": self.factor, "result": self.result}
        return {place: operand for place, operand in places.items() if operand is not None}


Q = Operand(("rotated_query", "query"), rows=QUERY)
K_T = Operand(("rotated_key", "key"), columns=KEY, transposed=True)
V = Operand(("value",), rows=KEY)
A = Operand(("weights",), rows=QUERY, columns=KEY)
O = Operand(("head_output",), rows=QUERY)  # noqa: E741  the papers' name
X = Operand(("x",), rows=QUERY)
CONTEXT = Operand(("context", "x"), rows=KEY)

PICTURES: dict[str, Picture] = {
    **{name: Picture(Q, K_T, V, O, columns=KEY) for name in SQUARE},
    "weights": Picture(Q, K_T, V, O, columns=KEY, marks_result=True),
    "query": Picture(X, Operand(("w_query",))),
    "key": Picture(CONTEXT, Operand(("w_key",)), rows=KEY),
    "value": Picture(CONTEXT, Operand(("w_value",)), rows=KEY),
    "rotated_key": Picture(rows=KEY),
    "head_output": Picture(A, V),
    "output": Picture(Operand(("concat",), rows=QUERY), Operand(("w_output",))),
    "block_output": Picture(Operand(("normalized",), rows=QUERY), Operand(("block.w_linear",))),
}


def picture_of(stage: str, evaluation: Evaluation) -> Picture:
    """The picture of a stage of this problem: without operands where it has none to multiply."""
    picture = PICTURES.get(stage, Picture())
    pair = (picture.left, picture.top)
    if any(operand is None or operand.source(evaluation) is None for operand in pair):
        return Picture(rows=picture.rows, columns=picture.columns)
    return picture


def stage_plane(evaluation: Evaluation, stage: str, batch: int, head: int) -> Plane:
    """What `heatmap.STAGE` shows: the chosen head's cells, or the whole matrix once the heads are joined."""
    return Plane(evaluation, stage, batch, None if stage in WHOLE else head)



def bands_of(evaluation: Evaluation, stage: str) -> tuple[int, ...]:
    """The first columns of the heads in the map of a stage that shows all of them side by side; else nothing."""
    if stage != "concat":
        return ()
    return tuple(evaluation.head_columns(stage, head).start for head in range(evaluation.problem.num_heads))
