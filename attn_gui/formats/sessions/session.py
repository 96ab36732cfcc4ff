"""`.attn`: a session, a safetensors file whose arrays have the names of their fields. Imports engine.

Everything that is no array is sorted JSON in the one metadata entry `attn_gui`, with `format_version`. A new version
adds a step to `_UPGRADES`; the older ones stay for ever, each with a file in tests/data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO

from attn_gui.formats.base import Loaded, Source
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shown
from attn_gui.formats.json_text import Json, dump, parse_object
from attn_gui.formats.problem_fields import assemble, is_field, is_result, notes_on, split, words
from attn_gui.formats.sessions import packed_arrays
from attn_gui.formats.sessions.study_record import ENTRY as STUDY
from attn_gui.formats.sessions.study_record import ModelNeeded, StudyRecord, study_in
from attn_gui.formats.sessions.study_record import entries as study_entries
from attn_gui.formats.sessions.study_record import is_entry as is_of_study
from attn_gui.formats.snapshots.snapshot_entries import ENTRY as SNAPSHOTS
from attn_gui.formats.snapshots.snapshot_entries import entries, is_entry, read_snapshots

VERSION = 1
ENTRY = "attn_gui"
LONGEST_OPTIONS = 32 * 2**20
_OTHER = QT_TRANSLATE_NOOP("Sentences", "{file} is a safetensors file, but not a session of attn_gui.")
_UPGRADES: dict[int, Callable[[dict[str, Json]], dict[str, Json]]] = {}

matches = packed_arrays.matches


def read(source: Source) -> Loaded:
    """A session of this version or an older one; a newer one is refused with a sentence."""
    return in_bytes(source.file.read(source.size))


def in_bytes(data: bytes) -> Loaded:
    """The session that the bytes of a file hold."""
    if not packed_arrays.may_have(data, ENTRY):  # a long list of arrays is not worth taking apart
        raise FormatError(_OTHER)
    header, cells = packed_arrays.taken_apart(data, ENTRY)
    options = _options(header)
    arrays = packed_arrays.arrays_in(header, cells)
    view, about = _objects(options, "view"), _objects(options, "about")
    kept, notes = read_snapshots({name: arrays[name] for name in arrays if is_entry(name)}, options.pop(SNAPSHOTS, []))
    if STUDY in options:
        mine = {name: arrays[name] for name in arrays if is_of_study(name)}
        raise ModelNeeded(study_in(mine, options[STUDY], view, kept))
    problem, _, strange = assemble({name: arrays[name] for name in arrays if is_field(name)}, options)
    ignored = [name for name in arrays if not is_field(name) and not is_entry(name)]
    left_out = (*(name for name in ignored if not is_result(name)), *strange)
    notes += notes_on(ignored, strange)
    return Loaded(problem, view=view, notes=notes, about=words(about), left_out=left_out, snapshots=kept)


def write(loaded: Loaded, file: IO[bytes]) -> None:
    """Write a session: the same problem, view and words give the same bytes."""
    for part in parts(loaded):
        file.write(part)


def parts(loaded: Loaded) -> Iterator[memoryview]:
    """The bytes of a file, array by array in its own memory."""
    arrays, options = split(loaded.problem)
    options["format_version"] = VERSION
    options |= {name: dict(part) for name, part in (("view", loaded.view), ("about", loaded.about)) if part}
    if loaded.snapshots:
        more, options[SNAPSHOTS] = entries(loaded.snapshots)
        arrays |= more
    return packed_arrays.parts(arrays, {ENTRY: dump(options)})


def study_parts(record: StudyRecord) -> Iterator[memoryview]:
    """The bytes of a session of a model."""
    arrays, words = study_entries(record)
    options: dict[str, Json] = {STUDY: words, "format_version": VERSION}
    options |= {"view": dict(record.view)} if record.view else {}
    if record.snapshots:
        more, options[SNAPSHOTS] = entries(record.snapshots, of_model=True)
        arrays |= more
    return packed_arrays.parts(arrays, {ENTRY: dump(options)})


def _options(header: dict[str, Json]) -> dict[str, Json]:
    """Take what the header says besides the arrays out of it, brought up to this version."""
    metadata = header.pop(packed_arrays.METADATA, {})
    if not isinstance(metadata, dict) or ENTRY not in metadata:
        raise FormatError(_OTHER)
    options = parse_object(str(metadata[ENTRY]), LONGEST_OPTIONS)
    version = options.pop("format_version", None)
    if type(version) is not int or version < 1:
        template = QT_TRANSLATE_NOOP("Sentences", "{file} has the session version {got}; expected a number from 1.")
        raise FormatError(template, got=shown(json.dumps(version)))
    if version > VERSION:
        template = QT_TRANSLATE_NOOP(
            "Sentences",
            "{file} was saved by a newer attn_gui (session version {got}; this one reads up to {expected}).",
        )
        raise FormatError(template, got=version, expected=VERSION)
    for step in range(version, VERSION):
        options = _UPGRADES[step](options)
    return options


def _objects(options: dict[str, Json], name: str) -> dict[str, Json]:
    """Take an optional JSON object out of the options."""
    found = options.pop(name, {})
    if not isinstance(found, dict):
        template = QT_TRANSLATE_NOOP("Sentences", "{file}: “{name}” is not names with values in braces.")
        raise FormatError(template, name=name)
    return found
