"""The formula of each stage as it stands over its map, with the score, scale and masks that are in force."""

from __future__ import annotations

from attn_gui.engine import Evaluation, Problem
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
        "scaled": "S' = " + _scaled(evaluation),
        "capped": _capped("S'"),
        "biased": _before(evaluation),
        "masked": f"{_before(evaluation)} + M",
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
    return rf"A = \mathrm{{softmax}}\left({_heated(evaluation, _before(evaluation))}\right)"


def logits_latex(evaluation: Evaluation) -> str:
    """What the softmax is taken of, in full where nothing but the scale comes before."""
    named = {"capped", "biased"} & set(evaluation.stages)
    return _heated(evaluation, _before(evaluation) if named else _scaled(evaluation))


def _heated(evaluation: Evaluation, text: str) -> str:
    """Behind mask and temperature."""
    stages, heat = evaluation.stages, evaluation.problem.temperature
    text = f"{text} + M" if "masked" in stages else text
    if heat is None:
        return text
    alone = "biased" not in stages and "masked" not in stages
    return rf"\frac{{1}}{{T}} \, {text}" if alone else rf"\frac{{1}}{{T}} \left({text}\right)"


def scale_kind(problem: Problem) -> str:
    """How the scale is named: "sqrt", "none" or "typed"."""
    if problem.scale is None:
        return "sqrt" if problem.score == "dot" else "none"
    if problem.score != "dot" and problem.scale == problem.d_k**-0.5:
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


def _before(evaluation: Evaluation) -> str:
    """What the mask is laid over."""
    stages = evaluation.stages
    text = _capped("S'") if "capped" in stages else "S'"
    return f"{text} + B" if "biased" in stages else text
