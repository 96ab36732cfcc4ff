"""Catalog of file formats: which one a file is by its first bytes or ending; kinds that are refused (.pt, pickles). A
new one is one file here and one of the entries below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from attn_gui.formats import (
    csv_latex_markdown,
    json_arrays,
    numpy_files,
    safetensors,
    session,
    xlsx_reader,
    xlsx_writer,
)
from attn_gui.formats.file_format import FileSource, Format, LabeledArray, Loaded, PathText, check_size, suffix
from attn_gui.formats.file_messages import FormatError
from attn_gui.languages import N_

SESSION = Format(
    key="session",
    suffixes=(".attn",),
    label=N_("Session"),
    kind="problem",
    read=session.read,
    write=session.write,
    matches=session.matches,
)

Chosen = TypeVar("Chosen", bound=Format[Any])
_PICKLES = (".pt", ".pth", ".pkl", ".pickle")
_WITHOUT = (".gif", ".py")  # figures that move, and scripts
_PICKLED, _PROTOCOLS = b"\x80", b"\2\3\4\5"  # the first two bytes of a pickle since Python 2.3
_CONVERTED = ".npz"
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".lz4", ".7z", ".rar")


class FigureFormat(NamedTuple):
    """A format that figures are written in, by `figure.writers`."""

    pixels: bool  # so that it has dots per inch
    moving: bool = False  # so that it holds the frames of a page one after another; its background is opaque
    carries: bool = False  # so that a session goes with it


IMAGES = {
    "png": FigureFormat(pixels=True, carries=True),
    "svg": FigureFormat(pixels=False, carries=True),
    "pdf": FigureFormat(pixels=False, carries=True),
    "gif": FigureFormat(pixels=True, moving=True),
}


def _text_format(
    key: str, label: str, write: Callable[..., None], most: int, *, spreadsheet: bool = False
) -> Format[LabeledArray]:
    """Return the format of one matrix as text, which is read like every other text."""
    return Format(
        key=key,
        suffixes=(f".{key}",),
        label=label,
        kind="matrix",
        read=csv_latex_markdown.read,
        write_rows=write,
        text=True,
        spreadsheet=spreadsheet,
        most=most,
    )


_ENTRIES: tuple[Format[Any], ...] = (
    SESSION,
    Format(
        key="npz",
        suffixes=(".npz",),
        label=N_("NumPy arrays by name"),
        kind="problem",
        read=numpy_files.read_npz,
        write=numpy_files.write,
        matches=numpy_files.matches_npz,
        write_members=numpy_files.write_members,
        size=numpy_files.size_of,
        listing=numpy_files.list_npz,
        in_parts=True,
    ),
    Format(
        key="figure_session",
        suffixes=tuple(f".{key}" for key, figures in IMAGES.items() if figures.carries),
        label=N_("Figure with its session"),
        kind="problem",
        read=session.read_from_figure,
        matches=session.is_figure,
        size=session.size_of,
    ),
    Format(
        key="safetensors",
        suffixes=(".safetensors",),
        label=N_("Safetensors arrays by name"),
        kind="problem",
        read=safetensors.read,
        matches=safetensors.matches,
        write_members=safetensors.write_members,
        listing=safetensors.listing,
    ),
    Format(
        key="json",
        suffixes=(".json",),
        label=N_("JSON lists by name"),
        kind="problem",
        read=json_arrays.read,
        write_members=json_arrays.write_members,
        most=json_arrays.MOST_WRITTEN,
        size=json_arrays.size_of,
        listing=json_arrays.listing,
    ),
    Format(
        key="xlsx",
        suffixes=(".xlsx",),
        label=N_("Excel workbook"),
        kind="problem",
        read=xlsx_reader.read,
        matches=xlsx_reader.matches,
        write_problem=xlsx_writer.workbook_bytes,
        size=xlsx_reader.size_of,
        listing=xlsx_reader.listing,
    ),
    Format(
        key="npy",
        suffixes=(".npy",),
        label=N_("NumPy array"),
        kind="matrix",
        read=numpy_files.read_npy,
        matches=numpy_files.matches_npy,
        write_rows=numpy_files.write_unlabeled,
        listing=numpy_files.list_npy,
    ),
    _text_format(
        "csv",
        N_("Comma-separated numbers"),
        csv_latex_markdown.write_csv,
        csv_latex_markdown.MOST_CELLS,
        spreadsheet=True,
    ),
    _text_format(
        "tsv",
        N_("Tab-separated numbers"),
        csv_latex_markdown.write_tsv,
        csv_latex_markdown.MOST_CELLS,
        spreadsheet=True,
    ),
    _text_format("md", N_("Table in Markdown"), csv_latex_markdown.write_markdown, csv_latex_markdown.MOST_TYPESET),
    _text_format("tex", N_("Table in LaTeX"), csv_latex_markdown.write_latex, csv_latex_markdown.MOST_TYPESET),
)
FORMATS: dict[str, Format[Any]] = {kind.key: kind for kind in _ENTRIES}
"""The one list that opening, saving, dialogs and the command line go by, each when it is asked."""


def problem_formats() -> tuple[Format[Loaded], ...]:
    """Return the formats that hold a problem."""
    return tuple(kind for kind in FORMATS.values() if kind.kind == "problem")


def save_formats() -> tuple[Format[Loaded], ...]:
    """Return the formats that a problem can be saved in."""
    return tuple(kind for kind in problem_formats() if kind.write is not None)


def open_formats() -> tuple[Format[Loaded], ...]:
    """Return the formats in which files are searched for a problem; a figure may or may not carry one."""
    return tuple(kind for kind in problem_formats() if kind.write is not None or kind.listing is not None)


def array_formats() -> tuple[Format[Loaded], ...]:
    """Return the formats that hold arrays by name, whatever the names."""
    return tuple(kind for kind in problem_formats() if kind.listing is not None)


def matrix_formats() -> tuple[Format[LabeledArray], ...]:
    """Return the formats that hold one matrix."""
    return tuple(kind for kind in FORMATS.values() if kind.kind == "matrix")


def number_formats() -> dict[str, Format[Any]]:
    """Return {key: format} of the formats that numbers can be exported in."""
    return {key: kind for key, kind in FORMATS.items() if kind.holds_numbers}


def detect(source: FileSource, path: PathText, wanted: Iterable[Format[Any]] | None = None) -> Format[Any]:
    """Return the format of an open file by its first bytes, else by its suffix.

    Raises FormatError for an unknown one, with the suffixes of the formats that are `wanted`.
    """
    ending = suffix(path)
    if ending in _COMPRESSED:
        template = N_("{file} is compressed; unpack it first and open what is inside.")
        raise FormatError(template)
    start = source.file.read(16)
    source.file.seek(0)
    alike = [kind for kind in FORMATS.values() if kind.matches(start)]
    if ending in _PICKLES or _is_pickle(source, start, alike):
        template = N_(
            "{file} is a pickle, which could run code, and is not opened. In Python: "
            "t = torch.load({path}, weights_only=True); "
            "numpy.savez({to}, query=t[…], key=t[…], value=t[…]), with the names of its tensors; then open that file.",
        )
        raise FormatError(template, path=repr(Path(path).name), to=repr(f"{Path(path).stem}{_CONVERTED}"))
    if ending in _WITHOUT:
        template = N_("{file} carries no problem; a session (.attn), a .npz, or a figure as PNG, SVG or PDF does.")
        raise FormatError(template)
    # a session is a safetensors file too, and a workbook a zip as a .npz is: then the suffix tells
    known = [kind for kind in alike or FORMATS.values() if ending in kind.suffixes]
    found = next(iter((*known, *alike)), None)
    found = found or of_suffix(ending, FORMATS.values() if wanted is None else wanted)
    check_size(source.size, found.largest)
    return found


def _is_pickle(source: FileSource, start: bytes, alike: Sequence[Format[Any]]) -> bool:
    """Return whether a file was written by `torch.save` or `pickle.dump`, whatever its name."""
    if alike:
        return start.startswith(numpy_files.START) and numpy_files.is_torch_save(source)
    return start[:1] == _PICKLED and start[1:2] in _PROTOCOLS


def of_suffix(ending: str, formats: Iterable[Chosen]) -> Chosen:
    """Return the format with this suffix. Raises FormatError, which names the suffixes of `formats`."""
    formats = tuple(formats)
    for kind in formats:
        if ending in kind.suffixes:
            return kind
    template = N_("{file} has the unknown suffix “{got}”; expected {expected}.")
    raise FormatError(template, got=ending, expected=suffixes(formats))


def suffixes(formats: Iterable[Format[Any]]) -> tuple[str, ...]:
    """Return all suffixes of some formats."""
    return tuple(ending for kind in formats for ending in kind.suffixes)


def patterns(formats: Iterable[Format[Any]]) -> str:
    """Return `*.attn *.npz`, the filter of a file dialog."""
    return " ".join(f"*{ending}" for ending in suffixes(formats))
