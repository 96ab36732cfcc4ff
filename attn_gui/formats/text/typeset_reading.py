"""Tables in LaTeX and Markdown, between pipes and in drawn frames. Imports the stdlib only."""

from __future__ import annotations

import re

from attn_gui.formats.file_sentences import FormatError
from attn_gui.formats.text.delimited import Row
from attn_gui.formats.text.typeset_parts import joined, parted
from attn_gui.formats.text.typeset_signs import text_of_latex, text_of_markdown
from attn_gui.formats.text.written_out import SEVERAL

LOOKED_AT = 20  # lines that tell a table between pipes
MOST_BEGUN = 100  # environments that are looked into

_MATRIX = re.compile(r"\\begin\{(\w*matrix|array|tabular)\*?\}(?:\[.*?\])?(.*?)\\end\{\1\*?\}", re.DOTALL)
_COLUMNS = re.compile(r"\s*\{(?:[^{}]|\{[^{}]*\})*\}")
_LATEX_ROW = re.compile(r"\\\\(?:\[[^\]]*\])?|\\cr\b|\\tabularnewline\b")
_LATEX_CELL = re.compile(r"(?<!\\)&")
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_LATEX_DRESS = re.compile(
    r"\\(?:[hv]line|(?:top|mid|bottom)rule|(?:cmidrule|cline)(?:\([lr]*\))?\{[^{}]*\}|math\w+|text\w*|[,;:! ])"
    r"|[{}$~]"
)
_LATEX_POWER = re.compile(r"\s*\\(?:times|cdot)\s*10\s*\^\s*\{?\s*([+-]?\d+)\s*\}?")
_RULE = frozenset("-+=|: ─━═┼╪├┤┬┴┌┐└┘│╞╡╒╕╘╛╤╧")
_DASHES = frozenset("-=─━═")
_PIPE = re.compile(r"(?<!\\)[|│]")


def is_latex(text: str) -> bool:
    return "\\begin" in text or ("&" in text and "\\\\" in text and not is_piped(text))


def is_piped(text: str) -> bool:
    """Whether the first line is cut by pipes and no other line lacks them, rules between the rows aside."""
    lines = [line for line in text.split("\n", LOOKED_AT)[:LOOKED_AT] if line.strip()]
    rows = [line for line in lines if not _is_rule(line)]
    return bool(rows) and all(_PIPE.search(line) for line in rows) and (len(rows) < len(lines) or len(rows) > 1)


def _is_rule(line: str) -> bool:
    """Whether a line only draws the frame of a table."""
    marks = set(line)
    return marks <= _RULE and not marks.isdisjoint(_DASHES)


# --- LaTeX ---------------------------------------------------------------------------------------
def latex_rows(text: str) -> list[Row]:
    """The rows of one matrix, array or tabular, also in parts, or of lines with & and a double backslash."""
    if parts := [(part, [row.cells for row in latex_rows(own)]) for part, own in parted(text)]:
        return [Row(0, cells) for cells in joined(parts, FormatError(SEVERAL, count=len(parts)))]
    begun = text.count("\\begin{")
    found = _MATRIX.findall(text) if begun < MOST_BEGUN else []
    if len(found) > 1 or begun >= MOST_BEGUN:
        raise FormatError(SEVERAL, count=len(found) or begun)
    kind, body = found[0] if found else ("", text)
    if kind in ("array", "tabular"):
        body = _COLUMNS.sub("", body, count=1)
    rows = [[_latex_cell(cell) for cell in _LATEX_CELL.split(row)] for row in _LATEX_ROW.split(body)]
    return [Row(0, cells) for cells in (rows if any(rows[-1]) else rows[:-1])]


def _latex_cell(cell: str) -> str:
    cell = _LATEX_POWER.sub(r"e\1", cell.replace("\\infty", "inf"))
    cell = _LATEX_FRACTION.sub(r"\1/\2", cell)
    return text_of_latex(cell, lambda part: _LATEX_DRESS.sub("", part)).strip()


# --- Markdown ------------------------------------------------------------------------------------
def piped_rows(text: str) -> tuple[list[Row], bool]:
    """The rows between pipes, and whether a rule below the first one says that it holds headings."""
    rows: list[Row] = []
    headed = False
    for place, line in enumerate(text.split("\n"), 1):
        if _is_rule(line):
            headed |= len(rows) == 1
        elif line.strip():
            cells = [text_of_markdown(cell) for cell in _PIPE.split(line.strip())]
            rows.append(Row(place, _without_borders(line.strip(), cells)))
    return rows, headed


def _without_borders(line: str, cells: list[str]) -> list[str]:
    first, last = line[:1] in "|│", line[-1:] in "|│" and line[-2:] != "\\|"
    return cells[first : len(cells) - last]
