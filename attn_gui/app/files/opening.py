"""Reads a large file beside the window: until it is read, nothing in the window is any different."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attn_gui.app.state.side_work import LARGE, SideWork
from attn_gui.figure.reading import Tell
from attn_gui.formats import Loaded, open_file, open_small
from attn_gui.views.dialogs.progress.opening_progress import OpeningProgress
from attn_gui.views.main_window import MainWindow

Read = Callable[[Path, Tell], object]


class Opening(SideWork):
    """One file at a time: what is asked for later takes its place. `ended` carries what was read."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, OpeningProgress(window))

    def at_once(self, path: Path) -> Loaded | None:
        """The problem in a file; None where reading it would hold up the window. Raises FormatError."""
        return open_small(path, LARGE)

    def begin(self, path: Path, read: Read = open_file) -> None:
        """Read this one."""
        self.start(path.name, lambda tell: read(path, tell))
