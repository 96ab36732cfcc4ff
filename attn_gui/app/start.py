"""How the program starts: painting order, files given, Ctrl+C and signals, input methods (fcitx), a failure,
the application."""

from __future__ import annotations

import builtins
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEventLoop, QLibraryInfo, QSocketNotifier, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from attn_gui.paths import resource

if TYPE_CHECKING:
    from attn_gui.app.program import Program
    from attn_gui.app.shell import Shell
    from attn_gui.app.start_page import StartPage
    from attn_gui.formats.named.array_mapping import ArrayMapping


REST_MS = 200
"""Time after which everything is painted and idle work may begin."""

ALL = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]

KILLED = 128
"""Added to the number of the signal, as shells do, this is the exit code of a program that a signal ends."""


def run(paths: Sequence[Path] = (), lang: str | None = None, mapping: ArrayMapping | None = None) -> int:
    """Show the window, with files if some are given, until it is closed; the exit code.

    `mapping`: the parts of a problem that the files' arrays are, where their names do not say it.
    """
    gc.disable()  # what a start makes is no garbage, and looking for some takes a tenth of its time
    _import_plainly()
    from attn_gui.app.shell import Shell
    from attn_gui.figure.text.fonts import load_fonts, without_locale_advice

    os.environ.setdefault("QT_ENABLE_HIGHDPI_SCALING", "1")
    plugins = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath), "platforminputcontexts")
    if changed := replace_missing_fcitx(os.environ, plugins):
        print(changed, file=sys.stderr)
    with without_locale_advice():
        app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("attn_gui")
    app.setApplicationDisplayName("attn_gui")
    app.setDesktopFileName("attn-gui")  # by which a desktop finds the name, the icon and what belongs together
    app.setWindowIcon(QIcon(str(resource("icons", "program", "attn-gui.svg"))))
    load_fonts()
    with ending_signals():
        start = Start(app, Shell(app, lang), paths, mapping)
        code = app.exec()
        if start.program is not None:
            start.program.end()  # while Qt is still there
            _say_what_is_kept(start.program)
    return code


def replace_missing_fcitx(environment: MutableMapping[str, str], plugins: Path) -> str | None:
    """Name ibus in place of fcitx where Qt has no plugin for fcitx; return a sentence that says so, or None.

    The Qt of PyPI brings a plugin for ibus alone, and fcitx 5 answers as ibus, too: without this, Chinese could not be
    typed. Qt reads QT_IM_MODULES, names between semicolons, before QT_IM_MODULE.
    """
    variable = next((name for name in ("QT_IM_MODULES", "QT_IM_MODULE") if environment.get(name)), "")
    names = environment.get(variable, "").split(";")
    if not any(name.startswith("fcitx") for name in names) or any(plugins.glob("*fcitx*")):
        return None
    environment[variable] = ";".join(dict.fromkeys("ibus" if name.startswith("fcitx") else name for name in names))
    return (
        f"{variable} names fcitx, for which this Qt has no plugin; input methods are reached as "
        f"{environment[variable]}, which fcitx 5 answers."
    )


def _say_what_is_kept(program: Program) -> None:
    """Say in the terminal that something unsaved is kept, where the window went without asking."""
    if program.files.journaling.path.exists():
        with suppress(OSError):  # the terminal may be what went
            print(f"attn-gui: {program.document.name} was not saved; the next start offers it.", file=sys.stderr)


def _import_plainly() -> None:
    """Take PySide out of the imports that follow: it reads the source of every module, in search of `__feature__`,
    which none of ours asks for. That takes an eighth of a start, and memory for all the sources."""
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


class Start:
    """Show the window at once, its start page where no file is given, build the program in it after that is painted,
    the controllers that no map needs after the maps are painted, and leave to the next pause what can wait."""

    def __init__(self, app: QApplication, shell: Shell, paths: Sequence[Path], mapping: ArrayMapping | None) -> None:
        self.program: Program | None = None
        self._app, self._shell, self._paths, self._mapping = app, shell, paths, mapping
        self._asks = not paths and shell.settings.first() is None
        if self._asks:
            shell.window.conceal()  # the zones make room for the start page
        shell.after_paint(self._fill)
        shell.window.show()

    def _fill(self) -> None:
        with self._or_end():
            from attn_gui.app.start_page import StartPage

            page = StartPage(self._shell)
            if self._asks:
                self._shell.after_paint(lambda: self._build(page))
                page.show()
            else:
                self._build(page)

    def _build(self, page: StartPage) -> None:
        """Build the program; between its parts the start page answers, maps are painted at once."""
        with self._or_end():
            from attn_gui.app.program import Program

            self._shell.window.conceal()
            alone = len(self._paths) == 1
            opens = alone or self._shell.settings.first() is not None
            self.program = Program(self._app, shell=self._shell, start_page=page, opens=opens)
            self.program.show_first(self._paths[0] if alone else None, self._mapping if alone else None)
            sys.excepthook = self.program.faults.report
            threading.excepthook = self.program.faults.report_from_thread
            if self._asks:
                QTimer.singleShot(0, self._complete)
            else:
                self._paint()
                self._complete()

    def _paint(self) -> None:
        """Paint the maps; what is pressed and typed meanwhile waits for the controllers that answer it."""
        painted = QEventLoop()
        self._shell.after_paint(painted.quit)
        painted.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)

    def _complete(self) -> None:
        assert self.program is not None
        with self._or_end():
            self.program.complete()
            if len(self._paths) > 1:
                self.program.late.incoming_files.take(self._paths, mapping=self._mapping)
        QTimer.singleShot(REST_MS, self._rest)

    @contextmanager
    def _or_end(self) -> Iterator[None]:
        """Leave with what went wrong in the log: half a window is of no use."""
        try:
            yield
        except BaseException as error:
            if isinstance(error, Exception):
                from attn_gui.app.unexpected_errors import details, record

                record(details(error))
            self._app.exit(1)
            raise

    def _rest(self) -> None:
        from pyqtgraph.util.garbage_collector import GarbageCollector

        gc.freeze()  # nor is it garbage later
        self._collector = GarbageCollector()  # on this thread alone: an object of Qt must not be deleted on another


@contextmanager
def ending_signals(numbers: Iterable[int] = ALL) -> Iterator[list[int]]:
    """Have each of these signals end Qt's loop with `exit(128 + number)`; yields a list of those that came.

    Python's own handlers raise wherever Python runs next: inside a paint event that is a segmentation fault, inside a
    slot it may be swallowed. These only write to a socket that Qt's loop reads. Signals that come before the loop runs
    end it once it does. A second one kills the process, even where the thread of the window hangs. What the parent
    process ignores (nohup) stays ignored.
    """
    import socket  # once imports are plain, see `_import_plainly`

    came: list[int] = []
    read, write = socket.socketpair()
    for end in (read, write):
        end.setblocking(False)

    def handle(_number: int, _frame: FrameType | None) -> None:
        for number in before:
            signal.signal(number, signal.SIG_DFL)

    def end_loop() -> None:
        for number in read.recv(KILLED):
            if number in before:
                came.append(number)
                QCoreApplication.exit(KILLED + number)

    left_alone = (signal.SIG_IGN, None)
    before = {number: known for number in numbers if (known := signal.getsignal(number)) not in left_alone}
    for number in before:
        signal.signal(number, handle)
    woken = signal.set_wakeup_fd(write.fileno(), warn_on_full_buffer=False)
    notifier = QSocketNotifier(read.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(end_loop)
    try:
        yield came
    finally:
        notifier.setEnabled(False)
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        read.close()
        write.close()
