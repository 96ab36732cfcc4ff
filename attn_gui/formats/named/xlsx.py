"""`.xlsx`: one array for every sheet of numbers, under the sheet's name: values, never formulas. Imports engine.

openpyxl reads; it is asked for when a workbook is read, for it comes with the extra `xlsx`.
"""

from __future__ import annotations

import itertools
import warnings
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from attn_gui.formats.base import Listed, Listing, Loaded, Matrix, Source
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note, shown, size_text
from attn_gui.formats.foreign_arrays import CHUNK, Array
from attn_gui.formats.json_text import NOT_MAPPING, Json, parse_object
from attn_gui.formats.named.by_name import META, is_ours, problem_in, said_in_meta

LARGEST_UNPACKED = 128 * 2**20  # of text, which takes several times as much while it is read
LONGEST_META = 2**15  # letters of a cell, as Excel has them
MOST_PARTS = 2000
MOST_CELLS = 4_000_000
MOST_ROWS = 2**20  # of a sheet, as Excel has it
SLOWER = 1024  # a byte of it takes as long as so many of numbers that need no reading; openpyxl itself takes a while
_DECLARED = (b"<!DOCTYPE", b"<!ENTITY", "<!DOCTYPE".encode("utf-16-le"), "<!DOCTYPE".encode("utf-16-be"))
_FORMULAS = (b"<f>", b"<f ")

NO_LIBRARY = QT_TRANSLATE_NOOP(
    "Sentences", "{file} needs openpyxl, which is not installed: python -m pip install openpyxl"
)
_NO_BOOK = QT_TRANSLATE_NOOP("Sentences", "{file} is damaged or is no workbook of Excel.")
_LARGE = QT_TRANSLATE_NOOP("Sentences", "{file} unpacks to {got}; expected at most {expected}.")
_PARTS = QT_TRANSLATE_NOOP("Sentences", "{file} has {got} parts; expected at most {expected}.")
_ENTITIES = QT_TRANSLATE_NOOP(
    "Sentences", "{file} declares entities in its XML, as no workbook does, and is not opened."
)
_CELLS = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: the sheet “{name}” has more than {most} cells; save it as .csv instead."
)
_SHEET = QT_TRANSLATE_NOOP("Sentences", "{file}, sheet “{name}”: {reason}")
_NOTHING = QT_TRANSLATE_NOOP("Sentences", "{file} holds no sheet of numbers.")
_UNCOMPUTED = QT_TRANSLATE_NOOP(
    "Sentences",
    "{file}: the sheet “{name}” has formulas without values; open it in a spreadsheet and save it there.",
)


class _Cells(NamedTuple):
    """A row of a sheet, counted from 0."""

    place: int
    cells: list[Any]


def matches(start: bytes) -> bool:
    """Whether a file that begins so is a zip."""
    return start.startswith(b"PK\3\4")


def read(source: Source) -> Loaded:
    """A problem whose sheets have the names of its fields; a sheet `meta` may hold its options as JSON in one cell."""
    return problem_in(listing(source), source)


def size_of(source: Source) -> int:
    """The size of the unpacked file in bytes, weighted by how slowly its text is read."""
    with zipfile.ZipFile(source.file) as archive:
        return SLOWER * sum(info.file_size for info in archive.infolist())


def listing(source: Source) -> Listing:
    """Every sheet that is one table of numbers, headings and labels left out."""
    formulas = _check_parts(source)
    found: dict[str, Matrix] = {}
    options: dict[str, Json] = {}
    refused: dict[str, FormatError] = {}
    with _opened(source, formulas) as books:
        for name, *sheets in zip(books[0].sheetnames, *(book.worksheets for book in books), strict=True):
            try:
                rows = _cells(name, sheets, source)
                if name == META:
                    options = _options(rows)
                elif rows or is_ours(name):
                    found[name] = _matrix(name, rows, source)
            except FormatError as error:
                if is_ours(name):
                    raise
                refused[name] = error
    if not found:
        raise next(iter(refused.values()), FormatError(_NOTHING))
    listed = tuple(Listed(name, matrix.values.shape, matrix.values.dtype.name) for name, matrix in found.items())
    notes = tuple(note for matrix in found.values() for note in matrix.notes)
    return Listing(listed, partial(_held, found), options, notes, tuple(refused))


def _held(found: Mapping[str, Matrix], _source: Source, names: Collection[str]) -> dict[str, Array]:
    return {name: matrix.values for name, matrix in found.items() if name in names}


def _check_parts(source: Source) -> bool:
    """Whether there are formulas. Everything is unpacked once into nothing: so no part is longer than allowed, and
    none declares what multiplies."""
    left, formulas = LARGEST_UNPACKED, False
    with zipfile.ZipFile(source.file) as archive:
        parts = archive.infolist()
        if len(parts) > MOST_PARTS:
            raise FormatError(_PARTS, got=len(parts), expected=MOST_PARTS)
        if sum(info.file_size for info in parts) > left:
            said = sum(info.file_size for info in parts)
            raise FormatError(_LARGE, got=size_text(said), expected=size_text(left))
        for info in parts:
            with archive.open(info) as part:
                before = b""
                while piece := part.read(CHUNK):
                    left -= len(piece)
                    if left < 0:
                        raise FormatError(_LARGE, got=size_text(LARGEST_UNPACKED - left), expected=size_text(left))
                    if any(mark in before + piece for mark in _DECLARED):
                        raise FormatError(_ENTITIES)
                    formulas = formulas or any(mark in before + piece for mark in _FORMULAS)
                    before = piece[-32:]
    source.file.seek(0)
    return formulas


@contextmanager
def _opened(source: Source, formulas: bool) -> Iterator[list[Any]]:
    """The workbook with its values, and with its formulas where it has any."""
    try:
        import openpyxl
    except ImportError as error:
        raise FormatError(NO_LIBRARY) from error
    books: list[Any] = []
    try:
        with warnings.catch_warnings():  # of styles and rules, on which no number depends
            warnings.simplefilter("ignore")
            for data_only in (True, False)[: 1 + formulas]:
                source.file.seek(0)
                books.append(openpyxl.load_workbook(source.file, read_only=True, data_only=data_only, keep_links=False))
        if any(len(book.sheetnames) != len(book.worksheets) for book in books):  # pages of charts alone
            raise FormatError(_NO_BOOK)
        yield books
    except (KeyError, ValueError, TypeError, AttributeError, OSError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(_NO_BOOK) from error
    finally:
        for book in books:
            book.close()


def _cells(name: str, sheets: Sequence[Any], source: Source) -> list[_Cells]:
    """The rows that hold anything, empty cells at their end left out; one empty row for all between two of them."""
    for sheet in sheets:
        sheet.reset_dimensions()  # what it says of its size may be anything
    every = [sheet.iter_rows(values_only=True) for sheet in sheets]
    filled = zip(*(filter(itemgetter(1), enumerate(itertools.islice(rows, MOST_ROWS))) for rows in every), strict=False)
    rows: list[_Cells] = []
    count = 0
    for (place, row), *formulas in filled:
        count += len(row)
        if count > MOST_CELLS:
            raise _too_large(name)
        if any(_is_uncomputed(row, twin) for _, twin in formulas):
            raise FormatError(_UNCOMPUTED, name=shown(name))
        if cells := _without_end(row):
            if rows and rows[-1].place < place - 1:
                rows.append(_Cells(rows[-1].place + 1, []))
            rows.append(_Cells(place, cells))
        if place % 1024 == 0:
            source.tell(1.0)
    if any(next(beyond, None) is not None for beyond in every):
        raise _too_large(name)
    return rows


def _too_large(name: str) -> FormatError:
    return FormatError(_CELLS, name=shown(name), most=f"{MOST_CELLS:,}")


def _is_uncomputed(values: Sequence[Any], formulas: Sequence[Any]) -> bool:
    """Whether a row has a formula whose value was not saved."""
    return any(value is None and formula is not None for value, formula in zip(values, formulas, strict=False))


def _without_end(row: Collection[Any]) -> list[Any]:
    found = list(row)
    while found and found[-1] is None:
        found.pop()
    return found


def _matrix(name: str, rows: list[_Cells], source: Source) -> Matrix:
    """The table of a sheet, wherever in it it begins; true and false, and whole numbers, as such."""
    from attn_gui.formats.text.delimited import Row
    from attn_gui.formats.text.text_table import read_rows

    block = _trimmed(name, rows)
    with _said_of(name):
        matrix = read_rows([Row(place, [_text(cell) for cell in row]) for place, row in block], source.tell)
    if matrix.switches:
        return replace(matrix, values=matrix.values.astype(np.bool_))
    kinds = {type(cell) for row in block for cell in row.cells if isinstance(cell, int | float)}
    return replace(matrix, values=matrix.values.astype(np.int64)) if kinds == {int} else matrix


def _trimmed(name: str, rows: Sequence[_Cells]) -> list[_Cells]:
    """The rows as wide as the widest, without the empty columns on their left; places count from 1."""
    first = min((next(k for k, cell in enumerate(row) if cell is not None) for _, row in rows if row), default=0)
    width = max((len(row) for _, row in rows), default=0)
    if (width - first) * len(rows) > MOST_CELLS:
        raise _too_large(name)
    top = rows[0].place - 1 if rows else 0
    return [_Cells(place - top, (row + [None] * (width - len(row)))[first:]) for place, row in rows]


def _text(cell: Any) -> str:
    return "" if cell is None else repr(cell) if isinstance(cell, int | float) else str(cell)


@contextmanager
def _said_of(name: str) -> Iterator[None]:
    """Whatever is wrong is said of a sheet."""
    try:
        yield
    except FormatError as error:
        raise FormatError(_SHEET, name=shown(name), reason=_without_file(error)) from error


def _without_file(error: FormatError) -> Note:
    """The sentence without the name of the file in front, which stands before it."""
    return Note(error.template.removeprefix("{file}: "), **{"file": "", **error.values})


def _options(rows: Sequence[_Cells]) -> dict[str, Json]:
    """The options of a sheet whose one cell holds them."""
    texts = [cell for _, row in rows for cell in row if cell is not None] or ["{}"]
    with _said_of(META):
        if len(texts) > 1 or not isinstance(texts[0], str):
            raise FormatError(NOT_MAPPING)
        return said_in_meta(parse_object(texts[0], LONGEST_META))
