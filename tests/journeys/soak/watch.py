"""A watch over the window's thread: what ran in each turn of its loop that took long."""

from __future__ import annotations

import faulthandler
import re
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from PySide6.QtCore import QAbstractEventDispatcher, Qt

LONG = 0.2  # seconds of the thread, of a turn that is told
EVERY = 0.01  # seconds from one look at its stack to the next
SIGNAL = signal.SIGUSR1
DEEP = 4  # functions of a stack that are told, the innermost first
OURS = f"{Path('attn_gui')}/"


class Turn(NamedTuple):
    """Seconds of the window's thread, and where its stack was seen most, with the share of the looks."""

    seconds: float
    ran: str


class Watch:
    """Looks at the stack of the thread that made it, at the word of another one, while it is entered."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []  # long ones, since it was entered last
        self._thread, self._on = threading.get_ident(), threading.Event()
        self._seen: Counter[str] = Counter()
        self._begun = 0.0
        loop = QAbstractEventDispatcher.instance()
        for passed in (loop.awake, loop.aboutToBlock):
            passed.connect(self._end_turn, Qt.ConnectionType.DirectConnection)
        threading.Thread(target=self._look, daemon=True).start()

    def __enter__(self) -> None:
        self.turns.clear()
        self._begin_turn()
        self._on.set()

    def __exit__(self, *_: object) -> None:
        self._on.clear()
        self._note()

    def _end_turn(self) -> None:
        if self._on.is_set():
            self._note()
            self._begin_turn()

    def _begin_turn(self) -> None:
        self._seen, self._begun = Counter(), time.thread_time()

    def _note(self) -> None:
        spent = time.thread_time() - self._begun
        if spent > LONG:
            seen = Counter(dict(self._seen))  # the other thread may be counting
            looks, most = seen.total(), seen.most_common(2)
            self.turns.append(Turn(spent, "; ".join(f"{count / looks:.0%} {place}" for place, count in most)))

    def _look(self) -> None:
        """Ask the thread for its stack as text, by a signal: a frame that is held keeps what is local to it, and a
        painter would outlive its paint; frames read from here may end meanwhile, and with them the process."""
        with TemporaryFile("w+") as file:
            faulthandler.register(SIGNAL, file, all_threads=False)
            while True:
                self._on.wait()
                file.seek(0)
                file.truncate()
                signal.pthread_kill(self._thread, SIGNAL)
                time.sleep(EVERY)
                file.seek(0)
                self._seen[_place(file.read())] += 1


def _place(stack: str) -> str:
    """The innermost functions of the program on a stack, or what stands there instead."""
    frames = re.findall(r'File "(.*)", line (\d+) in (\w+)', stack)
    ours = [frame for frame in frames if OURS in frame[0]][:DEEP] or frames[:1]
    return " < ".join(f"{Path(file).name}:{line} {name}" for file, line, name in ours)
