"""Signals of the operating system: they end Qt's loop between two events."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from PySide6.QtCore import QCoreApplication, QSocketNotifier

ALL = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
KILLED = 128
"""Exit code of a program that a signal ends, less the number of the signal, as shells count."""


@contextmanager
def ending_signals(numbers: Iterable[int] = ALL) -> Iterator[list[int]]:
    """Have each of these signals end Qt's loop with `exit(128 + number)`; yields a list of those that came.

    Python's own handlers raise wherever Python runs next: inside a paint event that is a segmentation fault, inside a
    slot it may be swallowed. These only write to a socket that Qt's loop reads. Signals that come before the loop runs
    end it once it does. A second one kills the process, even where the thread of the window hangs. What the parent
    process ignores (nohup) stays ignored.
    """
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
