"""Arrays of one file or several opened together, and the names proposed for them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from attn_gui.engine.arrays import Progress, silent, within
from attn_gui.formats.catalog import array_formats, detect, matrix_formats, problem_formats, suffixes
from attn_gui.formats.file_format import ArrayListing, FileSource, ListedArray, Loaded, PathText, reading
from attn_gui.formats.file_messages import FormatError, shown
from attn_gui.formats.named.array_mapping import ArrayMapping, propose_mapping
from attn_gui.formats.named.array_names import is_problem, with_stacked_apart
from attn_gui.formats.named.attention_maps import is_matrix
from attn_gui.formats.named.mapped_problem import read_mapped
from attn_gui.formats.named.weight_layouts import parts_of
from attn_gui.formats.problem_fields import is_option
from attn_gui.formats.untrusted_bytes import MAGIC, Array, read_header
from attn_gui.languages import N_

NO_ARRAYS = N_("{file} holds no arrays by name; expected {expected}.")

_TWO_OPTIONS = N_(
    "“{name}” is {first} in {one} and {second} in {other}; expected the same in all files of one problem.",
)


# --- one file -------------------------------------------------------------------------------------
def open_mapped(path: PathText, mapping: ArrayMapping, progress: Progress | None = None) -> Loaded:
    """Return the problem that a mapping makes of a file; `progress` as for `open_file`. Raises FormatError."""
    with reading(path, progress=progress) as source:
        return read_mapped(mapping, _listing(source, path), source)


def list_arrays(path: PathText, progress: Progress | None = None) -> ArrayListing:
    """Return the arrays of a file, not yet read where that can wait. Raises FormatError.

    `progress` as for `open_file`.
    """
    with reading(path, progress=progress) as source:
        return _listing(source, path)


def likely_arrays(*paths: PathText) -> dict[str, str]:
    """Return {part of a problem: array name} of one layer that the names in files suggest; empty for too few."""
    with suppress(FormatError):
        listing = list_arrays(paths[0]) if len(paths) == 1 else list_several(list(map(Path, paths)))
        found = propose_mapping(listing).arrays
        if is_problem(parts_of(found)):
            return dict(found)
    return {}


def read_array(path: PathText, listing: ArrayListing, name: str) -> Array:
    """Return one array of a file whose listing is known. Raises FormatError."""
    with reading(path) as source:
        return listing.read(source, [name])[name]


def _listing(source: FileSource, path: PathText) -> ArrayListing:
    found = detect(source, path, problem_formats())
    listing = None if found.listing is None else found.listing(source)
    if listing is None or (found.kind == "matrix" and is_matrix(listing)):
        raise FormatError(NO_ARRAYS, expected=suffixes(array_formats()))
    return with_stacked_apart(listing)


# --- several files --------------------------------------------------------------------------------
def holds_matrix(path: Path) -> bool:
    """Return whether a file of this name holds one matrix."""
    return path.suffix.lower() in suffixes(matrix_formats())


def holds_maps(path: Path) -> bool:
    """Return whether a file holds an array of more than two axes; only its header is read."""
    with suppress(FormatError), reading(path) as source:
        return len(_shape(source)) > 2
    return False


def holds_arrays(path: Path) -> bool:
    """Return whether a file of this name holds arrays rather than a session."""
    return holds_matrix(path) or path.suffix.lower() in suffixes(array_formats())


def whole_ones(paths: Sequence[Path]) -> list[Path]:
    """Return the files that hold a problem by themselves, unless matrices lie beside them. Raises FormatError."""
    if any(map(holds_matrix, paths)):
        return []
    return [path for path in paths if is_problem(array.name for array in _part(path, silent).arrays)]


def list_several(paths: Sequence[Path], progress: Progress = silent) -> ArrayListing:
    """Return the arrays of several files; equal names get the names of their files in front. Raises FormatError."""
    parts = [_part(path, within(progress, done, len(paths))) for done, path in enumerate(paths)]
    counts = Counter(array.name for part in parts for array in part.arrays)
    listed: list[ListedArray] = []
    places: dict[str, tuple[ArrayListing, str]] = {}
    for path, part in zip(paths, parts, strict=True):
        for array in part.arrays:
            name = array.name if counts[array.name] == 1 else f"{path.name}/{array.name}"
            listed.append(array._replace(name=name))
            places[name] = part, array.name
    notes = tuple(note for part in parts for note in part.notes)
    others = tuple(name for part in parts for name in part.others)
    return ArrayListing(tuple(listed), partial(_read, places), _joined(paths, parts), notes, others)


def _joined(paths: Sequence[Path], parts: Sequence[ArrayListing]) -> dict[str, object]:
    """Return the options of several files. Raises FormatError where two differ; of mere words the first are kept."""
    found: dict[str, tuple[Path, object]] = {}
    for path, part in zip(paths, parts, strict=True):
        for name, value in part.options.items():
            first, held = found.setdefault(name, (path, value))
            if is_option(name) and held != value:
                files = {"one": shown(first.name), "other": shown(path.name)}
                raise FormatError(_TWO_OPTIONS, name=name, first=_said(held), second=_said(value), **files)
    return {name: value for name, (_, value) in found.items()}


def _said(value: object) -> str:
    return shown(json.dumps(value))


def open_several(paths: Sequence[Path], mapping: ArrayMapping | None, progress: Progress = silent) -> Loaded:
    """Return the problem that the arrays of several files make, as a mapping says or else by their names.

    Raises FormatError, and ForeignNames where the names say nothing.
    """
    with _named(paths), reading(paths[0]) as source:
        return read_mapped(mapping or ArrayMapping(), list_several(paths, progress), source)


@contextmanager
def _named(paths: Sequence[Path]) -> Iterator[None]:
    """Name all files in a FormatError raised inside, unless one of them alone is to blame."""
    try:
        yield
    except FormatError as error:
        raise error.at(several_name(paths)) if error.path == paths[0] else error from error.__cause__


def several_name(paths: Sequence[Path]) -> str:
    """Return a name for several files together."""
    return ", ".join(path.name for path in paths)


def _part(path: Path, progress: Progress) -> ArrayListing:
    """Return the arrays of one file. A matrix is read now; other arrays are read later, from the file opened again."""
    with reading(path, progress=progress) as source:
        found = detect(source, path, (*matrix_formats(), *array_formats()))
        if found.kind == "matrix":
            matrix = found.read(source)
            values = matrix.values.reshape(_shape(source) or matrix.values.shape)
            if matrix.switches:  # a mask of them is no bias
                values = values.astype(bool)
            return ArrayListing.held({path.stem: values}, notes=matrix.notes)
        if found.listing is not None:
            listing = found.listing(source)
            return replace(listing, read=partial(_from, path, listing))
        raise FormatError(NO_ARRAYS, expected=suffixes((*matrix_formats(), *array_formats())))


def _shape(source: FileSource) -> tuple[int, ...]:
    """Return the shape in the header of a .npy, () of any other file: `read` makes a vector a matrix of one row."""
    source.file.seek(0)
    start = source.file.read(len(MAGIC))
    source.file.seek(0)
    return read_header(source.file, "array").shape if start == MAGIC else ()


def _from(path: Path, listing: ArrayListing, _source: FileSource, names: Collection[str]) -> dict[str, Array]:
    with reading(path) as source:
        return listing.read(source, names)


def _read(
    places: Mapping[str, tuple[ArrayListing, str]], source: FileSource, names: Collection[str]
) -> dict[str, Array]:
    """Return the arrays of these names, each from its own file."""
    return {name: part.read(source, [own])[own] for name, (part, own) in places.items() if name in names}
