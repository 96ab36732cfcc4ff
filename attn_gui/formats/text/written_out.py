"""Matrices as programs print them and languages write them: lists, NumPy, torch, MATLAB, Mathematica.

Imports the stdlib only.
"""

from __future__ import annotations

import itertools
import re

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError
from attn_gui.formats.text.delimited import Row

Nested = list["str | Nested"]
LONGEST_TAIL = 400

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


def is_list(text: str) -> bool:
    return not _is_accounted(text) and (_START.match(text) is not None or _MATHEMATICA.match(text) is not None)


def _is_accounted(text: str) -> bool:
    """Whether all brackets are around one number each that is a whole cell: the negative ones of accounts.

    A comma in one is a decimal comma, or one between thousands, only where no commas stand between the cells.
    """
    rest = (_ACCOUNTED_COMMA if "\t" in text else _ACCOUNTED).sub("", text)
    return rest != text and _BRACKETS.isdisjoint(rest)


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
def list_readings(text: str) -> list[list[Row]]:
    """The rows of nested lists in any brackets; of one list over several lines also with a row a line.

    NumPy wraps a long row so, and MATLAB and Julia end a row so.
    """
    body = _brackets(text)
    readings = [_rows_of(_nested(body))]
    if body.count("[") == 1:
        rows = _rows_of(_nested(_cut_at_lines(body)))
        readings += [rows] if len({len(cells) for cells in rows}) == 1 else []
    return [[Row(0, cells) for cells in rows] for rows in readings]


def _brackets(text: str) -> str:
    """A text from its first bracket to its last, all of them square."""
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
    return body


def _cut_at_lines(body: str) -> str:
    """A list with a semicolon for every line end, but beside a comma, where Python goes on."""
    lines = [line.strip() for line in body.split("\n")]
    ends = [
        " " if ahead.endswith(",") or behind.startswith(",") else ";" for ahead, behind in itertools.pairwise(lines)
    ]
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


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
