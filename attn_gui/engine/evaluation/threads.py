"""Threads that share tiles of maps: how many cores, behind an edit of the window, BLAS on one, few heaps of memory."""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache
from queue import SimpleQueue
from typing import TypeVar

SHOWN = 0.03  # seconds that a window has for an edit before the work beside it goes on: about what it takes to paint

T = TypeVar("T")

HEAPS = -8  # M_ARENA_MAX of mallopt
SWITCH = 0.0001  # seconds
BEHIND = 5  # steps of nice: of a core that both want, a thread of a lower priority gets a quarter
MOST = 2  # more would wait for memory and for the interpreter, and leave the window without a core


# --- priority of the window ---------------------------------------------------------------------------------
# What is computed beside a window waits, between two tiles, until it has shown an edit.
class WindowPriority:
    """Claimed by the window's thread for an edit; all others wait for it.

    A low priority alone is not enough: a window that wakes up is given a core within some milliseconds, and loses it
    again for as long; each step of NumPy beside it takes Python's lock. Source: sched(7).
    """

    def __init__(self) -> None:
        self._until = 0.0

    def claim(self) -> None:
        """Have the others wait."""
        self._until = time.perf_counter() + SHOWN

    def wait(self) -> None:
        """Wait for the window, on a thread that works beside it."""
        left = self._until - time.perf_counter()
        if left > 0:
            time.sleep(left)  # no event ends it: one that nobody sets after an error would hold the thread for ever


@cache
def window_priority() -> WindowPriority:
    """Return the priority of the window in this process."""
    return WindowPriority()


# --- threads --------------------------------------------------------------------------------------
class _Blas:
    """BLAS at one thread while any pass needs it: with more, two passes at once wait for each other's threads."""

    def __init__(self) -> None:
        from threadpoolctl import ThreadpoolController  # takes a while, as the search does

        self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        self._lock = threading.Lock()
        self._users = 0
        self._before: list[int] = []

    def enter(self) -> None:
        with self._lock:
            if not self._users:
                self._before = [library.num_threads for library in self._libraries]
                self._set([1] * len(self._libraries))
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._set(self._before)

    def _set(self, counts: Sequence[int]) -> None:
        for library, count, before in zip(self._libraries, counts, self._before, strict=True):
            if before != 1:
                library.set_num_threads(count)


@cache
def _blas() -> _Blas:
    return _Blas()


class _Threads:
    """Threads that take work from one queue, for as long as the program lives.

    They are daemons: an end of the program would wait for ever for one that Ctrl+C caught while it was started, as it
    does with those of `concurrent.futures`, and `share` waits for all work itself.
    """

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Future[None], Callable[[], None]]] = SimpleQueue()
        self._started: list[threading.Thread] = []
        for _ in range(_count()):
            thread = threading.Thread(target=self._serve, name="tiles", daemon=True)
            thread.start()
            self._started.append(thread)

    def lower_priority(self) -> None:
        """Give the window's thread priority over all of them."""
        for thread in self._started:
            assert thread.native_id is not None, "it is started"
            lower_priority(thread.native_id)

    def submit(self, future: Future[None], work: Callable[[], None]) -> None:
        """Have a thread do the work and set the future, unless it has been cancelled before."""
        self._waiting.put((future, work))

    def _serve(self) -> None:
        while True:
            future, work = self._waiting.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:
                    future.set_exception(error)
            del future, work  # what they hold is not kept until the next


@cache
def _threads() -> _Threads:
    return _Threads()


def _count() -> int:
    return max(1, min(MOST, os.cpu_count() or 1))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run what is inside with BLAS at one thread, and restore what was set before."""
    _blas().enter()
    try:
        yield
    finally:
        _blas().leave()


def switch_quickly() -> None:
    """Have Python switch threads after a tenth of a millisecond, unless it is set to do so sooner.

    With the default of five, a window waits so long for every thread beside it, many times in a turn: its longest turn
    while somebody typed into a long problem took three times as long as its own work. Source: sys.setswitchinterval.
    """
    sys.setswitchinterval(min(SWITCH, sys.getswitchinterval()))


def lower_priority(thread: int = 0) -> None:
    """Have a thread run after the window's wherever both could; on Linux alone, where threads have nice values.

    `thread` is its native id, 0 for the current one. On as many cores as threads a window waited 40 to 80 ms now and
    then; results come as soon, as long as the window has little to do. Sources: setpriority(2), sched(7).
    """
    if sys.platform == "linux":
        least = os.getpriority(os.PRIO_PROCESS, os.getpid()) + BEHIND  # of the thread that began the process
        os.setpriority(os.PRIO_PROCESS, thread, max(least, os.getpriority(os.PRIO_PROCESS, thread)))


def lower_tile_priority() -> None:
    """Have the threads that share the tiles of a pass run after the window, in a program that has one."""
    _threads().lower_priority()


def limit_heaps() -> None:
    """Have all threads allocate from two heaps where the C library is glibc; elsewhere do nothing.

    glibc gives each thread its own heap and keeps what is freed in it: four times of what a window of many documents
    used. Source: mallopt(3).
    """
    import ctypes  # takes a while

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(HEAPS, 2)


def trim_heaps() -> None:
    """Return freed memory to the system where the C library is glibc; elsewhere do nothing.

    glibc keeps what lies below the lowest address in use: of a large document everything, for as long as the window
    lives. Takes some 40 ms for a gigabyte. Source: malloc_trim(3).
    """
    import ctypes

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def carry_out(
    jobs: Sequence[T],
    work: Callable[[T], bool],
    progress: Callable[[int, int], None] | None,
    cancelled: Callable[[], bool],
) -> bool:
    """Do jobs until `cancelled`, which is asked before each; return whether all were done.

    Jobs whose `work` returns True count as done; `progress` is called after each of them, never by two threads at once.
    """
    done, telling, stopped = itertools.count(1), threading.Lock(), threading.Event()

    def step(job: T) -> None:
        if stopped.is_set() or cancelled():
            stopped.set()
        elif work(job) and progress is not None:
            with telling:
                progress(next(done), len(jobs))

    share(jobs, step)
    return not stopped.is_set()


def share(jobs: Sequence[T], work: Callable[[T], None]) -> None:
    """Do every job, on this thread and others. An exception ends the pass and is raised.

    Jobs of any thread but the main one wait while the window works.
    """
    if threading.current_thread() is not threading.main_thread():
        work = _after_window(work)
    with one_blas_thread():
        if len(jobs) < 2 or _count() < 2:
            for job in jobs:
                work(job)
            return
        waiting = iter(jobs)

        def take() -> None:
            for job in waiting:  # a list's iterator may be shared: one step of it is never interrupted
                work(job)

        others = [Future[None]() for _ in range(min(_count(), len(jobs)) - 1)]
        try:
            for other in others:  # each known before it begins: an exception in between is waited for, too
                _threads().submit(other, take)
            take()
        finally:
            for _ in waiting:  # after an exception here no thread takes another job
                pass
            for other in others:
                if not other.cancel():  # one that never began may wait for what this thread holds
                    other.result()


def _after_window(work: Callable[[T], None]) -> Callable[[T], None]:
    """Return `work` wrapped so that each job waits for the window first."""
    wait = window_priority().wait

    def after_the_window(job: T) -> None:
        wait()
        work(job)

    return after_the_window
