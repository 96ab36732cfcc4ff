"""Blocks of numbers to and from text, as spreadsheets, Python, NumPy, torch and LaTeX write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QT_TRANSLATE_NOOP

from attn_gui.document.layouts import BlockError, Rows, parse_field, split_grid, without_headings
from attn_gui.document.numbers import NumberError
from attn_gui.document.phrases import Label

__all__ = ["Block", "BlockError", "parse_block", "read_block"]

MOST_NUMBERS = 4_000_000
MOST_CHARACTERS = 30 * MOST_NUMBERS
_FIELD = re.compile(r"[^\s,;&\[\]]+")
_PLAIN = frozenset("0123456789+-.eE")
_FULL_WIDTH = {0xFEE0 + code: code for code in range(0x21, 0x7F)}
_ONE_FORM = _FULL_WIDTH | {
    0x3000: " ", 0xA0: " ", 0x2009: " ", 0x202F: " ", 0x3001: ",", 0x2212: "-",
    0xFEFF: None, 0x200B: None, 0x2028: "\n", 0x2029: "\n", 0x0B: "\n", 0x0C: "\n",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Block:
    """A matrix read from text. `decimal_comma`: commas were read as points, which the person should be told."""

    values: NDArray[np.float64]
    decimal_comma: bool = False


def parse_block(text: str) -> NDArray[np.float64]:
    """The matrix, (rows, columns), that `text` holds in any of the layouts; see `read_block`."""
    return read_block(text).values


def read_block(text: str) -> Block:
    """The matrix that `text` holds: tabs, commas, semicolons or blanks between numbers, Python lists, NumPy and torch
    prints, LaTeX matrices; a header row and a column of labels are left out.

    Raises BlockError with one sentence that names row and column, counted from 0 without the headings.
    """
    if _holds_too_many(text):
        raise _too_many()
    grid = split_grid(text.replace("\r\n", "\n").replace("\r", "\n").translate(_ONE_FORM))
    rows = without_headings(grid)
    _refuse_ragged(rows)
    try:
        return Block(_numbers(rows))
    except BlockError:
        pointed = _with_points(rows) if grid.separator in "\t;" else None
        if pointed is None:
            raise
        return Block(pointed, decimal_comma=True)


def _holds_too_many(text: str) -> bool:
    """Whether there are more fields than the limit, found out before anything is cut up."""
    if len(text) < 2 * MOST_NUMBERS:
        return False
    return len(text) > MOST_CHARACTERS or sum(1 for _ in _FIELD.finditer(text)) > MOST_NUMBERS


def _too_many() -> BlockError:
    return BlockError(
        QT_TRANSLATE_NOOP("Sentences", "The text holds more than {most} numbers."), most=f"{MOST_NUMBERS:,}"
    )


def _refuse_ragged(rows: Rows) -> None:
    if not rows or not any(map(any, rows)):
        raise BlockError(QT_TRANSLATE_NOOP("Sentences", "The text holds no numbers."))
    expected = len(rows[0])
    for place, row in enumerate(rows):
        if len(row) != expected:
            raise BlockError(
                QT_TRANSLATE_NOOP("Sentences", "Row {row}: expected {expected} numbers as in row 0, got {got}."),
                row=place, got=len(row), expected=expected,
            )  # fmt: skip


def _numbers(rows: Rows) -> NDArray[np.float64]:
    values = np.empty((len(rows), len(rows[0])))
    for place, row in enumerate(rows):
        values[place] = _row_numbers(place, row)
    return values


def _row_numbers(place: int, row: list[str]) -> list[float]:
    if _PLAIN.issuperset("".join(row)):  # then float takes nothing that parse_number refuses, but overflows
        try:
            numbers = [float(field) for field in row]
        except ValueError:
            numbers = [np.inf]
        if np.inf not in numbers and -np.inf not in numbers:
            return numbers
    return [_number(field, place, column) for column, field in enumerate(row)]


def _number(field: str, row: int, column: int) -> float:
    try:
        return parse_field(field)
    except NumberError as error:
        reason = Label(error.template, error.values, "Sentences")
        raise BlockError(
            QT_TRANSLATE_NOOP("Sentences", "Row {row}, column {column}: {reason}"),
            row=row, column=column, reason=reason,
        ) from None  # fmt: skip


def _with_points(rows: Rows) -> NDArray[np.float64] | None:
    """The numbers with decimal commas; None unless every field reads so and no point says that a comma groups."""
    if any("." in field for row in rows for field in row):
        return None
    try:
        return _numbers([[field.replace(",", ".") for field in row] for row in rows])
    except BlockError:
        return None
