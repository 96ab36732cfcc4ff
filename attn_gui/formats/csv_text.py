"""`.csv` and `.tsv`: one matrix as text, with labels above and beside it or without. Imports NumPy.

NumPy's own readers are not used: they turn headers, decimal commas and typing errors into NaN without a word.
"""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any

import numpy as np

from attn_gui.formats.arrays import Array
from attn_gui.formats.base import Matrix, Source, check_size
from attn_gui.formats.csv_layout import Layout, Row, find_layout, has_decimal_comma, may_be_grouped, number, rows
from attn_gui.formats.rows import Rows, rows_of
from attn_gui.formats.sentences import QT_TRANSLATE_NOOP, FormatError, Note, shown

LARGEST_FILE = 256 * 2**20
MOST_CELLS = 10_000_000  # of a text: more would make a file that no spreadsheet opens, nor this program
AT_ONCE = 100_000  # cells that are texts at a time
_LISTED = 6  # bad cells that a sentence names
_FORMULA = re.compile(r"'*[=+\-@\t\r]")  # what spreadsheets would run


@dataclass
class _Cells:
    """The numbers read so far and what was no number."""

    comma: bool  # 1,5 is one and a half
    values: array[float] = field(default_factory=lambda: array("d"))
    bad: list[tuple[int, int, int, str]] = field(default_factory=list)  # row, column, line, text
    commas: int = 0
    decimals: int = 0  # commas that cannot separate thousands

    def add_row(self, row: int, line: int, cells: Sequence[str]) -> None:
        try:
            if self.comma:
                raise ValueError
            numbers = list(map(float, cells))
        except ValueError:
            numbers = []
        # what Python takes for numbers beside: 1_000, the digits of other scripts, and 1e400 as infinity
        strange = any("_" in cell or not cell.isascii() for cell in cells) or any(map(math.isinf, numbers))
        if numbers and not strange:
            self.values.extend(numbers)
        else:
            self.values.extend(self._number(row, column, line, cell) for column, cell in enumerate(cells))

    def _number(self, row: int, column: int, line: int, cell: str) -> float:
        value = number(cell)
        if self.comma:
            value = _with_comma(cell, value)
        if value is None:
            self.bad.append((row, column, line, cell))
            comma = has_decimal_comma(cell)
            self.commas += comma
            self.decimals += comma and not may_be_grouped(cell)
        return math.nan if value is None else value


def matches(start: bytes) -> bool:
    """Text begins with anything."""
    return False


def read(source: Source) -> Matrix:
    """The matrix; every cell that is no number is refused with its row and column, a ragged row with its length."""
    check_size(source.size, LARGEST_FILE)
    text = decode(source.file.read(source.size))
    layout = find_layout(text)
    matrix, cells = _read(text, layout, comma=False)
    notes: tuple[Note, ...] = ()
    if cells.bad and layout.delimiter != "," and cells.commas == len(cells.bad) and cells.decimals:
        with_commas, again = _read(text, layout, comma=True)
        if not again.bad:  # and no cell has a point, so the commas can mean but one thing
            matrix, cells = with_commas, again
            notes = (Note(QT_TRANSLATE_NOOP("Sentences", "Commas were read as decimal points: 1,5 as 1.5.")),)
    if cells.bad:
        raise _refusal(cells)
    return Matrix(matrix.values, matrix.row_labels, matrix.column_labels, (*_layout_notes(layout), *notes))


def write(matrix: Matrix, delimiter: str) -> bytes:
    """A matrix as text, see `write_rows`."""
    values = matrix.values.reshape(-1, matrix.values.shape[-1]) if matrix.values.ndim else matrix.values.reshape(1, 1)
    buffer = io.BytesIO()
    write_rows(rows_of(values), buffer, delimiter, matrix.row_labels, matrix.column_labels)
    return buffer.getvalue()


def write_rows(
    source: Rows, file: IO[bytes], delimiter: str, row_labels: Sequence[str] | None,
    column_labels: Sequence[str] | None,
) -> None:  # fmt: skip
    """UTF-8; numbers as the shortest text that gives them back, labels so that no spreadsheet runs them as formulas.

    With labels on one side the other side gets numbers, and the corner stays empty: so a reader knows labels from data.
    """
    height, width = source.shape
    labeled = row_labels is not None or column_labels is not None
    if labeled:
        columns = column_labels or tuple(map(str, range(width)))
        file.write(_lines([["", *map(_harmless, columns)]], delimiter))
    beside = iter(row_labels or map(str, range(height)))
    for block in source.blocks():
        step = max(1, AT_ONCE // max(width, 1))
        for low in range(0, len(block), step):
            texts = _texts(block[low : low + step])
            lines = ([_harmless(next(beside)), *row] for row in texts) if labeled else texts
            file.write(_lines(lines, delimiter))


def _lines(rows: Iterable[Sequence[str]], delimiter: str) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return buffer.getvalue().encode("utf-8", "backslashreplace")


write_csv = partial(write, delimiter=",")
write_tsv = partial(write, delimiter="\t")


def decode(data: bytes) -> str:
    """UTF-8 with or without a mark, else the Chinese GB 18030."""
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise FormatError(QT_TRANSLATE_NOOP("Sentences", "{file} is not text in UTF-8 or GB 18030; expected numbers."))


def _read(text: str, layout: Layout, *, comma: bool) -> tuple[Matrix, _Cells]:
    cells = _Cells(comma)
    names: tuple[str, ...] = ()
    labels: list[str] = []
    row = width = 0
    for found in rows(text, layout.delimiter):
        if not width:
            width = len(found.cells)
            if layout.header:
                names = tuple(map(_label, found.cells[layout.labels :]))
                continue
        _check_length(found, row, width)
        if layout.labels:
            labels.append(_label(found.cells[0]))
        cells.add_row(row, found.line, found.cells[layout.labels :])
        row += 1
    if not row:
        raise FormatError(QT_TRANSLATE_NOOP("Sentences", "{file} holds no numbers."))
    values = np.frombuffer(cells.values, np.float64).reshape(row, width - layout.labels).copy()
    return Matrix(values, tuple(labels) or None, names or None), cells


def _check_length(found: Row, row: int, width: int) -> None:
    if len(found.cells) != width:
        template = QT_TRANSLATE_NOOP(
            "Sentences", "{file}: row {row} (line {line}) has {got} cells; expected {expected}, as in the first line."
        )
        raise FormatError(template, row=row, line=found.line, got=len(found.cells), expected=width)


def _with_comma(cell: str, value: float | None) -> float | None:
    """The number of a text whose decimals follow a comma; a point there would leave two ways to read the file."""
    if value is not None:
        return None if "." in cell else value
    return number(cell.replace(",", ".").replace("，", ".")) if has_decimal_comma(cell) else None


def _refusal(cells: _Cells) -> FormatError:
    row, column, line, text = cells.bad[0]
    where = {"row": row, "column": column, "line": line, "text": shown(text)}
    if has_decimal_comma(text):
        template = QT_TRANSLATE_NOOP(
            "Sentences",
            "{file}: row {row}, column {column} (line {line}) is “{text}”; expected a point, as in 1.5, not a comma.",
        )
        return FormatError(template, **where)
    if len(cells.bad) == 1:
        template = QT_TRANSLATE_NOOP(
            "Sentences", "{file}: row {row}, column {column} (line {line}) is “{text}”; expected a number."
        )
        return FormatError(template, **where)
    listed = tuple(f"({row}, {column}) “{shown(text, 16)}”" for row, column, _, text in cells.bad[:_LISTED])
    more = ("…",) if len(cells.bad) > _LISTED else ()
    template = QT_TRANSLATE_NOOP(
        "Sentences", "{file}: {count} cells are not numbers; by (row, column), counted from 0: {cells}."
    )
    return FormatError(template, count=len(cells.bad), cells=listed + more)


def _layout_notes(layout: Layout) -> tuple[Note, ...]:
    """What was guessed and is worth saying."""
    if layout.header and layout.labels:
        return (Note(QT_TRANSLATE_NOOP("Sentences", "The first row and the first column were read as labels.")),)
    if layout.header:
        return (Note(QT_TRANSLATE_NOOP("Sentences", "The first row was read as labels.")),)
    if layout.labels:
        return (Note(QT_TRANSLATE_NOOP("Sentences", "The first column was read as labels.")),)
    return ()


def _texts(values: Array) -> list[list[str]]:
    if values.dtype.kind in "bui":
        return [[str(int(cell)) for cell in row] for row in values]
    if values.dtype == np.float64:
        return [list(map(repr, row)) for row in values.tolist()]
    return [list(map(_shortest, row)) for row in values]


def _shortest(cell: np.floating[Any]) -> str:
    """The shortest text that gives the same number in its own dtype, which is coarser than float64."""
    return str(cell) if not cell or 1e-4 <= abs(float(cell)) < 1e16 else np.format_float_scientific(cell, trim="-")


def _harmless(label: str) -> str:
    return f"'{label}" if _FORMULA.match(label) else label


def _label(text: str) -> str:
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
