"""One start of the program for many journeys: each runs in a copy of the process that has started it.

`fork` copies a process with its window in a tenth of the time of a start: a journey finds the program as it is right
after one, whatever the journeys before have done, and all that it leaves behind ends with its process. Of threads only
the calling one is copied, so none may be waited for then. On Linux alone: elsewhere, and for journeys that begin
otherwise, the program is started.
"""

import gc
import os
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Iterable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from PySide6.QtCore import QThreadPool, qInstallMessageHandler

from attn_gui.app.program import Program
from attn_gui.engine.evaluation import threads
from attn_gui.pictures.worker_thread import WorkerThread


class Started:
    """The program that was started, with what that start found; who takes it first has it."""

    def __init__(self, program: Program, home: Path) -> None:
        self._program: Program | None = program
        self._home, self._found = home, _found(home)

    def take(self, monkeypatch: pytest.MonkeyPatch, *, fits: bool) -> Program | None:
        """Return the program if it fits, nothing is patched, and a start would find the same now; else end it."""
        program, self._program = self._program, None
        if program is None or (fits and not monkeypatch._setattr and _found(self._home) == self._found):
            return program
        program.end()
        return None


def _found(home: Path) -> object:
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return environment, {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}


started: Started | None = None
"""What a journey finds in a copy."""
_reports: list[pytest.TestReport] | None = None  # in a copy: of its journey


class Copies:
    """A process that starts the program and copies itself for each journey."""

    def __init__(self, items: list[pytest.Item], home: Path, start: Callable[[], Program]) -> None:
        self._ours, theirs = Pipe()
        self._items, self._process = items, _fork()
        if not self._process:
            try:
                self._ours.close()
                self._serve(theirs, home, start)
            finally:
                os._exit(0)
        theirs.close()

    def run(self, item: pytest.Item) -> list[pytest.TestReport] | None:
        """Run a test in a copy and return what is to be said of it; None if there is no program to copy."""
        signal.setitimer(signal.ITIMER_REAL, 0)  # of pytest-timeout, which sets one in the copy
        try:
            self._ours.send(self._items.index(item))
            found = self._ours.recv()
        except (EOFError, OSError):
            return None
        if isinstance(found, str):
            return [pytest.TestReport(item.nodeid, item.location, {item.name: 1}, "failed", found, "call")]
        return [item.config.hook.pytest_report_from_serializable(config=item.config, data=data) for data in found]

    def end(self) -> None:
        """End the process; the time of all copies counts as this process's then."""
        self._ours.close()
        os.waitpid(self._process, 0)

    def _serve(self, orders: Connection, home: Path, start: Callable[[], Program]) -> None:
        global started
        before = qInstallMessageHandler(lambda *_: None)  # what Qt says of this start belongs to no test
        program, kept = start(), home.with_name("kept")
        qInstallMessageHandler(before)
        for pool in (*program.findChildren(WorkerThread), *program.window.findChildren(WorkerThread)):
            pool.waitForDone()  # and its thread ends
        QThreadPool.globalInstance().waitForDone()
        started = Started(program, home)
        shutil.copytree(home, kept)
        gc.collect()
        gc.freeze()  # looked through in a copy, all pages of it would be copied
        while True:
            try:
                item = self._items[orders.recv()]
            except EOFError:
                return
            shutil.rmtree(home)
            shutil.copytree(kept, home)
            ours, theirs = Pipe(duplex=False)
            copy = _fork()
            if not copy:
                _run_and_end(item, theirs)
            theirs.close()
            try:
                found = ours.recv()
            except EOFError:
                found = None
            code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
            orders.send(f"its process has ended before it, with {code}" if found is None else found)
            ours.close()


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of threads: these wait for nothing
        return os.fork()


def _run_and_end(item: pytest.Item, to: Connection) -> None:
    """Run a test as pytest does, send its reports, and end this copy."""
    global _reports
    try:
        threads._threads.cache_clear()  # none of them was copied
        _reports, hook = [], item.config.hook
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        to.send([hook.pytest_report_to_serializable(config=item.config, report=report) for report in _reports])
    finally:
        sys.stdout.flush()
        os._exit(0)


def run_here(item: pytest.Item) -> bool:
    """Run the test that this copy is for; whether this is a copy."""
    if _reports is None:
        return False
    _reports.extend(runtestprotocol(item, log=False, nextitem=None))
    return True


def journeys(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return those of the tests that can use a copy."""
    linux = sys.platform == "linux"
    return [item for item in items if linux and "launch" in getattr(item, "fixturenames", ())]
