"""The formats .md and .tex written: tables, parts of a wide one.

A table in LaTeX needs no package: `\\input` it, or typeset it by the line that stands above it. A large one has parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import IO, TYPE_CHECKING

import numpy as np

from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.csv_text import texts_of
from attn_gui.formats.file_format import Labels

if TYPE_CHECKING:
    from attn_gui.formats.text.latex_markdown_reader import Texts, TypesetPart

MOST_CELLS = 20_000  # numbers of a table that is typeset or laid out: some hundred pages
LATEX = {"nan": "NaN", "inf": r"$\infty$", "-inf": r"$-\infty$"}
TYPESET = (
    "% pdflatex '\\documentclass{article}\\begin{document}\\input{NAME.tex}\\end{document}'\n"
    "% with Chinese letters in it xelatex, and ctexart for article\n"
)


def markdown(rows: Texts, heads: Sequence[str]) -> str:
    """Return a table of GitHub's Markdown, in which every text is shown literally."""
    from tabulate import tabulate

    from attn_gui.formats.text.latex_markdown_reader import markdown_text  # whose many patterns no start waits for

    safe = [[markdown_text(cell) for cell in row] for row in (heads, *rows)]
    return tabulate(safe[1:], safe[0], tablefmt="github", disable_numparse=True)


def latex(rows: Texts, heads: Sequence[str]) -> str:
    """Return a `tabular` with a rule below the headings; several of a page each where one would not fit."""
    from attn_gui.formats.text.latex_markdown_reader import parts_of

    parts = parts_of(rows, heads)
    if len(parts) < 2:
        return TYPESET + _tabular([heads, *rows])
    return TYPESET + "\n".join(_part(part, heads, rows) for part in parts)


def _part(part: TypesetPart, heads: Sequence[str], rows: Texts) -> str:
    own = (_cut(row, part) for row in (heads, *rows[part.rows.start : part.rows.stop]))
    return f"{part.mark}\n\\noindent\n{_tabular([*own])}\\par\\medskip\n"


def _cut(row: Sequence[str], part: TypesetPart) -> list[str]:
    return [row[0], *row[part.columns.start + 1 : part.columns.stop + 1]]


def _tabular(rows: Texts) -> str:
    lines = [" & ".join(row) + r" \\" for row in rows]
    begin = f"\\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}"
    return "\n".join([begin, lines[0], r"\hline", *lines[1:], r"\end{tabular}"])


def latex_label(text: str) -> str:
    """Return the name of a row or column as LaTeX typesets it."""
    from attn_gui.formats.text.latex_markdown_reader import latex_text

    return latex_text(text)


def latex_number(text: str) -> str:
    """Return a number as LaTeX typesets it, in or out of formulas."""
    digits, mark, power = text.partition("e")
    if mark:
        return rf"${digits} \times 10^{{{int(power)}}}$"
    return LATEX.get(digits, f"${digits}$" if digits.startswith("-") else digits)


def _write_rows(
    source: ArrayRows,
    file: IO[bytes],
    row_labels: Labels,
    column_labels: Labels,
    *,
    table: Callable[[Texts, Sequence[str]], str],
    label: Callable[[str], str],
    number: Callable[[str], str],
) -> None:
    """Write the whole table with the names of its rows and columns, or numbers where there are none."""
    counted = tuple(map(str, range(source.shape[0]))), source.column_numbers
    down, across = (
        numbers if labels is None else tuple(map(label, labels))
        for labels, numbers in zip((row_labels, column_labels), counted, strict=True)
    )
    texts = [row for block in source.blocks() for row in texts_of(np.asarray(block))]
    rows = [[name, *map(number, row)] for name, row in zip(down, texts, strict=True)]
    file.write((table(rows, ["", *across]) + "\n").encode("utf-8", "backslashreplace"))


write_markdown = partial(_write_rows, table=markdown, label=str, number=str)
write_latex = partial(_write_rows, table=latex, label=latex_label, number=latex_number)
