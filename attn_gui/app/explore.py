"""The window from Python: a script waits until it is closed, a notebook with a running Qt loop goes on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy.typing as npt
from PySide6.QtCore import QCoreApplication, QThread
from PySide6.QtWidgets import QApplication

from attn_gui.display import obstacle
from attn_gui.engine import Problem
from attn_gui.figure.fonts import load_fonts, release_gui

if TYPE_CHECKING:
    from attn_gui.app.program import Program


class Explorer:
    """A window that was opened from Python: `problem` is what it holds now."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def problem(self) -> Problem:
        """A copy of the problem as it stands in the window."""
        return self._program.document.snapshot()

    def close(self) -> None:
        """Close the window without asking."""
        self._program.end()


def explore(
    problem: Problem | None = None,
    *,
    query: npt.ArrayLike | None = None,
    key: npt.ArrayLike | None = None,
    value: npt.ArrayLike | None = None,
    tokens: Sequence[str] | None = None,
) -> Explorer:
    """Open the window on a problem, on Q, K and V of one head, or on the first example.

    In a script it returns when the window is closed; where a Qt event loop runs already (IPython's `%gui qt`) at once.
    Raises ShapeError or ValueError as Problem does, RuntimeError with a sentence where no window can open.
    """
    if reason := obstacle():
        raise RuntimeError(reason)
    if problem is None and query is not None:
        labels = None if tokens is None else tuple(tokens)
        problem = Problem(query=query, key=key, value=value, query_tokens=labels, key_tokens=labels)
    app = _application()
    from attn_gui.app.program import Program  # its signals would not survive the change of applications

    program = Program(app)
    program.begin(None)
    if problem is not None:
        program.document.open(problem, None, "explore")
    program.window.show()
    explorer = Explorer(program)
    if QThread.currentThread().loopLevel() == 0 and not hasattr(sys, "ps1"):
        app.exec()
    return explorer


def _application() -> QApplication:
    """The one that runs, or a new one in place of the one without a display that drew figures before."""
    running = QCoreApplication.instance()
    if isinstance(running, QApplication):
        return running
    release_gui()
    app = QApplication(sys.argv[:1])
    load_fonts()
    return app
