"""LaTeX and Markdown tables read, parts of a wide one joined, what beside a matrix is refused; how both escape signs,
in both directions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType
from typing import NamedTuple

from attn_gui.formats.file_messages import FormatError, quoted
from attn_gui.formats.text.delimited import TextRow
from attn_gui.languages import N_

Texts = Sequence[Sequence[str]]
LINE_PT, BETWEEN_PT = 345.0, 12.0  # the line of `article`, and what a `tabular` puts around each column
LINES = 38  # rows of a part, with its headings, on a page of it
SIGN_PT, CAPITAL_PT, WIDE_PT = 5.6, 8.0, 10.3  # a digit has 5; a letter of Chinese, Japanese, Korean has 10
_ORDERS_PT = {r"\times": 13.0, **dict.fromkeys((r"\infty", *"MWm"), WIDE_PT), r"\%": 8.4, r"\#": 8.4} | dict.fromkeys(
    (*"-w@", r"\&", r"\textless{}", r"\textgreater{}"), CAPITAL_PT
)
_WIDE_SIGN = re.compile(r"\\[A-Za-z]+(?:\{\})?|\\.|[^{}$^]")
_MARK = re.compile(r"^% rows (\d{1,9}) to (\d{1,9}), columns (\d{1,9}) to (\d{1,9})$", re.MULTILINE)

_LATEX = MappingProxyType(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",  # these three are other signs in the fonts of pdflatex
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "[": "{[}",  # at the beginning of a row the end of the one before would take these two for its own
        "*": "{*}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # TeX stops at one, tabulate at U+0001
_EMPHASIS = re.compile(r"^[ *`]+|(?<!\\)[ *`]+$")
_PLAIN = {written: sign for sign, written in _LATEX.items()}
_MARKDOWN = re.compile(r"[\\|<*_`~&\[\]$]|:(?=//)|(?<=[wW]{3})\.|(?<=\w)@(?=\w)")
"""Signs that make a text more than a text: an address would be a link, a picture be loaded."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_WRITTEN = re.compile("|".join(map(re.escape, _PLAIN)))

LOOKED_AT = 20  # lines that tell a table between pipes
MOST_BEGUN = 100  # environments that are looked into
LONGEST_ECHO, WINDOW = 400, 2_000  # letters of numbers, and with the blanks among them
BESIDE, NAMED = 400, 24  # letters beside a matrix that are looked at, and of them those that a sentence names
TABULAR = "tabular"  # stands in prose; every other in a formula
BEFORE = frozenset(("=", ":", "：", "$", r"\[", r"\(", r"\approx", r"\equiv", r"\coloneqq", r"\triangleq"))
AFTER = frozenset(("=", ":", ".", ",", ";", "。", "，", "；", "$", r"\]", r"\)", r"\\", r"\in"))

_MATRIX = re.compile(r"\\begin\{(\w*matrix|array|tabular)\*?\}(?:\[.*?\])?(.*?)\\end\{\1\*?\}", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_SIGN = re.compile(
    r"\\(?:begin|end|label|tag|[hv]space\*?)\s*\{[^{}]*\}|\\(?:left|right|[bB]igg?[lr]?)\s*(?:\\[A-Za-z]+|\\?\S)"
    r"|\\[A-Za-z]+|\\.|\S",
    re.DOTALL,
)
_FRAME = re.compile(
    r"[()\[\]{}&~]|\\(?:left|right|[bB]igg?[lr]?|label|tag|[hv]space)\b.*|\\[,;:! ]|\\(?:q?quad|(?:display|text)style|"
    r"[lr]brack|nonumber|notag|centering|tiny|(?:script|footnote|normal)size|small|[lL]arge|LARGE|[hH]uge)",
    re.DOTALL,
)
_LATEX_NAMED = re.compile(
    r"([^$&,;=\n]{1,40}?)\s*&?\s*(?:=|:=|\\approx|\\coloneqq)\s*[$&({\[]*\s*(?:\\left\s*\S+\s*)?$"
)
_OWN_NAME = re.compile(r"([A-Za-z\\][\w\\{}^]*)\s*=\s*(?:\\left\s*\S\s*)?$")
_NEXT = re.compile(
    r"\s*(?:\n|\\q?quad\b)\s*(?:[^\W\d_]|[ ,，:：]){0,40}?[A-Za-z\\][\w\\{}^]*\s*&?\s*="
)  # another's name
_AHEAD = re.compile(r"\\q?quad\b|\\(?:begin|end)\{\w+\*?\}|\\\\(?:\[[^]]*\])?|\\[])]")  # of a name, what ends before
_GAP = r"[\s\u200b]*"
_DRAWN = r"[\[\](){}|∣∥⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠\s\u200b]*"  # brackets
_TURNED = re.compile(r"\\(?:top|intercal)\b")
_COLUMNS = re.compile(r"\s*\{(?:[^{}]|\{[^{}]*\})*\}")
_LATEX_ROW = re.compile(r"\\\\(?:\[[^\]]*\])?|\\cr\b|\\tabularnewline\b")
_LATEX_RULE = re.compile(r"\s*\\(?:hline|midrule)\b")
_LATEX_CELL = re.compile(r"(?<!\\)&")
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\s*(?:\{([^{}]*)\}\{([^{}]*)\}|(\d)(\d))")
_LATEX_DRESS = re.compile(
    r"\\(?:[hv]line|(?:top|mid|bottom)rule|(?:cmidrule|cline)(?:\([lr]*\))?\{[^{}]*\}|(?:text)?color\{[^{}]*\}|math\w+|text\w*|num(?=\{)"
    r"|[,;:! ])|[{}$~]"
)
_SIGN_APART = re.compile(r"^([-+])\s+(?=[\d.])")
_LATEX_POWER = re.compile(r"\s*\\(?:times|cdot)\s*10\s*\^\s*\{?\s*([+-]?\d+)\s*\}?")
_RULE = frozenset("-+=|: ─━═┼╪├┤┬┴┌┐└┘│╞╡╒╕╘╛╤╧")
_DASHES = frozenset("-=─━═")
_PIPE = re.compile(r"(?<!\\)[|│]")
_TITLE, _VALUE = re.compile(r"\s*#"), re.compile(r"(?<!\w)\d")
_COUNTED = re.compile(r"\b[^\W\d_]+ \d+(?=[:,;)：，；）])")  # head 0, of layer 1: these numbers are names

SEVERAL = N_("{file} holds {count} matrices; expected one of them.")
BESIDE_IT = N_(
    "{file}: “{text}” stands beside the matrix; expected the matrix without a factor, a sign, a power or a transpose.",
)
NUMBER_ABOVE = N_("{file}: “{text}” above the table has a number; expected a title, or words without a number.")


# --- parts ----------------------------------------------------------------------------------------
# Parts of a table in LaTeX that is wider or longer than a page, and one table of them again. As programs print wide
# matrices: some columns below the others, each part with the names of its rows and columns. A comment above it says
# which it is.
class TypesetPart(NamedTuple):
    """Some rows and columns of a table; the names of rows are not counted as a column."""

    rows: range
    columns: range

    @property
    def mark(self) -> str:
        """The comment above the part."""
        rows, columns = self.rows, self.columns
        return f"% rows {rows.start} to {rows.stop - 1}, columns {columns.start} to {columns.stop - 1}"


def parts_of(rows: Texts, heads: Sequence[str]) -> list[TypesetPart]:
    """Return the parts of a table that fit a page each, in reading order; the first cell of a row is its name."""
    names, *widths = (max(map(_points, column)) + BETWEEN_PT for column in zip(heads, *rows, strict=True))
    groups, left = [[0, 0]], LINE_PT - names
    for width in widths:
        low, high = groups[-1]
        if width > left and high > low:
            groups.append([high, high])
            left = LINE_PT - names
        groups[-1][1] += 1
        left -= width
    bands = [range(low, min(low + LINES, len(rows))) for low in range(0, len(rows), LINES)]
    return [TypesetPart(band, range(low, high)) for band in bands for low, high in groups]


def parted(text: str) -> Iterator[tuple[TypesetPart, str]]:
    """Yield (part, its text) of a text marked to have several; nothing where it is one table."""
    _, *found = _MARK.split(text)
    for number in range(0, len(found), 5):
        top, bottom, low, high = map(int, found[number : number + 4])
        yield TypesetPart(range(top, bottom + 1), range(low, high + 1)), found[number + 4]


def joined(parts: Sequence[tuple[TypesetPart, list[list[str]]]], refusal: FormatError) -> list[list[str]]:
    """Return the rows of the whole table, headings first. Raises `refusal` where a part is missing or not as marked."""
    whole: list[list[str]] = [[]]
    first = 0  # of the rows that parts are laid to, where they begin in the whole
    for part, rows in parts:
        if len(rows) != len(part.rows) + 1 or any(len(row) != len(part.columns) + 1 for row in rows):
            raise refusal
        if not part.columns.start:
            first = len(whole)
            whole += [[row[0]] for row in rows[1:]]
            whole[0] = whole[0] or [rows[0][0]]
        if part.rows.start != first - 1 or len(whole) != first + len(part.rows):
            raise refusal
        if len(whole[first]) != part.columns.start + 1:
            raise refusal
        for row, cells in zip(whole[first:], rows[1:], strict=True):
            row += cells[1:]
        if first == 1:
            whole[0] += rows[0][1:]
    if len({len(row) for row in whole}) != 1:
        raise refusal
    return whole


def _points(cell: str) -> float:
    """Return the width of a typeset cell, or a little more, in points."""
    return sum(_ORDERS_PT.get(sign) or _letter_points(sign) for sign in _WIDE_SIGN.findall(cell))


def _letter_points(sign: str) -> float:
    return WIDE_PT if not sign.isascii() else CAPITAL_PT if sign.isupper() else SIGN_PT


# --- signs ----------------------------------------------------------------------------------------
def latex_text(text: str) -> str:
    """Return a text on one line in which LaTeX takes no sign for a command."""
    return "".join(_LATEX.get(sign, sign) for sign in _line(text))


def text_of_latex(latex: str, undressed: Callable[[str], str]) -> str:
    """Return the text that `latex_text` was given; `undressed` is applied to the text between escaped signs."""
    between, signs = _WRITTEN.split(latex), _WRITTEN.findall(latex)
    return "".join(undressed(part) + _PLAIN.get(sign, "") for part, sign in zip(between, [*signs, ""], strict=True))


def markdown_text(text: str) -> str:
    """Return a text on one line in which Markdown takes no sign for markup."""
    return _MARKDOWN.sub(r"\\\g<0>", _line(text))


def _line(text: str) -> str:
    """Return a text on one line, with control characters and halves of characters by name, such as U+0001."""
    return _CONTROL.sub(lambda found: f"U+{ord(found[0]):04X}", " ".join(text.splitlines()))


# --- tables ---------------------------------------------------------------------------------------
def is_latex(text: str) -> bool:
    return "\\begin" in text or ("&" in text and "\\\\" in text and not is_piped(text))


def is_piped(text: str) -> bool:
    """Return whether the first line is split by pipes, and all others too but for rules between rows."""
    lines = [line for line in text.split("\n", LOOKED_AT)[:LOOKED_AT] if line.strip()]
    rows = [line for line in lines if not _is_rule(line)]
    return bool(rows) and all(_PIPE.search(line) for line in rows) and (len(rows) < len(lines) or len(rows) > 1)


def _is_rule(line: str) -> bool:
    """Return whether a line consists of the signs that table frames are drawn with; labels may be dashes as well."""
    marks = set(line)
    return marks <= _RULE and not marks.isdisjoint(_DASHES)


# --- LaTeX ---------------------------------------------------------------------------------------
def latex_tables(text: str) -> list[tuple[str, list[TextRow], bool]]:
    """Return each matrix, array or tabular, or lines with & and double backslashes: (name before it, rows, headed).

    `headed`: a rule below the first row of a tabular, and below no other, says that it holds headings. Parts of one
    table are joined.
    """
    if parts := [(part, [row.cells for row in latex_tables(own)[0][1]]) for part, own in parted(text)]:
        return [("", [TextRow(0, cells) for cells in joined(parts, FormatError(SEVERAL, count=len(parts)))], True)]
    if (begun := text.count("\\begin{")) >= MOST_BEGUN:
        raise FormatError(SEVERAL, count=begun)
    text = _without_echoes(text)
    found = list(_MATRIX.finditer(text))
    if not found:
        return [("", *_latex_rows(text, text, tabular=False))]
    return [(_latex_name(text, one), *_latex_rows(_body(one), one[2], tabular=one[1] == TABULAR)) for one in found]


def _without_echoes(text: str) -> str:
    """Return formulas that were copied from a web page without what KaTeX says of each before and behind it.

    Q=[1234]Q=\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}Q=[1324]: its numbers by rows, then as drawn, by columns.
    """
    for one in reversed(list(_MATRIX.finditer(text))):
        low = max(0, one.start() - WINDOW)
        head, tail = text[low : one.start()], text[one.end() : one.end() + WINDOW]
        if not tail.strip():  # such as behind each part of a long table
            continue
        own = _OWN_NAME.search(head)
        letters = re.sub(r"\\[a-z]+|[\W_]", "", own[1]) if own else ""
        named = _spaced(f"{letters}=") + _GAP if letters else ""
        rows = [row.cells for row in _latex_rows(one[2], one[2], tabular=False)[0]]
        by_rows, by_columns = ("".join(map("".join, cells)) for cells in (rows, zip(*rows, strict=False)))
        if not by_rows or len(by_rows) > LONGEST_ECHO:
            continue
        if not named and by_rows == rows[0][0]:  # 3[3]3 is a product
            continue
        before = re.search(rf"{named}{_DRAWN}{_spaced(by_rows)}{_DRAWN}$", head[: own.start() if own else None])
        behind = re.match(rf"{_GAP}{named}{_DRAWN}{_spaced(by_columns)}{_DRAWN}", tail)
        if before and behind:
            kept = head[: before.start()] + head[before.end() :] + one[0]
            text = f"{text[:low]}{kept}\n{text[one.end() + behind.end() :]}"
    return text


def _spaced(signs: str) -> str:
    """Return a pattern of signs that may have blanks between them."""
    return _GAP.join("[-−]" if sign == "-" else re.escape(sign) for sign in signs)


def _latex_rows(body: str, text: str, *, tabular: bool) -> tuple[list[TextRow], bool]:
    lines = _LATEX_ROW.split(body)
    rows = [[_latex_cell(cell) for cell in _LATEX_CELL.split(line)] for line in lines]
    rows = rows if any(rows[-1]) else rows[:-1]
    ruled = [place for place, line in enumerate(lines[1 : len(rows)], 1) if _LATEX_RULE.match(line)]
    return [TextRow(0, cells) for cells in rows], tabular and ruled == [1]


def _latex_name(text: str, matrix: re.Match[str]) -> str:
    """Return the name that a formula gives to a matrix; empty where it gives none."""
    named = _LATEX_NAMED.search(text[max(0, matrix.start() - BESIDE) : matrix.start()])
    plain = _TURNED.sub("T", _AHEAD.split(named[1])[-1]) if named else ""
    return re.sub(r"\\(?:[a-z]+|[\[(])|[{}\s]", "", plain)


def _body(matrix: re.Match[str]) -> str:
    """Return the text inside a matrix. Raises FormatError for anything next to it in a formula that may change it."""
    kind, body = matrix.groups()
    if kind != TABULAR:
        _refuse_beside(_COMMENT.sub("", matrix.string[: matrix.start()]).rstrip()[-BESIDE:], -1, BEFORE)
        after = _COMMENT.sub("", matrix.string[matrix.end() :])
        if not _NEXT.match(after[:BESIDE]):
            _refuse_beside(after.lstrip()[:BESIDE], 0, AFTER)
    return _COLUMNS.sub("", body, count=1) if kind in ("array", TABULAR) else body


def _refuse_beside(side: str, nearest: int, ends: frozenset[str]) -> None:
    """Raise FormatError unless a formula begins or ends next to a matrix, not counting what only frames it."""
    signs = _SIGN.findall(side)
    while signs and _FRAME.fullmatch(signs[nearest]):
        del signs[nearest]
    if signs and signs[nearest] not in ends and not signs[nearest].startswith(("\\begin", "\\end")):
        raise FormatError(BESIDE_IT, text=quoted(side[-NAMED:] if nearest else side))


def _latex_cell(cell: str) -> str:
    """Return the text of a cell; fractions and powers stay apart from digits next to them, and so are no number."""
    cell = _LATEX_POWER.sub(r"e\1 ", cell.replace("\\infty", "inf"))
    cell = _LATEX_FRACTION.sub(r" \1\3/\2\4 ", cell)
    return _SIGN_APART.sub(r"\1", text_of_latex(cell, lambda part: _LATEX_DRESS.sub("", part)).strip())


# --- Markdown ------------------------------------------------------------------------------------
def piped_rows(text: str) -> tuple[list[TextRow], bool]:
    """Return the rows between pipes, and whether a rule below the first says that it holds headings."""
    rows: list[TextRow] = []
    headed = False
    for place, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if _is_rule(line) and len(rows) == 1 and not headed:
            headed = True
        elif line and not (_is_rule(line) and _PIPE.search(line[1:-1]) is None):
            cells = [_ESCAPED.sub(r"\1", _EMPHASIS.sub("", cell)) for cell in _PIPE.split(line)]
            first, last = line[:1] in "|│", line[-1:] in "|│" and line[-2:] != "\\|"  # borders around the table
            rows.append(TextRow(place, cells[first : len(cells) - last]))
    return rows, headed


def titled(text: str) -> tuple[str, str]:
    """Return the text above a table with a rule below its first row, and the table, whose lines keep their numbers.

    ("", text) where there is no such table, or nothing above it. Raises FormatError where that may be a number of the
    table.
    """
    lines = text.split("\n", LOOKED_AT)
    top = next((place for place, line in enumerate(lines[:-2]) if _PIPE.search(line)), 0)
    above = [line for line in lines[:top] if line.strip() and not _is_rule(line)]
    if not above or not _is_rule(lines[top + 1]) or not is_piped("\n".join(lines[top:])):
        return "", text
    for line in above:
        if not _TITLE.match(line) and _VALUE.search(_COUNTED.sub("", line)):
            raise FormatError(NUMBER_ABOVE, text=quoted(line))
    return " ".join(above), "\n" * top + "\n".join(lines[top:])
