"""The items of the spine in order: a map for every stage, its operator before it, signs between the matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from attn_gui.engine import STAGE, Evaluation, Plane
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.stages import lacking
from attn_gui.figure.operands import stage_plane
from attn_gui.pictures.planes import FieldPlane
from attn_gui.views.words.names import letter
from attn_gui.views.words.stage_formulas import bias_of, logits_latex, logits_text

NODE, OPERATOR, SIGN = "node", "operator", "sign"
# the variables of the stages' formulas in the order of the spine, with the sign before each
FLOW = (
    *(("query", ""), ("key", "·"), ("logits", ""), ("weights", ""), ("value", "·"), ("mixed", "=")),
    ("hidden up gate", "→"),
)


class Entry(NamedTuple):
    """`name` is a stage or field, an operator's key, or the sign itself."""

    kind: str
    name: str
    stage: str = ""  # what a click on a node chooses, where that is not its own name
    transposed: bool = False
    gives_way: str = ""  # the node with which it is left out before maps get smaller

    @property
    def chooses(self) -> str:
        """The stage that a click shows large."""
        return self.stage or self.name

    def plane(self, evaluation: Evaluation, batch: int, head: int) -> Plane | FieldPlane:
        """The plane of the node's map."""
        if self.name not in evaluation.stages:
            return FieldPlane(evaluation, self.name, batch)
        plane = stage_plane(evaluation, self.name, batch, head)
        return replace(plane, transposed=True) if self.transposed else plane


def entries_of(evaluation: Evaluation) -> tuple[Entry, ...]:
    """The entries of this problem, in order."""
    return (*_sequences(evaluation), *(entry for flow in FLOW for entry in _written(evaluation, *flow)))


def _sequences(evaluation: Evaluation) -> Iterator[Entry]:
    if evaluation.problem.projected:
        yield Entry(NODE, "x", stage="query")
        yield from _written(evaluation, "x", "")
        if evaluation.problem.context is not None:
            yield Entry(NODE, "context", stage="key")
            yield from _written(evaluation, "context", "")
        yield Entry(SIGN, "→")


def _written(evaluation: Evaluation, variables: str, sign: str) -> Iterator[Entry]:
    """The stages that write one of some variables, after their sign."""
    stages = [stage for stage in STAGE.values() if stage.target.name in variables.split()]
    if sign and any(stage.name in evaluation.stages for stage in stages):
        yield Entry(SIGN, sign, gives_way=_giving_way(stages[0]))
    for stage in stages:
        present = stage.name in evaluation.stages and not is_repeated(evaluation, stage.name)
        operator = evaluation.node(stage.name).stage.operator if present else stage.operator
        offered = stage.role is not None and lacking(evaluation.problem, [stage.role]) is None
        if operator is not None and (present or (operator.always and offered)):
            yield Entry(OPERATOR, operator.key)
        if present:
            yield Entry(NODE, stage.name, transposed=stage.transposed, gives_way=_giving_way(stage))


def _giving_way(stage: Stage) -> str:
    """Heads side by side can be left out: the next stage shows them, too."""
    return stage.name if stage.joined and stage.heads else ""


def is_repeated(evaluation: Evaluation, stage: str) -> bool:
    """Whether a stage is nothing but the one before it: without W_O the output is the joined heads."""
    node = evaluation.node(stage)
    return node.stage.alias and node.inputs[0].name in evaluation.stages


def node_symbol(entry: Entry) -> str:
    """The letter below a node."""
    if entry.name not in STAGE:
        return letter(entry.name) + " · W"
    return letter(entry.name) + ("ᵀ" if entry.transposed else "")


def formula_latex(evaluation: Evaluation) -> str:
    """The whole computation of one head as LaTeX, with all that is in force."""
    if evaluation.logits is None:
        return "O = A V" if evaluation.problem.mixes else "A"
    return rf"O = \mathrm{{softmax}}\left({logits_latex(evaluation)}\right) V"


def formula_text(evaluation: Evaluation) -> str:
    """The whole computation of one head in plain characters, for a screen reader."""
    if evaluation.logits is None:
        return formula_latex(evaluation)
    text = logits_text(evaluation)
    return f"O = softmax({text}) V" if evaluation.problem.temperature is None else f"O = softmax(({text}) / T) V"


def operator_texts(evaluation: Evaluation) -> dict[str, str]:
    """The texts of the boxes that have no choice."""
    nodes = map(evaluation.node, evaluation.stages)
    return {
        operator.key: operator.text.format(bias=bias_of(node, letter), function=node.stage.function)
        for node in nodes
        if (operator := node.stage.operator) is not None and operator.text
    }
