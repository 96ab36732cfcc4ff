"""The formula of each stage over its map, in plain characters for screen readers, and in the texts of What's This."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from attn_gui.document.number_text import shortest
from attn_gui.engine import STAGE, Evaluation, Problem
from attn_gui.engine.analysis.differentiation import Gradient
from attn_gui.engine.evaluation.proxies import Difference
from attn_gui.engine.graph.nodes import Node, about, is_named, matrix_latex
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.scores import SCORES
from attn_gui.figure.text.numbers import MINUS
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.names import letter, score_cell_latex, score_latex, score_text, stage_title

# --- The formula of each stage as it stands over its map, with the score, scale and masks that are in force ---


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
    forms = dict.fromkeys((stage_latex(evaluation, stage), short_stage_latex(evaluation, stage)))
    return tuple(filter(None, forms))


def stage_latex(evaluation: Evaluation, stage: str) -> str:
    """One line of LaTeX for a stage; empty for a matrix that was given."""
    return _stage_latex(evaluation, stage, logits_latex(evaluation))


def short_stage_latex(evaluation: Evaluation, stage: str) -> str:
    """One line of LaTeX for a stage where there is little room: weights are made of the step before."""
    return _stage_latex(evaluation, stage, _over_temperature(evaluation, _letter_before(evaluation, stage)))


def _stage_latex(evaluation: Evaluation, stage: str, logits: str) -> str:
    node = evaluation.node(stage)
    if node.stage.alias:
        own = node.inputs[0].name
        return _stage_latex(evaluation, own, logits) if own in evaluation.stages else ""
    return node.stage.form.whole.format(
        letter=matrix_latex(stage),
        letter_before=_letter_before(evaluation, stage),
        logits=logits,
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


def logits_latex(evaluation: Evaluation) -> str:
    """The argument of the softmax, in full as far as its stages can be written in one line."""
    score, scaled = score_latex(evaluation), _scaled(evaluation)
    text = _gathered(evaluation, lambda entry: entry.form.inner, score=score, scaled=scaled)
    return _over_temperature(evaluation, text)


def logits_text(evaluation: Evaluation) -> str:
    """The argument of the softmax in plain characters, before the temperature."""
    score = score_text(evaluation)
    scaled = _scaled_text(evaluation, score)
    return _gathered(evaluation, lambda entry: entry.form.text, score=score, scaled=scaled)


def _gathered(evaluation: Evaluation, form: Callable[[Stage], str], **values: str) -> str:
    """The forms of the stages from the scores to the softmax, one within the other."""
    text = ""
    for entry in _logits(evaluation):
        letters = {"letter": entry.latex, "symbol": entry.symbol}
        text = form(entry).format(before=text, **letters, **values)
    return text


def _logits(evaluation: Evaluation) -> list[Stage]:
    """The stages that lead from the scores to the softmax."""
    entries = (STAGE[stage] for stage in evaluation.stages)
    return [entry for entry in entries if entry.square and not entry.shares]


def _letter_before(evaluation: Evaluation, stage: str) -> str:
    """The letter of the scores that a map is made of; empty for stages that are none, and for the first."""
    names = [entry.name for entry in _logits(evaluation)]
    before = names[: names.index(stage)] if stage in names else names if STAGE[stage].shares else []
    return matrix_latex(before[-1]) if before else ""


def bias_of(node: Node, letter: Callable[[str], str] = matrix_latex) -> str:
    """` + b_O`: what a linear stage adds, if anything; `letter` writes a matrix."""
    vectors = zip(node.inputs, node.fields, strict=True)
    added = [field for ref, field in vectors if len(ref.axes) == 1 and not ref.optional]
    return "".join(f" + {letter(field)}" for field in added)


def _projection(node: Node) -> str:
    return f"{matrix_latex(node.name)} = {_product(node)}"


def _product(node: Node) -> str:
    return f"{' '.join(matrix_latex(field) for field in node.fields[:2])}{bias_of(node)}"


def _letters(node: Node) -> list[str]:
    """The letters of what a stage reads."""
    read = zip(node.inputs, node.fields, strict=True)
    return [matrix_latex(field) for ref, field in read if not ref.optional and is_named(field)] or [""]


def _activation(node: Node) -> str:
    """The function of the one input, or of the gate times the other."""
    up, *gate = _letters(node)
    return rf"\mathrm{{{node.stage.function}}}({gate[0] if gate else up})" + (rf" \circ {up}" if gate else "")


def _over_temperature(evaluation: Evaluation, text: str) -> str:
    if evaluation.problem.temperature is None:
        return text
    return rf"\frac{{1}}{{T}} \left({text}\right)" if "+" in text else rf"\frac{{1}}{{T}} \, {text}"


def scale_kind(problem: Problem) -> str:
    """The name of the scale: "sqrt", "none" or "typed"."""
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
    """The digits of a number and its power of ten, if it is written with one.

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


# --- Formulas in plain characters, as a screen reader can say them: `a₁,₁ = e^1.155/(e^0.577 + e^1.155) = 0.640` ---


_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[0-9.]+|\s+|.", re.DOTALL)
_SIGNS = {
    r"\cdot": "·",
    r"\circ": "∘",
    r"\times": "×",
    r"\cdots": "…",
    r"\sum": "∑",
    r"\infty": "∞",
    r"\partial": "∂",
    r"\Delta": "Δ",
    r"\approx": "≈",
    r"\le": "≤",
    r"\in": "∈",
    r"\lparen": "(",
    r"\rparen": ")",
    r"\|": "‖",
    r"\,": " ",
    r"\;": " ",
    r"\quad": "  ",
    r"\ell": "l",
    r"\alpha": "α",
    r"\beta": "β",
    r"\gamma": "γ",
    r"\delta": "δ",
    r"\varepsilon": "ε",
    r"\theta": "θ",
    r"\kappa": "κ",
    r"\lambda": "λ",
    r"\mu": "μ",
    r"\sigma": "σ",
    r"\tau": "τ",
    r"\varphi": "φ",
    r"\left": "",
    r"\right": "",
    r"\mathrm": "",
    r"\text": "",
    "-": "−",
    "'": "′",
}
_SUBSCRIPTS = {ord(digit): small for digit, small in zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True)}


def spoken(latex: str) -> str:
    """A formula of the engine in words, on one line; `latex` uses the few commands that the engine writes."""
    return " ".join(_Reader(_TOKEN.findall(latex)).rest().split())


class _Reader:
    """Reads tokens from left to right, a group or a command with its arguments at a time."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._at = tokens, 0

    def rest(self, end: str = "") -> str:
        """Words up to `end`, or to the end of the formula."""
        said = []
        while self._at < len(self._tokens) and self._tokens[self._at] != end:
            said.append(self._next())
        self._at += 1
        return "".join(said)

    def _next(self) -> str:
        token = self._tokens[self._at]
        self._at += 1
        if token == "{":
            return self.rest("}")
        if token == r"\frac":
            return f"{_tight(self._argument())}/{_tight(self._argument())}"
        if token == r"\sqrt":
            return f"√{_tight(self._argument())}"
        if token == "^":
            return f"^{_tight(self._argument())}"
        if token == "_":
            index = self._argument()
            return index.translate(_SUBSCRIPTS) if re.fullmatch(r"[\d,]+", index) else f"_{_tight(index)}"
        return _SIGNS.get(token, token.removeprefix("\\") if len(token) > 1 else token)

    def _argument(self) -> str:
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        return self._next().strip() if self._at < len(self._tokens) else ""


def _tight(part: str) -> str:
    """The text in brackets unless it is read as one thing anyway."""
    outside, before = re.sub(r"\([^()]*\)", "", part), part
    while outside != before:
        outside, before = re.sub(r"\([^()]*\)", "", outside), outside
    return f"({part})" if re.search(r"[\s·/,]", outside) else part


# --- Texts of What's This for maps and tables: the matrix, the formula that makes it and those that read it ---


READ_BY = QT_TRANSLATE_NOOP("MatrixWords", "It goes into {formulas}.")
HATCHED = QT_TRANSLATE_NOOP("MatrixWords", "Hatched cells are closed by the mask: they have no number.")
MAP = QT_TRANSLATE_NOOP("MatrixWords", "A click on a cell explains its number; a number typed on it takes its place.")
TABLE = QT_TRANSLATE_NOOP("MatrixWords", "Type a number over a cell or paste a block: every step after it follows.")
READ_ONLY = QT_TRANSLATE_NOOP("MatrixWords", "These numbers are shown to be read; they cannot be typed over.")
_RAISED, _SMALL = re.compile(r"\^([Tbgmnu])(?![\w(])"), str.maketrans("Tbgmnu", "ᵀᵇᵍᵐⁿᵘ")


def map_words(evaluation: Evaluation, name: str) -> str:
    """Text for the map of a stage or field, line by line."""
    made = [_written(name, form) for form in _made_by(evaluation, name)]
    hatched = [HATCHED] if evaluation.mask is not None and name in STAGE and STAGE[name].behind_mask else []
    return _lines(evaluation, name, made, [*hatched, *([] if evaluation.kind else [MAP])])


def table_words(evaluation: Evaluation, name: str, *, editable: bool) -> str:
    """Text for the table of a field, line by line."""
    return _lines(evaluation, name, [], [TABLE if editable else READ_ONLY])


def _lines(evaluation: Evaluation, name: str, made: list[str], more: list[str]) -> str:
    said = about(name) if is_named(name) else ""
    lines = [f"{letter(name)} · {stage_title(name)}" if is_named(name) else stage_title(name)]
    lines += [QCoreApplication.translate("Names", said)] if said else []
    lines += made
    if not evaluation.kind and (read := _read_by(evaluation, name)):
        lines.append(QCoreApplication.translate("MatrixWords", READ_BY).format(formulas=", ".join(read)))
    return "\n".join((*lines, *(QCoreApplication.translate("MatrixWords", line) for line in more)))


def _made_by(evaluation: Evaluation, name: str) -> tuple[str, ...]:
    """The formula that makes a stage; none of a difference or a gradient, which is no stage but made of two."""
    return shown_latex(evaluation, name)[:1] if name in evaluation.stages and not evaluation.kind else ()


def _read_by(evaluation: Evaluation, name: str) -> list[str]:
    """The formulas of the stages that read a matrix and are shown."""
    readers = [node for node in evaluation.nodes if name in node.fields and node.name in evaluation.stages]
    found = ((node.name, stage_latex(evaluation, node.name)) for node in readers if not node.stage.alias)
    return list(dict.fromkeys(_written(stage, form) for stage, form in found if form))


def _written(name: str, latex: str) -> str:
    """A formula in plain characters, with the letter of what it makes."""
    text = _RAISED.sub(lambda found: found[1].translate(_SMALL), spoken(latex))
    return text if "=" in text else f"{letter(name)} = {text}"
