"""`.csv` and `.tsv`: one matrix as text, with labels above and beside it or without. Imports NumPy."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import IO, Any

import numpy as np

from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.file_format import FileSource, LabeledArray, Labels, check_size
from attn_gui.formats.file_messages import FileNote, FormatError
from attn_gui.formats.text.headings import MOST_NUMBERS, is_count, is_plain, marked
from attn_gui.formats.untrusted_bytes import Array
from attn_gui.languages import N_

LARGEST_FILE = 256 * 2**20
MOST_CELLS = MOST_NUMBERS  # of a text: more would make a file that no spreadsheet opens, nor this program
AT_ONCE = 100_000  # cells that are texts at a time
_ENCODINGS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_CHINESE = N_("The text is not in UTF-8; its letters were read as those of GB 18030.")


def matches(start: bytes) -> bool:
    """Return False: a text may begin with anything."""
    return False


def read(source: FileSource) -> LabeledArray:
    """Return the matrix. Raises FormatError with row and column of what is no number, or has two meanings."""
    from attn_gui.formats.text.text_table import read_table  # its import takes as long as those of half of the formats

    check_size(source.size, LARGEST_FILE)
    file = source.quiet or source.file
    file.seek(0)
    text, notes = decode(file.read(source.size))
    matrix = read_table(text, source.progress)
    return replace(matrix, notes=(*notes, *matrix.notes))


def write_rows(
    source: ArrayRows, file: IO[bytes], row_labels: Labels, column_labels: Labels, *, delimiter: str
) -> None:
    """Write UTF-8, each number as the shortest text that gives it back, labels so that no spreadsheet runs them as
    formulas.

    Where one side has labels the other side gets numbers, and the corner stays empty: so a reader tells labels from
    data.
    """
    height, width = source.shape
    labeled = row_labels is not None or column_labels is not None
    if labeled:
        file.write(_lines([["", *_names(column_labels, source.column_numbers)]], delimiter))
    beside = iter(_names(row_labels, tuple(map(str, range(height)))))
    for block in source.blocks():
        step = max(1, AT_ONCE // max(width, 1))
        for low in range(0, len(block), step):
            texts = texts_of(block[low : low + step])
            lines = ([next(beside), *row] for row in texts) if labeled else texts
            file.write(_lines(lines, delimiter))


def _names(labels: Sequence[str] | None, numbers: Sequence[str]) -> Sequence[str]:
    """Return the labels of a side, or its numbers where it has none."""
    if labels is None:
        return numbers
    return labels if is_count(labels) else tuple(map(_quoted, labels))


def _quoted(label: str) -> str:
    """Return a label as a cell, quoted where a reader might split or join it."""
    return marked(label) if is_plain(label) else '"' + marked(label).replace('"', '""') + '"'


def _lines(rows: Iterable[Sequence[str]], delimiter: str) -> bytes:
    return "".join(delimiter.join(row) + "\n" for row in rows).encode("utf-8", "backslashreplace")


write_csv, write_tsv = partial(write_rows, delimiter=","), partial(write_rows, delimiter="\t")


def decode(data: bytes) -> tuple[str, tuple[FileNote, ...]]:
    """Return a text: UTF-16 with a byte order mark, UTF-8 with or without one, else the Chinese GB 18030, with a note:
    almost any bytes are letters there, those of Müller in Latin 1, too."""
    marks = [encoding for mark, encoding in _ENCODINGS.items() if data.startswith(mark)]
    for encoding, notes in (*((mark, ()) for mark in marks), ("utf-8", ()), ("gb18030", (FileNote(_CHINESE),))):
        try:
            return data.decode(encoding), notes
        except UnicodeDecodeError:
            continue
    raise FormatError(N_("{file} is not text in UTF-8 or GB 18030; expected numbers."))


def texts_of(values: Array) -> list[list[str]]:
    """Return the shortest texts that give the same numbers."""
    if values.dtype.kind in "bui":
        return [[str(int(cell)) for cell in row] for row in values]
    if values.dtype == np.float64:
        return [list(map(repr, row)) for row in values.tolist()]
    return [list(map(_shortest, row)) for row in values]


def _shortest(cell: np.floating[Any]) -> str:
    """Return the shortest text that gives the same number in its own dtype, which is coarser than float64."""
    return str(cell) if not cell or 1e-4 <= abs(float(cell)) < 1e16 else np.format_float_scientific(cell, trim="-")
