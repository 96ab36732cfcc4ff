"""The formula of each stage as it stands over its map, with the score, scale and masks that are in force."""

from __future__ import annotations

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.scoring import SCORES
from attn_gui.engine.symbols import matrix_latex
from attn_gui.figure.operands import SQUARE
from attn_gui.views.scores import score_cell_latex, score_latex

CAP = r"\mathrm{cap}"


def stage_latex(evaluation: Evaluation, stage: str) -> str:
    """One line of LaTeX for a stage; empty for a matrix that was given."""
    problem = evaluation.problem
    given = {"query": "Q", "key": "K", "value": "V"}
    if stage in given:
        return _projection(evaluation, stage, given[stage]) if problem.projected else ""
    formulas = {
        "rotated_query": r"R_i \, q_i",
        "rotated_key": r"R_j \, k_j",
        "scores": score_cell_latex(evaluation),
        "scaled": f"{matrix_latex('scaled')} = " + _scaled(evaluation),
        "capped": f"{matrix_latex('capped')} = " + _capped(matrix_latex("scaled")),
        "biased": f"{matrix_latex('biased')} = {_before(evaluation, 'biased')} + B",
        "masked": f"{matrix_latex('masked')} = {_before(evaluation, 'masked')} + M",
        "weights": rf"A = \mathrm{{softmax}}\left({logits_latex(evaluation)}\right)",
        "head_output": "O = A V",
        "concat": r"[O_0 \; O_1 \; \cdots]" if problem.num_heads > 1 else "O",
        "output": r"Y = [O_0 \; O_1 \; \cdots] W_O" + (" + b_O" if problem.b_output is not None else ""),
        "residual": "X + Y",
        "normalized": r"\mathrm{LayerNorm}(X + Y)",
        "block_output": "N W_L" + (" + b_L" if problem.block and "b_linear" in problem.block else ""),
    }
    if stage == "output" and problem.w_output is None:
        return formulas["concat"]
    return formulas[stage]


def short_stage_latex(evaluation: Evaluation, stage: str) -> str:
    """The same where there is little room: weights are made of the step before."""
    if stage != "weights":
        return stage_latex(evaluation, stage)
    return rf"A = \mathrm{{softmax}}\left({_over_temperature(evaluation, _before(evaluation, 'weights'))}\right)"


def logits_latex(evaluation: Evaluation) -> str:
    """What the softmax is taken of, in full where nothing but the scale comes before bias and mask."""
    stages = evaluation.stages
    text = matrix_latex("capped") if "capped" in stages else _scaled(evaluation)
    added = [letter for stage, letter in (("biased", "B"), ("masked", "M")) if stage in stages]
    return _over_temperature(evaluation, " + ".join([text, *added]))


def _over_temperature(evaluation: Evaluation, text: str) -> str:
    if evaluation.problem.temperature is None:
        return text
    return rf"\frac{{1}}{{T}} \left({text}\right)" if "+" in text else rf"\frac{{1}}{{T}} \, {text}"


def scale_kind(problem: Problem) -> str:
    """How the scale is named: "sqrt", "none" or "typed"."""
    if problem.scale is None:
        return "sqrt" if SCORES[problem.score].root_scale else "none"
    if not SCORES[problem.score].root_scale and problem.scale == problem.d_k**-0.5:
        return "sqrt"
    return "none" if problem.scale == 1 else "typed"


def _projection(evaluation: Evaluation, stage: str, symbol: str) -> str:
    problem = evaluation.problem
    sequence = "X" if stage == "query" or problem.self_attention else "X_2"
    bias = f" + b_{symbol}" if getattr(problem, f"b_{stage}") is not None else ""
    return f"{symbol} = {sequence} W_{symbol}{bias}"


def _scaled(evaluation: Evaluation) -> str:
    problem, product = evaluation.problem, score_latex(evaluation)
    kind = scale_kind(problem)
    if kind == "sqrt":
        return rf"\frac{{{product}}}{{\sqrt{{d_k}}}}"
    return product if kind == "none" else rf"{problem.scale:g} \cdot {product}"


def _capped(of: str) -> str:
    return rf"{CAP} \tanh({of} / {CAP})"


def _before(evaluation: Evaluation, stage: str) -> str:
    """The letter of the scores that a stage is made of."""
    *_, last = (name for name in SQUARE[: SQUARE.index(stage)] if name in evaluation.stages)
    return matrix_latex(last)
