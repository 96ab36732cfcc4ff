"""`explore`, the window from Python: a script waits until it is closed, a notebook goes on and can ask what it
holds."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QCoreApplication, QThread
from PySide6.QtWidgets import QApplication

from attn_gui.app.start import ending_signals
from attn_gui.document.edits import Label, SetStudy
from attn_gui.engine import Problem
from attn_gui.engine.evaluation.trace import problem_in
from attn_gui.figure.text.fonts import load_fonts, release_gui
from attn_gui.languages import N_
from attn_gui.no_window import obstacle

if TYPE_CHECKING:
    from attn_gui.app.program import Program

TO_TYPE = "The window answers once Qt's loop runs: type “%gui qt” on a line of its own ({reason})."


class Explorer:
    """A window that was opened from Python: `problem` is what it holds now, `show` gives it another one."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def problem(self) -> Problem:
        """A copy of the problem as it stands in the window, or stood when that was closed."""
        return self._program.document.snapshot()

    def show(self, problem: Problem) -> None:
        """Put a problem in place of the one in the window, as one step that can be undone; bring the window up.

        A model that is open gives way to it, since a problem does not say of which layer it would be.
        """
        problem = problem_in(problem, "show")
        label = Label(N_("History", "shown from Python"))
        self._program.document.apply(
            SetStudy(dict.fromkeys(Problem.__dataclass_fields__, None) | problem.fields(), None, label)
        )
        self._program.files.about = {}  # it was about what is not shown any more
        window = self._program.window
        window.banner.hide()
        window.show()
        window.raise_()

    def close(self) -> None:
        """Close the window without asking; what is unsaved in it is given up, `problem` still has it."""
        self._program.files.journaling.forget()
        self._program.end()

    def __repr__(self) -> str:
        return f"Explorer of {self.problem!r}"


def explore(
    problem: Problem | None = None,
    *,
    query: npt.ArrayLike | None = None,
    key: npt.ArrayLike | None = None,
    value: npt.ArrayLike | None = None,
    tokens: Sequence[str] | None = None,
    axes: str | Sequence[str] | None = None,
) -> Explorer:
    """Open the window on a problem, on Q, K and V, or on the first example; `tokens` name the rows.

    Q, K and V of several heads have four axes, or their order is said by `axes`, as `Problem.from_heads` takes it.

    A script goes on when the window is closed. In Jupyter and IPython it goes on at once: Qt's loop is started as by
    `%gui qt`, or the line to type is said.
    Raises ShapeError, ValueError or TypeError as Problem does, RuntimeError with a sentence where no window can open.
    """
    if reason := obstacle():
        raise RuntimeError(reason)
    shown = _asked(problem, {"query": query, "key": key, "value": value}, tokens, axes)
    shell = _shell()
    app = _application(shell)
    from attn_gui.app.program import Program  # its signals would not survive the change of applications

    program = Program(app)
    program.begin(None)
    if shown is not None:
        program.files.open_problem(shown, "explore")
    program.window.show()
    if shell is not None:
        _keep_alive(shell)
    elif QThread.currentThread().loopLevel() == 0 and not hasattr(sys, "ps1"):  # at a prompt PySide6 runs the loop
        with ending_signals([signal.SIGINT]) as came:
            app.exec()
        program.files.journaling.finish()  # the display may be gone, and nobody was asked
        if came:
            raise KeyboardInterrupt
    return Explorer(program)


def _asked(
    problem: Problem | None, arrays: dict[str, Any], tokens: Sequence[str] | None, axes: str | Sequence[str] | None
) -> Problem | None:
    """Return the problem that the arguments ask for; None for the first example."""
    given = {name: array for name, array in arrays.items() if array is not None}
    order = {} if axes is None else {"axes": axes}
    texts = tokens if tokens is None or isinstance(tokens, str) else tuple(tokens)  # a text alone is refused
    labels: dict[str, Any] = {} if texts is None else dict.fromkeys(("query_tokens", "key_tokens"), texts)
    if problem is not None:
        if given or order:
            both = f"both a problem and {', '.join(given | order)}"
            raise TypeError(f"explore takes either a problem or arrays, got {both}.")
        return problem_in(problem, "explore").replace(**labels)
    if not (given or labels or order):
        return None
    if len(given) == len(arrays) and (order or all(np.ndim(array) == 4 for array in given.values())):
        return Problem.from_heads(**given, **labels, **order)  # heads have an axis
    return Problem(**given, **labels)


def _shell() -> Any:
    """Return the IPython or Jupyter that this runs in, if any."""
    found = sys.modules.get("IPython")
    return None if found is None else found.get_ipython()


def _keep_alive(shell: Any) -> None:
    """Let the prompt run Qt's loop while it waits, also when the last window was closed."""
    QApplication.setQuitOnLastWindowClosed(False)
    if _runs_qt(shell):
        return
    # IPython copies Qt's names once, and PySide6 makes a name when it is used: a copy of before has no QApplication
    sys.modules.pop("IPython.external.qt_for_kernel", None)
    try:
        shell.enable_gui("qt")
    except Exception as error:  # a loop of another kit runs, or this prompt has none
        print(TO_TYPE.format(reason=error))


def _runs_qt(shell: Any) -> bool:
    return str(shell.active_eventloop or "").startswith("qt")


def _application(shell: Any) -> QApplication:
    """Return the application that runs, or a new one in place of one without a display that drew figures before."""
    running = QCoreApplication.instance()
    if isinstance(running, QApplication):
        return running
    if shell is not None and _runs_qt(shell):
        shell.enable_gui(None)  # its loop hangs on the application that goes
    release_gui()
    app = QApplication(sys.argv[:1])
    load_fonts()
    return app
