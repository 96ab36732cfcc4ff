"""The formula of each stage as it stands over its map, with the scale and masks that are in force."""

from __future__ import annotations

from attn_gui.engine import Evaluation


def stage_latex(evaluation: Evaluation, stage: str) -> str:
    """One line of LaTeX for a stage; empty for a matrix that was given."""
    problem = evaluation.problem
    given = {"query": "Q", "key": "K", "value": "V"}
    if stage in given:
        return _projection(evaluation, stage, given[stage]) if problem.projected else ""
    before = _before(evaluation)
    formulas = {
        "rotated_query": r"R_i \, q_i",
        "rotated_key": r"R_j \, k_j",
        "scores": "S = " + _product(evaluation),
        "scaled": "S' = " + _scaled(evaluation),
        "capped": r"c \tanh(S' / c)",
        "biased": "S' + B",
        "masked": f"{before} + M",
        "weights": rf"A = \mathrm{{softmax}}\left({_logits(evaluation)}\right)",
        "head_output": "O = A V",
        "concat": r"[O_0 \; O_1 \; \cdots]" if problem.num_heads > 1 else "O",
        "output": r"Y = [O_0 \; O_1 \; \cdots] W_O" + (" + b_O" if problem.b_output is not None else ""),
        "residual": "X + Y",
        "normalized": r"\mathrm{LayerNorm}(X + Y)",
        "block_output": r"N W_L + b_L",
    }
    if stage == "output" and problem.w_output is None:
        return formulas["concat"]
    return formulas[stage]


def _projection(evaluation: Evaluation, stage: str, symbol: str) -> str:
    problem = evaluation.problem
    sequence = "X" if stage == "query" or problem.self_attention else "X_2"
    bias = f" + b_{symbol}" if getattr(problem, f"b_{stage}") is not None else ""
    return f"{symbol} = {sequence} W_{symbol}{bias}"


def _product(evaluation: Evaluation) -> str:
    return "Q K^T" if evaluation.problem.score == "dot" else "a(Q, K)"


def _scaled(evaluation: Evaluation) -> str:
    problem = evaluation.problem
    if problem.scale is None and problem.score == "dot":
        return rf"\frac{{{_product(evaluation)}}}{{\sqrt{{d_k}}}}"
    if problem.scale is None or problem.scale == 1:
        return _product(evaluation)
    return rf"{problem.scale:g} \cdot {_product(evaluation)}"


def _before(evaluation: Evaluation) -> str:
    """What the mask is laid over."""
    stages = evaluation.stages
    capped = r"c \tanh(S' / c)" if "capped" in stages else "S'"
    return f"{capped} + B" if "biased" in stages else capped


def _logits(evaluation: Evaluation) -> str:
    """What the softmax is taken of, in full where nothing but the scale comes before."""
    stages = evaluation.stages
    text = _before(evaluation) if {"capped", "biased"} & set(stages) else _scaled(evaluation)
    return f"{text} + M" if "masked" in stages else text
