"""The numbers of a table that is read row by row, and what was none. Imports NumPy."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence
from typing import Literal

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note, quoted
from attn_gui.formats.foreign_arrays import EXACT, rounded_note
from attn_gui.formats.text import delimited
from attn_gui.formats.text.delimited import Row
from attn_gui.formats.text.headings import Sort, cell_number, is_switch, sort_of
from attn_gui.formats.text.numerals import COMMA, MOST_NUMBERS, NOT_A_NUMBER, NotANumber, normalized

Mode = Literal["point", "decimal", "grouped"]
MODES: tuple[Mode, ...] = ("point", "decimal", "grouped")  # what a comma within a number is
MOST_BAD = 1000  # cells that are no numbers, after which the reading ends
LISTED = 6  # bad cells that a sentence names
LEAST_DIGITS = 300  # that a number without an exponent has where it is too small to be kept
TOO_MANY = QT_TRANSLATE_NOOP("Sentences", "{file} holds more than {most} numbers.")
_ACCOUNTED = re.compile(r"\(\s*([0-9.,]+)\s*\)")  # a negative number, as accounts have it
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?")


class Cells:
    """The numbers read so far; a cell that is none is kept with its place."""

    def __init__(self, mode: Mode) -> None:
        self.mode: Mode = mode
        self.values: array[float] = array("d")
        self.width = 0
        self.bad = 0
        self.only_commas = True  # nothing but commas is wrong with what is bad
        self.switches = True  # every cell is true or false
        self._rows = 0
        self._line = 0
        self._listed: list[tuple[int, int, int, str, NotANumber]] = []
        self._rounded: tuple[str, float] | None = None
        self._with_comma: tuple[str, float] | None = None
        self._accounted: tuple[str, float] | None = None
        self._vanished = ""

    def add_row(self, row: Row, cells: Sequence[str]) -> None:
        """Raises FormatError for a row of another length, and for an empty line in a single column."""
        self._check_place(row, cells)
        self.switches = self.switches and all(map(is_switch, cells))
        numbers = self._plain(cells)
        if numbers is None:
            numbers = [self._number(column, row.line, cell) for column, cell in enumerate(cells)]
        self.values.extend(numbers)
        self._rows += 1
        self._line = row.line

    def _check_place(self, row: Row, cells: Sequence[str]) -> None:
        if not self._rows:
            self.width = len(cells)
        values = {"row": self._rows, "line": row.line, "got": len(cells), "expected": self.width}
        if len(cells) != self.width or not cells:
            raise FormatError(_ragged(row.line), **values)
        if self.width == 1 and self._rows and row.first_line > self._line + 1:
            raise FormatError(_EMPTY_LINE, row=self._rows, line=self._line + 1)
        if len(self.values) > MOST_NUMBERS:
            raise FormatError(TOO_MANY, most=f"{MOST_NUMBERS:,}")

    def _plain(self, cells: Sequence[str]) -> list[float] | None:
        """The numbers of a row in which Python reads nothing that is none: 1_000, other scripts, 1e400 as infinity."""
        together = "".join(cells)
        if not together.isascii() or "_" in together or self.mode == "grouped":
            return None
        if self.mode == "decimal":
            if "." in together or ("," in together and self._with_comma is None):
                return None
            cells = [cell.replace(",", ".") for cell in cells]
        try:
            numbers = list(map(float, cells))
        except ValueError:
            return None
        if math.inf in numbers or -math.inf in numbers:
            return None
        if 0.0 in numbers and ("e" in together.lower() or len(together) > LEAST_DIGITS):
            for cell, value in zip(cells, numbers, strict=True):
                self._note_vanished(cell, value)
        if not (max(numbers) < EXACT and min(numbers) > -EXACT):  # or NaN
            for cell, value in zip(cells, numbers, strict=True):
                self._note_rounded(cell, value)
        return numbers

    def _number(self, column: int, line: int, cell: str) -> float:
        if self.hopeless:
            return math.nan
        try:
            value = self._read(cell)
        except NotANumber as error:
            self._refuse(column, line, cell, error)
            return math.nan
        self._note_rounded(cell, value)
        self._note_vanished(cell, value)
        return value

    def _read(self, cell: str) -> float:
        accounted = _ACCOUNTED.fullmatch(normalized(cell))
        if accounted is None:
            return self._read_plain(cell)
        value = -self._read_plain(accounted[1])
        self._accounted = self._accounted or (cell.strip(), value)
        return value

    def _read_plain(self, cell: str) -> float:
        if self.mode == "point":
            return cell_number(cell)
        plain = normalized(cell)
        if "," not in plain:
            if self.mode == "decimal" and "." in plain:
                raise NotANumber(NOT_A_NUMBER, text=quoted(cell))  # a point would leave two ways to read the table
            return cell_number(cell)
        if self.mode == "grouped" and not _GROUPED.fullmatch(plain):
            raise NotANumber(COMMA, text=quoted(cell))
        value = cell_number(plain.replace(",", "." if self.mode == "decimal" else ""))
        self._with_comma = self._with_comma or (cell.strip(), value)
        return value

    @property
    def hopeless(self) -> bool:
        """Whether there is so much that is no number that the rest need not be read."""
        return self.bad >= MOST_BAD

    def _refuse(self, column: int, line: int, cell: str, error: NotANumber) -> None:
        self.bad += 1
        self.only_commas = self.only_commas and delimited.COMMA.fullmatch(_bare(cell)) is not None
        if len(self._listed) < LISTED:
            self._listed.append((self._rows, column, line, cell, error))

    def _note_rounded(self, cell: str, value: float) -> None:
        if abs(value) >= EXACT and self._rounded is None:
            digits = normalized(cell).lstrip("+")
            if digits.lstrip("-").isdigit() and len(digits) < 400 and int(digits) != int(value):
                self._rounded = digits, value

    def _note_vanished(self, cell: str, value: float) -> None:
        if value == 0 and not self._vanished and re.search("[1-9]", normalized(cell).lower().partition("e")[0]):
            self._vanished = cell.strip()

    # --- saying ----------------------------------------------------------------------------------
    def notes(self) -> list[Note]:
        """Notes on guessed commas and signs, and on numbers that could not be kept."""
        found = []
        if self._with_comma is not None:
            template = (
                QT_TRANSLATE_NOOP("Sentences", "Commas were read as decimal points: {text} as {value}.")
                if self.mode == "decimal"
                else QT_TRANSLATE_NOOP("Sentences", "Commas were read as thousands separators: {text} as {value}.")
            )
            found.append(Note(template, text=quoted(self._with_comma[0]), value=f"{self._with_comma[1]:.15g}"))
        if self._accounted is not None:
            text, value = self._accounted
            found.append(Note(_NEGATIVE, text=quoted(text), value=value))
        if self._vanished:
            found.append(Note(_VANISHED, text=quoted(self._vanished)))
        if self._rounded is not None:
            found.append(rounded_note(*self._rounded))
        return found

    def refusal(self) -> FormatError:
        """One sentence on what is no number: its place, what was expected, what stands there."""
        row, column, line, text, error = self._listed[0]
        if self.bad > 1:
            listed = tuple(f"({row}, {column}) “{quoted(text, 16)}”" for row, column, _, text, _ in self._listed)
            more = ("…",) if self.bad > LISTED else ()
            count = f"{MOST_BAD}+" if self.hopeless else self.bad
            return FormatError(_SEVERAL, count=count, cells=listed + more)
        where = {"row": row, "column": column, "text": quoted(text)}
        place = Note(AT_LINE, line=line, **where) if line else Note(AT, **where)
        if error.template == COMMA and delimited.COMMA.fullmatch(_bare(text)):
            return FormatError(_COMMA_INSTEAD, place=place, **where)
        if sort_of(text) is Sort.BROKEN:
            return FormatError(_BROKEN, place=place, **where)
        if not text.strip():
            return FormatError(_EMPTY_CELL, place=place, **where)
        if error.template in (NOT_A_NUMBER, COMMA):
            return FormatError(_EXPECTED, place=place, **where)
        return FormatError(_REASON, place=place, reason=error, **where)


AT = QT_TRANSLATE_NOOP("Sentences", "row {row}, column {column}")
AT_LINE = QT_TRANSLATE_NOOP("Sentences", "row {row}, column {column} (line {line})")
_EXPECTED = QT_TRANSLATE_NOOP("Sentences", "{file}: {place} is “{text}”; expected a number.")
_EMPTY_CELL = QT_TRANSLATE_NOOP("Sentences", "{file}: {place} is empty; expected a number.")
_BROKEN = QT_TRANSLATE_NOOP("Sentences", "{file}: {place} is “{text}”, an error or a missing value; expected a number.")
_COMMA_INSTEAD = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: {place} is “{text}”; expected a point, as in 1.5, not a comma."
)
_REASON = QT_TRANSLATE_NOOP("Sentences", "{file}: {place}: {reason}")
_SEVERAL = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: {count} cells are not numbers; by (row, column), counted from 0: {cells}."
)
_EMPTY_LINE = QT_TRANSLATE_NOOP("Sentences", "{file}: row {row} (line {line}) is empty; expected a number.")
_NEGATIVE = QT_TRANSLATE_NOOP("Sentences", "Numbers in parentheses were read as negative ones: {text} as {value}.")
_VANISHED = QT_TRANSLATE_NOOP("Sentences", "{text} is too small to be kept and was read as 0.")


def _bare(cell: str) -> str:
    """A cell in ASCII without the parentheses of a negative number."""
    plain = normalized(cell)
    accounted = _ACCOUNTED.fullmatch(plain)
    return plain if accounted is None else accounted[1]


def _ragged(line: int) -> str:
    if line:
        return QT_TRANSLATE_NOOP(
            "Sentences", "{file}: row {row} (line {line}) has {got} cells; expected {expected}, as in the first row."
        )
    return QT_TRANSLATE_NOOP(
        "Sentences", "{file}: row {row} has {got} cells; expected {expected}, as in the first row."
    )
