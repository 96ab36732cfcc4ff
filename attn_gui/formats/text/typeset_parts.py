"""Parts of a table in LaTeX that is wider or longer than a page, and one table of them again. Imports the stdlib only.

As programs print wide matrices: some columns below the others, each part with the names of its rows and columns. A
comment above it says which it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attn_gui.formats.file_sentences import FormatError

Texts = Sequence[Sequence[str]]
LINE_PT, BETWEEN_PT = 345.0, 12.0  # the line of `article`, and what a `tabular` puts around each column
LINES = 38  # rows of a part, with its headings, on a page of it
SIGN_PT, WIDE_PT = 5.6, 10.0  # a digit has 5; a letter of Chinese, Japanese, Korean has 10
_ORDERS_PT = {r"\times": 13.0, r"\infty": 10.0, "-": 8.0}
_SIGN = re.compile(r"\\[A-Za-z]+(?:\{\})?|\\.|[^{}$^]")
_MARK = re.compile(r"^% rows (\d{1,9}) to (\d{1,9}), columns (\d{1,9}) to (\d{1,9})$", re.MULTILINE)


class Part(NamedTuple):
    """Some rows and columns, the names of the rows not counted as a column."""

    rows: range
    columns: range

    @property
    def mark(self) -> str:
        """The comment above it."""
        rows, columns = self.rows, self.columns
        return f"% rows {rows.start} to {rows.stop - 1}, columns {columns.start} to {columns.stop - 1}"


def parts_of(rows: Texts, heads: Sequence[str]) -> list[Part]:
    """The parts of a table that fit a page each, in the order of reading; the first cell of a row is its name."""
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
    return [Part(band, range(low, high)) for band in bands for low, high in groups]


def parted(text: str) -> Iterator[tuple[Part, str]]:
    """The parts that a text is marked to have, each with its own text; none where it is one table."""
    _, *found = _MARK.split(text)
    for number in range(0, len(found), 5):
        top, bottom, low, high = map(int, found[number : number + 4])
        yield Part(range(top, bottom + 1), range(low, high + 1)), found[number + 4]


def joined(parts: Sequence[tuple[Part, list[list[str]]]], refusal: FormatError) -> list[list[str]]:
    """The rows of the whole table, the headings first. Raises `refusal` where a part is missing or is not as said."""
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
    """Width of a cell as it is typeset, or a little more."""
    return sum(_ORDERS_PT.get(sign, WIDE_PT if sign > "\u2e80" else SIGN_PT) for sign in _SIGN.findall(cell))
