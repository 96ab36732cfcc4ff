"""Whether a path is a lesson, a model's folder or neither (.md that begins with a table); where resources lie."""

from __future__ import annotations

import itertools
from functools import cache
from os.path import isdir, isfile
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def resources() -> Path:
    """Return the folder `resources`: inside the package in a wheel, in place in an editable checkout."""
    installed = _PACKAGE / "resources"
    return installed if installed.is_dir() else _PACKAGE.parent / "resources"


def resource(*parts: str) -> Path:
    """Return the path of one resource, such as `resource("examples", "worked-example.npz")`."""
    return resources().joinpath(*parts)


def notices() -> str:
    """Return the shipped parts and their authors, then the license of each font in full, as Markdown."""
    licenses = sorted(resource("fonts").glob("*-OFL.txt"))
    return "\n\n".join(path.read_text(encoding="utf-8") for path in (resource("NOTICE.md"), *licenses))


# --- what a path is: told without importing what reads it ------------------------------------------
ENDING = ".md"  # of lessons, and of tables in Markdown
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
