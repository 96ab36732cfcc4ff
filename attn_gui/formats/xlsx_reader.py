"""A workbook read: tables on its sheets, headings, hidden rows, limits.

openpyxl reads; it is asked for when a workbook is read, for it comes with the extra `xlsx`.
"""

from __future__ import annotations

import base64
import itertools
import math
import re
import warnings
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.checks import EXACT
from attn_gui.engine.fields import DIRECT, DTYPES
from attn_gui.formats.file_format import ArrayListing, FileSource, LabeledArray, Loaded
from attn_gui.formats.file_messages import FileNote, FormatError, quoted, shown, size_text
from attn_gui.formats.named.array_names import LONGEST_META, META, guess, is_own_name, is_problem, meta_options
from attn_gui.formats.named.mapped_problem import problem_in
from attn_gui.formats.text.headings import CellSort, NotANumber, number, sort_of
from attn_gui.formats.untrusted_bytes import CHUNK, NOT_MAPPING, Budget, Json, parse_object
from attn_gui.languages import N_

LARGEST_UNPACKED = 128 * 2**20  # of text, which takes several times as much while it is read
LOWEST_OPEN = -1e299  # what is less stands for −∞, which spreadsheets lack
PARAMETERS, SHEETS = "parameters", "sheets"  # of a workbook of this program
MOST_PARTS = 2000
MOST_CELLS = 4_000_000
MOST_ROWS = 2**20  # of a sheet, as Excel has it
SLOWER = 1024  # a byte of it takes as long as so many of numbers that need no reading; openpyxl itself takes a while
MOST_COLUMNS = 2**14  # of a sheet, as Excel has it
_TAGS = re.compile(rb"""<(?:\w+:)?(row|c)(?=[\s/>])(?:[^<>]*?\sr=["']([A-Z]{0,3})(\d{1,7})["'])?""")
_DECLARED = (b"<!DOCTYPE", b"<!ENTITY")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_XML = (".xml", ".rels")
_HIDDEN = re.compile(rb"""<(?:\w+:)?(?:row|col|sheet)\s[^<>]*?(?:hidden=["'](?:1|true)|state=["'](?:h|veryH)idden)""")
LONGEST_TAG = 512

NO_LIBRARY = N_("{file} needs openpyxl, which is not installed: python -m pip install openpyxl.")
_NO_BOOK = N_("{file} is damaged or is no workbook of Excel.")
_LARGE = N_("{file} unpacks to {got}; expected at most {expected}.")
_PARTS = N_("{file} has {got} parts; expected at most {expected}.")
_ENTITIES = N_("{file} declares entities in its XML, as no workbook does, and is not opened.")
_CELLS = N_("{file}: the sheet “{name}” has more than {most} cells; save it as .csv instead.")
_WIDE = N_("{file} has a row of more than {most} cells; save it as .csv instead.")
_SHEET = N_("{file}, sheet “{name}”: {reason}")
_NO_NUMBER = N_("row {row}, column {column} is “{text}”; expected a number.")
_HUGE = N_("the number in {cell} is too large for float64: the largest is {largest}.")
_NOTHING = N_("{file} holds no sheet of numbers.")
_READ_HIDDEN = N_("Hidden rows, columns or sheets were read as all others.")
_UNCOMPUTED = N_(
    "{file}: the sheet “{name}” has formulas without values; open it in a spreadsheet and save it there.",
)


class _Cells(NamedTuple):
    """A row of a sheet, counted from 0."""

    place: int
    cells: list[Any]


def matches(start: bytes) -> bool:
    """Return whether a file that begins so is a zip."""
    return start.startswith(b"PK\3\4")


def read(source: FileSource) -> Loaded:
    """Return a problem whose sheets have the names of its fields; a sheet `meta` may hold options as JSON."""
    return problem_in(listing(source), source)


def size_of(source: FileSource) -> int:
    """Return the size of the unpacked file in bytes, weighted by how slowly its text is read."""
    with zipfile.ZipFile(source.file) as archive:
        return SLOWER * sum(info.file_size for info in archive.infolist())


def listing(source: FileSource) -> ArrayListing:
    """Return each table of numbers by the name of its sheet or the one above it, without headings and labels.

    Of a workbook of this program the arrays of its problem.
    """
    formulas, hidden = _check_parts(source)
    found: dict[str, LabeledArray] = {}
    options: dict[str, Json] = {}
    refused: dict[str, FormatError] = {}
    computed: set[str] = set()
    with _opened(source, formulas) as books:
        sheets = dict(zip(books[0].sheetnames, zip(*(book.worksheets for book in books), strict=True), strict=True))
        if META in sheets:
            options = _options(_cells(META, sheets.pop(META), source))
        if SHEETS in options:
            return _own(options, sheets, source)
        for name, parts in sheets.items():
            try:
                rows = _cells(name, parts, source)
                if rows or is_own_name(name):
                    found |= _matrices(name, rows, source, found)
            except FormatError as error:
                if error.template == _UNCOMPUTED:
                    computed.add(name)
                elif is_own_name(name):
                    raise
                refused[name] = error
    if not found or (computed & set(DIRECT) and not is_problem(found)):
        raise next(iter(refused.values()), FormatError(_NOTHING))
    notes = [note for matrix in found.values() for note in matrix.notes]
    notes += [FileNote(_READ_HIDDEN)] if hidden else []
    arrays = {name: matrix.values for name, matrix in found.items()}
    return ArrayListing.held(arrays, options=options, notes=tuple(notes), others=tuple(refused))


def _own(options: dict[str, Json], sheets: Mapping[str, Sequence[Any]], source: FileSource) -> ArrayListing:
    """Return the arrays of a workbook of this program from where it says they are, with numbers typed over.

    Results that were computed from them are computed again.
    """
    from attn_gui.formats.xlsx_formulas import ArraySheet

    places, written, found = options.pop(SHEETS), options.pop(PARAMETERS, {}), {}
    if any(at["sheet"] not in sheets for at in places.values()):
        raise FormatError(_NO_BOOK)
    for name, at in places.items():
        board, shape = ArraySheet(at["sheet"], tuple(at["board"])), tuple(at["shape"])
        Budget().take(name, shape, np.dtype(at["dtype"]).itemsize)
        if at["dtype"] not in (*DTYPES, "bool") or not board.cells == math.prod(shape) <= MOST_CELLS:
            raise FormatError(_NO_BOOK)
        rows = {row.place + 1: row.cells for row in _cells(at["sheet"], sheets[at["sheet"]], source)}
        values = np.empty(board.shape)
        for index in np.ndindex(*board.shape):
            place = board.place(index)
            row = rows.get(place.row, [])
            text = _text(row[place.column - 1]) if place.column <= len(row) else ""
            with _said_of(at["sheet"]):
                values[index] = _number(text, place.row, place.column)
        values[values <= LOWEST_OPEN] = -np.inf
        exact = np.frombuffer(base64.b64decode(at["exact"]), "<f8").reshape(shape)
        if values.ndim == 4 and len(shape) in (2, 3) and values.shape[1] * values.shape[3] == shape[-1]:
            values = values.transpose(0, 2, 1, 3)  # heads that are below each other lie side by side in a field
        values = values.reshape(shape)
        same = np.isclose(values, exact, rtol=1e-15, atol=0, equal_nan=True)  # a cell has 16 digits at most
        found[name] = np.where(same, exact, values).astype(np.dtype(at["dtype"]))
    for _, cells in _cells(PARAMETERS, sheets.get(PARAMETERS, ())[-1:], source):
        name, value = (*cells, None, None)[:2]
        if name in written and isinstance(value, int | float) and value != written[name]:
            options[name] = value
    return ArrayListing.held(found, options=options)


def _number(text: str, row: int, column: int) -> float:
    try:
        return number(text)
    except NotANumber as error:
        raise FormatError(_NO_NUMBER, row=row, column=column, text=quoted(text)) from error


def _check_parts(source: FileSource) -> tuple[bool, bool]:
    """Return whether there are formulas, and whether anything is hidden; every part is unpacked once, piece by piece,
    and kept nowhere.

    Raises FormatError for too many parts, too many bytes in all (`zipfile` unpacks no more than a part declares), and
    XML entities, which could multiply.
    """
    formulas = hidden = False
    with zipfile.ZipFile(source.file) as archive:
        parts = archive.infolist()
        if len(parts) > MOST_PARTS:
            raise FormatError(_PARTS, got=f"{len(parts):,}", expected=f"{MOST_PARTS:,}")
        size = sum(info.file_size for info in parts)
        if size > LARGEST_UNPACKED:
            raise FormatError(_LARGE, got=size_text(size), expected=size_text(LARGEST_UNPACKED))
        for info in parts:
            with archive.open(info) as part:
                begun, place = b"", _Place()
                while piece := part.read(CHUNK):
                    text = begun + piece
                    if any(mark in text for mark in _DECLARED):
                        raise FormatError(_ENTITIES)
                    if b"\0" in piece and info.filename.endswith(_XML):  # UTF-16, whose marks these are not
                        raise FormatError(_NO_BOOK)
                    formulas = formulas or _FORMULA.search(text) is not None
                    hidden = hidden or _HIDDEN.search(text) is not None
                    tag = text.rfind(b"<")
                    end = tag if tag >= 0 and len(text) - tag <= LONGEST_TAG else len(text)
                    place, begun = _last_place(text[:end], place), text[end:]  # a tag may go on in the next piece
    source.file.seek(0)
    return formulas, hidden


class _Place(NamedTuple):
    """The last row of a sheet, counted from 1, how many cells it has had, and the letters of the last one."""

    row: int = 0
    cells: int = 0
    column: tuple[int, bytes] = (0, b"")  # with their number, so that Z comes before AA


def _last_place(piece: bytes, last: _Place) -> _Place:
    """Return where a piece of a sheet ends.

    Raises FormatError for too many cells in a row, and where a row or a cell comes after a later one or comes twice:
    one of the two would be dropped.
    """
    row, cells, column = last
    for kind, letters, digits in _TAGS.findall(piece):
        if kind == b"row":
            before, row = row, int(digits or row + 1)
            cells, column = 0, (0, b"")
            if row <= before:
                raise FormatError(_NO_BOOK)
        elif row:  # else it is a list of all formulas, in the order in which Excel computes them
            cells += 1
            if cells > MOST_COLUMNS:
                raise FormatError(_WIDE, most=f"{MOST_COLUMNS:,}")
            left, column = column, (len(letters), letters) if letters else column
            if letters and column <= left:
                raise FormatError(_NO_BOOK)
    return _Place(row, cells, column)


@contextmanager
def _opened(source: FileSource, formulas: bool) -> Iterator[list[Any]]:
    """Open the workbook with its values, and if it has formulas a second time with these."""
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


def _cells(name: str, sheets: Sequence[Any], source: FileSource) -> list[_Cells]:
    """Return the rows that are not empty, trimmed at their end; several empty rows between two become one."""
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
        if any(
            any(value is None and formula is not None for value, formula in zip(row, twin, strict=False))
            for _, twin in formulas
        ):
            raise FormatError(_UNCOMPUTED, name=shown(name))
        found = list(row)
        for wild in (math.inf, -math.inf):  # which no workbook has: openpyxl makes it of 1e400
            if wild in found:
                from openpyxl.utils import get_column_letter

                cell = f"{get_column_letter(found.index(wild) + 1)}{place + 1}"
                with _said_of(name):
                    raise FormatError(_HUGE, cell=cell, largest=f"{np.finfo(np.float64).max:.4g}")
        while found and found[-1] is None:
            found.pop()
        if found:
            if rows and rows[-1].place < place - 1:
                rows.append(_Cells(rows[-1].place + 1, []))
            rows.append(_Cells(place, found))
        if place % 1024 == 0:
            source.progress(1.0)
    if any(next(beyond, None) is not None for beyond in every):
        raise _too_large(name)
    return rows


def _too_large(name: str) -> FormatError:
    return FormatError(_CELLS, name=shown(name), most=f"{MOST_CELLS:,}")


class _Table(NamedTuple):
    """A table on a sheet, with the words above it."""

    title: str
    rows: list[_Cells]


def _matrices(name: str, rows: list[_Cells], source: FileSource, taken: Collection[str]) -> dict[str, LabeledArray]:
    """Return the tables of a sheet: one by the name of the sheet, several by words above them, or numbers."""
    from attn_gui.formats.text.text_table import LEFT_OUT, LONGEST_NOTE

    tables = list(_tables(rows))
    if len(tables) < 2:
        title, rows = tables[0] if tables else _Table("", rows)
        matrix = _matrix(name, rows, source)
        said = FileNote(LEFT_OUT, text=quoted(title, LONGEST_NOTE)) if title else None
        return {name: replace(matrix, notes=(said, *matrix.notes)) if said else matrix}
    found: dict[str, LabeledArray] = {}
    for place, table in enumerate(tables):
        meant = guess(table.title) if table.title else None
        own = meant.role if meant and not meant.turned else table.title or f"{name} {place}"
        own = f"{name}/{table.title or place}" if own in found or own in taken else own
        found[own] = _matrix(name, table.rows, source)
    return found


def _tables(rows: Sequence[_Cells]) -> Iterator[_Table]:
    """Yield the tables of a sheet, between empty rows and columns or rows of words; single rows are one table."""
    bands = _bands(rows)
    gaps = len(bands) > 1 and all(len(band.rows) == 1 for band in bands) and not any(band.title for band in bands[1:])
    if gaps:
        first = bands[0].rows[0].place
        bands = [_Table(bands[0].title, [row for row in rows if row.place >= first])]
    for band in bands:
        yield from _beside(*band)


def _bands(rows: Sequence[_Cells]) -> list[_Table]:
    """Return the rows between empty ones, each with the words above it; one above a row of several cells is a title."""
    bands: list[_Table] = []
    title, open_band = "", False
    for place, row in enumerate(rows):
        filled = _filled(row)
        if not filled:
            open_band = False
        elif len(filled) == 1 and _is_word(filled[0]) and len(_row_below(rows, place)) > 1:
            title, open_band = str(filled[0]), False
        elif open_band:
            bands[-1].rows.append(row)
        else:
            bands.append(_Table(title, [row]))
            title, open_band = "", True
    return bands


def _filled(row: _Cells) -> list[Any]:
    return [cell for cell in row.cells if cell is not None]


def _row_below(rows: Sequence[_Cells], place: int) -> list[Any]:
    """Return the filled cells of the next row that has any."""
    below = map(_filled, itertools.islice(rows, place + 1, None))
    return next(filter(None, below), [])


def _beside(title: str, band: list[_Cells]) -> Iterator[_Table]:
    """Yield the tables side by side in some rows, separated by an empty column; the first row may have their names."""
    width = max(len(row.cells) for row in band)
    filled = [any(len(row.cells) > k and row.cells[k] is not None for row in band) for k in range(width)]
    runs = [[*run] for used, run in itertools.groupby(range(width), filled.__getitem__) if used]
    parts = [[_Cells(row.place, row.cells[run[0] : run[-1] + 1]) for row in band] for run in runs]
    numbers = [any(isinstance(cell, int | float) for row in part for cell in row.cells) for part in parts]
    if len(parts) < 2 or not all(numbers) or len(band) < 2:
        yield _Table(title, band)
        return
    for part in parts:
        head = _filled(part[0])
        named = len(head) == 1 and _is_word(head[0])
        yield _Table(str(head[0]) if named else title, part[named:])


def _is_word(cell: object) -> bool:
    return isinstance(cell, str) and sort_of(cell) is CellSort.WORD


def _matrix(name: str, rows: list[_Cells], source: FileSource) -> LabeledArray:
    """Return a table wherever it begins in the sheet; booleans and whole numbers stay such."""
    from attn_gui.formats.text.delimited import TextRow
    from attn_gui.formats.text.text_table import read_rows

    block = _trimmed(name, rows)
    with _said_of(name):
        matrix = read_rows([TextRow(place, [_text(cell) for cell in row]) for place, row in block], source.progress)
    if matrix.switches:
        return replace(matrix, values=matrix.values.astype(np.bool_))
    kinds = {type(cell) for row in block for cell in row.cells if isinstance(cell, int | float)}
    if kinds == {int} and np.all(np.abs(matrix.values) < EXACT) and not np.any(matrix.values % 1):
        return replace(matrix, values=matrix.values.astype(np.int64))
    return matrix  # numbers that are kept as texts may be any


def _trimmed(name: str, rows: Sequence[_Cells]) -> list[_Cells]:
    """Return the rows padded to the widest, without empty columns on the left; places count from 1."""
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
    """Name the sheet in a FormatError raised inside."""
    try:
        yield
    except FormatError as error:
        said = FileNote(error.template.removeprefix("{file}: "), **{"file": "", **error.values})  # the file goes before
        raise FormatError(_SHEET, name=shown(name), reason=said) from error


def _options(rows: Sequence[_Cells]) -> dict[str, Json]:
    """Return the options in the only cell of a sheet."""
    texts = [cell for _, row in rows for cell in row if cell is not None] or ["{}"]
    with _said_of(META):
        if not all(isinstance(text, str) for text in texts):
            raise FormatError(NOT_MAPPING)
        return meta_options(parse_object("".join(texts), LONGEST_META))
