"""Progress of long work: told by the code that does it to the code that may end it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Tell: TypeAlias = Callable[[float], None]
"""Told the share of the work that is done, 0 … 1, from any thread; whatever it raises ends the work."""


def silent(_share: float) -> None:
    """Ignore the progress."""


def within(tell: Tell, part: int, parts: int) -> Tell:
    """The progress of one of several equal parts of the work."""
    return lambda share: tell((part + share) / parts)
