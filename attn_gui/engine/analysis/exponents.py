"""Exponents of the sum over the keys: score, scale, softcap, biases and temperature in symbols."""

from __future__ import annotations

from attn_gui.engine.chain.symbols import cell_latex, symbol
from attn_gui.engine.evaluation.readout import Readout
from attn_gui.engine.graph.expressions.expression import short_number
from attn_gui.engine.graph.expressions.signs import Signs
from attn_gui.engine.problem.layers import Layer
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import SCORES

DIGITS = 4


def exponent_latex(evaluation: Readout, row: str, key: str) -> str:
    """LaTeX for one query and one key: `q_{10} \\cdot k_j / \\sqrt{64}`."""
    return _exponent(evaluation, row, key, LATEX)


def exponent_text(evaluation: Readout, row: str, key: str) -> str:
    """Plain text for one query and one key: `Q[10]·K[j] / √64`."""
    return _exponent(evaluation, row, key, TEXT)


def logit_latex(problem: Problem, stage: str, row: str, key: str) -> str:
    """LaTeX of the exponent by the letter of what the softmax reads, where that cannot be written in one line."""
    return _over_temperature(problem, LATEX.cell(stage, f"{row},{key}"), LATEX, plain=True)


def logit_text(problem: Problem, stage: str, row: str, key: str) -> str:
    """The exponent in plain text."""
    return _over_temperature(problem, TEXT.cell(stage, f"{row},{key}"), TEXT, plain=True)


def _exponent(evaluation: Readout, row: str, key: str, signs: Signs) -> str:
    problem = evaluation.problem
    q, k = (signs.cell(evaluation.latest(name), index) for name, index in (("query", row), ("key", key)))
    score = SCORES[problem.score].exponent(q, k, problem.score_params, signs)
    text, plain = _scaled(problem, score, signs)
    if problem.softcap is not None:
        cap = signs.number(problem.softcap)
        inner = f"{text if plain else signs.inside(text)} / {cap}"
        text, plain = f"{cap} {signs.tanh}{signs.inside(inner)}", True
    added = [
        signs.cell(layer.field(k), f"{row},{key}")
        for k, layer in enumerate(problem.mask)
        if layer.enabled and layer.adds
    ]
    text, plain = " + ".join([text, *added]), plain and not added
    return _over_temperature(problem, text, signs, plain=plain)


def _over_temperature(problem: Problem, text: str, signs: Signs, *, plain: bool) -> str:
    if problem.temperature is None:
        return text
    return f"{text if plain else signs.inside(text)} / {signs.number(problem.temperature)}"


def _scaled(problem: Problem, score: str, signs: Signs) -> tuple[str, bool]:
    """(the text, whether it can be divided as it is)."""
    entry = SCORES[problem.score]
    if not entry.looks:
        return score, True
    if entry.root_scale and problem.scale is None:
        return f"{score} / {signs.root % problem.d_k}", True
    scale = problem.effective_scale
    return (score, True) if scale == 1 else (f"{signs.number(scale)}{signs.times}{signs.inside(score)}", True)


# --- two ways of writing -------------------------------------------------------------------------
def _cell_latex(name: str, indices: str) -> str:
    return f"{cell_latex(name)}_{{{indices}}}"


def _cell_text(name: str, indices: str) -> str:
    position = Layer.position_of(name)
    return f"{symbol(name)}{'' if position is None else position}[{indices.replace(',', ', ')}]"


def _number_latex(value: float) -> str:
    exact = f"{value:g}"
    return exact if float(exact) == value and "e" not in exact else short_number(value, DIGITS)


def _number_text(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


LATEX = Signs(
    _cell_latex,
    _number_latex,
    brackets=r"\left(%s\right)",
    length=r"\|%s\|",
    dot=r" \cdot ",
    times=r"\,",
    minus="-",
    tanh=r"\tanh",
    root=r"\sqrt{%d}",
    square="^{2}",
)
TEXT = Signs(
    _cell_text,
    _number_text,
    brackets="(%s)",
    length="‖%s‖",
    dot="·",
    times=" ",
    minus="−",
    tanh="tanh",
    root="√%d",
    square="²",
)
