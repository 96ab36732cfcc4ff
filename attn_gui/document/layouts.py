"""Text in any layout that holds a matrix, cut into rows of fields: tables, Python lists, prints, LaTeX."""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP

from attn_gui.document.numbers import LONGEST, NumberError, parse_number
from attn_gui.document.phrases import Refusal

Rows = list[list[str]]
SWITCH = {"true": 1.0, "false": 0.0, "✓": 1.0}

_BRACKETS = re.compile(
    r"\s*(?:[\w.]+\s*=\s*)?(?:[\w.]+\s*\(\s*)?[\[(][\[(\s]*(?:[-+.\d\]]|nan|inf|true|false|np\.|numpy\.|tensor\()",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s,;]*(?:\w+=[^\[\]]*)?[\s,;)]*")
_WRAPPED = re.compile(r"\b(?:(?:np|numpy)\.\w+|tensor)\(([^()\[\],]*)\)")
_TOKEN = re.compile(r"[\[\];]|[^\[\];,\s]+")
_SHORTENED = re.compile(r"(?:^|[\s,\[])(?:\.\.\.|…)(?=$|[\s,\]])")
_MATRIX = re.compile(r"\\begin\{(\w*matrix|array|tabular)\*?\}(?:\[.*?\])?(.*?)\\end\{\1\*?\}", re.DOTALL)
_COLUMNS = re.compile(r"\s*\{[^{}]*\}")
_LATEX_ROW = re.compile(r"\\\\(?:\[[^\]]*\])?|\\cr\b|\\tabularnewline\b")
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_LATEX_DRESS = re.compile(r"\\(?:[hv]line|(?:top|mid|bottom)rule|math\w+|text\w*|[,;:! ])|[{}$~]")
_ONE_COMMA = re.compile(r"[-+]?\d+,\d[\d.]*")
_INNER_BLANK = re.compile(r"[\d.] +[-+.]?\d")


class BlockError(Refusal):
    """Text that is not one matrix of numbers; `values` has row and column, from 0, where one place is to blame."""


class Grid(NamedTuple):
    """Rows of fields, and what stood between the fields: a tab, ";", ",", " ", "[" for lists and "&" for LaTeX."""

    rows: Rows
    separator: str


def split_grid(text: str) -> Grid:
    """`text` as rows of fields, none of them read yet; raises BlockError if it is not one table."""
    if "\\begin" in text or ("&" in text and "\\\\" in text):
        return Grid(_latex_rows(text), "&")
    if _BRACKETS.match(text):
        _refuse_shortened(text)
        return Grid(_bracket_rows(text), "[")
    lines = _table_lines(text)
    separator = _separator(lines)
    if separator == " ":
        _refuse_shortened(text)
    return Grid(_fields(lines, separator), separator)


# --- tables --------------------------------------------------------------------------------------
def _table_lines(text: str) -> list[str]:
    lines = text.split("\n")
    while lines and not lines[-1].strip(" ,;\t"):
        lines.pop()
    while lines and not lines[0].strip(" ,;\t"):
        lines.pop(0)
    lines = _without_row_ends(lines)
    several = any(mark in line.strip() for line in lines for mark in "\t;, ")
    return [line for line in lines if line.strip()] if several else lines


def _without_row_ends(lines: list[str]) -> list[str]:
    """A separator that ends every line (the last one may lack it) is no separator."""
    for mark in ";,\t":
        ends = [line.rstrip(" ").endswith(mark) for line in lines]
        if ends and (all(ends[:-1]) if len(ends) > 1 else mark != "\t" and ends[0]):
            return [line.rstrip(" ").removesuffix(mark) for line in lines]
    return lines


def _separator(lines: list[str]) -> str:
    def holds(mark: str) -> bool:
        return any(mark in line for line in lines)

    if holds("\t"):
        return "\t"
    if holds(";"):
        return ";"
    if holds(",") and not any(_INNER_BLANK.search(line) for line in lines):
        return " " if _is_decimal_comma(lines) else ","
    return " "


def _is_decimal_comma(lines: list[str]) -> bool:
    """Whether "1,5" may as well be one number as two: a lone one, or any with a digit after a leading 0 ("0,05")."""
    pairs = [line.strip() for line in lines]
    if not all(_ONE_COMMA.fullmatch(pair) for pair in pairs):
        return False
    return len(pairs) == 1 or any(re.search(r",0\d", pair) for pair in pairs)


def _fields(lines: list[str], separator: str) -> Rows:
    if separator == " ":
        return [line.split() for line in lines] if any(lines) else []
    if separator == ";" and len(lines) == 1 and re.search(r"[\d.][ ,]+[-+.\d]", lines[0]):
        rows = [row.strip() for row in lines[0].split(";")]  # "1 2; 3 4", as MATLAB writes a matrix
        return _fields(rows, _separator(rows))
    if any('"' in line for line in lines):
        try:
            return [[field.strip() for field in row] for row in csv.reader(lines, delimiter=separator)]
        except csv.Error:
            raise BlockError(QT_TRANSLATE_NOOP("Sentences", "A field of the text is too long.")) from None
    return [[field.strip() for field in line.split(separator)] for line in lines]


# --- lists and prints ----------------------------------------------------------------------------
def _refuse_shortened(text: str) -> None:
    if _SHORTENED.search(text):
        raise BlockError(
            QT_TRANSLATE_NOOP("Sentences", "The print is shortened with “...”: print the whole matrix and copy that.")
        )


def _bracket_rows(text: str) -> Rows:
    body = _WRAPPED.sub(r"\1", text)
    if "[" not in body:
        body = body.replace("(", "[").replace(")", "]")
    first, last = body.index("["), body.rfind("]")
    body, tail = body[first : last + 1].replace("(", "[").replace(")", "]"), body[last + 1 :]
    if last < first or len(tail) > LONGEST or not _TAIL.fullmatch(tail):
        raise _no_match()
    if re.search(r"[\[,]\s*,", body):
        raise BlockError(QT_TRANSLATE_NOOP("Sentences", "A number is missing beside a comma."))
    return _rows_of(_nested(body))


def _no_match() -> BlockError:
    return BlockError(QT_TRANSLATE_NOOP("Sentences", "The brackets of the text do not match."))


Nested = list["str | Nested"]


def _nested(body: str) -> Nested:
    open_lists: list[Nested] = [[]]
    for token in _TOKEN.findall(body):
        if token == "[":
            open_lists.append([])
        elif token == "]":
            if len(open_lists) == 1:
                raise _no_match()
            closed = open_lists.pop()
            open_lists[-1].append(_cut_at_semicolons(closed))
        else:
            open_lists[-1].append(token)
    if len(open_lists) > 1:
        raise _no_match()
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


def _rows_of(nested: Nested) -> Rows:
    while len(nested) == 1 and isinstance(nested[0], list):
        nested = nested[0]
    if not any(isinstance(item, list) for item in nested):
        return [[item for item in nested if isinstance(item, str)]]
    rows: Rows = []
    for item in nested:
        row = item if isinstance(item, list) else [item]
        if any(isinstance(field, list) for field in row):
            raise _several(len(nested))
        rows.append([field for field in row if isinstance(field, str)])
    return rows


def _several(count: int) -> BlockError:
    return BlockError(
        QT_TRANSLATE_NOOP("Sentences", "The text holds {count} matrices: copy one of them."), count=count
    )


# --- LaTeX ---------------------------------------------------------------------------------------
def _latex_rows(text: str) -> Rows:
    found = _MATRIX.findall(text)
    if len(found) > 1:
        raise _several(len(found))
    kind, body = found[0] if found else ("", text)
    if kind in ("array", "tabular"):
        body = _COLUMNS.sub("", body, count=1)
    rows = [[_latex_field(field) for field in row.split("&")] for row in _LATEX_ROW.split(body)]
    return rows if any(rows[-1]) else rows[:-1]


def _latex_field(field: str) -> str:
    field = _LATEX_FRACTION.sub(r"\1/\2", field.replace("\\infty", "inf"))
    return _LATEX_DRESS.sub("", field).strip()


# --- headings ------------------------------------------------------------------------------------
def without_headings(grid: Grid) -> Rows:
    """The rows without a header row and a column of labels, where these are words, or count 0, 1, 2 … at an edge."""
    rows = grid.rows
    if grid.separator in "[&" or len(rows) == 0:
        return rows
    if len(rows) > 1 and _is_short_header(rows) and _agree(rows[1:], _row_labels(rows[1:]), rows[0]):
        return [row[1:] for row in rows[1:]]
    if len({len(row) for row in rows}) != 1:
        return rows
    several = len(rows[0]) > 1
    if len(rows) > 1 and several and _has_corner(rows):
        return [row[1:] for row in rows[1:]]
    if len(rows) > 1 and _are_words(rows[0]):
        return rows[1:]
    return [row[1:] for row in rows] if several and _are_words(_row_labels(rows)) else rows


def _has_corner(rows: Rows) -> bool:
    """Whether the first row and the first column are headings that meet in a corner without a number."""
    corner, header, labels = rows[0][0], rows[0][1:], _row_labels(rows[1:])
    if _is_number(corner) or not (_are_words(header) or _is_count(header)):
        return False
    if corner:
        return _are_words(header) and _are_words(labels)
    counted = _is_count(labels) and max(len(labels), len(header)) > 1
    return counted or any(_is_word(label) for label in labels)


def _is_short_header(rows: Rows) -> bool:
    return {len(row) for row in rows[1:]} == {len(rows[0]) + 1}


def _agree(rows: Rows, labels: list[str], header: list[str]) -> bool:
    """Whether a header without a corner and labels belong together, as pandas prints them."""
    words = _are_words(header), _are_words(labels)
    counts = _is_count(header, 0), _is_count(labels, 0)
    return all(words) or (words[0] and counts[1]) or (words[1] and counts[0]) or (all(counts) and len(rows) > 1)


def _row_labels(rows: Rows) -> list[str]:
    return [row[0] for row in rows]


def _are_words(fields: list[str]) -> bool:
    return not any(map(_is_number, fields)) and any(map(_is_word, fields))


def _is_number(field: str) -> bool:
    return _parses(field) or _parses(field.replace(",", "."))


def parse_field(field: str) -> float:
    """A number, or a switch as masks are printed and shown; raises NumberError."""
    switch = SWITCH.get(field.lower())
    return parse_number(field) if switch is None else switch


def _parses(field: str) -> bool:
    try:
        parse_field(field)
    except NumberError:
        return False
    return True


def _is_word(field: str) -> bool:
    """Whether nobody can have meant a number: "1.2e" is a mistake, "tired" a label."""
    return bool(field) and not re.match(r"[-+.,]?\d", field)


def _is_count(fields: list[str], first: int | None = None) -> bool:
    """Whether the fields count on in ones, from `first` if given."""
    if not all(re.fullmatch(r"\d{1,9}", field) for field in fields):
        return False
    start = int(fields[0]) if first is None else first
    return all(int(field) == start + place for place, field in enumerate(fields))
