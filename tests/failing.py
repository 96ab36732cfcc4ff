"""Whole tables in one test, which says of every row that fails why it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

R = TypeVar("R")


def failing(rows: Iterable[R], check: Callable[[R], object], name: Callable[[R], object] = str) -> list[str]:
    """Call `check` with every row; the names of those of which it fails, each with why."""
    found = []
    for row in rows:
        try:
            check(row)
        except Exception as error:  # as a test of that row alone would
            found.append(f"{name(row)}: {type(error).__name__} {error}")
    return found
