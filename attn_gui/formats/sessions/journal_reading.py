"""Reading journals: an entry after the other is carried out, on nothing or on the file that has what came before."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Box
from attn_gui.engine.progress import Tell
from attn_gui.formats import open_file
from attn_gui.formats.base import LARGEST_FILE, Loaded, Source, reading
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note, shown
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import Json, parse_object
from attn_gui.formats.problem_fields import assemble, is_field, split
from attn_gui.formats.sessions import packed_arrays, session
from attn_gui.formats.sessions.journal import (
    CHECK,
    ENTRY,
    GENERATION,
    HOLDS,
    LENGTH,
    MAGIC,
    PRECISION,
    TORN,
    Held,
)
from attn_gui.formats.sessions.kept import Kept, Stamp, kept_of, stamp_of
from attn_gui.formats.sessions.study_record import ENTRY as STUDY
from attn_gui.formats.sessions.study_record import LayerRecord, ModelNeeded, StudyRecord, study_in
from attn_gui.formats.sessions.study_record import is_entry as is_of_study
from attn_gui.formats.snapshots.snapshot import PLACE, Cells, Snapshot, Weight
from attn_gui.formats.snapshots.snapshot_entries import ENTRY as SNAPSHOTS
from attn_gui.formats.snapshots.snapshot_entries import is_entry, read_snapshots

LONGEST_OPTIONS = 32 * 2**20
COMPARED = 2**22  # bytes of a journal and its file that are read for being compared
LONGEST_NAMING = 2**16  # bytes of an entry that names a file
_DAMAGED = QT_TRANSLATE_NOOP("Sentences", "{file} is damaged: nothing can be recovered from it.")
_CHANGED = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: the edits belong to {base} as it was; it was changed or removed since."
)


WeightsOf = Callable[[StudyRecord], Mapping[str, Array]]


class Recovered(NamedTuple):
    """A document as a journal kept it; of a model also the changes in the layers that are not on the table.

    Its snapshots are without the weights of the model, as those of a session are.
    """

    loaded: Loaded
    kept: Kept
    study: StudyRecord | None = None


def kept_in(path: Path) -> Kept:
    """Record of a journal about its document, without the numbers. Raises FormatError."""
    with reading(path, LARGEST_FILE) as source:
        data = _checked_start(source).read(LENGTH + 8)
        length = int.from_bytes(data[LENGTH:], "little")
        if length > min(packed_arrays.LONGEST_HEADER, source.size):
            raise FormatError(_DAMAGED)
        header, _ = packed_arrays.taken_apart(data[LENGTH:] + source.file.read(length), ENTRY)
        return kept_of(_said(header))


def is_in_its_file(path: Path) -> bool:
    """Whether the file that last took its place holds all that a journal holds, as after a crash right behind that.

    Of large ones it is not found out, which would take a while. Raises FormatError.
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
    """The numbers and options of a document and its snapshots."""
    return b"".join(session.parts(Loaded(loaded.problem, snapshots=loaded.snapshots)))


def _no_weights(record: StudyRecord) -> Mapping[str, Array]:
    raise ModelNeeded(record)


def recover(path: Path, tell: Tell | None = None, weights_of: WeightsOf = _no_weights) -> Recovered:
    """The document as the last whole entry left it.

    `weights_of` gives the weights of the layer on the table of a study, by dotted field. Raises FormatError, what
    `weights_of` raises among them.
    """
    with reading(path, LARGEST_FILE, tell) as source:
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


def _file_in(file: BinaryIO, size: int) -> Held | None:
    """The last file that took its place, if it is still the same."""
    found: Held | None = None
    for data, _whole in _entries(file, size, LONGEST_NAMING):
        try:
            said = _said(packed_arrays.taken_apart(data, ENTRY)[0])
            if HOLDS in said and (stamp := stamp_of(said[HOLDS])) is not None and stamp.is_current():
                found = Held(stamp, int(said[GENERATION]))
        except Exception:
            break  # nor does what follows count
    return found


def _checked_start(source: Source) -> BinaryIO:
    if source.file.read(len(MAGIC)) != MAGIC:
        raise FormatError(_DAMAGED)
    return source.file


def _entries(file: BinaryIO, size: int, longest: int = LARGEST_FILE) -> Iterator[tuple[bytes, bool]]:
    """The entries from the first on, up to one that is cut off or damaged, and whether each is a whole one; longer ones
    are passed over."""
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
    """Arrays and options as entry after entry makes them, from nothing or from a file that has them."""

    def __init__(self, held: Held | None, weights_of: WeightsOf) -> None:
        self.kept: Kept | None = None
        self.without_model = False
        self._weights_of = weights_of
        self._arrays: dict[str, Array] = {}
        self._options: dict[str, Json] = {}
        self._study: StudyRecord | None = None
        self._snapshots: tuple[Snapshot, ...] = ()
        self._notes: tuple[Note, ...] = ()
        self._held = held
        if held is not None:
            self._begin_with(open_file(held.file.path), held.file)

    def _begin_with(self, found: Loaded, file: Stamp) -> None:
        problem = found.problem
        sizes = problem.n, problem.m, problem.num_heads
        self._arrays, self._options = split(problem)
        self._arrays = {name: np.array(array) for name, array in self._arrays.items()}
        self._snapshots = found.snapshots
        self.kept = Kept(file.path.stem, sizes, file, found.about, found.view)

    def take(self, data: bytes) -> None:
        """Carry out an entry, wholly or not at all."""
        header, cells = packed_arrays.taken_apart(data, ENTRY)
        said = _said(header)
        if HOLDS in said or (self._held is not None and said[GENERATION] < self._held.generation):
            return  # it names a file, or what it says is in the file
        given = packed_arrays.arrays_in(header, cells)
        arrays, snapshots, notes, study = dict(self._arrays), self._snapshots, self._notes, self._study
        if "base" in said and self._held is None:
            based = _base(stamp_of(said["base"]))
            arrays |= {name: np.array(array) for name, array in split(based.problem)[0].items()}
            snapshots = based.snapshots
        if SNAPSHOTS in said:
            snapshots, notes = read_snapshots({name: given[name] for name in given if is_entry(name)}, said[SNAPSHOTS])
        if STUDY in said:
            study = study_in({name: given[name] for name in given if is_of_study(name)}, said[STUDY], {}, ())
            layers = dict(study.layers)
            if (own := layers.pop(study.layer, None)) is not None and own.names:
                arrays |= self._weights(study, own)
            study = replace(study, layers=layers)
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
            self.kept, self._options = self._where(kept_of(said)), dict(said["options"])
        self._arrays, self._snapshots, self._notes, self._study = arrays, snapshots, notes, study

    def _weights(self, study: StudyRecord, own: LayerRecord) -> dict[str, Array]:
        """The weights of the layer on the table, with what is other in them."""
        try:
            weights = self._weights_of(study)
        except FormatError:
            self.without_model = True
            raise
        none = np.empty(0, PLACE), np.empty(0, np.dtype(own.options[PRECISION]))
        told = {name: own.cells.get(name, none) for name in own.names}
        return {name: Cells(weights[name], *cells, Weight(study.layer, name)).array() for name, cells in told.items()}

    def _where(self, kept: Kept) -> Kept:
        """The state that is kept, of the file on which it is laid: what was written before may name the one before."""
        file = self._held.file if self._held else None
        return kept if file is None else replace(kept, name=file.path.stem, file=file)

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
