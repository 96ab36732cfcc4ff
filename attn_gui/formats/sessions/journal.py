"""A journal: the state of an unsaved document, and after it what changed, entry by entry. Imports engine.

Each entry is the length and the checksum of a safetensors file, and that file: arrays that are there anew under their
names, new cells of others under numbers, snapshots where they are others, and the metadata entry `journal`, sorted JSON
that says to which boxes these cells belong and, where more than cells changed, all options. What a crash cut off at the
end is no entry.

With a model on the table, an entry of more than cells holds its study: what is changed in its other layers and, of the
layer on the table, the cells that are other in its weights. Weights that are the model's are in no journal.

Large entries are read from arrays that are written to meanwhile. Where that happened the checksum is inverted: such an
entry holds some of the next edit's numbers, perhaps not all, and counts only together with the next whole one.

An entry of its own kind names a file that is about to hold the document of a generation: where a crash comes after that
file has taken its place, the entries of that generation and later ones are laid on it, in place of all before them.
"""

from __future__ import annotations

import errno
import io
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.problem import Problem
from attn_gui.formats.json_text import dump
from attn_gui.formats.problem_fields import split
from attn_gui.formats.saving import CHUNK, hidden_beside, saving
from attn_gui.formats.sessions import packed_arrays
from attn_gui.formats.sessions.kept import Kept, Stamp, record_of, stamp_record
from attn_gui.formats.sessions.study_record import ENTRY as STUDY
from attn_gui.formats.sessions.study_record import LayerRecord, StudyRecord
from attn_gui.formats.sessions.study_record import entries as study_entries
from attn_gui.formats.snapshots.snapshot import Base, Snapshot, Weight, told_by
from attn_gui.formats.snapshots.snapshot import nbytes as snapshot_bytes
from attn_gui.formats.snapshots.snapshot_entries import ENTRY as SNAPSHOTS
from attn_gui.formats.snapshots.snapshot_entries import entries

SUFFIX = ".journal"
ENTRY = "journal"
HOLDS, GENERATION = "holds", "generation"  # of what an entry says: the file and what it holds; when an entry was made
MAGIC = b"attn_gui journal 1\n"
LENGTH, CHECK = 8, 4  # bytes of each
TORN = 0xFFFFFFFF  # inverts the checksum of an entry that counts only with the next whole one
PRECISION = "dtype"
SETTLED_S = 5.0  # seconds after which a power cut costs no more


@dataclass(frozen=True, eq=False)
class Step:
    """Changes of one step: the arrays that are new or other, and the boxes of those that have new numbers.

    The arrays may be written to meanwhile: whoever does so adds a further step, which says what they hold then, and
    `is_torn` tells that it happened.
    """

    problem: Problem
    whole: tuple[str, ...]
    cells: tuple[tuple[str, Box], ...] = ()
    kept: Kept | None = None  # with every change of more than cells
    base: Stamp | None = None  # the file whose problem the arrays that are not there anew are those of
    snapshots: tuple[Snapshot, ...] | None = None  # where they are others than before, or than those of the file
    study: Callable[[], StudyRecord | None] | None = None  # of a model, with every change of more than cells
    weights: Mapping[str, Array] = field(default_factory=dict)  # of its layer, which are not written

    generation: int = 0  # of the document, with these changes
    is_torn: Callable[[], bool] = lambda: False  # whether cells were written to since it was made
    copies: Mapping[str, Array] | None = None  # of the numbers, in the place of those in the arrays

    def numbers(self) -> dict[str, Array]:
        """The new numbers by their names in the entry: whole arrays, and cells under the numbers of their boxes."""
        arrays = self.problem.arrays()
        cells = {str(number): arrays[name][box] for number, (name, box) in enumerate(self.cells)}
        return {name: arrays[name] for name in self.whole if name in arrays} | cells

    def copied(self) -> Step:
        """The same with numbers of its own, which nobody writes to."""
        copies = {name: numbers.copy() for name, numbers in self.numbers().items()}
        return replace(self, copies=copies, is_torn=lambda: False)

    @property
    def weight(self) -> int:
        """The bytes of all arrays, those that are not written among them."""
        return sum(array.nbytes for array in self.problem.arrays().values()) + snapshot_bytes(self.snapshots or ())

    def parts(self) -> Iterator[memoryview]:
        """The bytes of the entry."""
        given = self.numbers() if self.copies is None else dict(self.copies)
        boxes = [(name, [[cut.start, cut.stop] for cut in box]) for name, box in self.cells]
        said: dict[str, object] = {"cells": boxes, GENERATION: self.generation}
        around = self.study() if self.study is not None else None
        if around is not None:
            own = self._weights_in(given)
            given = {name: array for name, array in given.items() if name not in own.names}
            others, said[STUDY] = study_entries(replace(around, layers={**around.layers, around.layer: own}))
            given |= others
        if self.kept is not None:
            names = sorted(self.problem.arrays())
            said |= {"options": split(self.problem)[1], "arrays": names, **record_of(self.kept)}
            said |= {"base": stamp_record(self.base)} if self.base else {}
        if self.snapshots is not None:
            kept, said[SNAPSHOTS] = entries(self.snapshots, of_model=around is not None)
            given |= kept
        return packed_arrays.parts(given, {ENTRY: dump(said)})

    def _weights_in(self, given: Mapping[str, Array]) -> LayerRecord:
        """Those of the arrays that are weights of the model but for a few cells, and these cells."""
        bases = {name: [Base(array, Weight(0, name))] for name, array in self.weights.items() if name in given}
        told = {name: told_by(given[name], base) for name, base in bases.items()}
        found = {name: cells for name, cells in told.items() if cells is not None}
        changed = {name: (cells.places, cells.values) for name, cells in found.items() if cells.places.size}
        return LayerRecord({PRECISION: self.problem.dtype}, tuple(found), changed)


class Held(NamedTuple):
    """A file as it is about to be, and the generation of the document that it will hold."""

    file: Stamp
    generation: int

    def is_torn(self) -> bool:
        """Whether it counts only with the next whole entry: it says nothing of the one before."""
        return True

    def parts(self) -> Iterator[memoryview]:
        """The bytes of the entry."""
        said = {HOLDS: stamp_record(self.file), GENERATION: self.generation}
        return packed_arrays.parts({}, {ENTRY: dump(said)})


class Journal:
    """The file; one thread at a time writes or removes it, the others wait."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = path  # where entries are added: beside it, until those make a whole state
        self._first = self._size = 0  # bytes to the end of the first entry, and of the last
        self._settled = time.monotonic()
        self._lock = Lock()
        self._held: list[Held] = []  # in the entries, or in those to come
        self._since = 0  # the generation before which no file counts

    @property
    def grown(self) -> int:
        """The bytes of all entries but the first."""
        return self._size - self._first

    def begin(self, step: Step, since: int = 0) -> None:
        """Put a whole state in place of all entries. Raises FormatError; then the entries are as they were.

        Files that were to hold the document count if they did so of the generation `since`, with which it was opened or
        its base was written, or a later one.
        """
        beside = hidden_beside(self.path)
        with self._lock, saving(self.path):
            held = [each for each in self._held if each.generation >= since]
            kept = [each for each in held[:-1] if each.file.is_current()] + held[-1:]  # the last may be to come
            try:
                with beside.open("wb", buffering=0) as file:
                    _write(file, MAGIC)
                    whole = _put(file, step)
                    first = file.tell()
                    for each in kept:
                        _put(file, each)
                    size = file.tell()
                    if kept:
                        os.fsync(file.fileno())
                if whole:
                    os.replace(beside, self.path)
            except BaseException:
                self._place = self.path
                beside.unlink(missing_ok=True)
                raise
            self._place = self.path if whole else beside
            self._first, self._size, self._held, self._since = first, size, kept, since

    def append(self, step: Step) -> None:
        """Add an entry. Raises FormatError; then the entries are as they were."""
        with self._lock, saving(self.path):
            whole = self._add(step, time.monotonic() > self._settled + SETTLED_S)
            if whole and self._place != self.path:
                os.replace(self._place, self.path)
                self._place = self.path

    def expect(self, held: Held, since: int = 0) -> None:
        """Add a file that is about to take its place, in what survives a power cut, before it does.

        Those that held a generation before `since` are forgotten, as by `begin`. Raises FormatError; then the entries
        are as they were.
        """
        with self._lock:
            if held.generation < self._since:
                return  # it was of another document
            if self._size:
                self._add(held, settled=True)
            if self._place != self.path and self.path.exists():  # a crash leaves these entries
                with saving(self.path), self.path.open("ab", buffering=0) as file:
                    _put(file, held)
                    os.fsync(file.fileno())
            self._held = [*(each for each in self._held if each.generation >= since), held]

    def expects(self, file: Stamp) -> bool:
        """Whether what follows may be laid on this file."""
        return any(held.file == file for held in self._held)

    def _add(self, entry: Step | Held, settled: bool) -> bool:
        """Write an entry behind the last; have it survive a power cut, which takes a while, not each time.

        Whether the state is a whole one with it.
        """
        with saving(self.path), self._place.open("r+b", buffering=0) as file:
            if file.seek(0, os.SEEK_END) != self._size:
                raise OSError(errno.EIO, os.strerror(errno.EIO))  # it is not what was written
            try:
                whole = _put(file, entry)
                if settled:
                    os.fsync(file.fileno())
                    self._settled = time.monotonic()
            except BaseException:
                file.truncate(self._size)
                raise
            self._size = file.tell()
        return whole

    def remove(self) -> None:
        """Forget all entries."""
        with self._lock, suppress(OSError):
            self._first = self._size = 0
            for path in (self._place, self.path):
                path.unlink(missing_ok=True)
            self._place = self.path


def _write(file: io.FileIO, piece: bytes) -> None:
    if file.write(piece) != len(piece):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _put(file: io.FileIO, entry: Step | Held) -> bool:
    """Write an entry; whether it is a whole one.

    Each piece is a copy: the arrays may be written to meanwhile, and the sum is of what is written.
    """
    pieces, check = list(entry.parts()), 0
    _write(file, sum(map(len, pieces)).to_bytes(LENGTH, "little"))
    for piece in (part[low : low + CHUNK] for part in pieces for low in range(0, len(part), CHUNK)):
        copy = bytes(piece)
        check = zlib.crc32(copy, check)
        _write(file, copy)
    torn = entry.is_torn()
    _write(file, (check ^ TORN if torn else check).to_bytes(CHECK, "little"))
    return not torn
