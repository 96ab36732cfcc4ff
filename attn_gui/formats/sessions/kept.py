"""Words about an unsaved document that a journal keeps beside its numbers. Imports the fields of a problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from attn_gui.engine.checks import whole_text
from attn_gui.formats.json_text import Json
from attn_gui.formats.problem_fields import words


class Stamp(NamedTuple):
    """A file as it was at one moment."""

    path: Path
    size: int
    modified: int  # nanoseconds

    @classmethod
    def of(cls, path: Path) -> Stamp | None:
        """The present one; None where there is no such file."""
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(path, found.st_size, found.st_mtime_ns)

    def is_current(self) -> bool:
        return Stamp.of(self.path) == self


@dataclass(frozen=True)
class Kept:
    """Record of a document beside its problem: its name, the file that it is saved in, its view."""

    name: str = ""
    sizes: tuple[int, int, int] = (0, 0, 0)  # queries, keys, heads
    file: Stamp | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    view: Mapping[str, object] = field(default_factory=dict)


def record_of(kept: Kept) -> dict[str, object]:
    record: dict[str, object] = {
        "name": kept.name,
        "sizes": list(kept.sizes),
        "about": dict(kept.about),
        "view": dict(kept.view),
    }
    return record | ({"file": stamp_record(kept.file)} if kept.file else {})


def kept_of(said: Mapping[str, Json]) -> Kept:
    view, (n, m, heads) = said.get("view"), map(int, said["sizes"])
    return Kept(
        whole_text(str(said.get("name", ""))),
        (n, m, heads),
        stamp_of(said["file"]) if "file" in said else None,
        words(said.get("about", {})),
        view if isinstance(view, dict) else {},
    )


def stamp_record(stamp: Stamp) -> list[object]:
    return [str(stamp.path), stamp.size, stamp.modified]


def stamp_of(record: Json) -> Stamp | None:
    path, size, modified = record
    return Stamp(Path(path), int(size), int(modified)) if isinstance(path, str) else None
