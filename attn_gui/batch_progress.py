"""Progress of a file that the command line writes. Imports the standard library alone."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attn_gui.formats import Progress

PATIENCE = 0.5  # seconds before progress is shown


class FileProgress:
    """Progress of a file, on one line of a terminal; whoever reads stderr from a pipe is spared it."""

    def __init__(self, path: Path) -> None:
        self._name, self._shown, self._begun = path.name, "", time.monotonic()
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> FileProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show(self, share: float) -> None:
        """Called from any thread; the first half second is silent."""
        said = f"{self._name}: {share:.0%}"
        if self._terminal and said != self._shown and time.monotonic() > self._begun + PATIENCE:
            self._shown = said
            print(f"\r{said}\x1b[K", end="", file=sys.stderr, flush=True)

    def of(self, part: int, parts: int) -> Progress:
        """The progress of one of several equal parts of the file."""
        return lambda done, every: self.show((part + done / every) / parts)
