"""Folder of a model, told from any other without importing what reads it."""

from __future__ import annotations

from os.path import isdir, isfile
from pathlib import Path

CONFIG = "config.json"


def is_model(path: Path) -> bool:
    """Whether a path is a folder that says of itself that it holds a model."""
    return isdir(path) and isfile(path / CONFIG)  # unlike those of a Path these raise nothing where it cannot be read
