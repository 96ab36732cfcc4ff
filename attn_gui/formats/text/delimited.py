"""Rows of cells between tabs, semicolons, commas or blanks. Imports the stdlib only.

clevercsv 0.8.5 was tried on the samples of the tests and not taken: it finds the same delimiters, six times slower,
and says nothing of decimal commas and headings, which are what is hard to tell here.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from attn_gui.formats.text.headings import find_headings, is_number
from attn_gui.formats.text.numerals import normalized

DELIMITERS = ("\t", ";", ",", " ")  # a tie goes to the first: commas are decimals more often than tabs are
SAMPLE = 64  # rows
_WIDE = str.maketrans({"，": ",", "；": ";", "、": ",", "\u3000": " "})
_NEW_LINES = str.maketrans({"\v": "\n", "\f": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n"})
_FIRST_LINE = re.compile(r'"?sep=(.)"?\n', re.IGNORECASE)  # as Excel begins a file
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_QUOTED = re.compile(r'(?:^|(?<=[\t,;\n]))"(?![^"\w]*\d)(?:[^"]|"")*"(?=[\t,;\n]|$)')
ONE_COMMA = re.compile(r"[-+]?\d+,\d+(?:[eE][-+]?\d+)?")


class Row(NamedTuple):
    """One row of a text and its last line, from 1 as editors count; a cell in quotes may go over several lines."""

    line: int
    cells: list[str]

    @property
    def first_line(self) -> int:
        """The line in which the row begins."""
        return self.line - sum(cell.count("\n") for cell in self.cells)


class Dialect(NamedTuple):
    """The rule by which rows of a text are cut; `ended`: a delimiter ends every line and separates nothing."""

    delimiter: str
    ended: bool = False
    start: int = 0  # of the first row in the text


def tidy(text: str) -> str:
    """The text with one kind of line ends, and with delimiters in ASCII where it has no others."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\n" not in text:
        text = text.translate(_NEW_LINES)
    wide = not text.isascii() and not any(mark in text for mark in '\t;,"')
    return text.translate(_WIDE) if wide else text


def outlined(text: str) -> str:
    """The text with a word for every cell in quotes that is no number: its own marks say nothing of the layout."""
    return _QUOTED.sub('"x"', text) if '"' in text else text


def find_dialect(text: str) -> Dialect:
    """The delimiter under which the first rows have nothing but numbers and headings, or most numbers."""
    said = _FIRST_LINE.match(text)
    if said is not None:
        return Dialect(said[1], start=said.end())
    text = outlined(text)
    dialects = [Dialect(mark, _ends_lines(text, mark)) for mark in DELIMITERS]
    return max(dialects, key=lambda dialect: _score(sample_of(text, dialect), dialect.delimiter))


def sample_of(text: str, dialect: Dialect) -> list[list[str]]:
    try:
        return [row.cells for row in itertools.islice(rows_of(text, dialect), SAMPLE)]
    except csv.Error:
        return []


def rows_of(text: str, dialect: Dialect) -> Iterator[Row]:
    """Every row that is not blank."""
    blank, mark = dialect.delimiter == " ", dialect.delimiter
    lines = _lines(text, dialect.start)
    if blank:
        lines = (" ".join(filter(None, line.strip().split(" "))) + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=mark, skipinitialspace=blank, strict=True)
    for cells in reader:
        if dialect.ended and cells and not cells[-1].strip():
            cells.pop()
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield Row(reader.line_num, cells)


def _lines(text: str, start: int) -> Iterator[str]:
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _ends_lines(text: str, mark: str) -> bool:
    """Whether a delimiter ends every line; the last one may lack it."""
    lines = [line.rstrip(" \n") for line in itertools.islice(_lines(text, 0), SAMPLE) if line.strip()]
    if mark == " " or not lines:
        return False
    needed = lines[:-1] if len(lines) > 1 else lines if mark != "\t" else []
    return bool(needed) and all(line.endswith(mark) for line in needed)


def _score(sample: list[list[str]], delimiter: str) -> tuple[bool, int, int]:
    """Whether all but headings are numbers, then how many cells are and how many are not.

    In a single column 1,5 counts for two numbers, not for one and a half; between commas it was quoted.
    """
    comma = delimiter == "," or all(len(cells) > 1 for cells in sample)
    marks = [[_numeric(cell, comma) for cell in cells] for cells in sample]
    found = find_headings(sample)[0] if sample else None
    body = [row[found.labels :] for row in marks[found.header :]] if found else []
    even = len({len(row) for row in marks[found.short if found else 0 :]}) == 1
    clean = bool(body) and even and all(map(all, body))
    numbers = sum(map(sum, marks))
    return clean, numbers, 0 if clean else numbers - sum(map(len, marks))


def _numeric(cell: str, comma: bool) -> bool:
    if "," in cell:
        return comma and COMMA.fullmatch(normalized(cell)) is not None
    return is_number(cell)
