"""Matrices as programs print them and languages write them: lists, NumPy, torch, MATLAB, Mathematica, LaTeX, Markdown.

Imports the stdlib only.
"""

from __future__ import annotations

import re

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError
from attn_gui.formats.text.delimited import Row
from attn_gui.formats.text.typeset_parts import joined, parted
from attn_gui.formats.text.typeset_signs import text_of_latex, text_of_markdown

Nested = list["str | Nested"]
LONGEST_TAIL = 400
LOOKED_AT = 20  # lines that tell a table between pipes
MOST_BEGUN = 100  # environments that are looked into

_START = re.compile(
    r"\s*(?:Parameter containing:\s*)?(?:<tf\.Tensor.*?numpy=\s*)?(?:[\w.]+\s*=\s*)?(?:[\w.]+\s*\(\s*)?"
    r"[\[(][\[(\s]*(?:[-+.\d\]]|nan|inf|true|false|np\.|numpy\.|tensor\()",
    re.IGNORECASE | re.DOTALL,
)
_ACCOUNTED = re.compile(r"(?:^|(?<=[\t\n;,])) *\( *[\d.]+ *\) *(?=[\t\n;,]|$)")
_ACCOUNTED_COMMA = re.compile(r"(?:^|(?<=[\t\n])) *\( *[-+−\d.,]+ *\) *(?=[\t\n]|$)")
_BRACKETS = frozenset("()[]{}")
_TAIL = re.compile(r"[\s,;]*(?:\w+=[^\[\]]*)?[\s,;)>]*")
_WRAPPED = re.compile(r"\b(?:(?:np|numpy)\.\w+|tensor)\(([^()\[\],]*)\)")
_TOKEN = re.compile(r"[\[\];]|[^\[\];,\s]+")
_SHORTENED = re.compile(r"(?:^|[\s,\[])(?:\.\.\.|…)(?=$|[\s,\]])")
_MATHEMATICA = re.compile(r"\s*(?:\w+\s*=\s*)?\{[{\s]*[-+.\d}]")
_MARKED_PRECISION = re.compile(r"`[\d.]*")
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
_NAMED = re.compile(r"\s*(?:[A-Za-z]\w*\s*=|\d+×\d+ [^\n]*:)\s*\n\s*(?=[-+.\d])")
_FACTOR = re.compile(r"\s*1\.0e([+-]\d+)\s*\*\s*\n\s*")
_R_HEADER = re.compile(r"\s*(?:\[,\d+\]\s*)+\n")
_R_LABEL = re.compile(r"^\s*\[\d+,\]", re.MULTILINE)

NO_MATCH = QT_TRANSLATE_NOOP("Sentences", "{file}: the brackets do not match; expected as many closed as opened.")
SEVERAL = QT_TRANSLATE_NOOP("Sentences", "{file} holds {count} matrices; expected one of them.")
GAP = QT_TRANSLATE_NOOP("Sentences", "{file}: a number is missing beside a comma.")
SHORTENED = QT_TRANSLATE_NOOP(
    "Sentences", "{file} is a print shortened with “...”; expected all numbers: print the whole matrix and copy that."
)


def is_latex(text: str) -> bool:
    return "\\begin" in text or ("&" in text and "\\\\" in text and not is_piped(text))


def is_list(text: str) -> bool:
    return not _is_accounted(text) and (_START.match(text) is not None or _MATHEMATICA.match(text) is not None)


def _is_accounted(text: str) -> bool:
    """Whether all brackets are around one number each that is a whole cell: the negative ones of accounts.

    A comma in one is a decimal comma, or one between thousands, only where no commas stand between the cells.
    """
    rest = (_ACCOUNTED_COMMA if "\t" in text else _ACCOUNTED).sub("", text)
    return rest != text and _BRACKETS.isdisjoint(rest)


def is_piped(text: str) -> bool:
    """Whether the first line is cut by pipes and no other line lacks them, rules between the rows aside."""
    lines = [line for line in text.split("\n", LOOKED_AT)[:LOOKED_AT] if line.strip()]
    rows = [line for line in lines if not _is_rule(line)]
    return bool(rows) and all(_PIPE.search(line) for line in rows) and (len(rows) < len(lines) or len(rows) > 1)


def _is_rule(line: str) -> bool:
    """Whether a line only draws the frame of a table."""
    marks = set(line)
    return marks <= _RULE and not marks.isdisjoint(_DASHES)


def unprinted(text: str) -> str:
    """A plain table, without what MATLAB, Julia and R print around it, and NumPy's scalars as numbers."""
    if "np." in text or "numpy." in text:
        text = _WRAPPED.sub(r"\1", text)
    columns = _R_HEADER.match(text)
    if columns:
        return _R_LABEL.sub("", text[columns.end() :])
    named = _NAMED.match(text)
    text = text[named.end() :] if named else text
    factor = _FACTOR.match(text)
    return re.sub(r"(\.\d+)(?!\S)", rf"\1e{factor[1]}", text[factor.end() :]) if factor else text


def refuse_shortened(text: str) -> None:
    """Raise FormatError where a print leaves numbers out."""
    if _SHORTENED.search(text):
        raise FormatError(SHORTENED)


# --- lists and prints ----------------------------------------------------------------------------
def list_rows(text: str) -> list[Row]:
    """The rows of nested lists in any brackets."""
    if _MATHEMATICA.match(text):
        text = _MARKED_PRECISION.sub("", text.replace("*^", "e")).translate(str.maketrans("{}", "[]"))
    refuse_shortened(text)
    body = _WRAPPED.sub(r"\1", text)
    found = re.search(r"numpy=\s*", body)
    body = body[found.end() :] if found and body.lstrip().startswith("<tf.") else body
    if "[" not in body:
        body = body.replace("(", "[").replace(")", "]")
    first, last = body.find("["), body.rfind("]")
    body, tail = body[first : last + 1].replace("(", "[").replace(")", "]"), body[last + 1 :]
    if not 0 <= first < last or len(tail) > LONGEST_TAIL or not _TAIL.fullmatch(tail):
        raise FormatError(NO_MATCH)
    if re.search(r"[\[,]\s*,", body):
        raise FormatError(GAP)
    return [Row(0, cells) for cells in _rows_of(_nested(body))]


def _nested(body: str) -> Nested:
    open_lists: list[Nested] = [[]]
    for token in _TOKEN.findall(body):
        if token == "[":
            open_lists.append([])
        elif token == "]":
            if len(open_lists) == 1:
                raise FormatError(NO_MATCH)
            closed = open_lists.pop()
            open_lists[-1].append(_cut_at_semicolons(closed))
        else:
            open_lists[-1].append(token)
    if len(open_lists) > 1:
        raise FormatError(NO_MATCH)
    return open_lists[0]


def _cut_at_semicolons(row: Nested) -> Nested:
    if ";" not in row:
        return row
    rows: list[Nested] = [[]]
    for item in row:
        if item == ";":
            rows.append([])
        else:
            rows[-1].append(item)
    return [part for part in rows if part]


def _rows_of(nested: Nested) -> list[list[str]]:
    while len(nested) == 1 and isinstance(nested[0], list):
        nested = nested[0]
    if not any(isinstance(item, list) for item in nested):
        return [[item for item in nested if isinstance(item, str)]]
    rows: list[list[str]] = []
    for item in nested:
        row = item if isinstance(item, list) else [item]
        if any(isinstance(field, list) for field in row):
            raise FormatError(SEVERAL, count=len(nested))
        rows.append([field for field in row if isinstance(field, str)])
    return rows


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
