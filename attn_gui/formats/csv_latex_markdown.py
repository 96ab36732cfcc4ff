"""The formats .csv and .tsv (encodings: UTF-8, GB 18030; labels), and .md and .tex written: parts of a wide table."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.file_format import FileSource, LabeledArray, Labels, check_size
from attn_gui.formats.file_messages import FileNote, FormatError
from attn_gui.formats.text.ambiguous_table import AmbiguousTable
from attn_gui.formats.text.headings import MOST_NUMBERS, is_count, is_plain, marked
from attn_gui.formats.untrusted_bytes import Array
from attn_gui.languages import N_

if TYPE_CHECKING:
    from attn_gui.formats.text.latex_markdown_reader import Texts, TypesetPart


# --- csv and tsv ----------------------------------------------------------------------------------
LARGEST_FILE = 256 * 2**20
MOST_CELLS = MOST_NUMBERS  # of a text: more would make a file that no spreadsheet opens, nor this program
AT_ONCE = 100_000  # cells that are texts at a time
_GUESSES = {"gb18030": "GB 18030", "cp1252": "Windows-1252"}
_GUESSED = N_("The text is not UTF-8; its letters were read as {encoding}.")
_LOOKED_AT = 2**20  # bytes that tell the encoding
_ENCODINGS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def read(source: FileSource) -> LabeledArray:
    """Return the matrix. Raises FormatError with row and column of what is no number, or has two meanings."""
    from attn_gui.formats.text.text_table import read_table  # its import takes as long as those of half of the formats

    check_size(source.size, LARGEST_FILE)
    file = source.quiet or source.file
    file.seek(0)
    text, notes = decode(file.read(source.size))
    try:
        matrix = read_table(text, source.progress)
    except AmbiguousTable as several:
        raise several.noted(notes) from None
    return replace(matrix, notes=(*notes, *matrix.notes))


def write_rows(
    source: ArrayRows, file: IO[bytes], row_labels: Labels, column_labels: Labels, *, delimiter: str
) -> None:
    """Write UTF-8, each number as the shortest text that gives it back, labels so that no spreadsheet runs them as
    formulas.

    Where one side has labels the other side gets numbers, and the corner stays empty: so a reader tells labels from
    data.
    """
    height, width = source.shape
    labeled = row_labels is not None or column_labels is not None
    if labeled:
        file.write(_lines([["", *_names(column_labels, source.column_numbers)]], delimiter))
    beside = iter(_names(row_labels, tuple(map(str, range(height)))))
    for block in source.blocks():
        step = max(1, AT_ONCE // max(width, 1))
        for low in range(0, len(block), step):
            texts = texts_of(block[low : low + step])
            lines = ([next(beside), *row] for row in texts) if labeled else texts
            file.write(_lines(lines, delimiter))


def _names(labels: Sequence[str] | None, numbers: Sequence[str]) -> Sequence[str]:
    """Return the labels of a side, or its numbers where it has none."""
    if labels is None:
        return numbers
    return labels if is_count(labels) else tuple(map(_quoted, labels))


def _quoted(label: str) -> str:
    """Return a label as a cell, quoted where a reader might split or join it."""
    return marked(label) if is_plain(label) else '"' + marked(label).replace('"', '""') + '"'


def _lines(rows: Iterable[Sequence[str]], delimiter: str) -> bytes:
    return "".join(delimiter.join(row) + "\n" for row in rows).encode("utf-8", "backslashreplace")


write_csv, write_tsv = partial(write_rows, delimiter=","), partial(write_rows, delimiter="\t")


def decode(data: bytes) -> tuple[str, tuple[FileNote, ...]]:
    """Return a text: UTF-16 with a byte order mark, UTF-8 with or without one, else, with a note on that, what its
    letters beyond ASCII are likelier to be: the Chinese GB 18030, whose bytes come in pairs, or Windows-1252."""
    marks = [encoding for mark, encoding in _ENCODINGS.items() if data.startswith(mark)]
    for encoding in (*marks, "utf-8"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding), ()
    runs = [len(run) % 2 for run in re.findall(rb"[\x80-\xff]+", data[:_LOOKED_AT])]
    for encoding in ("cp1252", "gb18030") if 2 * sum(runs) > len(runs) else ("gb18030",):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding), (FileNote(_GUESSED, encoding=_GUESSES[encoding]),)
    raise FormatError(N_("{file} is not text in UTF-8, GB 18030 or Windows-1252; expected numbers."))


def texts_of(values: Array) -> list[list[str]]:
    """Return the shortest texts that give the same numbers."""
    if values.dtype.kind in "bui":
        return [[str(int(cell)) for cell in row] for row in values]
    if values.dtype == np.float64:
        return [list(map(repr, row)) for row in values.tolist()]
    return [list(map(_shortest, row)) for row in values]


def _shortest(cell: np.floating[Any]) -> str:
    """Return the shortest text that gives the same number in its own dtype, which is coarser than float64."""
    return str(cell) if not cell or 1e-4 <= abs(float(cell)) < 1e16 else np.format_float_scientific(cell, trim="-")


# --- md and tex -----------------------------------------------------------------------------------
# A table in LaTeX needs no package: `\input` it, or typeset it by the line that stands above it. A large one has parts.

MOST_TYPESET = 20_000  # numbers of a table that is typeset or laid out: some hundred pages
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
