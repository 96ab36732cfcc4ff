"""The formats .csv and .tsv: encodings of text files (UTF-8, GB 18030), labels, numbers as written."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import IO, Any

import numpy as np

from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.file_format import FileSource, LabeledArray, Labels, check_size
from attn_gui.formats.file_messages import FileNote, FormatError
from attn_gui.formats.text.ambiguous_table import AmbiguousTable
from attn_gui.formats.text.headings import MOST_NUMBERS, is_count, is_plain, marked
from attn_gui.formats.untrusted_bytes import Array
from attn_gui.languages import N_

LARGEST_FILE = 256 * 2**20
MOST_CELLS = MOST_NUMBERS  # of a text: more would make a file that no spreadsheet opens, nor this program
AT_ONCE = 100_000  # cells that are texts at a time
_GUESSES = {"gb18030": "GB 18030", "cp1252": "Windows-1252"}
_GUESSED = N_("The text is not UTF-8; its letters were read as {encoding}.")
_LOOKED_AT = 2**20  # bytes that tell the encoding
_ENCODINGS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def read(source: FileSource) -> LabeledArray:
    """Return the matrix. Raises FormatError with row and column of what is no number, or has two meanings."""
    from attn_gui.formats.text.text_table import read_table  # its import takes as long as those of half of the formats

    check_size(source.size, LARGEST_FILE)
    file = source.quiet or source.file
    file.seek(0)
    text, notes = decode(file.read(source.size))
    try:
        matrix = read_table(text, source.progress)
    except AmbiguousTable as several:
        raise several.noted(notes) from None
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
    """Return a text: UTF-16 with a byte order mark, UTF-8 with or without one, else, with a note on that, what its
    letters beyond ASCII are likelier to be: the Chinese GB 18030, whose bytes come in pairs, or Windows-1252."""
    marks = [encoding for mark, encoding in _ENCODINGS.items() if data.startswith(mark)]
    for encoding in (*marks, "utf-8"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding), ()
    runs = [len(run) % 2 for run in re.findall(rb"[\x80-\xff]+", data[:_LOOKED_AT])]
    for encoding in ("cp1252", "gb18030") if 2 * sum(runs) > len(runs) else ("gb18030",):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding), (FileNote(_GUESSED, encoding=_GUESSES[encoding]),)
    raise FormatError(N_("{file} is not text in UTF-8, GB 18030 or Windows-1252; expected numbers."))


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
