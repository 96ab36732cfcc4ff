"""Formulas in plain characters, as a screen reader can say them: `a₁,₁ = e^1.155/(e^0.577 + e^1.155) = 0.640`."""

from __future__ import annotations

import re

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
