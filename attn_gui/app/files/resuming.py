"""Reads what a crashed window left: its document, and the model around it where that is still there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attn_gui.figure.reading import Tell, within
from attn_gui.formats import FormatError, Loaded, Note
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.sessions.journal import recover
from attn_gui.formats.sessions.kept import Kept

if TYPE_CHECKING:
    from attn_gui.models.studies.study import Study

_WITHOUT = QT_TRANSLATE_NOOP("Sentences", "The layer on the table is there, but without its model: {reason}")


class Resumed(NamedTuple):
    """A document as a journal kept it, and its place in a model."""

    loaded: Loaded
    kept: Kept
    study: Study | None


def resume(path: Path, tell: Tell) -> Resumed:
    """The document that a journal holds. Raises FormatError. A model that is gone is a note."""
    loaded, kept, record = recover(path, within(tell, 0, 2))
    if record is None:
        return Resumed(loaded, kept, None)
    from attn_gui.models.studies.study_files import opened_study  # a start does not wait for models

    try:
        found = opened_study(record, (), within(tell, 1, 2), loaded.problem)
    except FormatError as error:
        note = Note(_WITHOUT, reason=Note(error.template, **error.values))
        return Resumed(replace(loaded, notes=(*loaded.notes, note)), kept, None)
    return Resumed(replace(loaded, problem=found.problem.replace()), kept, found.study)
