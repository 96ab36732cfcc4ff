"""The reader of pasted text: how it is written, commas in numbers, bad cells, notes that quote what was left out.

A text is cut in the first of these ways that it is written in (`_parts`):

    \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}          LaTeX: `latex_markdown_reader`
    Q = np.array([[1, 2], [3, 4]]), [1 2; 3 4]            numbers in brackets: `bracketed_lists`
    | a | b |, with |---|---| below                        Markdown, frames: `latex_markdown_reader`
    1,5;2   the 1 2   Q: 1 2                               cells between delimiters, with words around: `delimited`

There may be several matrices in it, several ways to cut one (1,5 is one cell or two), to read headings (0, 1 above 0.5,
0.5: `headings`), and commas in numbers (1,234: `MODES`). All are tried. Those in which every cell is a number are the
readings: the only one is returned, with a note on all that was left out or guessed; several are asked about
(`AmbiguousTable`); without one the text is refused, with the first cell that was in the way.

NumPy's own readers are not used: they turn headings, decimal commas and typing errors into NaN without a word.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Progress, silent
from attn_gui.engine.checks import EXACT
from attn_gui.formats.file_format import LabeledArray
from attn_gui.formats.file_messages import FileNote, FormatError, quoted, shape_text
from attn_gui.formats.text import bracketed_lists, delimited, latex_markdown_reader
from attn_gui.formats.text.ambiguous_table import AmbiguousTable, PossibleMatrix
from attn_gui.formats.text.delimited import ONE_COMMA, SAMPLE, Dialect, TextBlock, TextRow
from attn_gui.formats.text.headings import (
    COMMA,
    MOST_NUMBERS,
    NOT_A_NUMBER,
    CellSort,
    FirstRow,
    Headings,
    NotANumber,
    cell_number,
    find_headings,
    is_number,
    is_switch,
    label_check,
    normalized,
    sort_of,
    unmarked,
)
from attn_gui.formats.untrusted_bytes import ROUNDED, rounded_note
from attn_gui.languages import N_

Mode = Literal["point", "decimal", "grouped"]
MODES: tuple[Mode, ...] = ("point", "decimal", "grouped")  # what a comma within a number is
MOST_BAD = 1000  # cells that are no numbers, after which the reading ends
LISTED = 6  # bad cells that a sentence names
LEAST_DIGITS = 300  # that a number without an exponent has where it is too small to be kept
TOO_MANY = N_("{file} holds more than {most} numbers.")
_ACCOUNTED = re.compile(r"\(\s*([0-9.,]+)\s*\)")  # a negative number, as accounts have it
_OTHER_LAYOUT = "%%MatrixMarket"  # of its rows the first is the shape, and the others are places or go down columns
_NO_NAME = re.compile(r"[\^'′ᵀ]")  # Kᵀ, say, is no name: the matrix is another than K
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_POINTED = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
_FIRST = 1000  # letters of a text
_READ_POINT = N_("Points were read as decimal points: {text} as {value}.")

_READ_COMMA = {
    "decimal": N_("Commas were read as decimal points: {text} as {value}."),
    "grouped": N_("Commas were read as thousands separators: {text} as {value}."),
}
AT = N_("row {row}, column {column}")
AT_LINE = N_("row {row}, column {column} (line {line})")
_EXPECTED = N_("{file}: {place} is “{text}”; expected a number.")
_EMPTY_CELL = N_("{file}: {place} is empty; expected a number.")
_BROKEN = N_("{file}: {place} is “{text}”, an error or a missing value; expected a number.")
_COMMA_INSTEAD = N_("{file}: {place} is “{text}”; expected a point, as in 1.5, not a comma.")
_REASON = N_("{file}: {place}: {reason}")
_SEVERAL = N_("{file}: {count} cells are not numbers; by (row, column), counted from 0: {cells}.")
_EMPTY_LINE = N_("{file}: row {row} (line {line}) is empty; expected a number.")
_NEGATIVE = N_("Numbers in parentheses were read as negative ones: {text} as {value}.")
_SWITCH = N_("Among numbers “{text}” was read as {value}.")
_VANISHED = N_("{text} is too small to be kept and was read as 0.")
_TOLD = (*_READ_COMMA.values(), _NEGATIVE, _SWITCH, _VANISHED, ROUNDED)
"""Notes on cells, in the order in which they are said."""

LARGEST = 256 * 2**20  # characters
MOST_ROWS = 2**20  # as Excel has them
LONGEST_CELL = 2**17  # characters: as many as Python's own reader takes
LONGEST_PRINT = 4_000  # lines of a text around whose tables words are looked for
MOST_WRITTEN_OUT = 4_000_000  # numbers in brackets, which are all cut up before one is read
TOLD_ROWS = 256
NAMES, LONGEST_NOTE = 5, 60  # names that a note lists, and letters of a text

_OTHERWISE = (
    re.compile(r"[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+"),
    re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+"),
    re.compile(r"[-+]?\d+,\d+(?:, +[-+]?\d+,\d+)+"),
)
"""Lines between commas that may be one number with a comma in it, or several of these."""
_EMPTY_COLUMN = N_("The first column is empty and was left out.")
_PARTED = N_("Commas were read as lying between numbers: {text} as {cells}.")
LEFT_OUT = N_("The text around the matrix was left out: “{text}”.")
TOO_LONG = N_("{file} has a cell that is too long or a quote that is not closed.")
NAMED_ROWS = Headings(labels=True, said=True)
_BETWEEN = re.compile(r"[\s,;|，；、&\[({]")
_FIELD = re.compile(r"[^\s,;&|\[\]{}]+")
_INLINE_ROWS = re.compile(r"[\d.],? +[-+.\d]")

_READ: dict[Mode, str] = {
    "point": N_("{shape} numbers from {first} on"),
    "decimal": N_("{shape} numbers with decimal commas from {first} on"),
    "grouped": N_("{shape} numbers with commas between thousands from {first} on"),
}
_LEFT_OUT = {
    (True, False): N_("{reading} without the first row"),
    (False, True): N_("{reading} without the first column"),
    (True, True): N_("{reading} without the first row and column"),
}


class ParsedCells:
    """The numbers read so far; cells that are none are kept with their places."""

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
        self._told: dict[str, tuple[str, float]] = {}  # note → the first cell that it is about, and its number

    def add_row(self, row: TextRow, cells: Sequence[str]) -> None:
        """Add a row. Raises FormatError for another length, and for an empty line in a single column."""
        self._check_place(row, cells)
        self.switches = self.switches and all(map(is_switch, cells))
        numbers = self._plain(cells)
        if numbers is None:
            numbers = [self._number(column, row.line, cell) for column, cell in enumerate(cells)]
        self.values.extend(numbers)
        self._rows += 1
        self._line = row.line

    def _check_place(self, row: TextRow, cells: Sequence[str]) -> None:
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
        """Return the numbers of a row; None for cells that only Python reads: 1_000, other scripts, 1e400."""
        together = "".join(cells)
        if not together.isascii() or "_" in together or self.mode == "grouped":
            return None
        if self.mode == "decimal":
            if "." in together or ("," in together and _READ_COMMA["decimal"] not in self._told):
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
        if is_switch(cell):
            self._told.setdefault(_SWITCH, (cell.strip(), value))
        self._note_rounded(cell, value)
        self._note_vanished(cell, value)
        return value

    def _read(self, cell: str) -> float:
        accounted = _ACCOUNTED.fullmatch(normalized(cell))
        if accounted is None:
            return self._read_plain(cell)
        value = -self._read_plain(accounted[1])
        self._told.setdefault(_NEGATIVE, (cell.strip(), value))
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
        self._told.setdefault(_READ_COMMA[self.mode], (cell.strip(), value))
        return value

    @property
    def hopeless(self) -> bool:
        """Whether so many cells are no numbers that the rest need not be read."""
        return self.bad >= MOST_BAD

    def _refuse(self, column: int, line: int, cell: str, error: NotANumber) -> None:
        self.bad += 1
        self.only_commas = self.only_commas and delimited.COMMA.fullmatch(_bare(cell)) is not None
        if len(self._listed) < LISTED:
            self._listed.append((self._rows, column, line, cell, error))

    def _note_rounded(self, cell: str, value: float) -> None:
        if abs(value) >= EXACT and ROUNDED not in self._told:
            digits = normalized(cell).lstrip("+")
            if digits.lstrip("-").isdigit() and len(digits) < 400 and int(digits) != int(value):
                self._told[ROUNDED] = digits, value

    def _note_vanished(self, cell: str, value: float) -> None:
        if value == 0 and re.search("[1-9]", normalized(cell).lower().partition("e")[0]):
            self._told.setdefault(_VANISHED, (cell.strip(), value))

    # --- saying ----------------------------------------------------------------------------------
    def notes(self) -> list[FileNote]:
        """Return notes on guessed commas and signs, and on numbers that could not be kept exactly."""
        if self.switches:
            self._told.pop(_SWITCH, None)  # of a mask these are the words
        said = ((note, *self._told[note]) for note in _TOLD if note in self._told)
        return [
            rounded_note(text, value)
            if note == ROUNDED
            else FileNote(note, text=quoted(text), value=value if note == _NEGATIVE else f"{value:.15g}")
            for note, text, value in said
        ]

    def refusal(self) -> FormatError:
        """Return one sentence on a cell that is no number: its place, what was expected, what it holds."""
        row, column, line, text, error = self._listed[0]
        if self.bad > 1:
            listed = tuple(f"({row}, {column}) “{quoted(text, 16)}”" for row, column, _, text, _ in self._listed)
            more = ("…",) if self.bad > LISTED else ()
            count = f"{MOST_BAD}+" if self.hopeless else self.bad
            return FormatError(_SEVERAL, count=count, cells=listed + more)
        where = {"row": row, "column": column, "text": quoted(text)}
        place = FileNote(AT_LINE, line=line, **where) if line else FileNote(AT, **where)
        if error.template == COMMA and delimited.COMMA.fullmatch(_bare(text)):
            return FormatError(_COMMA_INSTEAD, place=place, **where)
        if sort_of(text) is CellSort.BROKEN:
            return FormatError(_BROKEN, place=place, **where)
        if not text.strip():
            return FormatError(_EMPTY_CELL, place=place, **where)
        if error.template in (NOT_A_NUMBER, COMMA):
            return FormatError(_EXPECTED, place=place, **where)
        return FormatError(_REASON, place=place, reason=error, **where)


def _bare(cell: str) -> str:
    """Return a cell in ASCII without the parentheses of a negative number."""
    plain = normalized(cell)
    accounted = _ACCOUNTED.fullmatch(plain)
    return plain if accounted is None else accounted[1]


def _ragged(line: int) -> str:
    if line:
        return N_("{file}: row {row} (line {line}) has {got} cells; expected {expected}, as in the first row.")
    return N_("{file}: row {row} has {got} cells; expected {expected}, as in the first row.")


# --- tables ---------------------------------------------------------------------------------------
class TextGrid(NamedTuple):
    """A text split into rows of cells; each call of `begin` gives them from the first one on."""

    begin: Callable[[], Iterator[TextRow]]
    rows: int  # about so many
    first: FirstRow = FirstRow.NUMBERS  # what the syntax says of the first row
    commas: bool = True  # a comma within a cell may belong to a number
    left_out: str = ""  # of the text around it
    headings: Headings | None = None  # that the syntax has said
    note: FileNote | None = None  # on how it was cut


class TextMatrix(NamedTuple):
    """One matrix of a text: the name before it, and the possible ways to split it."""

    name: str
    grids: Sequence[TextGrid]


def read_table(text: str, progress: Progress = silent) -> LabeledArray:
    """Return the matrix that a text holds, with its labels and notes on what was left out and how it was read.

    Tables between tabs, semicolons, commas, blanks or pipes, Python lists, prints of NumPy, torch, MATLAB, Julia and
    R, Mathematica's lists, LaTeX. Raises FormatError with one sentence that names row and column, counted from 0
    without the headings, and AmbiguousTable where the text can mean two matrices. `progress` gets the share read;
    what it raises ends the reading.
    """
    if len(text) > LARGEST:
        template = N_("{file} has {got} characters; expected at most {most}.")
        raise FormatError(template, got=f"{len(text):,}", most=f"{LARGEST:,}")
    if text.count("\n") > MOST_ROWS:
        template = N_("{file} has more than {most} lines.")
        raise FormatError(template, most=f"{MOST_ROWS:,}")
    windows = (text[low : low + LONGEST_CELL] for low in range(0, len(text) - LONGEST_CELL, LONGEST_CELL))
    if any(_BETWEEN.search(window) is None for window in windows):
        raise FormatError(TOO_LONG)
    try:
        return _read(delimited.tidy(text.strip("\n\r")), progress)
    except csv.Error as error:
        raise FormatError(TOO_LONG) from error


def read_rows(rows: Sequence[TextRow], progress: Progress = silent) -> LabeledArray:
    """Return the matrix of cells that are split already, such as a spreadsheet's. Raises as `read_table`."""
    return _one_of([TextMatrix("", [TextGrid(lambda: iter(rows), max(1, len(rows)))])], progress)


def _read(text: str, progress: Progress) -> LabeledArray:
    if not text.strip(" \n\t,;|[](){}"):
        raise _nothing()
    return _one_of(_parts(text), progress)


def _one_of(parts: Sequence[TextMatrix], progress: Progress) -> LabeledArray:
    """Return the matrix of one part, if the text has no other. Raises AmbiguousTable where there are several."""
    readings = [reading for part in parts for reading in _readings(part, progress)]
    readings = _distinct(readings)
    if len(readings) > 1:
        raise AmbiguousTable(readings, several=len(parts) > 1)
    return readings[0].matrix


def _readings(part: TextMatrix, progress: Progress) -> list[PossibleMatrix]:
    """Return every reading of a part. Raises FormatError, with what was wrong with the first, where there is none."""
    found: list[PossibleMatrix] = []
    refusal: FormatError | None = None
    for grid in part.grids:
        sample = [row.cells for row in itertools.islice(grid.begin(), SAMPLE)]
        if not any(map(any, sample)):
            raise _nothing()
        for headings in (grid.headings,) if grid.headings else find_headings(sample, grid.first):
            try:
                clean = _clean(grid, headings, sample, progress)
            except FormatError as error:
                refusal = refusal or error
            else:
                left_out = None if grid.headings else _LEFT_OUT.get((headings.header, headings.labels))
                found += [PossibleMatrix(_words(mode, left_out, one, part.name), one, part.name) for mode, one in clean]
    if not found:
        raise refusal or _nothing()
    return found


# --- cutting -------------------------------------------------------------------------------------
def _parts(text: str) -> list[TextMatrix]:
    """Return the matrices of a text, each with its possible ways to be split at commas or semicolons."""
    if text.startswith(_OTHER_LAYOUT):
        raise FormatError(bracketed_lists.BESIDE, text=_OTHER_LAYOUT)
    if said := delimited.said_dialect(text):
        dialect, rest = said
        first = FirstRow.NUMBERS if dialect.delimiter == "\t" else FirstRow.EITHER
        return [TextMatrix("", [_table(rest, dialect)._replace(first=first)])]
    text = bracketed_lists.unwrapped(delimited.without_prompts(text))
    outline = delimited.outlined(text)
    if latex_markdown_reader.is_latex(outline):
        _refuse_too_many(text)
        return [
            TextMatrix(name, _said([_listed(rows, headed)], f"{name} =" if _NO_NAME.search(name) else ""))
            for name, rows, headed in latex_markdown_reader.latex_tables(text)
        ]
    if found := _lists(text, outline):
        return found
    return _tables(text, quoted_cells=outline != text)


def _tables(text: str, *, quoted_cells: bool) -> list[TextMatrix]:
    """Return the tables of a text without brackets; all rows together as well, where only empty lines separate them."""
    if quoted_cells or text.count("\n") > LONGEST_PRINT:
        piped = latex_markdown_reader.is_piped(delimited.outlined(text))
        grids = [_listed(*latex_markdown_reader.piped_rows(text))] if piped else _with_and_without_blank(_plain, text)
        return [TextMatrix("", grids)]
    text, comments = delimited.without_comments(text)
    above, text = latex_markdown_reader.titled(text)
    blocks, below = delimited.blocks_of(delimited.unprinted(text))
    if len(blocks) == 1:
        words = " ".join(filter(None, (above, blocks[0].words, below, comments)))
        return [TextMatrix("", _said(_with_and_without_blank(_cut, blocks[0].text), words))]
    parts = [TextMatrix(block.words.strip("#*:：=＝ "), _with_and_without_blank(_cut, block.text)) for block in blocks]
    if any(part.name for part in parts[1:]) or latex_markdown_reader.is_piped(text) or not _are_numbers(blocks):
        return parts
    return [TextMatrix("", _plain("\n".join(block.text.strip("\n") for block in blocks))), *parts]


def _are_numbers(blocks: Sequence[TextBlock]) -> bool:
    """Return whether tables have no headings and rows of the same length."""
    firsts = [block.text.strip().partition("\n")[0].replace(",", " ").replace(";", " ").split() for block in blocks]
    return len(set(map(len, firsts))) == 1 and all(is_number(cell) for cells in firsts for cell in cells)


def _with_and_without_blank(cut: Callable[[str], list[TextGrid]], text: str) -> list[TextGrid]:
    """Return the ways to split a table in which t0:1 2 may be t0 with 1 and 2, or t0:1 with 2."""
    parted = delimited.unglued(text)
    return cut(text) if parted == text else cut(text) + cut(parted)


def _cut(text: str) -> list[TextGrid]:
    """Return the ways to split one table."""
    if latex_markdown_reader.is_piped(text):
        return [_listed(*latex_markdown_reader.piped_rows(text))]
    label, table, doubtful = delimited.label_of(text)
    grids = _said(_plain(table), label) + (_plain(text) if doubtful else [])
    first, *below = text.strip("\n").split("\n", 4)
    if below and first[:1].strip(" \t,;") and delimited.is_title(first, below[:3]):
        grids += _said(_plain("\n".join(below)), first)  # or it is the heading of a column whose rows are counted
    return grids


def _said(grids: Sequence[TextGrid], words: str) -> list[TextGrid]:
    """Return the grids, with more words that were left out beside them."""
    return [grid._replace(left_out=" ".join(filter(None, (words, grid.left_out)))) for grid in grids]


def _lists(text: str, outline: str) -> list[TextMatrix]:
    """Return the matrices in brackets; those in comments, too, where the text has no other."""
    if not bracketed_lists.may_hold(outline) or "[,1]" in text:
        return []
    _refuse_too_many(text)
    if outline != text and not bracketed_lists.find_lists(outline):
        return []
    found = bracketed_lists.find_lists(text)
    if found is None and any(mark in text for mark in ("#", "//", "%")):
        found = bracketed_lists.find_lists(delimited.uncommented(text))
    if found is None:
        return []
    return [
        TextMatrix(one.name, [_rows(way, one.labels, found.left_out) for way in one.readings]) for one in found.matrices
    ]


def _rows(rows: bracketed_lists.Rows, labels: Sequence[str] | None, left_out: str) -> TextGrid:
    """Return rows in brackets, whose commas are part of no number, with the names before them."""
    cells = rows if labels is None else [[label, *row] for label, row in zip(labels, rows, strict=True)]
    grid = _listed([TextRow(0, row) for row in cells])
    return grid._replace(commas=False, left_out=left_out, headings=NAMED_ROWS if labels else None)


def _plain(text: str) -> list[TextGrid]:
    """Return the ways to split a table at blanks, tabs, commas or semicolons."""
    if named := delimited.named_rows(text):
        names, text = named
        cut = delimited.rows_of(text, delimited.find_dialect(text))
        rows = [TextRow(row.line, [name, *row.cells]) for name, row in zip(names, cut, strict=False)]
        return [_listed(rows)._replace(headings=NAMED_ROWS)]
    inline = _inline_rows(text)
    if inline is not None:
        return inline
    dialect = delimited.find_dialect(text)
    if dialect.delimiter == " ":
        bracketed_lists.refuse_shortened(text)
    # spreadsheets, and this program, copy 0.0 between tabs as 0, so that a count there is numbers as any other
    first = FirstRow.HEADINGS if dialect.begun else FirstRow.EITHER
    first = FirstRow.NUMBERS if dialect.delimiter == "\t" else first
    grid = _table(text, dialect)
    grid = grid._replace(first=first, note=FileNote(_EMPTY_COLUMN) if dialect.begun else grid.note)
    # a comma in quotes separates nothing
    return _with_commas(text, grid) if dialect.delimiter == "," and '"' not in text else [grid]


def _with_commas(text: str, grid: TextGrid) -> list[TextGrid]:
    """Return the ways to split lines between commas, given the one at every comma: 1,5 may be one number."""
    sample = delimited.sample_of(text, Dialect("\t"))
    lines = [cells[0].strip() for cells in sample if len(cells) == 1]
    whole = [line for line in lines if line.lstrip("-+").isdigit()]
    if not lines or len(lines) < len(sample):
        return [grid]
    if whole and all(map(ONE_COMMA.fullmatch, set(lines) - set(whole))):
        return [_table(text, Dialect("\t"))]  # a column in which some numbers have decimals
    if all(map(ONE_COMMA.fullmatch, lines)) and _may_be_decimals(lines):
        return [grid, _table(text, Dialect("\t"))]
    if not any(all(map(kind.fullmatch, lines)) for kind in _OTHERWISE):
        return [grid]
    parted = " | ".join(cell.strip() for cell in lines[0].split(","))
    return [grid._replace(note=FileNote(_PARTED, text=quoted(lines[0]), cells=quoted(parted)))]


def _listed(rows: list[TextRow], headed: bool = False) -> TextGrid:
    return TextGrid(lambda: iter(rows), len(rows), FirstRow.HEADINGS if headed else FirstRow.NUMBERS)


def _table(text: str, dialect: Dialect) -> TextGrid:
    """Return a text cut at delimiters; with a note where these are semicolons, as in lands of decimal commas, and every
    point of the first lines may be one between thousands."""
    dotted = [cell for cell in re.split(r"[;\s]+", text[:_FIRST]) if "." in cell] if dialect.delimiter == ";" else []
    doubtful = bool(dotted) and all(map(_POINTED.fullmatch, dotted))
    note = FileNote(_READ_POINT, text=dotted[0], value=f"{float(dotted[0]):g}") if doubtful else None
    return TextGrid(lambda: delimited.rows_of(text, dialect), text.count("\n") + 1, note=note)


def _inline_rows(text: str) -> list[TextGrid] | None:
    """Return the grids of rows that end at semicolons, as MATLAB writes a matrix, in one line or each in its own."""
    if ";" not in text or "\t" in text:
        return None
    if "\n" in text:
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        ended = all(line.endswith(";") for line in lines[:-1])
        rows = text.replace(";", "")
        plain = ended and all(" " in line.rstrip("; ") and ";" not in line[:-1] for line in lines)
        return [grid._replace(first=FirstRow.NUMBERS) for grid in _plain(rows)] if plain else None
    below = text.replace(";", "\n")
    widths = {part.count(",") for part in text.strip("; ").split(";")}
    if _INLINE_ROWS.search(text) or (len(widths) == 1 and widths != {0} and widths != {1}):
        return [_table(below, delimited.find_dialect(below))]
    if all(ONE_COMMA.fullmatch(part.strip()) for part in text.strip("; ").split(";")):
        return [_table(text, Dialect(";", ended=text.rstrip().endswith(";"))), _table(below, Dialect(","))]
    return None


def _may_be_decimals(lines: Sequence[str]) -> bool:
    """Return whether lines such as "0,05" are as likely to be one number each as two.

    So they may where there is a single line, where a 0 stands in front as no whole number has it (05, -0), and where
    every left side is 0 or every right side has three digits or more.
    """
    sides = [line.split(",") for line in lines]
    if len(sides) == 1 or any(re.match(r"0\d", right) or re.match(r"[-+]0$", left) for left, right in sides):
        return True
    return all(left.strip("-+") == "0" for left, _ in sides) or all(len(right) > 2 for _, right in sides)


def _refuse_too_many(text: str) -> None:
    """Raise FormatError for too many fields, before anything is split."""
    if len(text) >= 2 * MOST_WRITTEN_OUT and sum(1 for _ in _FIELD.finditer(text)) > MOST_WRITTEN_OUT:
        raise FormatError(TOO_MANY, most=f"{MOST_WRITTEN_OUT:,}")


# --- reading -------------------------------------------------------------------------------------
def _clean(
    grid: TextGrid, headings: Headings, sample: list[list[str]], progress: Progress
) -> list[tuple[Mode, LabeledArray]]:
    """Return the numbers of the rows read with decimal points; where only commas are in the way, with decimal commas
    and with commas between thousands. Raises FormatError where other cells are no numbers, too."""
    cells, matrix = _matrix(grid, headings, "point", sample, progress)
    if not cells.bad:
        return [("point", matrix)]
    modes = MODES[1:] if grid.commas and cells.only_commas else ()
    found = [(mode, *_matrix(grid, headings, mode, sample, progress)) for mode in modes]
    if not (clean := [(mode, matrix) for mode, again, matrix in found if not again.bad]):
        raise cells.refusal()
    return clean


def _matrix(
    grid: TextGrid, headings: Headings, mode: Mode, sample: list[list[str]], progress: Progress
) -> tuple[ParsedCells, LabeledArray]:
    """Return the cells of the rows, and their matrix with notes on what was left out, guessed or rounded."""
    cells, rows = ParsedCells(mode), grid.begin()
    header = next(rows).cells[headings.labels and not headings.short :] if headings.header else None
    checked = label_check([row[0] for row in sample[headings.header :] if row], headings.said)
    labels: list[str] = []
    for place, row in enumerate(rows):
        if headings.labels:
            if not row.cells or not checked(place, row.cells[0]):
                raise _no_label(place, row)
            labels.append(unmarked(row.cells[0]))
        cells.add_row(row, row.cells[headings.labels :])
        if cells.hopeless:
            break
        if place % TOLD_ROWS == 0:
            progress(min(1.0, place / grid.rows))
    if not cells.values:
        raise _nothing()
    values = np.frombuffer(cells.values, np.float64).reshape(-1, cells.width).copy()
    notes = [*filter(None, (grid.note,))]
    if grid.left_out:
        notes.append(FileNote(LEFT_OUT, text=quoted(grid.left_out, LONGEST_NOTE)))
    columns = None if header is None else tuple(map(unmarked, header))
    if columns is not None:
        template = N_("The first row was left out as headings: {names}.")
        notes.append(FileNote(template, names=_named(columns)))
    if headings.labels:
        template = N_("The first column was left out as labels: {names}.")
        notes.append(FileNote(template, names=_named(labels)))
    beside = tuple(labels) if headings.labels else None
    return cells, LabeledArray(values, beside, columns, (*notes, *cells.notes()), switches=cells.switches)


def _no_label(place: int, row: TextRow) -> FormatError:
    template = N_("{file}: the label of row {row} is “{text}”; expected a name or a count as in the rows above.")
    return FormatError(template, row=place, text=quoted(row.cells[0] if row.cells else ""))


def _nothing() -> FormatError:
    return FormatError(N_("{file} holds no numbers."))


# --- saying --------------------------------------------------------------------------------------
def _distinct(found: Sequence[PossibleMatrix]) -> list[PossibleMatrix]:
    """Return the readings without those that give the same matrix under the same name, or under none."""
    kept: list[PossibleMatrix] = []
    for one in found:
        alike = (other for other in kept if one.name in ("", other.name) or not other.name)
        if not any(np.array_equal(one.matrix.values, other.matrix.values, equal_nan=True) for other in alike):
            kept.append(one)
    return kept


def _named(labels: Sequence[str]) -> tuple[str, ...]:
    more = ("…",) if len(labels) > NAMES else ()
    return tuple(quoted(label, 12) or "“”" for label in labels[:NAMES]) + more


def _words(mode: Mode, left_out: str | None, matrix: LabeledArray, name: str) -> FileNote:
    first = " ".join(f"{value:.6g}" for value in matrix.values[0, :3])
    said = FileNote(_READ[mode], shape=shape_text(matrix.values.shape), first=first)
    said = FileNote(left_out, reading=said) if left_out else said
    named = N_("{name}: {reading}")
    return FileNote(named, name=quoted(name, 32), reading=said) if name else said
