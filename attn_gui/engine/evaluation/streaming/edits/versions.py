"""Work beside edits: an answer is kept only if no edit has begun, or was under way, since its numbers were read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class Versions:
    """The lock of one evaluation and the count of its edits, which is read with the lock held only.

    Edits hold `lock` from their first number to their last. Long work reads without it, by `beside` alone.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._edits = 0

    @contextmanager
    def edit(self) -> Iterator[None]:
        """Change numbers that passes read: what they have under way is not kept."""
        with self.lock:
            self._edits += 1
            yield

    def beside(
        self, compute: Callable[[], T], keep: Callable[[T], object], cancelled: Callable[[], bool] = bool
    ) -> bool:
        """Compute while edits may come in, and keep the answer under the lock; False, and nothing kept, if one did.

        An edit that is under way is waited for: its numbers are new in part. `cancelled` is asked last, under the lock.
        """
        with self.lock:
            edits = self._edits
        found = compute()
        with self.lock:
            if edits != self._edits or cancelled():
                return False
            keep(found)
            return True
