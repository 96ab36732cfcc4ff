"""A worked solution in LaTeX, a whole document, and in Markdown with the formulas between dollars."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import singledispatch

from attn_gui.formats.text.typeset import latex_text

from .solution_parts import Equation, Heading, Matrix, Part, Sentence

ENDINGS = ("pdf", "tex", "md")
"""The forms of a worked solution; pages are painted by `figure`."""

DOCUMENT = r"""% {command}
\documentclass[a4paper]{{article}}
\usepackage{{amsmath,amssymb,graphicx}}
\usepackage[margin=2cm]{{geometry}}
{packages}\setcounter{{MaxMatrixCols}}{{20}}
\allowdisplaybreaks
\setlength{{\parindent}}{{0pt}}
\begin{{document}}
{body}
\end{{document}}
"""
COMMANDS = {"en": "pdflatex NAME.tex", "zh": "xelatex NAME.tex"}
PACKAGES = {"en": "\\usepackage[utf8]{inputenc}\n", "zh": "\\usepackage[UTF8]{ctex}\n"}

WIDE, BETWEEN = 84, 2
"""Signs of what fills a line, and those that the space between two columns takes: a longer chain is broken at its signs
of equality, a longer row made smaller."""


def latex_document(parts: Iterable[Part], lang: str) -> str:
    """A document for pdflatex, in Chinese for xelatex with the package ctex."""
    body = "\n".join(map(_latex, parts))
    return DOCUMENT.format(command=COMMANDS[lang], packages=PACKAGES[lang], body=body)


def markdown_text(parts: Iterable[Part]) -> str:
    """Markdown as GitHub and Jupyter show it."""
    return "\n\n".join(map(_markdown, parts)) + "\n"


@singledispatch
def _latex(part: Part) -> str:
    raise TypeError(type(part))


@_latex.register
def _(part: Heading) -> str:
    text = latex_text(part.text) + (f" ${part.latex}$" if part.latex else "")
    return rf"\section*{{{text}}}" if part.first else rf"\subsection*{{{text}}}"


@_latex.register
def _(part: Sentence) -> str:
    return rf"{latex_text(part.text)}\par"


@_latex.register
def _(part: Matrix) -> str:
    widest = max(sum(_signs(number) + BETWEEN for number in row) for row in part.rows)
    matrix = _matrix(part)
    return f"\\[ {matrix} \\]" if widest < WIDE else f"\\[ \\resizebox{{\\linewidth}}{{!}}{{${matrix}$}} \\]"


@_latex.register
def _(part: Equation) -> str:
    lines = [part.sides[0], *(f"= {side}" for side in part.sides[1:])]
    chain = " ".join(lines) if _signs(part.chain) < WIDE else " \\\\\n & ".join(lines).replace("\n & =", "\n &\\quad =")
    rows = [f"& {chain}", *(f"& {named}" for named in part.parts)]
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


@singledispatch
def _markdown(part: Part) -> str:
    raise TypeError(type(part))


@_markdown.register
def _(part: Heading) -> str:
    return f"{'#' if part.first else '##'} {part.text}" + (f" ${part.latex}$" if part.latex else "")


@_markdown.register
def _(part: Sentence) -> str:
    return part.text


@_markdown.register
def _(part: Matrix) -> str:
    return f"$$\n{_matrix(part)}\n$$"


@_markdown.register
def _(part: Equation) -> str:
    return "\n\n".join(f"$$\n{line}\n$$" for line in (part.chain, *part.parts))


def _matrix(part: Matrix) -> str:
    rows = " \\\\\n".join(" & ".join(row) for row in part.rows)
    return f"{part.latex} = \\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}"


def _signs(latex: str) -> int:
    """Count of the signs that it is typeset with; a command counts as one."""
    return len(re.findall(r"\\[A-Za-z]+|[^{}\\_^\s]", latex))
