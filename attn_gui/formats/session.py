"""The format .attn (sessions): versions and upgrades, a model's layers in one; sessions carried by PNG, SVG and PDF.

Everything that is no array is sorted JSON in the one metadata entry `attn_gui`, with `format_version`. A new version
adds a step to `_UPGRADES`; the older ones stay for ever, each with a file in tests/data."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Progress
from attn_gui.engine.checks import whole_text
from attn_gui.engine.problem import Problem
from attn_gui.formats import safetensors_packing
from attn_gui.formats.atomic_writing import CHUNK, replacing, saving
from attn_gui.formats.file_format import FileSource, Loaded, PathText
from attn_gui.formats.file_messages import FormatError, shown, size_text
from attn_gui.formats.problem_fields import assemble, is_field, is_result, notes_on, split, words
from attn_gui.formats.snapshots import SNAPSHOTS, Snapshot, is_snapshot_entry, read_snapshots, snapshot_entries
from attn_gui.formats.untrusted_bytes import LONGEST_OPTIONS, Array, Json, dump, parse_object
from attn_gui.languages import N_

STUDY = "study"
LONGEST = 1 << 20  # letters of a text
MOST_LAYERS, MOST_ARRAYS = 1000, 1000
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")
_NAME = re.compile(r"study\.(0|[1-9][0-9]{0,3})\.(places|values|whole)\.(.+)")
_SHA = re.compile(r"[0-9a-f]{64}")
_STUDY_DAMAGED = N_("{file}: what it says about its model is damaged.")
_NEEDED = N_("{file} is a session of the model {name}, whose folder it needs; the window opens it with that.")

VERSION = 1
ENTRY = "attn_gui"
_OTHER = N_("{file} is a safetensors file, but not a session of attn_gui.")
_UPGRADES: dict[int, Callable[[dict[str, Json]], dict[str, Json]]] = {}

matches = safetensors_packing.matches


# --- study ----------------------------------------------------------------------------------------
# Study of a model as a session holds it: which checkpoint by its hash, the text, and what is changed in its layers.
#
# No weights go with it but those that were changed. `study.LAYER.places.NAME` and `study.LAYER.values.NAME` are
# changed cells of an array, flat, and `study.LAYER.whole.NAME` arrays that are other as a whole.
@dataclass(frozen=True, eq=False)
class LayerRecord:
    """An edited layer: its options, names of all arrays, changed cells (places, values), whole arrays."""

    options: Mapping[str, Json]
    names: tuple[str, ...]
    cells: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    whole: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StudyRecord:
    """A checkpoint by name, folder and SHA-256, with the text, the layer on the table and the edited layers."""

    name: str
    sha256: str
    folder: str
    text: str
    layer: int
    layers: Mapping[int, LayerRecord]
    view: Mapping[str, object] = field(default_factory=dict)
    snapshots: tuple[Snapshot, ...] = ()


class ModelNeeded(FormatError):
    """A session that cannot be opened without its model, which `record` describes."""

    def __init__(self, record: StudyRecord) -> None:
        super().__init__(_NEEDED, name=shown(record.name))
        self.record = record


def study_entries(record: StudyRecord) -> tuple[dict[str, Array], dict[str, Json]]:
    """Return (arrays, words) that hold a study in a session."""
    arrays: dict[str, Array] = {}
    for number, layer in record.layers.items():
        for name, (places, values) in layer.cells.items():
            arrays[f"{STUDY}.{number}.places.{name}"] = places.astype(np.int64, copy=False)
            arrays[f"{STUDY}.{number}.values.{name}"] = values
        arrays |= {f"{STUDY}.{number}.whole.{name}": array for name, array in layer.whole.items()}
    words = {"name": record.name, "sha256": record.sha256, "folder": record.folder, "text": record.text}
    layers = {
        str(number): {"options": dict(layer.options), "arrays": list(layer.names)}
        for number, layer in record.layers.items()
    }
    return arrays, {**words, "layer": record.layer, "layers": layers}


def study_in(
    arrays: Mapping[str, Array], words: Json, view: Mapping[str, object], snapshots: tuple[Snapshot, ...]
) -> StudyRecord:
    """Return the study that a session holds. Raises FormatError where it is damaged."""
    _require(isinstance(words, dict))
    name, sha256, folder, text = texts = [words.get(key) for key in ("name", "sha256", "folder", "text")]
    layer, listed = words.get("layer"), words.get("layers")
    _require(all(isinstance(text, str) and len(text) <= LONGEST for text in texts))
    _require(_SHA.fullmatch(sha256) is not None and type(layer) is int and 0 <= layer < MOST_LAYERS)
    _require(isinstance(listed, dict) and len(listed) <= MOST_LAYERS)
    _require(all(_NUMBER.fullmatch(number) is not None for number in listed))
    parts: dict[int, dict[str, dict[str, Array]]] = {
        int(number): {"places": {}, "values": {}, "whole": {}} for number in listed
    }
    for label, array in arrays.items():
        found = _NAME.fullmatch(label)
        _require(found is not None and is_field(found[3]) and int(found[1]) in parts)
        assert found is not None
        parts[int(found[1])][found[2]][found[3]] = array
    layers = {number: _layer(listed[str(number)], part) for number, part in parts.items()}
    return StudyRecord(name, sha256, folder, text, layer, layers, view, snapshots)


def _layer(words: Json, part: Mapping[str, Mapping[str, Array]]) -> LayerRecord:
    _require(isinstance(words, dict))
    options, names = words.get("options"), words.get("arrays")
    _require(isinstance(options, dict) and isinstance(names, list) and len(names) <= MOST_ARRAYS)
    _require(all(isinstance(name, str) and is_field(name) for name in names))
    places, values = part["places"], part["values"]
    _require(places.keys() == values.keys())
    for name in places:
        fits = places[name].dtype == np.int64 and places[name].ndim == 1 and values[name].shape == places[name].shape
        _require(fits and bool((places[name] >= 0).all()))
    cells = {name: (places[name], values[name]) for name in places}
    return LayerRecord(options, tuple(names), cells, dict(part["whole"]))


def is_study_entry(name: str) -> bool:
    """Return whether an array of this name belongs to the study of a session."""
    return name.startswith(f"{STUDY}.")


def _require(fits: bool) -> None:
    if not fits:
        raise FormatError(_STUDY_DAMAGED)


# --- session --------------------------------------------------------------------------------------
def read(source: FileSource) -> Loaded:
    """Return a session of this version or an older one. Raises FormatError for a newer one."""
    return in_bytes(source.file.read(source.size))


def in_bytes(data: bytes) -> Loaded:
    """Return the session in the bytes of a file."""
    if not safetensors_packing.may_have(data, ENTRY):  # a long list of arrays is not worth taking apart
        raise FormatError(_OTHER)
    header, cells = safetensors_packing.unpacked(data, ENTRY)
    options = _options(header)
    arrays = safetensors_packing.arrays_in(header, cells)
    view, about = _objects(options, "view"), _objects(options, "about")
    kept, notes = read_snapshots(
        {name: arrays[name] for name in arrays if is_snapshot_entry(name)}, options.pop(SNAPSHOTS, [])
    )
    if STUDY in options:
        mine = {name: arrays[name] for name in arrays if is_study_entry(name)}
        raise ModelNeeded(study_in(mine, options[STUDY], view, kept))
    problem, _, strange = assemble({name: arrays[name] for name in arrays if is_field(name)}, options)
    ignored = [name for name in arrays if not is_field(name) and not is_snapshot_entry(name)]
    left_out = (*(name for name in ignored if not is_result(name)), *strange)
    notes += notes_on(ignored, strange)
    return Loaded(problem, view=view, notes=notes, about=words(about), left_out=left_out, snapshots=kept)


def write(loaded: Loaded, file: IO[bytes]) -> None:
    """Write a session; the same problem, view and words always give the same bytes."""
    for part in parts(loaded):
        file.write(part)


def parts(loaded: Loaded) -> Iterator[memoryview]:
    """Yield the bytes of a file, each array in its own memory."""
    arrays, options = split(loaded.problem)
    options["format_version"] = VERSION
    options |= {name: dict(part) for name, part in (("view", loaded.view), ("about", loaded.about)) if part}
    if loaded.snapshots:
        more, options[SNAPSHOTS] = snapshot_entries(loaded.snapshots)
        arrays |= more
    return safetensors_packing.parts(arrays, {ENTRY: dump(options)})


def _options(header: dict[str, Json]) -> dict[str, Json]:
    """Remove from the header everything but the arrays, and return it, upgraded to this version."""
    metadata = header.pop(safetensors_packing.METADATA, {})
    if not isinstance(metadata, dict) or ENTRY not in metadata:
        raise FormatError(_OTHER)
    options = parse_object(str(metadata[ENTRY]), LONGEST_OPTIONS)
    version = options.pop("format_version", None)
    if type(version) is not int or version < 1:
        template = N_("{file} has the session version {got}; expected a number from 1.")
        raise FormatError(template, got=shown(json.dumps(version)))
    if version > VERSION:
        template = N_(
            "{file} was saved by a newer attn_gui (session version {got}; this one reads up to {expected}).",
        )
        raise FormatError(template, got=version, expected=VERSION)
    for step in range(version, VERSION):
        options = _UPGRADES[step](options)
    return options


def _objects(options: dict[str, Json], name: str) -> dict[str, Json]:
    """Remove an optional JSON object from the options and return it."""
    found = options.pop(name, {})
    if not isinstance(found, dict):
        template = N_("{file}: “{name}” is not names with values in braces.")
        raise FormatError(template, name=name)
    return found


# --- kept beside a journal ------------------------------------------------------------------------
class FileStamp(NamedTuple):
    """A file as it was at one moment, by size and time of change."""

    path: Path
    size: int
    modified: int  # nanoseconds

    @classmethod
    def of(cls, path: Path) -> FileStamp | None:
        """Return the present stamp of a file; None where there is none."""
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(path, found.st_size, found.st_mtime_ns)

    def is_current(self) -> bool:
        return FileStamp.of(self.path) == self


@dataclass(frozen=True)
class KeptDocument:
    """What is known of a document beside its problem: its name, its file, its view."""

    name: str = ""
    sizes: tuple[int, int, int] = (0, 0, 0)  # queries, keys, heads
    file: FileStamp | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    view: Mapping[str, object] = field(default_factory=dict)


def record_of(kept: KeptDocument) -> dict[str, object]:
    record: dict[str, object] = {
        "name": kept.name,
        "sizes": list(kept.sizes),
        "about": dict(kept.about),
        "view": dict(kept.view),
    }
    return record | ({"file": stamp_record(kept.file)} if kept.file else {})


def kept_of(said: Mapping[str, Json]) -> KeptDocument:
    view, (n, m, heads) = said.get("view"), map(int, said["sizes"])
    return KeptDocument(
        whole_text(str(said.get("name", ""))),
        (n, m, heads),
        stamp_of(said["file"]) if "file" in said else None,
        words(said.get("about", {})),
        view if isinstance(view, dict) else {},
    )


def stamp_record(stamp: FileStamp) -> list[object]:
    return [str(stamp.path), stamp.size, stamp.modified]


def stamp_of(record: Json) -> FileStamp | None:
    path, size, modified = record
    return FileStamp(Path(path), int(size), int(modified)) if isinstance(path, str) else None


# --- files ----------------------------------------------------------------------------------------
def save_session(
    problem: Problem,
    path: PathText,
    view: Mapping[str, object] | None = None,
    about: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    snapshots: Sequence[Snapshot] = (),
    before: Callable[[FileStamp], object] | None = None,
) -> None:
    """Save a session with its view, words about it (title, model, text) and its snapshots. Raises FormatError.

    `progress` gets the share written; what it raises ends the writing, with the old file untouched. `before` is called
    with the stamp of the new file, once it is complete, before it takes the old one's place.
    """
    with saving(path):
        written = [*parts(Loaded(problem, view=view or {}, about=about or {}, snapshots=tuple(snapshots)))]
    _write_parts(written, path, progress, before)


def save_study(record: StudyRecord, path: PathText, progress: Progress | None = None) -> None:
    """Save a study of a model without its weights. Raises FormatError; `progress` as for `save_session`."""
    with saving(path):
        arrays, words = study_entries(record)
        options: dict[str, Json] = {STUDY: words, "format_version": VERSION}
        options |= {"view": dict(record.view)} if record.view else {}
        if record.snapshots:
            more, options[SNAPSHOTS] = snapshot_entries(record.snapshots, of_model=True)
            arrays |= more
        written = [*safetensors_packing.parts(arrays, {ENTRY: dump(options)})]
    _write_parts(written, path, progress)


def _write_parts(
    parts: Sequence[memoryview],
    path: PathText,
    progress: Progress | None,
    before: Callable[[FileStamp], object] | None = None,
) -> None:
    def say(beside: Path) -> None:
        if before is not None and (found := FileStamp.of(beside)) is not None:
            before(found._replace(path=Path(path)))

    size, written = sum(len(part) for part in parts), 0
    with replacing(path, size, say) as sink:
        for piece in (part[low : low + CHUNK] for part in parts for low in range(0, len(part), CHUNK)):
            written += sink.write(piece)
            if progress is not None:
                progress(written / size)


# --- sessions carried by figures ------------------------------------------------------------------
KEYWORD = "attn_gui"
ATTACHED, MEDIA_TYPE = "session.attn", "application/x-attn"
LARGEST = 256 * 2**20  # bytes of a session, unpacked
LARGEST_FIGURE = 2**30
QUICK = 4 * 2**20  # bytes that are unpacked within a frame
PIECE = 2**18  # bytes that are unpacked at a time
_PNG, _PDF = b"\x89PNG\r\n\x1a\n", b"%PDF-"
_SVG = re.compile(rb'<metadata id="attn_gui">([A-Za-z0-9+/=\s]*)</metadata>')
_SPECIFIED = re.compile(rb"/EF <</F (\d{1,9}) 0 R>>\s*/Type/Filespec\s*/Subtype/application#2Fx-attn")
_STREAM = rb"\n%s 0 obj\s*<<[^>]{0,99}/FlateDecode[^>]{0,99}>>\s*stream\r?\n"
"""Of bounded length: else each of many beginnings would be followed to the end of the file."""
_NONE = N_("{file} is a figure that carries no session.")
_DAMAGED = N_("{file}: the session that this figure carries is damaged.")
_LARGE = N_("{file} carries a session of more than {expected}.")


def is_figure(start: bytes) -> bool:
    return start.startswith((_PNG, _PDF, b"<?xml", b"<svg"))


def read_from_figure(source: FileSource) -> Loaded:
    """Return the session that a figure carries. Raises FormatError where it carries none."""
    if source.size > LARGEST_FIGURE:
        raise FormatError(_LARGE, expected=size_text(LARGEST_FIGURE))
    return in_bytes(session_in(source.file.read(source.size)))


def png_text(content: bytes) -> bytes:
    """Return the data of a PNG's zTXt chunk that carries a session."""
    return KEYWORD.encode() + b"\0\0" + zlib.compress(base64.b64encode(content))


def svg_element(content: bytes) -> str:
    """Return an element of an SVG that carries a session."""
    return f'<metadata id="{KEYWORD}">{base64.b64encode(zlib.compress(content)).decode()}</metadata>\n'


def size_of(source: FileSource) -> int:
    """Return the size in bytes of a figure, or of its unpacked session where that is larger, up to a limit."""
    if source.size >= QUICK:
        return source.size
    data, count = source.file.read(source.size), 0
    for piece in _inflated(_packed(data)):
        count += len(piece)
        if count >= QUICK:
            break
    return max(source.size, count)


def _packed(data: bytes) -> bytes:
    """Return the compressed session of a figure."""
    kinds: dict[bytes, Callable[[bytes], bytes]] = {_PNG: _packed_in_png, _PDF: _packed_in_pdf}
    return next((find for start, find in kinds.items() if data.startswith(start)), _packed_in_svg)(data)


def session_in(figure: bytes) -> bytes:
    """Return the session in the bytes of a figure."""
    packed = _packed(figure)
    text = figure.startswith(_PNG)
    found, rest = bytearray(), b""
    for piece in _inflated(packed):
        if text:
            end = (len(rest) + len(piece)) // 4 * 4
            piece, rest = _decoded((rest + piece)[:end]), (rest + piece)[end:]
        if not found and not safetensors_packing.matches(piece):
            raise FormatError(_DAMAGED)
        found += piece
        if len(found) > LARGEST:
            raise FormatError(_LARGE, expected=size_text(LARGEST))
    return bytes(found)


def _packed_in_png(data: bytes) -> bytes:
    place = len(_PNG)
    while place + 12 <= len(data):
        length, kind = int.from_bytes(data[place : place + 4], "big"), data[place + 4 : place + 8]
        if kind == b"zTXt" and data.startswith(KEYWORD.encode() + b"\0\0", place + 8):
            start = place + 8 + len(KEYWORD) + 2
            return data[start : place + 8 + length]
        place += 12 + length
    raise FormatError(_NONE)


def _packed_in_svg(data: bytes) -> bytes:
    found = _SVG.search(data)
    if found is None:
        raise FormatError(_NONE)
    return _decoded(found[1])


def _packed_in_pdf(data: bytes) -> bytes:
    attached = _SPECIFIED.search(data)
    if attached is None:
        raise FormatError(_NONE)
    begun = re.search(_STREAM % attached[1], data)
    if begun is None:
        raise FormatError(_DAMAGED)
    return data[begun.end() :]


def _inflated(packed: bytes) -> Iterator[bytes]:
    """Yield the unpacked data piece by piece; what follows its end is ignored. Raises FormatError."""
    unpacker = zlib.decompressobj()
    try:
        for low in range(0, len(packed), PIECE):
            left = packed[low : low + PIECE]
            while left and not unpacker.eof:
                yield unpacker.decompress(left, PIECE)
                left = unpacker.unconsumed_tail
    except zlib.error as error:
        raise FormatError(_DAMAGED) from error
    if not unpacker.eof:
        raise FormatError(_DAMAGED)


def _decoded(text: bytes) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except binascii.Error as error:
        raise FormatError(_DAMAGED) from error
