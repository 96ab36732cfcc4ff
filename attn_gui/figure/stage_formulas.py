"""The formula over a map and beside a step (digits of a typed scale); which matrices stand around a map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from attn_gui.document.typed_numbers import shortest
from attn_gui.engine import STAGE, Evaluation, Plane, Problem
from attn_gui.engine.analysis.sensitivity import Gradient
from attn_gui.engine.arrays import Box
from attn_gui.engine.creation.interventions import RESULT, off_heads
from attn_gui.engine.errors import MINUS
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.stage import LinearStage, Stage
from attn_gui.engine.graph.symbols_and_titles import cell_latex, is_named, matrix_latex, symbol
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES, Score
from attn_gui.pictures.planes import FieldPlane, PlaneLike, matrix_of

# --- formulas, with the score, scale and masks that are in force -----------------------------------


DECIMALS = 6
STAGE_PLACE = "stage"  # of the map of a stage, among the places of the matrices around it
"""Of a scale that a formula has room for."""


def shown_latex(evaluation: Evaluation, stage: str) -> tuple[str, ...]:
    """Return LaTeX over a map, whole and for little room: of a stage, of a difference, or of a gradient."""
    if evaluation.kind:
        letter = matrix_latex(stage)
        states = {
            Difference.kind: rf"\Delta {letter}",  # the bar says of what in words, which formulas have no letters for
            Gradient.kind: rf"\partial / \partial {letter}",
        }
        return (states[evaluation.kind],)
    ((evaluation, stage),) = evaluation.sides(stage)  # a state before answers to the stages now by its own
    forms = dict.fromkeys((stage_latex(evaluation, stage), short_stage_latex(evaluation, stage)))
    return tuple(filter(None, forms))


def stage_latex(evaluation: Evaluation, stage: str) -> str:
    """Return one line of LaTeX for a stage; empty for a matrix that was given."""
    return _stage_latex(evaluation, stage, logits_latex(evaluation))


def short_stage_latex(evaluation: Evaluation, stage: str) -> str:
    """Return one line of LaTeX for a stage where there is little room: weights are made of the step before."""
    return _stage_latex(evaluation, stage, _over_temperature(evaluation, _letter_before(evaluation, stage)))


def _stage_latex(evaluation: Evaluation, stage: str, logits: str) -> str:
    node = evaluation.node(stage)
    if node.stage.alias:
        own = node.inputs[0].name
        return _stage_latex(evaluation, own, logits) if own in evaluation.stages else ""
    return node.stage.form.whole.format(
        letter=matrix_latex(stage),
        letter_before=_letter_before(evaluation, stage),
        weights=_weights(evaluation, logits),
        bias=bias_of(node),
        score_cell=score_cell_latex(evaluation),
        scaled=_scaled(evaluation),
        projection=f"{matrix_latex(node.name)} = {_product(node)}",
        product=_product(node),
        sum=" + ".join(reversed(_letters(node))),
        first=_letters(node)[0],
        function=node.stage.function,
        activation=_activation(node),
        heads=r"[O_0 \; O_1 \; \cdots]" if evaluation.problem.num_heads > 1 else "O",
    )


def weights_latex(evaluation: Evaluation) -> str:
    """Return the weights of all pairs as they are made of the scores, to be multiplied with the values."""
    return _weights(evaluation, logits_latex(evaluation))


def _weights(evaluation: Evaluation, logits: str) -> str:
    return NORMALIZERS[evaluation.problem.normalize].latex_of(logits, evaluation.closes)


def logits_latex(evaluation: Evaluation) -> str:
    """Return the argument of the softmax, in full as far as its stages can be written in one line."""
    score, scaled = score_latex(evaluation), _scaled(evaluation)
    text = _gathered(evaluation, lambda entry: entry.form.inner, score=score, scaled=scaled)
    return _over_temperature(evaluation, text)


def logits_text(evaluation: Evaluation) -> str:
    """Return the argument of the softmax in plain characters, before the temperature."""
    score = score_text(evaluation)
    scaled = _scaled_text(evaluation, score)
    return _gathered(evaluation, lambda entry: entry.form.text, score=score, scaled=scaled)


def _gathered(evaluation: Evaluation, form: Callable[[Stage], str], **values: str) -> str:
    """Return the forms of the stages from the scores to the softmax, one within the other."""
    text = ""
    for entry in _logits(evaluation):
        letters = {"letter": entry.latex, "symbol": entry.symbol}
        text = form(entry).format(before=text, **letters, **values)
    return text


def _logits(evaluation: Evaluation) -> list[Stage]:
    """Return the stages that lead from the scores to the softmax; none that another stands for in a state before."""
    entries = (STAGE[stage] for stage in evaluation.stages if evaluation.node(stage).name == stage)
    return [entry for entry in entries if entry.square and not entry.shares]


def _letter_before(evaluation: Evaluation, stage: str) -> str:
    """Return the letter of the scores that a map is made of; empty for stages that are none, and for the first."""
    names = [entry.name for entry in _logits(evaluation)]
    before = names[: names.index(stage)] if stage in names else names if STAGE[stage].shares else []
    return matrix_latex(before[-1]) if before else ""


def bias_of(node: Node, letter: Callable[[str], str] = matrix_latex) -> str:
    """Return ` + b_O`: what a linear stage adds, if anything; `letter` writes a matrix."""
    vectors = zip(node.inputs, node.fields, strict=True)
    added = [field for ref, field in vectors if len(ref.axes) == 1 and not ref.optional]
    return "".join(f" + {letter(field)}" for field in added)


def _product(node: Node) -> str:
    return f"{' '.join(matrix_latex(field) for field in node.fields[:2])}{bias_of(node)}"


def _letters(node: Node) -> list[str]:
    """Return the letters of what a stage reads."""
    read = zip(node.inputs, node.fields, strict=True)
    return [matrix_latex(field) for ref, field in read if not ref.optional and is_named(field)] or [""]


def _activation(node: Node) -> str:
    """Return the function of the one input, or of the gate times the other."""
    up, *gate = _letters(node)
    return rf"\mathrm{{{node.stage.function}}}({gate[0] if gate else up})" + (rf" \circ {up}" if gate else "")


def _over_temperature(evaluation: Evaluation, text: str) -> str:
    if evaluation.problem.temperature is None:
        return text
    return rf"\frac{{1}}{{T}} \left({text}\right)" if "+" in text else rf"\frac{{1}}{{T}} \, {text}"


def scale_kind(problem: Problem) -> str:
    """Return the name of the scale: "sqrt", "none" or "typed"."""
    if problem.scale is None:
        return "sqrt" if SCORES[problem.score].root_scale else "none"
    if not SCORES[problem.score].root_scale and problem.scale == problem.d_k**-0.5:
        return "sqrt"
    return "none" if problem.scale == 1 else "typed"


def _scaled(evaluation: Evaluation) -> str:
    problem, product = evaluation.problem, score_latex(evaluation)
    kind = scale_kind(problem)
    if kind == "sqrt":
        return rf"\frac{{{product}}}{{\sqrt{{d_k}}}}"
    return product if kind == "none" or problem.scale is None else rf"{_scale_latex(problem.scale)} \cdot {product}"


def _scale_latex(scale: float) -> str:
    digits, power = _first_digits(scale)
    digits = digits.replace("…", "...")  # the font of formulas has no sign for it
    return rf"{digits} \cdot 10^{{{power}}}" if power else digits


def _first_digits(number: float) -> tuple[str, str]:
    """Return the digits of a number and its power of ten, if it is written with one.

    A formula states them with "=": so they are not rounded, and "…" stands for those that it has no room for.
    """
    digits, _, power = shortest(number).partition("e")
    whole, point, decimals = digits.partition(".")
    return whole + point + decimals[:DECIMALS] + ("…" if len(decimals) > DECIMALS else ""), power


def _scaled_text(evaluation: Evaluation, score: str) -> str:
    kind, scale = scale_kind(evaluation.problem), evaluation.problem.scale
    if kind == "sqrt":
        return f"{score} / √dₖ"
    if kind != "typed" or scale is None:
        return score
    digits, power = _first_digits(scale)
    return f"{digits}{power and 'e'}{power} · {score}".replace("-", MINUS)


# --- the score in formulas -------------------------------------------------------------------------
def score_latex(evaluation: Evaluation) -> str:
    """Return the scores of all queries and keys as one letter of a formula: Q Kᵀ, or a(Q, K)."""
    return _score(evaluation).matrix.format(**_letters_of_sides(evaluation, large=True))


def score_text(evaluation: Evaluation) -> str:
    """Return the scores of all queries and keys in plain characters."""
    q, k = map(symbol, _sides(evaluation))
    return _score(evaluation).text.format(q=q, k=k)


def score_cell_latex(evaluation: Evaluation) -> str:
    """Return the formula of the score of one query and one key: `s_ij = …`; for dot products the whole product."""
    cell = _score(evaluation).cell_of(evaluation.problem.score_params)
    if not cell:
        return "S = " + score_latex(evaluation)
    return "S_{ij} = " + cell.format(**_letters_of_sides(evaluation, large=False))


def _score(evaluation: Evaluation) -> Score:
    return SCORES[evaluation.problem.score]


def _letters_of_sides(evaluation: Evaluation, *, large: bool) -> dict[str, str]:
    write = matrix_latex if large else cell_latex
    q, k = map(write, _sides(evaluation))
    return {"q": q, "k": k}


def _sides(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the stages that are compared; where the weights are given, what they might have been made of."""
    sides = ("query", "key")
    return sides if evaluation.logits is None else tuple([evaluation.latest[side] for side in sides])


# --- matrices around a stage in the product picture: no code per stage -----------------------------
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
