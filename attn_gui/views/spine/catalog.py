"""What stands in the spine, in order: one entry a map, operator or sign, each with the condition that it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from attn_gui.engine import Evaluation, Plane
from attn_gui.engine.symbols import symbol
from attn_gui.figure.operands import stage_plane
from attn_gui.figure.planes import FieldPlane
from attn_gui.views.scores import score_text
from attn_gui.views.stage_formulas import logits_latex, scale_kind

NODE, OPERATOR, SIGN = "node", "operator", "sign"
Condition = Callable[[Evaluation], bool]


@dataclass(frozen=True)
class Entry:
    """`name` is a stage or field, an operator's key, or the sign itself."""

    kind: str
    name: str
    when: Condition
    stage: str = ""  # what a click on a node chooses, where that is not its own name
    transposed: bool = False
    gives_way: bool = False  # left out before maps get smaller

    @property
    def chooses(self) -> str:
        """The stage that a click shows large."""
        return self.stage or self.name

    def plane(self, evaluation: Evaluation, batch: int, head: int) -> Plane | FieldPlane:
        """What the node's map shows."""
        if self.name not in evaluation.stages:
            return FieldPlane(evaluation, self.name, batch)
        plane = stage_plane(evaluation, self.name, batch, head)
        return replace(plane, transposed=True) if self.transposed else plane


def _always(_evaluation: Evaluation) -> bool:
    return True


def _projected(evaluation: Evaluation) -> bool:
    return evaluation.problem.projected


def _crossing(evaluation: Evaluation) -> bool:
    return evaluation.problem.projected and evaluation.problem.context is not None


def _has(stage: str) -> Condition:
    return lambda evaluation: stage in evaluation.stages


def _with_w_output(evaluation: Evaluation) -> bool:
    return evaluation.problem.w_output is not None


CATALOG: tuple[Entry, ...] = (
    Entry(NODE, "x", _projected, stage="query"),
    Entry(NODE, "context", _crossing, stage="key"),
    Entry(SIGN, "→", _projected),
    Entry(NODE, "query", _always),
    Entry(OPERATOR, "position", _has("rotated_query")),
    Entry(NODE, "rotated_query", _has("rotated_query")),
    Entry(SIGN, "·", _always),
    Entry(NODE, "key", _always, transposed=True),
    Entry(OPERATOR, "position_key", _has("rotated_key")),
    Entry(NODE, "rotated_key", _has("rotated_key"), transposed=True),
    Entry(OPERATOR, "score", _always),
    Entry(NODE, "scores", _always),
    Entry(OPERATOR, "scale", _always),
    Entry(NODE, "scaled", _always),
    Entry(OPERATOR, "softcap", _has("capped")),
    Entry(NODE, "capped", _has("capped")),
    Entry(OPERATOR, "bias", _has("biased")),
    Entry(NODE, "biased", _has("biased")),
    Entry(OPERATOR, "mask", _always),
    Entry(NODE, "masked", _has("masked")),
    Entry(OPERATOR, "normalise", _always),
    Entry(NODE, "weights", _always),
    Entry(SIGN, "·", _always),
    Entry(NODE, "value", _always),
    Entry(SIGN, "=", _always),
    Entry(NODE, "head_output", _always),
    Entry(SIGN, "→", _always, gives_way=True),
    Entry(NODE, "concat", _always, gives_way=True),
    Entry(OPERATOR, "output", _with_w_output),
    Entry(NODE, "output", _with_w_output),
    Entry(OPERATOR, "residual", _has("residual")),
    Entry(NODE, "residual", _has("residual")),
    Entry(OPERATOR, "normalized", _has("normalized")),
    Entry(NODE, "normalized", _has("normalized")),
    Entry(OPERATOR, "linear", _has("block_output")),
    Entry(NODE, "block_output", _has("block_output")),
)


def entries_of(evaluation: Evaluation) -> tuple[Entry, ...]:
    """The entries of this problem, in order."""
    return tuple(entry for entry in CATALOG if entry.when(evaluation))


def node_symbol(entry: Entry) -> str:
    """What is written below a node: its letter."""
    if entry.name in ("x", "context"):
        return symbol(entry.name) + " · W"
    return symbol(entry.name) + ("ᵀ" if entry.transposed else "")


def formula_latex(evaluation: Evaluation) -> str:
    """The whole computation of one head as LaTeX, with all that is in force."""
    return rf"O = \mathrm{{softmax}}\left({logits_latex(evaluation)}\right) V"


def formula_text(evaluation: Evaluation) -> str:
    """The same in plain characters, for a screen reader."""
    problem, text = evaluation.problem, score_text(evaluation)
    kind = scale_kind(problem)
    if kind == "sqrt":
        text += " / √dₖ"
    elif kind == "typed":
        text = f"{problem.scale:g} · {text}"
    if problem.softcap is not None:
        text = f"cap · tanh({text} / cap)"
    text += "".join(sign for stage, sign in (("biased", " + B"), ("masked", " + M")) if stage in evaluation.stages)
    return f"O = softmax({text}) V" if problem.temperature is None else f"O = softmax(({text}) / T) V"


def operator_texts(evaluation: Evaluation) -> dict[str, str]:
    """What stands in the boxes that have no choice."""
    return {"normalise": "softmax", "position_key": "θ", "bias": "+ B", "output": "· W_O", "residual": "+ X",
            "normalized": "LayerNorm", "linear": _linear(evaluation)}


def _linear(evaluation: Evaluation) -> str:
    block = evaluation.problem.block
    return "· W_L + b_L" if block and "b_linear" in block else "· W_L"
