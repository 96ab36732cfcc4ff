"""A journal: the state of an unsaved document, and after it what changed, entry by entry. Imports engine.

Each entry is the length and the checksum of a safetensors file, and that file: arrays that are there anew under their
names, new cells of others under numbers, snapshots where they are others, changes in other layers of a model where
that is on the table, and the metadata entry `journal`, sorted JSON that says to which boxes these cells belong and,
where more than cells changed, all options. What a crash cut off at the end is no entry.
"""

from __future__ import annotations

import errno
import io
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Box
from attn_gui.engine.problem.problem import Problem
from attn_gui.formats import open_file
from attn_gui.formats.base import Loaded, Source, Tell, reading
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note, shown
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import Json, dump, parse_object
from attn_gui.formats.problem_fields import assemble, is_field, split
from attn_gui.formats.saving import CHUNK, hidden_beside, saving
from attn_gui.formats.sessions import packed_arrays
from attn_gui.formats.sessions.kept import Kept, Stamp, kept_of, record_of, stamp_of, stamp_record
from attn_gui.formats.sessions.study_record import ENTRY as STUDY
from attn_gui.formats.sessions.study_record import StudyRecord, study_in
from attn_gui.formats.sessions.study_record import entries as study_entries
from attn_gui.formats.sessions.study_record import is_entry as is_of_study
from attn_gui.formats.snapshots.snapshot import Snapshot
from attn_gui.formats.snapshots.snapshot import nbytes as snapshot_bytes
from attn_gui.formats.snapshots.snapshot_entries import ENTRY as SNAPSHOTS
from attn_gui.formats.snapshots.snapshot_entries import entries, is_entry, read_snapshots

SUFFIX = ".journal"
ENTRY = "journal"
MAGIC = b"attn_gui journal 1\n"
LENGTH, CHECK = 8, 4  # bytes of each
SETTLED_S = 5.0  # seconds after which a power cut costs no more
LONGEST_OPTIONS = 32 * 2**20
_DAMAGED = QT_TRANSLATE_NOOP("Sentences", "{file} is damaged: nothing can be recovered from it.")
_CHANGED = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: the edits belong to {base} as it was; it was changed or removed since."
)


class Recovered(NamedTuple):
    """A document as a journal kept it; of a model also the changes in the layers that are not on the table."""

    loaded: Loaded
    kept: Kept
    study: StudyRecord | None = None


@dataclass(frozen=True, eq=False)
class Step:
    """Changes of one step: the arrays that are new or other, and the boxes of those that have new numbers.

    The arrays may be written to meanwhile: whoever does so adds a further step, which says what they hold then.
    """

    problem: Problem
    whole: tuple[str, ...]
    cells: tuple[tuple[str, Box], ...] = ()
    kept: Kept | None = None  # with every change of more than cells
    base: Stamp | None = None  # the file whose problem the arrays that are not there anew are those of
    snapshots: tuple[Snapshot, ...] | None = None  # where they are others than before, or than those of the file
    study: Callable[[], StudyRecord | None] | None = (
        None  # of a model, where its text, layer or other layers are others
    )

    @property
    def weight(self) -> int:
        """The bytes of all arrays, those that are not written among them."""
        return sum(array.nbytes for array in self.problem.arrays().values()) + snapshot_bytes(self.snapshots or ())

    def parts(self) -> Iterator[memoryview]:
        """The bytes of the entry."""
        arrays = self.problem.arrays()
        given = {name: arrays[name] for name in self.whole if name in arrays}
        boxes = [(name, [[cut.start, cut.stop] for cut in box]) for name, box in self.cells]
        given |= {str(number): arrays[name][box] for number, (name, box) in enumerate(self.cells)}
        said: dict[str, object] = {"cells": boxes}
        if self.kept is not None:
            said |= {"options": split(self.problem)[1], "arrays": sorted(arrays), **record_of(self.kept)}
            said |= {"base": stamp_record(self.base)} if self.base else {}
        if self.snapshots is not None:
            kept, said[SNAPSHOTS] = entries(self.snapshots)
            given |= kept
        if self.study is not None and (around := self.study()) is not None:
            others, said[STUDY] = study_entries(around)
            given |= others
        return packed_arrays.parts(given, {ENTRY: dump(said)})


class Journal:
    """The file; written and removed by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._first = self._size = 0  # bytes to the end of the first entry, and of the last
        self._settled = time.monotonic()

    @property
    def grown(self) -> int:
        """The bytes of all entries but the first."""
        return self._size - self._first

    def begin(self, step: Step) -> None:
        """Put a whole state in place of all entries. Raises FormatError; then the entries are as they were."""
        beside = hidden_beside(self.path)
        with saving(self.path):
            try:
                with beside.open("wb", buffering=0) as file:
                    _write(file, [MAGIC, *_entry(list(step.parts()))])
                    size = file.tell()
                os.replace(beside, self.path)
            except BaseException:
                beside.unlink(missing_ok=True)
                raise
        self._first = self._size = size

    def append(self, step: Step) -> None:
        """Add an entry. Raises FormatError; then the entries are as they were."""
        with saving(self.path), self.path.open("r+b", buffering=0) as file:
            if file.seek(0, os.SEEK_END) != self._size:
                raise OSError(errno.EIO, os.strerror(errno.EIO))  # it is not what was written
            try:
                _write(file, _entry(list(step.parts())))
            except BaseException:
                file.truncate(self._size)
                raise
            self._size = file.tell()
            self._settle(file.fileno())

    def _settle(self, descriptor: int) -> None:
        """Have it survive a power cut, too; that takes a while, and what comes next must not wait for it each time."""
        if time.monotonic() > self._settled + SETTLED_S:
            os.fsync(descriptor)
            self._settled = time.monotonic()

    def remove(self) -> None:
        """Forget all entries."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        self._first = self._size = 0


def _write(file: io.FileIO, pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        if file.write(piece) != len(piece):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _length(pieces: Iterable[memoryview]) -> int:
    return sum(map(len, pieces))


def _entry(pieces: list[memoryview]) -> Iterator[bytes]:
    """An entry bit by bit, each a copy: the arrays may be written to meanwhile, and the sum is of what is written."""
    yield _length(pieces).to_bytes(LENGTH, "little")
    check = 0
    for piece in (part[low : low + CHUNK] for part in pieces for low in range(0, len(part), CHUNK)):
        copy = bytes(piece)
        check = zlib.crc32(copy, check)
        yield copy
    yield check.to_bytes(CHECK, "little")


# --- reading -------------------------------------------------------------------------------------
def kept_in(path: Path) -> Kept:
    """Record of a journal about its document, without the numbers. Raises FormatError."""
    with reading(path) as source:
        data = _checked_start(source).read(LENGTH + 8)
        length = int.from_bytes(data[LENGTH:], "little")
        if length > min(packed_arrays.LONGEST_HEADER, source.size):
            raise FormatError(_DAMAGED)
        header, _ = packed_arrays.taken_apart(data[LENGTH:] + source.file.read(length), ENTRY)
        return kept_of(_said(header))


def recover(path: Path, tell: Tell | None = None) -> Recovered:
    """The document as the last whole entry left it. Raises FormatError."""
    with reading(path, tell=tell) as source:
        state = _State()
        for data in _entries(_checked_start(source), source.size):
            try:
                state.take(data)
            except Exception:
                if state.kept is None:
                    raise
                break  # what follows stands on it
        return state.result()


def _checked_start(source: Source) -> BinaryIO:
    if source.file.read(len(MAGIC)) != MAGIC:
        raise FormatError(_DAMAGED)
    return source.file


def _entries(file: BinaryIO, size: int) -> Iterator[bytes]:
    """The whole entries from the first on, up to one that is cut off or damaged."""
    while len(start := file.read(LENGTH)) == LENGTH:
        length = int.from_bytes(start, "little")
        if length > size:
            return
        data, check = file.read(length), file.read(CHECK)
        if len(data) < length or zlib.crc32(data).to_bytes(CHECK, "little") != check:
            return
        yield data


class _State:
    """Arrays and options as entry after entry makes them."""

    def __init__(self) -> None:
        self.kept: Kept | None = None
        self._arrays: dict[str, Array] = {}
        self._options: dict[str, Json] = {}
        self._study: StudyRecord | None = None
        self._snapshots: tuple[Snapshot, ...] = ()
        self._notes: tuple[Note, ...] = ()

    def take(self, data: bytes) -> None:
        """Carry out an entry, wholly or not at all."""
        header, cells = packed_arrays.taken_apart(data, ENTRY)
        said, given = _said(header), packed_arrays.arrays_in(header, cells)
        arrays, snapshots, notes, study = dict(self._arrays), self._snapshots, self._notes, self._study
        if "base" in said:
            based = _base(stamp_of(said["base"]))
            arrays |= {name: np.array(array) for name, array in split(based.problem)[0].items()}
            snapshots = based.snapshots
        if SNAPSHOTS in said:
            snapshots, notes = read_snapshots({name: given[name] for name in given if is_entry(name)}, said[SNAPSHOTS])
        if STUDY in said:
            study = study_in({name: given[name] for name in given if is_of_study(name)}, said[STUDY], {}, ())
        if "options" in said:
            arrays |= {name: np.array(array) for name, array in given.items() if is_field(name)}
            arrays = {name: arrays[name] for name in said["arrays"]}
        boxes = [(name, _box(box, arrays[name].shape)) for name, box in said["cells"]]
        news = [given[str(number)] for number in range(len(boxes))]
        for (name, box), new in zip(boxes, news, strict=True):
            if arrays[name][box].shape != new.shape or arrays[name].dtype != new.dtype:
                raise FormatError(_DAMAGED)
        for (name, box), new in zip(boxes, news, strict=True):
            arrays[name][box] = new
        if "options" in said:
            self.kept, self._options = kept_of(said), dict(said["options"])
        self._arrays, self._snapshots, self._notes, self._study = arrays, snapshots, notes, study

    def result(self) -> Recovered:
        if self.kept is None:
            raise FormatError(_DAMAGED)
        problem, _, _ = assemble(self._arrays, self._options)
        kept = self.kept
        found = Loaded(problem, kept.view, self._notes, kept.about, snapshots=self._snapshots)
        return Recovered(found, kept, self._study)


def _base(stamp: Stamp | None) -> Loaded:
    """The file on which the edits were made, if it is still the same."""
    if stamp is None or not stamp.is_current():
        raise FormatError(_CHANGED, base=shown(stamp.path.name if stamp else ""))
    return open_file(stamp.path)


def _said(header: Mapping[str, Json]) -> dict[str, Json]:
    metadata = header.get(packed_arrays.METADATA)
    return parse_object(str(metadata[ENTRY]), LONGEST_OPTIONS) if isinstance(metadata, dict) else {}


def _box(cuts: list[list[int]], shape: tuple[int, ...]) -> Box:
    if len(cuts) != len(shape):
        raise FormatError(_DAMAGED)
    box = tuple(slice(start, stop) for start, stop in cuts)
    if not all(0 <= cut.start < cut.stop <= length for cut, length in zip(box, shape, strict=True)):
        raise FormatError(_DAMAGED)
    return box
