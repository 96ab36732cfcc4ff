"""Right of way of a window: what is computed beside it waits, between two tiles, until it has shown an edit."""

from __future__ import annotations

import time
from functools import cache

SHOWN = 0.03
"""Seconds that a window has for an edit before the work beside it goes on: about what it takes to paint."""


class RightOfWay:
    """Taken by the window's thread for an edit, and given by all others.

    A low priority alone is not enough: a window that wakes up is given a core within some milliseconds, and loses it
    again for as long; each step of NumPy beside it takes Python's lock. Source: sched(7).
    """

    def __init__(self) -> None:
        self._until = 0.0

    def take(self) -> None:
        """Have the others wait."""
        self._until = time.perf_counter() + SHOWN

    def give(self) -> None:
        """Wait for the window, on a thread that works beside it."""
        left = self._until - time.perf_counter()
        if left > 0:
            time.sleep(left)  # no event ends it: one that nobody sets after an error would hold the thread for ever


@cache
def right_of_way() -> RightOfWay:
    """The one of this process."""
    return RightOfWay()
