"""Options and figures of the long walk."""

import ctypes
import gc
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import nlargest
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

TOLD = 10  # steps, of the slowest and of the largest
SLOW = 2.0  # seconds that no step may take
MB = 2**20


PARTS = "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"


class _Mallinfo(ctypes.Structure):
    """The answer of mallinfo2(3) of the GNU C library."""

    _fields_ = [(part, ctypes.c_size_t) for part in PARTS]


class Weight(NamedTuple):
    """Megabytes: pages that are there; of what the C library has taken, the part in use and the part kept for later."""

    resident: float
    used: float
    kept: float


def weight() -> Weight:
    """The memory now; NaN for what a system does not say."""
    used = kept = float("nan")
    with suppress(AttributeError, OSError):
        mallinfo = ctypes.CDLL(None).mallinfo2
        mallinfo.restype = _Mallinfo
        found = mallinfo()
        used, kept = (found.uordblks + found.hblkhd) / MB, found.fordblks / MB
    return Weight(_status("VmRSS"), used, kept)


def forget_highest() -> None:
    """Begin the highest mark anew."""
    with suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def highest() -> float:
    """Megabytes that were resident at the most since then."""
    return _status("VmHWM")


def _status(name: str) -> float:
    with suppress(OSError, StopIteration), open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024
    return float("nan")


class Step(NamedTuple):
    """Seconds of the window's thread, megabytes that the process held at the most meanwhile, what was done."""

    seconds: float
    held: float
    told: str


class Mark(NamedTuple):
    """The process after so many steps and seconds, between two documents."""

    steps: int
    seconds: float
    weight: Weight
    widgets: int
    blocks: int  # of Python; a list of its objects would hold a tuple that another thread is still making: it fails

    def __str__(self) -> str:
        resident, used, kept = self.weight
        return (
            f"{self.steps:6d} actions {self.seconds:6.0f} s {resident:7.0f} MB resident {used:6.0f} in use "
            f"{kept:6.0f} kept {self.widgets:5d} widgets {self.blocks:8d} blocks"
        )


@dataclass(repr=False)
class Figures:
    """What a walk has come to. Of its steps it keeps few: the process that is weighed is this one."""

    steps: int = 0
    seconds: float = 0.0  # of the window's thread
    slowest: list[Step] = field(default_factory=list)
    largest: list[Step] = field(default_factory=list)
    slow: list[Step] = field(default_factory=list)  # those that took too long
    faults: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)

    def weigh(self) -> str:
        """Note the memory of the process as it is now, between two documents, and tell it."""
        gc.collect()
        passed, widgets = time.monotonic() - self.begun, len(QApplication.allWidgets())
        self.marks.append(Mark(self.steps, passed, weight(), widgets, sys.getallocatedblocks()))
        forget_highest()
        return str(self.marks[-1])

    def step(self, seconds: float, told: str) -> None:
        """Note a step; from then on the highest mark of memory is the next one's."""
        step = Step(seconds, highest(), told)
        self.steps, self.seconds = self.steps + 1, self.seconds + seconds
        self.slowest = nlargest(TOLD, [*self.slowest, step])
        self.largest = nlargest(TOLD, [*self.largest, step], key=attrgetter("held"))
        self.slow += [step] if seconds > SLOW else []
        forget_highest()

    def lines(self) -> Iterator[str]:
        yield f"actions {self.steps}, faults {len(self.faults)}, steps over {SLOW:g} s {len(self.slow)}"
        yield f"slowest, seconds of the window's thread ({self.seconds:.0f} in all):"
        for seconds, _, told in self.slowest:
            yield f"{seconds:8.2f}  {told}"
        yield "largest, MB that were held at the most:"
        for _, held, told in self.largest:
            yield f"{held:8.0f}  {told}"
        for begin in (0, self.steps // 5):
            resident, used = self._growth(begin, "resident"), self._growth(begin, "used")
            yield f"from the {begin}th on, for 1,000 actions: resident {resident:+.1f} MB, in use {used:+.1f} MB"

    def _growth(self, begin: int, part: str) -> float:
        """The slope of a part of the memory against the steps from `begin` on: MB for a thousand of them."""
        later = [(mark.steps, getattr(mark.weight, part)) for mark in self.marks if mark.steps >= begin]
        return 1000 * float(np.polyfit(*zip(*later, strict=True), 1)[0]) if len(later) > 2 else float("nan")


_figures = Figures()


@pytest.fixture
def figures() -> Figures:
    return _figures


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--actions", type=int, default=1000, help="steps of the walk")
    parser.addoption("--seed", type=int, default=0, help="the first of the seeds, one for each document of the walk")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if _figures.steps:
        terminalreporter.section("the walk")
        for line in _figures.lines():
            terminalreporter.write_line(line)
