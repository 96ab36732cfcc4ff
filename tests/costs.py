"""What something costs: the memory that it takes, and whether it is slow, told by a quick processor."""

import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

QUICK = 0.25  # seconds that a quick processor takes


@contextmanager
def taking(most: float) -> Iterator[None]:
    """Fail where what is done inside takes as many bytes at a time, or more."""
    tracemalloc.start()
    try:
        yield
        taken = tracemalloc.get_traced_memory()[1]
        assert taken < most, f"{taken:,} bytes, not less than {most:,.0f}"
    finally:
        tracemalloc.stop()


def is_slow(spent: float, seconds: float) -> bool:
    """Whether work has taken longer than so many seconds of a quick processor; both are times of the processor."""
    return spent > seconds and spent > seconds * counting() / QUICK


def counting() -> float:
    """What counting to ten million takes now, in seconds of the processor."""
    began = time.process_time()
    for _ in range(10_000_000):
        pass
    return time.process_time() - began
