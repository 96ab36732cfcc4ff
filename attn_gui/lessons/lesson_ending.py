"""Names of lesson files; whoever only asks what a file is need not import what reads it."""

from __future__ import annotations

from pathlib import Path

ENDING = ".md"


def is_lesson(path: Path) -> bool:
    """Whether a file is one of a lesson, by its name."""
    return path.suffix.lower() == ENDING
