"""What's This of maps and tables; formulas in words for screen readers."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication

from attn_gui.engine import STAGE, Evaluation
from attn_gui.engine.graph.symbols_and_titles import about, is_named
from attn_gui.figure.stage_formulas import shown_latex, stage_latex
from attn_gui.languages import N_
from attn_gui.views.names import letter, stage_title

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[0-9.]+|\s+|.", re.DOTALL)
# fmt: off
_SIGNS = {
    r"\cdot": "·", r"\circ": "∘", r"\times": "×", r"\cdots": "…", r"\sum": "∑", r"\infty": "∞", r"\partial": "∂",
    r"\Delta": "Δ", r"\approx": "≈", r"\le": "≤", r"\in": "∈", r"\lparen": "(", r"\rparen": ")", r"\|": "‖",
    r"\,": " ", r"\;": " ", r"\quad": "  ", r"\ell": "l",
    r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\varepsilon": "ε", r"\theta": "θ",
    r"\kappa": "κ", r"\lambda": "λ", r"\mu": "μ", r"\sigma": "σ", r"\tau": "τ", r"\varphi": "φ",
    r"\left": "", r"\right": "", r"\mathrm": "", r"\text": "",
    "-": "−", "'": "′",
}
# fmt: on
_SUBSCRIPTS = {ord(digit): small for digit, small in zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True)}


def spoken(latex: str) -> str:
    """Return a formula of the engine in words, on one line; `latex` uses the few commands that the engine writes."""
    return " ".join(_Reader(_TOKEN.findall(latex)).rest().split())


class _Reader:
    """Reads tokens from left to right, a group or a command with its arguments at a time."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._at = tokens, 0

    def rest(self, end: str = "") -> str:
        """Return words up to `end`, or to the end of the formula."""
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
    """Return the text in brackets unless it is read as one thing anyway."""
    outside, before = re.sub(r"\([^()]*\)", "", part), part
    while outside != before:
        outside, before = re.sub(r"\([^()]*\)", "", outside), outside
    return f"({part})" if re.search(r"[\s·/,]", outside) else part


READ_BY = N_("MatrixWords", "It goes into {formulas}.")
HATCHED = N_("MatrixWords", "Hatched cells are closed by the mask: they have no number.")
MAP = N_("MatrixWords", "A click on a cell explains its number; a number typed on it takes its place.")
TABLE = N_("MatrixWords", "Type a number over a cell or paste a block: every step after it follows.")
READ_ONLY = N_("MatrixWords", "These numbers are shown to be read; they cannot be typed over.")
_RAISED, _SMALL = re.compile(r"\^([Tbgmnu])(?![\w(])"), str.maketrans("Tbgmnu", "ᵀᵇᵍᵐⁿᵘ")


def map_words(evaluation: Evaluation, name: str) -> str:
    """Return text for the map of a stage or field, line by line."""
    made = [_written(name, form) for form in _made_by(evaluation, name)]
    hatched = [HATCHED] if evaluation.mask is not None and name in STAGE and STAGE[name].behind_mask else []
    return _lines(evaluation, name, made, [*hatched, *([] if evaluation.kind else [MAP])])


def table_words(evaluation: Evaluation, name: str, *, editable: bool) -> str:
    """Return text for the table of a field, line by line."""
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
    """Return the formula that makes a stage; none of a difference or a gradient, which is no stage but made of two."""
    return shown_latex(evaluation, name)[:1] if name in evaluation.stages and not evaluation.kind else ()


def _read_by(evaluation: Evaluation, name: str) -> list[str]:
    """Return the formulas of the stages that read a matrix and are shown."""
    readers = [node for node in evaluation.nodes if name in node.fields and node.name in evaluation.stages]
    found = ((node.name, stage_latex(evaluation, node.name)) for node in readers if not node.stage.alias)
    return list(dict.fromkeys(_written(stage, form) for stage, form in found if form))


def _written(name: str, latex: str) -> str:
    """Return a formula in plain characters, with the letter of what it makes."""
    text = _RAISED.sub(lambda found: found[1].translate(_SMALL), spoken(latex))
    return text if "=" in text else f"{letter(name)} = {text}"
