"""Progress of long work: reported by the code that does it to the code that may end it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[float], None]
"""Called with the share of the work that is done, 0 … 1, from any thread; whatever it raises ends the work."""


def silent(_share: float) -> None:
    """Ignore the progress."""


def within(progress: Progress, part: int, parts: int) -> Progress:
    """Return the progress of one of several equal parts of the work."""
    return lambda share: progress((part + share) / parts)
