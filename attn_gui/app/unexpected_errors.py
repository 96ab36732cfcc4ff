"""Unexpected errors: the line with “Copy details”, and the log, which holds none of the person's numbers."""

from __future__ import annotations

import logging
import platform
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, QStandardPaths, QUrl, Signal, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication

from attn_gui.app.actions.actions import Command
from attn_gui.version import VERSION
from attn_gui.views.banner import BannerOffer
from attn_gui.views.main_window import MainWindow

log = logging.getLogger("attn_gui")
PACKAGE = Path(__file__).resolve().parents[1]
LARGEST, KEPT = 256 * 1024, 2  # bytes of the log, and of how many older ones
FRAMES = 40  # the innermost of each error: a recursion has a thousand


class Faults(QObject):
    """Reports what no controller expected; the document stays as it is."""

    _met = Signal(str, str)  # from any thread

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._banner = window.banner
        self._last = ""
        self._met.connect(self._show)

    def report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Handle `sys.excepthook`, on whichever thread."""
        try:
            self._met.emit(summary(error), details(error))
        except RuntimeError:  # the window is gone
            sys.__excepthook__(kind, error, trace)

    def report_from_thread(self, args: threading.ExceptHookArgs) -> None:
        """Handle `threading.excepthook`."""
        if args.exc_value is not None:
            self.report(args.exc_type, args.exc_value, args.exc_traceback)

    def commands(self) -> dict[str, Command]:
        return {"show_log": Command(self.show_log)}

    def show_log(self) -> None:
        """Open the folder of the log, or say where it is."""
        folder = log_folder()
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._banner.show_info(lambda: self.tr("The log is in {folder}.").format(folder=folder))

    def _show(self, fault: str, text: str) -> None:
        """Show each fault once: a paint event that fails, fails sixty times a second."""
        if text == self._last and self._banner.isVisible():
            return
        if text != self._last:
            record(text)
        self._last = text
        copy = BannerOffer(
            lambda: self.tr("Copy details"),
            lambda: self.tr("Where it happened and the versions of everything, none of your numbers"),
            self._copy,
        )
        self._banner.show_error(
            lambda: self.tr("Something went wrong inside the program: {fault}.").format(fault=fault), offers=[copy]
        )

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._last)
        self._banner.show_info(lambda: self.tr("The details are on the clipboard."))


def log_folder() -> Path:
    """Return the folder of the log, where the system wants it."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericStateLocation)) / "attn_gui"


def record(text: str) -> None:
    """Append to the log and say it on stderr; where no log can be written that is all."""
    from logging.handlers import RotatingFileHandler

    log.error("unexpected error\n%s", text)
    with suppress(OSError):
        log_folder().mkdir(parents=True, exist_ok=True)
        file = log_folder() / "attn_gui.log"
        handler = RotatingFileHandler(file, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s\n%(message)s\n"))
        handler.handle(log.makeRecord(log.name, logging.ERROR, "", 0, text, (), None))
        handler.close()


def summary(error: BaseException) -> str:
    """Return the kind of an error and the innermost place of ours that it came through."""
    ours = [frame for frame in _frames(error) if _is_ours(frame)]
    return f"{type(error).__name__}, {_place(ours[-1])}" if ours else type(error).__name__


def details(error: BaseException) -> str:
    """Return the versions, then the trace of an error after those that it came from.

    Places and our own source lines alone: a message, a local variable or a line typed into a notebook may hold
    numbers, words and paths of whoever uses the program.
    """
    chain: list[BaseException] = []
    behind: BaseException | None = error
    while behind is not None and not any(behind is known for known in chain):
        chain.append(behind)
        behind = behind.__cause__ or (None if behind.__suppress_context__ else behind.__context__)
    return "\n".join([_versions(), *(line for one in reversed(chain) for line in _trace(one))])


def _versions() -> str:
    """Return the versions of what is loaded: nothing is imported while something goes wrong."""
    parts = {"PySide6": "PySide6", "NumPy": "numpy", "pyqtgraph": "pyqtgraph"}
    loaded = [f"{name} {sys.modules[module].__version__}" for name, module in parts.items() if module in sys.modules]
    return (
        f"attn_gui {VERSION}, Python {platform.python_version()}, Qt {qVersion()}, {', '.join(loaded)}\n"
        f"{platform.platform()}, {QGuiApplication.platformName()}"
    )


def _trace(error: BaseException) -> list[str]:
    lines = [f"{type(error).__name__}:"]
    for frame in _frames(error):
        lines.append(f"  {_place(frame)} in {frame.name}")
        if _is_ours(frame) and frame.line:
            lines.append(f"    {frame.line}")
    return lines


def _frames(error: BaseException) -> traceback.StackSummary:
    return traceback.extract_tb(error.__traceback__, limit=-FRAMES)


def _is_ours(frame: traceback.FrameSummary) -> bool:
    return Path(frame.filename).is_relative_to(PACKAGE)


def _place(frame: traceback.FrameSummary) -> str:
    """Return the file without the folders around its package, which have the person's name in them, and the line.

    Of a file that is not installed the name alone: its folder may be the person's home.
    """
    path = Path(frame.filename)
    installed = any(path.is_relative_to(prefix) for prefix in (sys.prefix, sys.base_prefix))
    short = path.relative_to(PACKAGE.parent) if _is_ours(frame) else Path(*path.parts[-2 if installed else -1 :])
    return f"{short.as_posix()}:{frame.lineno}"
