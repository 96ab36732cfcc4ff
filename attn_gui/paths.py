"""Paths of the files that come with the program: inside the installed package, or at the top of a checkout."""

from __future__ import annotations

from functools import cache
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
