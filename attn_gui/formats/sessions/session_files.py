"""Files of sessions: written part by part, with the progress told, and put in the place of the old ones at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import Tell
from attn_gui.formats.base import Loaded, PathText
from attn_gui.formats.saving import CHUNK, replacing, saving
from attn_gui.formats.sessions import session
from attn_gui.formats.sessions.kept import Stamp
from attn_gui.formats.sessions.study_record import StudyRecord
from attn_gui.formats.snapshots.snapshot import Snapshot


def save_session(
    problem: Problem,
    path: PathText,
    view: Mapping[str, object] | None = None,
    about: Mapping[str, str] | None = None,
    tell: Tell | None = None,
    snapshots: Sequence[Snapshot] = (),
    before: Callable[[Stamp], object] | None = None,
) -> None:
    """Save a session with what is looked at, what is known about it (title, model, text) and its snapshots.

    Raises FormatError.

    `tell` is told the share that is written; what it raises ends the writing, and the old file is untouched.
    `before` is told what the file will be, once it is whole, before it takes the old one's place.
    """
    with saving(path):
        parts = [*session.parts(Loaded(problem, view=view or {}, about=about or {}, snapshots=tuple(snapshots)))]
    _write_parts(parts, path, tell, before)


def save_study(record: StudyRecord, path: PathText, tell: Tell | None = None) -> None:
    """Save a model that is studied, without its weights. Raises FormatError; `tell` as for `save_session`."""
    with saving(path):
        parts = [*session.study_parts(record)]
    _write_parts(parts, path, tell)


def _write_parts(
    parts: Sequence[memoryview],
    path: PathText,
    tell: Tell | None,
    before: Callable[[Stamp], object] | None = None,
) -> None:
    def say(beside: Path) -> None:
        if before is not None and (found := Stamp.of(beside)) is not None:
            before(found._replace(path=Path(path)))

    size, written = sum(len(part) for part in parts), 0
    with replacing(path, size, say) as sink:
        for piece in (part[low : low + CHUNK] for part in parts for low in range(0, len(part), CHUNK)):
            written += sink.write(piece)
            if tell is not None:
                tell(written / size)
