"""The formula of each stage over its map, with the score, scale and masks that are in force, as LaTeX and as text."""

from __future__ import annotations

from collections.abc import Callable

from attn_gui.document.typed_numbers import shortest
from attn_gui.engine import STAGE, Evaluation, Problem
from attn_gui.engine.analysis.gradient_evaluation import Gradient
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.graph.symbols_and_titles import cell_latex, is_named, matrix_latex, symbol
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES, Score
from attn_gui.figure.text.number_formats import MINUS

DECIMALS = 6
"""Of a scale that a formula has room for."""


def shown_latex(evaluation: Evaluation, stage: str) -> tuple[str, ...]:
    """LaTeX over a map, whole and for little room: of a stage, of a difference, or of a gradient."""
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
        projection=_projection(node),
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


def _projection(node: Node) -> str:
    return f"{matrix_latex(node.name)} = {_product(node)}"


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
