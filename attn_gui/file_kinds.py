"""What a path is, told without importing what reads it: a lesson, a model, or neither."""

from __future__ import annotations

import itertools
from os.path import isdir, isfile
from pathlib import Path

# Names of lesson files, and the tables that have the same.


ENDING = ".md"
STEP = "##"  # begins the title of a step
LOOKED_AT = 4096  # bytes in which a file begins


def is_lesson(path: Path) -> bool:
    """Return whether a file is one of a lesson, by its name; one that begins with a table, titled or not, holds
    numbers."""
    return path.suffix.lower() == ENDING and not _begins_with_table(path)


def _begins_with_table(path: Path) -> bool:
    """Return whether a row between pipes comes before the first step; a lesson has one right below its title."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            text = file.read(LOOKED_AT).decode("utf-8-sig", errors="replace")
    except OSError:
        return False
    lines = [*filter(None, map(str.strip, text.splitlines()))] or [""]
    above = itertools.takewhile(lambda line: not line.startswith(STEP), lines)
    return any(line.startswith("|") for line in above) or ("|" in lines[0] and not lines[0].startswith("#"))


CONFIG = "config.json"


def is_model(path: Path) -> bool:
    """Return whether a path is a folder that says of itself that it holds a model."""
    return isdir(path) and isfile(path / CONFIG)  # unlike those of a Path these raise nothing where it cannot be read
