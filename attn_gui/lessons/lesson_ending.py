"""Names of lesson files, and the tables that have the same: to ask what a file is, its reader need not be imported."""

from __future__ import annotations

from pathlib import Path

ENDING = ".md"
LOOKED_AT = 4096  # bytes in which a file begins


def is_lesson(path: Path) -> bool:
    """Whether a file is one of a lesson, by its name; one that begins with a table holds numbers."""
    return path.suffix.lower() == ENDING and not _begins_with_table(path)


def _begins_with_table(path: Path) -> bool:
    """Whether the first line that is not empty is a row between pipes; a lesson has its title there."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            text = file.read(LOOKED_AT).decode("utf-8-sig", errors="replace")
    except OSError:
        return False
    first = next(filter(None, map(str.strip, text.splitlines())), "")
    return "|" in first and not first.startswith("#")
