"""Options and figures of the long walk."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

SLOWEST = 10  # steps that are told
SLOW = 2.0  # seconds that no step may take


@dataclass(repr=False)
class Figures:
    """What a walk has come to; times are seconds of the window's thread."""

    steps: list[tuple[float, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    memory: list[tuple[int, float, int]] = field(default_factory=list)  # after so many steps: MB, widgets

    def weigh(self) -> str:
        """Note the memory of the process as it is now, between two documents, and tell it."""
        gc.collect()
        with open("/proc/self/status") as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        self.memory.append((len(self.steps), resident / 1024, len(QApplication.allWidgets())))
        return _weighed(*self.memory[-1])

    @property
    def slow(self) -> list[tuple[float, str]]:
        """The steps that took too long."""
        return [step for step in self.steps if step[0] > SLOW]

    def lines(self) -> Iterator[str]:
        yield f"actions {len(self.steps)}, faults {len(self.faults)}, steps over {SLOW:g} s {len(self.slow)}"
        yield f"slowest, seconds of the window's thread ({sum(step[0] for step in self.steps):.0f} in all):"
        for seconds, told in sorted(self.steps, reverse=True)[:SLOWEST]:
            yield f"{seconds:8.2f}  {told}"
        for begin in (0, len(self.steps) // 5):
            yield f"{self._growth(begin):+.1f} MB for 1,000 actions from the {begin}th on"

    def _growth(self, begin: int) -> float:
        """The slope of the memory against the steps from `begin` on: MB for a thousand of them."""
        later = [(steps, megabytes) for steps, megabytes, _ in self.memory if steps >= begin]
        return 1000 * float(np.polyfit(*zip(*later, strict=True), 1)[0]) if len(later) > 2 else float("nan")


def _weighed(steps: int, megabytes: float, widgets: int) -> str:
    return f"{steps:6d} actions {megabytes:8.0f} MB {widgets:6d} widgets"


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
