"""Arrays of several files as those of one: a matrix goes by the name of its file. Imports the formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from attn_gui.engine.tell import Tell, silent
from attn_gui.formats.base import Listed, Listing, Loaded, Source, reading
from attn_gui.formats.catalog import detect, keepers, listings, matrices, suffixes
from attn_gui.formats.file_sentences import FormatError, Note
from attn_gui.formats.foreign_arrays import MAGIC, Array, read_header
from attn_gui.formats.named.arrangement import Arrangement, read_arranged
from attn_gui.formats.named.by_name import check_names, is_problem, problem_in
from attn_gui.formats.named.listed_files import NO_ARRAYS

Reader = Callable[[Collection[str]], dict[str, Array]]


def holds_matrix(path: Path) -> bool:
    """Whether a file of this name holds one matrix."""
    return path.suffix.lower() in suffixes(matrices())


def holds_arrays(path: Path) -> bool:
    """Whether a file of this name holds arrays rather than a session."""
    return holds_matrix(path) or path.suffix.lower() in suffixes(listings())


def whole_ones(paths: Sequence[Path]) -> list[Path]:
    """The files that hold a problem by themselves, unless matrices lie beside them. Raises FormatError."""
    if any(map(holds_matrix, paths)):
        return []
    return [path for path in paths if is_problem(array.name for array in _part(path, silent)[0])]


def list_several(paths: Sequence[Path], tell: Tell = silent) -> Listing:
    """The arrays of several files; equal names are told apart by their files. Raises FormatError."""
    parts = [_part(path, _within(tell, done, len(paths))) for done, path in enumerate(paths)]
    counts = Counter(array.name for arrays, *_ in parts for array in arrays)
    listed: list[Listed] = []
    readers: dict[str, tuple[Reader, str]] = {}
    options: dict[str, object] = {}
    notes: list[Note] = []
    for path, (arrays, read, said, noted) in zip(paths, parts, strict=True):
        for array in arrays:
            name = array.name if counts[array.name] == 1 else f"{path.name}/{array.name}"
            listed.append(array._replace(name=name))
            readers[name] = read, array.name
        options |= said
        notes += noted
    return Listing(tuple(listed), partial(_read, readers), options, tuple(notes))


def open_several(paths: Sequence[Path], arrangement: Arrangement | None, tell: Tell = silent) -> Loaded:
    """The problem that the arrays of several files make, as arranged or else by their names.

    Raises FormatError, and ForeignNames where the names say nothing.
    """
    with _named(paths), reading(paths[0]) as source:
        listing = list_several(paths, tell)
        if arrangement is not None:
            return read_arranged(arrangement, listing, source)
        check_names(array.name for array in listing.arrays)
        return problem_in(listing, source)


@contextmanager
def _named(paths: Sequence[Path]) -> Iterator[None]:
    """Whatever is wrong is said of all of them, but for what one of them alone is to blame for."""
    try:
        yield
    except FormatError as error:
        raise error.at(several_name(paths)) if error.path == paths[0] else error from error.__cause__


def several_name(paths: Sequence[Path]) -> str:
    """A name for several files together."""
    return ", ".join(path.name for path in paths)


def _part(path: Path, tell: Tell) -> tuple[Sequence[Listed], Reader, Mapping[str, object], Sequence[Note]]:
    """Contents of one file: its arrays, what reads them, options, notes."""
    with reading(path, tell=tell) as source:
        found = detect(source, path, (*keepers(), *matrices()))
        if found.listing is not None:
            listing = found.listing(source)
            return listing.arrays, partial(_from, path, listing), listing.options, listing.notes
        for kind in matrices():
            if kind is found:
                matrix = kind.read(source)
                values = matrix.values.reshape(_shape(source) or matrix.values.shape)
                only = Listed(path.stem, values.shape, values.dtype.name)
                return [only], partial(_all_of, values), {}, matrix.notes
        raise FormatError(NO_ARRAYS, expected=suffixes((*matrices(), *listings())))


def _shape(source: Source) -> tuple[int, ...]:
    """The shape in the header of a .npy, where a vector is no matrix yet."""
    source.file.seek(0)
    start = source.file.read(len(MAGIC))
    source.file.seek(0)
    return read_header(source.file, "array").shape if start == MAGIC else ()


def _within(tell: Tell, done: int, count: int) -> Tell:
    return lambda share: tell((done + share) / count)


def _from(path: Path, listing: Listing, names: Collection[str]) -> dict[str, Array]:
    with reading(path) as source:
        return listing.read(source, names)


def _read(readers: Mapping[str, tuple[Reader, str]], _source: Source, names: Collection[str]) -> dict[str, Array]:
    """The arrays of these names, each out of its own file."""
    return {name: read([own])[own] for name, (read, own) in readers.items() if name in names}


def _all_of(values: Array, names: Collection[str]) -> dict[str, Array]:
    return dict.fromkeys(names, values)
