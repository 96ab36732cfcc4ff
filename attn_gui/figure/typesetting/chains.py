"""Chains of equations in LaTeX: cut where a line may break."""

from __future__ import annotations

import re

TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)


def sides_of(chain: str) -> tuple[str, ...]:
    """The sides of a chain as "a = b", "= c", "= d": the first "=" stays with what it defines."""
    left, *others = split_chain(chain)
    return (f"{left} {others[0]}", *others[1:]) if others else (left,)


def split_chain(latex: str, marks: str = "=") -> tuple[str, ...]:
    """The formula cut before each of `marks` that stands outside braces, brackets and fences; a sign stays whole."""
    depth, parts, part = 0, [], ""
    for token in TOKEN.findall(latex):
        depth += (token in ("{", "(", "[", r"\left")) - (token in ("}", ")", "]", r"\right"))
        if token in marks and depth == 0 and part.strip("=+- "):
            parts.append(part.strip())
            part = ""
        part += token
    return (*parts, part.strip())


def unfenced(latex: str) -> str:
    """The formula with its outermost fences as plain parentheses: then `split_chain` may cut between them."""
    depth, out = 0, ""
    tokens = [token for token in re.split(r"(\\left\(|\\right\)|\\[a-zA-Z]+|\\.|[{}])", latex) if token]
    for token in tokens:
        outermost = (depth, token) in ((0, r"\left("), (1, r"\right)"))
        depth += (token in ("{", r"\left(")) - (token in ("}", r"\right)"))
        out += {r"\left(": r"\lparen ", r"\right)": r"\rparen "}[token] if outermost else token
    return out
