"""Every file is opened here: missing, a folder, too large, damaged; what reading gives, and what a format can do."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

from attn_gui.engine.arrays import Progress, silent
from attn_gui.engine.problem import Problem
from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.file_messages import FileNote, FormatError, size_text
from attn_gui.formats.untrusted_bytes import Array
from attn_gui.languages import N_

if TYPE_CHECKING:
    from attn_gui.formats.snapshots import Snapshot


Labels: TypeAlias = Sequence[str] | None
PathText: TypeAlias = str | os.PathLike[str]
LARGEST_FILE = 2 * 10**9
LARGEST_IN_PARTS = 1 << 42  # of a file of which nothing but what is asked for is read
STEP = 2**20  # bytes after which `progress` is called
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)

_NOT_REGULAR = {
    stat.S_IFDIR: N_("{file} is a folder; expected a file."),
    stat.S_IFIFO: N_("{file} is a pipe; expected a regular file."),
}
_DEVICE = N_("{file} is a device or socket; expected a regular file.")
_DAMAGED = N_("{file} is damaged or is not what its name says.")
NO_PERMISSION = N_("{file} may not be read: you have no permission.")
_OS_ERRORS = {
    errno.EINVAL: _DAMAGED,  # it names a place before its own beginning
    errno.ENOENT: N_("{file} does not exist."),
    errno.ENOTDIR: N_("{file} does not exist."),
    errno.EACCES: NO_PERMISSION,
    errno.EPERM: NO_PERMISSION,
}
_UNREADABLE = N_("{file} could not be read: {reason}.")
_REFUSED = N_("{file}: {reason}")


class FileSource(NamedTuple):
    """A regular file, open at its start."""

    file: BinaryIO
    size: int
    progress: Progress = silent  # called while `file` is read, and by work that takes longer than reading
    quiet: BinaryIO | None = None  # the same file for such work: reading it calls no `progress`


@dataclass(frozen=True)
class Loaded:
    """A problem read from a file, with its view, what is known about it, and notes made while reading."""

    problem: Problem
    view: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[FileNote, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)  # title, model, text, …
    left_out: tuple[str, ...] = ()  # what the file holds and neither is read nor follows from what is
    missed: tuple[str, ...] = ()  # those of them that would change what is computed, by their names
    snapshots: tuple[Snapshot, ...] = ()  # other states of the problem, by name

    @property
    def text(self) -> str:
        return self.about.get("text", "")

    @property
    def model(self) -> str:
        return self.about.get("model", "")


@dataclass(frozen=True, eq=False)
class LabeledArray:
    """One array read from a file, with the labels of its rows and columns where it has any.

    `switches`: every cell was written as true or false, whatever numbers these are read as.
    """

    values: Array
    row_labels: tuple[str, ...] | None = None
    column_labels: tuple[str, ...] | None = None
    notes: tuple[FileNote, ...] = ()
    switches: bool = False


class ListedArray(NamedTuple):
    """One array of a file whose numbers have not been read yet."""

    name: str
    shape: tuple[int, ...]
    dtype: str  # as NumPy calls it; bfloat16 too


@dataclass(frozen=True)
class ArrayListing:
    """The arrays of a file by name, with options of a problem beside them.

    `read` reads some of the arrays from the same file, open at its start.
    """

    arrays: tuple[ListedArray, ...]
    read: Callable[[FileSource, Collection[str]], dict[str, Array]]
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[FileNote, ...] = ()
    others: tuple[str, ...] = ()  # what the file holds besides, and is no array of numbers

    @classmethod
    def held(cls, arrays: Mapping[str, Array], **beside: Any) -> ArrayListing:
        """Return the listing of arrays that are read already; `beside` are its other fields."""
        listed = tuple(ListedArray(name, array.shape, array.dtype.name) for name, array in arrays.items())
        return cls(listed, lambda _source, names: {name: arrays[name] for name in arrays if name in names}, **beside)


Content = TypeVar("Content", Loaded, LabeledArray)


@dataclass(frozen=True, kw_only=True)
class Format(Generic[Content]):
    """A kind of file: how it is recognized, read and written.

    `matches` recognizes a file by its first bytes, where these tell it from others. `write` saves a problem. Numbers
    are exported by `write_rows` (one matrix with the labels of its rows and columns), `write_members` (several arrays
    by name) or `write_problem` (the problem with every step); a format with none of the three exports no numbers.
    """

    key: str
    suffixes: tuple[str, ...]
    label: str  # English; context "Sentences"
    kind: Literal["problem", "matrix"]  # what `read` gives
    read: Callable[[FileSource], Content]
    matches: Callable[[bytes], bool] = lambda start: False  # a text may begin with anything
    write: Callable[[Loaded, IO[bytes]], None] | None = None  # into an open file
    write_rows: Callable[[ArrayRows, IO[bytes], Labels, Labels], None] | None = None
    write_members: Callable[[Mapping[str, ArrayRows], IO[bytes]], None] | None = None
    write_problem: Callable[[Problem, Progress], bytes] | None = None
    text: bool = False  # holds labels
    spreadsheet: bool = False  # is opened by one, which may have to be told that a text is UTF-8
    most: int | None = None  # numbers that it holds
    size: Callable[[FileSource], int] = attrgetter("size")  # bytes that have to be read, unpacked, or take as long
    listing: Callable[[FileSource], ArrayListing] | None = None  # what is in it where it holds arrays by any name
    in_parts: bool = False  # what is not asked for is never read

    @property
    def largest(self) -> int:
        """The largest size in bytes of a file of this format."""
        return LARGEST_IN_PARTS if self.in_parts else LARGEST_FILE

    @property
    def holds_numbers(self) -> bool:
        """Whether numbers can be exported in it."""
        return any((self.write_rows, self.write_members, self.write_problem))

    @property
    def holds_matrix(self) -> bool:
        """Whether an exported file holds one matrix, of one head and item; else it holds all of them."""
        return self.write_rows is not None


@contextmanager
def reading(path: PathText, largest: int = LARGEST_IN_PARTS, progress: Progress | None = None) -> Iterator[FileSource]:
    """Open a regular file; whatever goes wrong inside becomes one FormatError that names it.

    Without `largest` its size is checked once its format is known, by `detect`.
    """
    try:
        with _opened(path, largest, progress) as source:
            yield source
    except FormatError as error:
        raise error.at(path) from error.__cause__
    except OSError as error:
        template = _OS_ERRORS.get(error.errno or 0, _UNREADABLE)
        raise FormatError(template, reason=error.strerror or error).at(path) from error
    except MemoryError as error:
        template = N_("{file} does not fit into the memory of this computer.")
        raise FormatError(template).at(path) from error
    except Exception as error:  # parsers of foreign bytes raise anything: fuzzing showed ten different types
        if hasattr(error, "template"):  # the engine says in a sentence of its own what does not fit together
            raise FormatError(_REFUSED, reason=error).at(path) from error
        raise FormatError(_DAMAGED).at(path) from error


@contextmanager
def _opened(path: PathText, largest: int, progress: Progress | None) -> Iterator[FileSource]:
    if "\0" in os.fspath(path):
        raise FormatError(N_("{file}: no file can have this name."))
    _check_regular(os.stat(path).st_mode)  # before opening: opening a pipe would wait for ever
    with os.fdopen(os.open(path, _READ), "rb") as file:
        status = os.fstat(file.fileno())  # and after: the name may mean another file by now
        _check_regular(status.st_mode)
        if not status.st_size:
            raise FormatError(N_("{file} is empty."))
        check_size(status.st_size, largest)
        stream = (
            file
            if progress is None
            else cast(BinaryIO, io.BufferedReader(_ProgressFile(file.fileno(), status.st_size, progress)))
        )
        yield FileSource(stream, status.st_size, progress or silent, file)


class _ProgressFile(io.FileIO):
    """A file that is open elsewhere, read in steps, with `progress` called before each."""

    def __init__(self, number: int, size: int, progress: Progress) -> None:
        super().__init__(number, "rb", closefd=False)
        self._size, self._progress, self._done = size, progress, 0

    def readinto(self, buffer: Any) -> int | None:
        self._progress(min(1.0, self._done / self._size))  # not the place: a zip is read from its end first
        count = super().readinto(memoryview(buffer)[:STEP])
        self._done += count or 0
        return count


def check_size(size: int, largest: int) -> None:
    """Raise FormatError for a file of more than `largest` bytes."""
    if size > largest:
        template = N_("{file} is too large: {got}; expected at most {expected}.")
        raise FormatError(template, got=size_text(size), expected=size_text(largest))


def suffix(path: PathText) -> str:
    return Path(path).suffix.lower()


def _check_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise FormatError(_NOT_REGULAR.get(stat.S_IFMT(mode), _DEVICE))
