"""Pace of the processor: what is slow on a quick one, where others are slower or are shared."""

from __future__ import annotations

import time

QUICK = 0.25  # seconds that a quick one takes


def is_slow(spent: float, seconds: float) -> bool:
    """Whether work has taken longer than so many seconds of a quick processor; both are times of the processor."""
    return spent > seconds and spent > seconds * counting() / QUICK


def counting() -> float:
    """What counting to ten million takes now, in seconds of the processor."""
    began = time.process_time()
    for _ in range(10_000_000):
        pass
    return time.process_time() - began
