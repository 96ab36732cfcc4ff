"""LaTeX to SVG: typesets a formula, colors the roles of query and key, and cuts a chain where it may break."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from attn_gui.views.formula_shelf import ready_formula

ROLES = {"q": "query", "Q": "query", "k": "key", "K": "key", "v": "key", "V": "key"}
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)
_VERBATIM = (r"\mathrm", r"\text", r"\operatorname")
_SIGN = re.compile(r"((?:^|[=({\[,]|\\cdot)\s*)-(?=[\s\d\\])")
_VIEW_BOX = re.compile(rb'viewBox="([-\d.e]+) ([-\d.e]+) ([-\d.e]+) ([-\d.e]+)"')


@dataclass(frozen=True)
class RoleColors:
    """The three colors of a formula, as #rrggbb."""

    text: str
    query: str
    key: str


@dataclass(frozen=True)
class Typeset:
    """One typeset formula: its SVG and its size about the baseline, in pixels."""

    svg: bytes
    width: float
    ascent: float
    descent: float


@lru_cache(maxsize=512)
def typeset(latex: str, size: float, colors: RoleColors) -> Typeset:
    """The formula as SVG for Qt's renderer; `latex` comes from the engine, never from a token. Raises ValueError."""
    ready = ready_formula(latex, size, (colors.text, colors.query, colors.key))
    return typeset_anew(latex, size, colors) if ready is None else _measured(ready)


def typeset_anew(latex: str, size: float, colors: RoleColors) -> Typeset:
    """The same without a look at the shelf. Raises ValueError."""
    try:
        formula = formula_class()(color_roles(_tight_signs(latex), colors), size=size, color=colors.text)
        return _measured(formula.svg().encode())
    except Exception as error:  # ziamath raises what its parsers happen to raise, StopIteration included
        raise ValueError(f"cannot typeset {latex}") from error


def _measured(svg: bytes) -> Typeset:
    box = _VIEW_BOX.search(svg)
    assert box is not None, "ziamath writes a view box"
    _, top, width, height = (float(number) for number in box.groups())
    return Typeset(svg, width, -top, height + top)


@lru_cache(maxsize=1)
def formula_class() -> Any:
    """ziamath's Latex. Imported when the first formula is shown that is not on the shelf: it takes 0.15 s."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its way to its font is deprecated in Python 3.11 alone
        from ziamath.config import config
        from ziamath.zmath import Latex
    config.svg2 = False  # Qt's renderer drops the glyphs of SVG 2
    return Latex


def color_roles(latex: str, colors: RoleColors) -> str:
    """q, Q in the query's color and k, K, v, V in the key's, with their indices; letters inside indices stay."""
    tokens, out, at = _TOKEN.findall(latex), [], 0
    while at < len(tokens):
        token = tokens[at]
        if token in _VERBATIM or token == "_" or (token == "^" and tokens[at + 1 : at + 2] != ["{"]):
            end = _after_group(tokens, at + 1)
            out.append("".join(tokens[at:end]))
        elif token in ROLES:
            end = _after_scripts(tokens, at + 1)
            out.append(f"{{\\color{{{getattr(colors, ROLES[token])}}}{{{''.join(tokens[at:end])}}}}}")
        else:
            end = at + 1
            out.append(token)
        at = end
    return "".join(out)


def split_chain(latex: str, marks: str = "=") -> tuple[str, ...]:
    """The formula cut before each of `marks` that stands outside braces, brackets and fences; a sign stays whole."""
    depth, parts, part = 0, [], ""
    for token in _TOKEN.findall(latex):
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


def _tight_signs(latex: str) -> str:
    """A minus that belongs to its number stands close to it, which ziamath sees only at the start of a group."""
    return _SIGN.sub(r"\1{-}", latex)


def _after_group(tokens: list[str], at: int) -> int:
    """The position after the group or the single token at `at`."""
    while at < len(tokens) and tokens[at].isspace():
        at += 1
    if at >= len(tokens) or tokens[at] != "{":
        return at + 1
    depth = 0
    for position in range(at, len(tokens)):
        depth += (tokens[position] == "{") - (tokens[position] == "}")
        if depth == 0:
            return position + 1
    return len(tokens)


def _after_scripts(tokens: list[str], at: int) -> int:
    while at < len(tokens) and tokens[at] in ("_", "^", "'"):
        at = at + 1 if tokens[at] == "'" else _after_group(tokens, at + 1)
    return at
