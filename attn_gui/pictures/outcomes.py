"""Brings results from a thread of a pool to the thread that asked for them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class Outcomes(QObject):
    """`done` carries a piece of work and its outcome; whatever runs on a pool emits it.

    The work itself is no QObject and no QRunnable: a pool keeps every QRunnable that it was ever given, with all that
    hangs on it, and an object of Qt may not go on another thread than its own. This one has no parent, so that it is
    there as long as work is under way that will emit it.
    """

    done = Signal(object, object)
