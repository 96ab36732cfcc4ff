"""The journal of unsaved changes as a file: entries, syncing, damaged ends, whether a saved file holds all of it, or
has changed since.

    file     "attn_gui journal 1", entries; the first that is cut off or damaged ends it
    entry    length (8 bytes), a safetensors file, its checksum (4 bytes)
    arrays   "query": an array that is there anew; "0", "1", …: new cells of boxes; snapshots if they differ
    journal  the metadata entry, sorted JSON: the box of each number, the generation of the document, and if more than
             cells changed all options and what is kept beside the problem

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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import BinaryIO, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, Box, Progress
from attn_gui.engine.problem import Problem
from attn_gui.formats import open_file, safetensors_packing, session
from attn_gui.formats.atomic_writing import CHUNK, hidden_beside, saving
from attn_gui.formats.file_format import LARGEST_FILE, FileSource, Loaded, reading
from attn_gui.formats.file_messages import FileNote, FormatError, shown
from attn_gui.formats.problem_fields import assemble, is_field, split
from attn_gui.formats.session import (
    STUDY,
    FileStamp,
    KeptDocument,
    LayerRecord,
    ModelNeeded,
    StudyRecord,
    is_study_entry,
    kept_of,
    record_of,
    stamp_of,
    stamp_record,
    study_entries,
    study_in,
)
from attn_gui.formats.snapshots import (
    PLACE,
    SNAPSHOTS,
    BaseArray,
    ChangedNumbers,
    ModelWeight,
    Snapshot,
    difference_from,
    is_snapshot_entry,
    read_snapshots,
    snapshot_entries,
)
from attn_gui.formats.snapshots import nbytes as snapshot_bytes
from attn_gui.formats.untrusted_bytes import LONGEST_OPTIONS, Json, dump, parse_object
from attn_gui.languages import N_

SUFFIX = ".journal"
ENTRY = "journal"
HOLDS, GENERATION = "holds", "generation"  # of what an entry says: the file and what it holds; when an entry was made
MAGIC = b"attn_gui journal 1\n"
LENGTH, CHECK = 8, 4  # bytes of each
TORN = 0xFFFFFFFF  # inverts the checksum of an entry that counts only with the next whole one
PRECISION = "dtype"
SETTLED_S = 5.0  # seconds after which a power cut costs no more

COMPARED = 2**22  # bytes of a journal and its file that are read for being compared
LONGEST_NAMING = 2**16  # bytes of an entry that names a file
_DAMAGED = N_("{file} is damaged: nothing can be recovered from it.")
_CHANGED = N_("{file}: the edits belong to {base} as it was; it was changed or removed since.")

WeightsOf = Callable[[StudyRecord], Mapping[str, Array]]


# --- writing --------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class JournalStep:
    """What one step changed: whole arrays that are new, and boxes of arrays with new numbers.

    The arrays may be written to while they are read: whoever does so adds a further step with their numbers then, and
    `is_torn` tells that it happened.
    """

    problem: Problem
    whole: tuple[str, ...]
    cells: tuple[tuple[str, Box], ...] = ()
    kept: KeptDocument | None = None  # with every change of more than cells
    base: FileStamp | None = None  # the file whose problem the arrays that are not there anew are those of
    snapshots: tuple[Snapshot, ...] | None = None  # where they are others than before, or than those of the file
    study: Callable[[], StudyRecord | None] | None = None  # of a model, with every change of more than cells
    weights: Mapping[str, Array] = field(default_factory=dict)  # of its layer, which are not written

    generation: int = 0  # of the document, with these changes
    is_torn: Callable[[], bool] = lambda: False  # whether cells were written to since it was made
    copies: Mapping[str, Array] | None = None  # of the numbers, in the place of those in the arrays

    def numbers(self) -> dict[str, Array]:
        """Return the new numbers by their names in the entry: arrays, and cells under the number of a box."""
        arrays = self.problem.arrays()
        cells = {str(number): arrays[name][box] for number, (name, box) in enumerate(self.cells)}
        return {name: arrays[name] for name in self.whole if name in arrays} | cells

    def copied(self, numbers: Mapping[str, Array]) -> JournalStep:
        """Return the step with copies of its numbers, which nobody writes to."""
        copies = {name: array.copy() for name, array in numbers.items()}
        return replace(self, copies=copies, is_torn=lambda: False)

    @property
    def weight(self) -> int:
        """The bytes of all arrays that the step holds, including those that it does not write."""
        kept = snapshot_bytes(self.snapshots) if self.snapshots else 0
        return sum(array.nbytes for array in self.problem.arrays().values()) + kept

    def parts(self) -> Iterator[memoryview]:
        """Return the bytes of the entry, in pieces."""
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
            kept, said[SNAPSHOTS] = snapshot_entries(self.snapshots, of_model=around is not None)
            given |= kept
        return safetensors_packing.parts(given, {ENTRY: dump(said)})

    def _weights_in(self, given: Mapping[str, Array]) -> LayerRecord:
        """Return those of the arrays that are weights of the model but for a few cells, and these cells."""
        bases = {
            name: [BaseArray(array, ModelWeight(0, name))] for name, array in self.weights.items() if name in given
        }
        differences = {name: difference_from(given[name], base) for name, base in bases.items()}
        found = {name: cells for name, cells in differences.items() if cells is not None}
        changed = {name: (cells.places, cells.values) for name, cells in found.items() if cells.places.size}
        return LayerRecord({PRECISION: self.problem.dtype}, tuple(found), changed)


class HeldFile(NamedTuple):
    """A file that is about to be written, and the generation of the document that it will hold."""

    file: FileStamp
    generation: int

    def is_torn(self) -> bool:
        """Return True: it counts only with the next whole entry, as it says nothing of the document itself."""
        return True

    def parts(self) -> Iterator[memoryview]:
        """Return the bytes of the entry."""
        said = {HOLDS: stamp_record(self.file), GENERATION: self.generation}
        return safetensors_packing.parts({}, {ENTRY: dump(said)})


class Journal:
    """The journal file; one thread at a time writes or removes it, the others wait."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = path  # where entries are added: beside it, until those make a whole state
        self._first = self._size = 0  # bytes to the end of the first entry, and of the last
        self._settled = time.monotonic()
        self._lock = Lock()
        self._held: list[HeldFile] = []  # in the entries, or in those to come
        self._since = 0  # the generation before which no file counts

    @property
    def grown(self) -> int:
        """The bytes of all entries after the first."""
        return self._size - self._first

    def begin(self, step: JournalStep, since: int = 0) -> None:
        """Replace all entries by a whole state. Raises FormatError, with the entries as they were.

        Files that were to hold the document stay if they hold generation `since`, with which it was opened or its base
        was written, or a later one.
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

    def append(self, step: JournalStep) -> None:
        """Add an entry. Raises FormatError, with the entries as they were."""
        with self._lock, saving(self.path):
            whole = self._add(step, time.monotonic() > self._settled + SETTLED_S)
            if whole and self._place != self.path:
                os.replace(self._place, self.path)
                self._place = self.path

    def expect(self, held: HeldFile, since: int = 0) -> None:
        """Add an entry on a file that is about to take its place, synced to disk before it does.

        Entries on files of generations before `since` are dropped, as by `begin`. Raises FormatError, with the entries
        as they were.
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

    def expects(self, file: FileStamp) -> bool:
        """Return whether later entries may be applied to this file."""
        return any(held.file == file for held in self._held)

    def _add(self, entry: JournalStep | HeldFile, settled: bool) -> bool:
        """Append an entry, synced to disk if `settled`, which takes a while; return whether it is whole."""
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


def _put(file: io.FileIO, entry: JournalStep | HeldFile) -> bool:
    """Write an entry; return whether it is whole, with all numbers of one moment.

    Each piece is copied first, since the arrays may be written to meanwhile: the checksum is of what was written.
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


# --- reading --------------------------------------------------------------------------------------
class Recovered(NamedTuple):
    """A document as a journal kept it; of a model also the changes in the layers that are not on the table.

    Its snapshots are without the weights of the model, as those of a session are.
    """

    loaded: Loaded
    kept: KeptDocument
    study: StudyRecord | None = None


def kept_in(path: Path) -> KeptDocument:
    """Return what a journal says about its document, without the numbers. Raises FormatError."""
    with reading(path, LARGEST_FILE) as source:
        data = _checked_start(source).read(LENGTH + 8)
        length = int.from_bytes(data[LENGTH:], "little")
        if length > min(safetensors_packing.LONGEST_HEADER, source.size):
            raise FormatError(_DAMAGED)
        header, _ = safetensors_packing.unpacked(data[LENGTH:] + source.file.read(length), ENTRY)
        return kept_of(_said(header))


def is_in_its_file(path: Path) -> bool:
    """Return whether the file that last took its place holds all that the journal holds, as after a crash just then.

    False for large ones, which would take a while to compare. Raises FormatError.
    """
    with reading(path, LARGEST_FILE) as source:
        held, size = _file_in(_checked_start(source), source.size), source.size
    if held is None or size + held.file.size > COMPARED:
        return False
    try:
        found = recover(path)
    except ModelNeeded:
        return False
    return found.study is None and _bytes(found.loaded) == _bytes(open_file(held.file.path))


def _bytes(loaded: Loaded) -> bytes:
    """Return the numbers and options of a document and its snapshots."""
    return b"".join(session.parts(Loaded(loaded.problem, snapshots=loaded.snapshots)))


def _no_weights(record: StudyRecord) -> Mapping[str, Array]:
    raise ModelNeeded(record)


def recover(path: Path, progress: Progress | None = None, weights_of: WeightsOf = _no_weights) -> Recovered:
    """Return the document as the last whole entry left it.

    `weights_of` gives the weights of the layer on the table of a study, by dotted field. Raises FormatError, what
    `weights_of` raises among them.
    """
    with reading(path, LARGEST_FILE, progress) as source:
        state = _State(_file_in(_checked_start(source), source.size), weights_of)
        source.file.seek(len(MAGIC))
        together: list[bytes] = []  # entries that count with the next whole one
        for data, whole in _entries(source.file, source.size):
            together.append(data)
            if not whole:
                continue
            try:
                for each in together:
                    state.take(each)
            except Exception:
                if state.kept is None or state.without_model or len(together) > 1:
                    raise
                break  # what follows stands on it
            together.clear()
        return state.result()


def _file_in(file: BinaryIO, size: int) -> HeldFile | None:
    """Return the last file that took its place, if it has not changed since."""
    found: HeldFile | None = None
    for data, _whole in _entries(file, size, LONGEST_NAMING):
        try:
            said = _said(safetensors_packing.unpacked(data, ENTRY)[0])
            if HOLDS in said and (stamp := stamp_of(said[HOLDS])) is not None and stamp.is_current():
                found = HeldFile(stamp, int(said[GENERATION]))
        except Exception:
            break  # nor does what follows count
    return found


def _checked_start(source: FileSource) -> BinaryIO:
    if source.file.read(len(MAGIC)) != MAGIC:
        raise FormatError(_DAMAGED)
    return source.file


def _entries(file: BinaryIO, size: int, longest: int = LARGEST_FILE) -> Iterator[tuple[bytes, bool]]:
    """Yield (entry, whether it is whole) up to the first damaged one, without those longer than `longest`."""
    while len(start := file.read(LENGTH)) == LENGTH:
        length = int.from_bytes(start, "little")
        if length > size:
            return
        if length > longest:
            file.seek(length + CHECK, io.SEEK_CUR)
            continue
        data, check = file.read(length), file.read(CHECK)
        inverted = int.from_bytes(check, "little") ^ zlib.crc32(data)
        if len(check) < CHECK or inverted not in (0, TORN):
            return
        yield data, not inverted


class _State:
    """Arrays and options, built entry by entry, from nothing or from a file."""

    def __init__(self, held: HeldFile | None, weights_of: WeightsOf) -> None:
        self.kept: KeptDocument | None = None
        self.without_model = False
        self._weights_of = weights_of
        self._arrays: dict[str, Array] = {}
        self._options: dict[str, Json] = {}
        self._study: StudyRecord | None = None
        self._snapshots: tuple[Snapshot, ...] = ()
        self._notes: tuple[FileNote, ...] = ()
        self._held = held
        if held is not None:
            self._begin_with(open_file(held.file.path), held.file)

    def _begin_with(self, found: Loaded, file: FileStamp) -> None:
        problem = found.problem
        sizes = problem.n, problem.m, problem.num_heads
        self._arrays, self._options = split(problem)
        self._arrays = {name: np.array(array) for name, array in self._arrays.items()}
        self._snapshots = found.snapshots
        self.kept = KeptDocument(file.path.stem, sizes, file, found.about, found.view)

    def take(self, data: bytes) -> None:
        """Apply an entry, wholly or not at all."""
        header, cells = safetensors_packing.unpacked(data, ENTRY)
        said = _said(header)
        if HOLDS in said or (self._held is not None and said[GENERATION] < self._held.generation):
            return  # it names a file, or what it says is in the file
        given = safetensors_packing.arrays_in(header, cells)
        arrays, snapshots, notes, study = dict(self._arrays), self._snapshots, self._notes, self._study
        if "base" in said and self._held is None:
            stamp = stamp_of(said["base"])
            if stamp is None or not stamp.is_current():
                raise FormatError(_CHANGED, base=shown(stamp.path.name if stamp else ""))
            based = open_file(stamp.path)
            arrays |= {name: np.array(array) for name, array in split(based.problem)[0].items()}
            snapshots = based.snapshots
        if SNAPSHOTS in said:
            own = {name: array for name, array in given.items() if is_snapshot_entry(name)}
            snapshots, notes = read_snapshots(own, said[SNAPSHOTS])
        if STUDY in said:
            own = {name: array for name, array in given.items() if is_study_entry(name)}
            study = study_in(own, said[STUDY], {}, ())
            layers = dict(study.layers)
            if (on_table := layers.pop(study.layer, None)) is not None and on_table.names:
                arrays |= self._weights(study, on_table)
            study = replace(study, layers=layers)
        if "options" in said:
            arrays |= {name: np.array(array) for name, array in given.items() if is_field(name)}
            arrays = {name: arrays[name] for name in said["arrays"]}
        _write_cells(arrays, said["cells"], given)
        if "options" in said:
            self.kept, self._options = self._where(kept_of(said)), dict(said["options"])
        self._arrays, self._snapshots, self._notes, self._study = arrays, snapshots, notes, study

    def _weights(self, study: StudyRecord, own: LayerRecord) -> dict[str, Array]:
        """Return the weights of the layer on the table, with the cells that differ in them."""
        try:
            weights = self._weights_of(study)
        except FormatError:
            self.without_model = True
            raise
        none = np.empty(0, PLACE), np.empty(0, np.dtype(own.options[PRECISION]))
        changed = {name: own.cells.get(name, none) for name in own.names}
        return {
            name: ChangedNumbers(weights[name], *cells, ModelWeight(study.layer, name)).array()
            for name, cells in changed.items()
        }

    def _where(self, kept: KeptDocument) -> KeptDocument:
        """Return the state that is kept, of the file on which it is laid: before, it may have been another."""
        file = self._held.file if self._held else None
        return kept if file is None else replace(kept, name=file.path.stem, file=file)

    def result(self) -> Recovered:
        if self.kept is None:
            raise FormatError(_DAMAGED)
        problem, _, _ = assemble(self._arrays, self._options)
        kept = self.kept
        found = Loaded(problem, kept.view, self._notes, kept.about, snapshots=self._snapshots)
        return Recovered(found, kept, self._study)


def _write_cells(
    arrays: Mapping[str, Array], places: Iterable[tuple[str, list[list[int]]]], given: Mapping[str, Array]
) -> None:
    """Write new cells into arrays; those of place k are given under the number k.

    All are checked before any is written, since the arrays hold the state of the entries before.
    """
    boxes = [(arrays[name], _box(cuts, arrays[name].shape)) for name, cuts in places]
    written = [(array, box, given[str(number)]) for number, (array, box) in enumerate(boxes)]
    if any(array[box].shape != new.shape or array.dtype != new.dtype for array, box, new in written):
        raise FormatError(_DAMAGED)
    for array, box, new in written:
        array[box] = new


def _said(header: Mapping[str, Json]) -> dict[str, Json]:
    metadata = header.get(safetensors_packing.METADATA)
    return parse_object(str(metadata[ENTRY]), LONGEST_OPTIONS) if isinstance(metadata, dict) else {}


def _box(cuts: list[list[int]], shape: tuple[int, ...]) -> Box:
    if len(cuts) != len(shape):
        raise FormatError(_DAMAGED)
    box = tuple(slice(start, stop) for start, stop in cuts)
    if not all(0 <= cut.start < cut.stop <= length for cut, length in zip(box, shape, strict=True)):
        raise FormatError(_DAMAGED)
    return box
