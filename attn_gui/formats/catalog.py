"""Every kind of file that can be read and written. A new one is one file here and one entry in FORMATS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from attn_gui.formats import csv_text, npy, npz, session
from attn_gui.formats.base import Format, Loaded, Matrix, PathText, Source, suffix
from attn_gui.formats.sentences import QT_TRANSLATE_NOOP, FormatError

PROBLEMS: tuple[Format[Loaded], ...] = (
    Format(
        "session",
        (".attn",),
        QT_TRANSLATE_NOOP("Sentences", "Session"),
        "problem",
        session.read,
        session.write,
        session.matches,
    ),
    Format(
        "npz",
        (".npz",),
        QT_TRANSLATE_NOOP("Sentences", "NumPy arrays by name"),
        "problem",
        npz.read,
        npz.write,
        npz.matches,
    ),
)
MATRICES: tuple[Format[Matrix], ...] = (
    Format("npy", (".npy",), QT_TRANSLATE_NOOP("Sentences", "NumPy array"), "matrix", npy.read, npy.write, npy.matches),
    Format(
        "csv",
        (".csv",),
        QT_TRANSLATE_NOOP("Sentences", "Comma-separated numbers"),
        "matrix",
        csv_text.read,
        csv_text.write_csv,
        csv_text.matches,
    ),
    Format(
        "tsv",
        (".tsv",),
        QT_TRANSLATE_NOOP("Sentences", "Tab-separated numbers"),
        "matrix",
        csv_text.read,
        csv_text.write_tsv,
        csv_text.matches,
    ),
)
FORMATS: tuple[Format[Loaded] | Format[Matrix], ...] = (*PROBLEMS, *MATRICES)
MATRIX_SUFFIXES = frozenset(ending for kind in MATRICES for ending in kind.suffixes)

Chosen = TypeVar("Chosen", bound=Format[Any])
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".lz4", ".7z", ".rar")


def detect(
    source: Source, path: PathText, wanted: Iterable[Format[Any]] = FORMATS
) -> Format[Loaded] | Format[Matrix]:
    """The format of an open file: by what it begins with, else by its suffix; an unknown one is refused with those
    that are `wanted`."""
    ending = suffix(path)
    if ending in _COMPRESSED:
        template = QT_TRANSLATE_NOOP("Sentences", "{file} is compressed; unpack it first and open what is inside.")
        raise FormatError(template)
    start = source.file.read(16)
    source.file.seek(0)
    for kind in FORMATS:
        if kind.matches(start):
            return kind
    known = [kind for kind in FORMATS if ending in kind.suffixes]
    return known[0] if known else of_suffix(ending, wanted)


def of_suffix(ending: str, formats: Iterable[Chosen]) -> Chosen:
    """The one of `formats` that has this suffix; refused with those that there are."""
    formats = tuple(formats)
    for kind in formats:
        if ending in kind.suffixes:
            return kind
    template = QT_TRANSLATE_NOOP("Sentences", "{file} has the unknown suffix “{got}”; expected {expected}.")
    raise FormatError(template, got=ending, expected=suffixes(formats))


def suffixes(formats: Iterable[Format[Any]]) -> tuple[str, ...]:
    """Every suffix of some formats."""
    return tuple(ending for kind in formats for ending in kind.suffixes)
