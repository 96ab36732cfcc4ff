"""Which delimiter a text of numbers has, and whether labels stand above or beside it. Imports the stdlib only."""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

DELIMITERS = ("\t", ";", ",", " ")  # a tie goes to the first: commas are decimals more often than tabs are
SAMPLE = 64  # rows
_SPECIAL = {"nan": math.nan, "inf": math.inf, "infinity": math.inf}
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+")
# full-width forms and the minus sign, which pages in Chinese and typeset pages use
_PLAIN = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x2212: "-"}


class Row(NamedTuple):
    """One row of a text; lines count from 1, as editors do."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class Layout:
    """How a text is to be read."""

    delimiter: str
    header: bool
    labels: bool


def rows(text: str, delimiter: str) -> Iterator[Row]:
    """Every row that is not blank."""
    lines = (line.strip() + "\n" for line in text.splitlines()) if delimiter == " " else _lines(text)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter == " ", strict=True)
    for cells in reader:
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield Row(reader.line_num, cells)


def find_layout(text: str) -> Layout:
    """Sniff: the delimiter under which the first rows have nothing but numbers and labels, or most numbers."""
    samples = {delimiter: _sample(text, delimiter) for delimiter in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda key: _score(samples[key], key))
    return Layout(delimiter, *_labels(samples[delimiter], delimiter != ","))


def number(text: str) -> float | None:
    """The number that `text` means in the C locale, whatever the locale of the computer; None if it is none.

    nan, inf and full-width digits count; 1_000, hexadecimals, other scripts and what overflows to infinity do not.
    """
    plain = (text if text.isascii() else text.translate(_PLAIN)).strip()
    if not plain.isascii() or "_" in plain:
        return None
    try:
        value = float(plain)
    except ValueError:
        return None
    return None if math.isinf(value) and plain.lstrip("+-").lower() not in _SPECIAL else value


def has_decimal_comma(text: str) -> bool:
    return _DECIMAL_COMMA.fullmatch(text.translate(_PLAIN).strip()) is not None


def may_be_grouped(text: str) -> bool:
    """Whether the commas of `text` may just as well separate thousands."""
    return _GROUPED.fullmatch(text.translate(_PLAIN).strip()) is not None


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _sample(text: str, delimiter: str) -> list[list[str]]:
    try:
        return [row.cells for row in itertools.islice(rows(text, delimiter), SAMPLE)]
    except csv.Error:
        return []


def _score(sample: list[list[str]], delimiter: str) -> tuple[bool, int, int]:
    """Whether all but labels are numbers, then how many cells are and how many are not.

    In a single column 1,5 counts for two numbers, not for one and a half.
    """
    comma = delimiter != "," and all(len(cells) > 1 for cells in sample)
    marks = [[_numeric(cell, comma) for cell in cells] for cells in sample]
    header, labels = _labels(sample, comma)
    body = [row[labels:] for row in marks[header:]]
    clean = bool(body) and len({len(row) for row in marks}) == 1 and all(map(all, body))
    numbers = sum(map(sum, marks))
    return clean, numbers, 0 if clean else numbers - sum(map(len, marks))


def _labels(sample: list[list[str]], comma: bool) -> tuple[bool, bool]:
    """Whether the first row and the first column are labels.

    An empty corner says that both are, even if the labels are numbers; else labels are where no cell is a number.
    """
    if not sample:
        return False, False
    first, body = sample[0], sample[1:]
    if len(first) > 1 and body and not first[0].strip():
        return True, True
    beside = [cells[0] for cells in body if len(cells) > 1]
    labels = bool(beside) and not any(_numeric(cell, comma) for cell in beside)
    header = bool(body) and not any(_numeric(cell, comma) for cell in first[labels:])
    if not header:
        labels = len(first) > 1 and not any(_numeric(cell, comma) for cell in (first[0], *beside))
    return header, labels


def _numeric(cell: str, comma: bool) -> bool:
    return number(cell) is not None or (comma and has_decimal_comma(cell))
