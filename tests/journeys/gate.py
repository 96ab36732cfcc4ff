"""A gate in the way of work on another thread: a test sees what the window does until it opens it."""

import threading
from collections.abc import Callable
from typing import Any

PATIENCE = 120
"""Seconds after which a gate that nobody opens, or work that never comes, is a failure."""


class Gate:
    """Holds up whatever comes to it as a slow computer or disk would; closed at first."""

    def __init__(self) -> None:
        self._reached, self._open = threading.Event(), threading.Event()

    @property
    def reached(self) -> bool:
        """Whether something has come to it since it was closed."""
        return self._reached.is_set()

    def await_work(self) -> None:
        """Wait until something has come to it."""
        assert self._reached.wait(PATIENCE)

    def open(self) -> None:
        """Let through what is held up, and what comes later."""
        self._open.set()

    def close(self) -> None:
        """Hold up what comes from now on."""
        self._reached.clear()
        self._open.clear()

    def hold(self) -> None:
        """Hold up the thread that calls."""
        self._reached.set()
        assert self._open.wait(PATIENCE)

    def hold_telling(self, tell: Callable[[float], None]) -> None:
        """Hold up work that tells meanwhile that half of it is done, and may be stopped by that."""
        self._reached.set()
        while not self._open.wait(0.01):
            tell(0.5)

    def before(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The work, held up before it begins."""

        def held(*given: Any, **named: Any) -> Any:
            self.hold()
            return work(*given, **named)

        return held

    def after(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The work, held up once its answer is there."""

        def held(*given: Any, **named: Any) -> Any:
            found = work(*given, **named)
            self.hold()
            return found

        return held
