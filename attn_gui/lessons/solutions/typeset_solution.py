"""A worked solution in LaTeX, a whole document, and in Markdown with the formulas between dollars."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from attn_gui.formats.text.typeset_tables import latex_text

from .solution_parts import Equation, Heading, Matrix, Part, Sentence

ENDINGS = ("pdf", "tex", "md")
"""The forms of a worked solution; pages are painted by `figure`."""

DOCUMENT = r"""% {command}
\documentclass[a4paper]{{article}}
\usepackage{{amsmath,amssymb}}
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
    return f"\\[ {_matrix(part)} \\]"


@_latex.register
def _(part: Equation) -> str:
    lines = [part.sides[0], *(f"= {side}" for side in part.sides[1:])]
    chain = " ".join(lines) if len(part.chain) < WIDE else " \\\\\n & ".join(lines).replace("\n & =", "\n &\\quad =")
    rows = [f"& {chain}", *(f"& {named}" for named in part.parts)]
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


WIDE = 240
"""Letters of a chain that is broken at its signs of equality."""


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
