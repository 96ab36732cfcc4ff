"""Files to problems and back. Imports engine, safetensors and NumPy; no Qt."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence

from attn_gui.engine.problem import Problem
from attn_gui.formats import npz
from attn_gui.formats.arrays import Array
from attn_gui.formats.base import Format, Loaded, Matrix, PathText, reading, suffix
from attn_gui.formats.catalog import FORMATS, MATRICES, MATRIX_SUFFIXES, PROBLEMS, detect, of_suffix
from attn_gui.formats.saving import saving, write_file
from attn_gui.formats.sentences import QT_TRANSLATE_NOOP, FormatError, Note

__all__ = [
    "FORMATS",
    "MATRIX_SUFFIXES",
    "Format",
    "FormatError",
    "Loaded",
    "Matrix",
    "Note",
    "load",
    "load_matrix",
    "open_file",
    "open_matrix",
    "save",
    "save_arrays",
    "save_matrix",
    "save_session",
    "write_file",
]


def load(path: PathText) -> Problem:
    """The problem in a session (.attn) or a .npz. Raises FormatError, one sentence."""
    return open_file(path).problem


def open_file(path: PathText) -> Loaded:
    """The problem with its view, what is known about it, and notes on what was ignored. Raises FormatError."""
    with reading(path) as source:
        found = detect(source, path)
        for kind in PROBLEMS:
            if kind is found:
                return kind.read(source)
        template = QT_TRANSLATE_NOOP(
            "Sentences", "{file} holds one matrix, not a problem; open a problem and import it into one of its tables."
        )
        raise FormatError(template)


def load_matrix(path: PathText) -> Array:
    """The matrix in a .npy, .csv or .tsv: (rows, columns), or up to four axes from a .npy. Raises FormatError."""
    return open_matrix(path).values


def open_matrix(path: PathText) -> Matrix:
    """The matrix with its labels and notes on how the text was read. Raises FormatError."""
    with reading(path) as source:
        found = detect(source, path)
        for kind in MATRICES:
            if kind is found:
                return kind.read(source)
        template = QT_TRANSLATE_NOOP(
            "Sentences", "{file} holds a whole problem, not one matrix; expected a .npy, .csv or .tsv file."
        )
        raise FormatError(template)


def save(problem: Problem, path: PathText) -> None:
    """Save as the suffix says: a session (.attn) or a .npz. Raises FormatError; then the old file is untouched."""
    with saving(path):
        data = of_suffix(suffix(path), PROBLEMS).write(Loaded(problem))
    write_file(path, data)


def save_session(
    problem: Problem,
    path: PathText,
    view: Mapping[str, object] | None = None,
    about: Mapping[str, str] | None = None,
) -> None:
    """Save a session with what is looked at and what is known about it (title, model, text). Raises FormatError."""
    with saving(path):
        data = PROBLEMS[0].write(Loaded(problem, view=view or {}, about=about or {}))
    write_file(path, data)


def save_matrix(
    values: Array,
    path: PathText,
    *,
    row_labels: Sequence[str] | None = None,
    column_labels: Sequence[str] | None = None,
    excel: bool = False,
) -> None:
    """Save one array as the suffix says (.npy, .csv, .tsv); text has two axes, labels only there.

    `excel` puts the mark before the text without which Excel takes UTF-8 for something else. Raises FormatError.
    """
    rows, columns = (None if labels is None else tuple(labels) for labels in (row_labels, column_labels))
    with saving(path):
        kind = of_suffix(suffix(path), MATRICES)
        data = kind.write(Matrix(values, rows, columns))
    write_file(path, codecs.BOM_UTF8 + data if excel and kind.key != "npy" else data)


def save_arrays(arrays: Mapping[str, Array], path: PathText) -> None:
    """Save any arrays by name as a .npz. Raises FormatError."""
    with saving(path):
        data = npz.arrays_bytes(arrays)
    write_file(path, data)
