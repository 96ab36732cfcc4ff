"""Page of the shapes: every step of the problem as a box with its dimensions, in symbols or in numbers."""

from __future__ import annotations

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.dimensions import Step, counts_of, steps_of, written
from attn_gui.engine.graph.nodes import symbol
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.masks import Layer
from attn_gui.engine.progress import Tell
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.teaching.flow_layout import Flow, FlowLayout, FlowStep
from attn_gui.figure.text.page_words import page_words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

SYMBOLS, NUMBERS = "symbols", "numbers"
FORMS = {
    SYMBOLS: page_words(QT_TRANSLATE_NOOP("Pages", "symbols")),
    NUMBERS: page_words(QT_TRANSLATE_NOOP("Pages", "numbers")),
}


class DimensionsPage(PageKind[Flow]):
    """Shows which matrix has which shape, and what is multiplied by what."""

    name = "dimensions"
    title = QT_TRANSLATE_NOOP("Pages", "Shapes")
    words = "shape dimension size n m d_k d_v B T D flow diagram chain heads 形状 维度 大小 流程图 批量"
    reads = frozenset()
    knobs = (Choice("shapes", QT_TRANSLATE_NOOP("Pages", "written in"), lambda aim, values: FORMS),)

    def is_quick(self, aim: Aim) -> bool:
        return True

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Flow:
        problem, symbols = evaluation.problem, aim.knobs["shapes"] == SYMBOLS
        counts = counts_of(problem)
        by_hand = {record.stage for record in problem.interventions if record.enabled}
        steps = tuple(
            FlowStep(
                step.stage,
                step.shape(symbols=symbols),
                step.shape(symbols=not symbols),
                _column(evaluation.node(step.stage).stage),
                _heads(step, counts, symbols),
                (*_matrices(problem, step, symbols), *_others(problem, step, symbols)),
                step.stage in by_hand,
                tuple(operand.name for operand in step.operands),
            )
            for step in steps_of(evaluation)
        )
        tell(1.0)
        sources = {"x": _source(problem, "x", counts, symbols)} if problem.projected else {}
        if problem.context is not None:
            sources["context"] = _source(problem, "context", counts, symbols)
        return Flow(steps, sources, counts)

    def plan(self, content: Flow, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return FlowLayout(content, ink, width, height).drawing(ink.translate("Pages", self.title))


def _column(stage: Stage) -> int | None:
    """Of Q, K and V, and what is made of one of them before the scores: 0, 1 or 2; None in the chain after them."""
    if not stage.input_side:
        return None
    return 1 if stage.transposed else 2 if stage.by_key else 0


def _heads(step: Step, counts: dict[str, int], symbols: bool) -> str:
    """Count of the copies of a step."""
    if not step.per_head or "h" not in counts:
        return ""
    return "h" if symbols else str(counts["h"])


def _source(problem: Problem, field: str, counts: dict[str, int], symbols: bool) -> str:
    """The shape of a sequence."""
    rows, columns = ("m", "d_context") if field == "context" else ("n", "d_model")
    batched = "B" in counts and problem.arrays()[field].ndim == 3  # else one sequence that all items share
    names = [*(["B"] if batched else []), rows, columns]
    return " × ".join(names if symbols else [str(counts[name]) for name in names])


def _matrices(problem: Problem, step: Step, symbols: bool) -> list[tuple[str, str]]:
    """The tables that a step multiplies by, such as W_O."""
    arrays = problem.arrays()
    return [
        ("", f"{symbol(one.name)}  {written(one.dims, symbols=symbols)}") for one in step.operands if one.name in arrays
    ]


def _others(problem: Problem, step: Step, symbols: bool) -> list[tuple[str, str]]:
    """Whatever else it reads."""
    return [side for name in step.sides for side in _sides(problem, step, name, symbols)]


def _sides(problem: Problem, step: Step, name: str, symbols: bool) -> list[tuple[str, str]]:
    """Other inputs of a step: (context, English) of its words, those without a context as they are."""
    scalars, arrays = problem.scalars(), problem.arrays()
    if name in scalars:
        return [("", f"{symbol(name)} = {float(scalars[name]):.3g}")]
    if name.endswith("_angle"):
        return [("", f"θ = {problem.rotary_theta:g}")] if problem.rotary_theta is not None else [("", "θ")]
    position = Layer.position_of(name)
    if position is not None or name == "allowed":
        return [
            ("Masks", layer.label)
            for k, layer in enumerate(problem.mask)
            if layer.enabled and (k == position if position is not None else not layer.adds)
        ]
    if name not in arrays:
        return []
    return [("", f"{symbol(name)}  {written(step.sides[name], symbols=symbols)}")]
