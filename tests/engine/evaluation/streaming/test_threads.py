"""Threads: passes are told of in order and end with Ctrl+C, tiles give way to the window, heaps are shared."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading

import numpy as np
import pytest

from attn_gui.app.state.computation import Computation
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells
from attn_gui.engine import Problem
from attn_gui.engine.evaluation import threads
from attn_gui.engine.evaluation.threads import RightOfWay, carry_out, share

# --- passes --------------------------------------------------------------------------------------
INTERRUPTED = """
import threading, sys
from attn_gui.engine.evaluation.threads import carry_out
start = threading.Thread.start
def interrupted(thread):
    start(thread)
    threading.Thread.start = start
    raise KeyboardInterrupt
threading.Thread.start = interrupted
try:
    carry_out(range(100), lambda job: True, None, lambda: False)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    assert carry_out(range(100), lambda job: True, None, lambda: False), "others come after it"
sys.exit(130)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a pass has one thread where there is one core")
def test_a_thread_that_ctrl_c_catches_while_it_starts_is_not_waited_for() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (130, "interrupted\n", "")


MEETING_S = 0.3  # two threads that may tell at once would meet within it


def test_no_two_threads_tell_at_once() -> None:
    both, met, told = threading.Barrier(2), [], []

    def progress(done: int, _of: int) -> None:
        told.append(done)
        try:
            both.wait(MEETING_S)
            met.append(done)
        except threading.BrokenBarrierError:
            return

    assert carry_out(range(20), lambda job: True, progress, lambda: False)
    assert not met
    assert told == list(range(1, 21))


# --- right of way: tiles beside a window wait while it shows an edit, those that it asks for do not
@pytest.fixture
def waits(monkeypatch) -> list[float]:
    """Seconds that threads have waited for the window."""
    found: list[float] = []
    threads.right_of_way.cache_clear()
    monkeypatch.setattr(threads, "SHOWN", 3600.0)
    monkeypatch.setattr(threads.time, "sleep", found.append)
    yield found
    threads.right_of_way.cache_clear()  # with the hour


def beside(jobs: int) -> list[int]:
    """Share jobs on a thread that is not the window's; those that were done."""
    done: list[int] = []
    thread = threading.Thread(target=lambda: share(range(jobs), done.append))
    thread.start()
    thread.join()
    return sorted(done)


def test_an_edit_takes_it_from_the_tiles_beside_the_window(waits, qapp):
    document = Document(Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]]))
    computation = Computation(document)
    assert beside(5) == [0, 1, 2, 3, 4]
    assert not waits
    document.apply(SetCells("key", (slice(0, 1), slice(0, 1)), np.array([[2.0]]), Label("x")))
    assert beside(5) == [0, 1, 2, 3, 4]
    assert len(waits) == 5
    assert all(0 < seconds <= 3600 for seconds in waits)
    computation.end()


@pytest.mark.parametrize("jobs", [1, 5])
def test_tiles_that_the_window_asks_for_wait_for_nobody(waits, jobs):
    threads.right_of_way().take()
    done: list[int] = []
    share(range(jobs), done.append)
    assert sorted(done) == list(range(jobs))
    assert not waits


def test_it_ends_by_itself(monkeypatch):
    """Nobody has to give it back: an edit that fails leaves no thread waiting."""
    monkeypatch.setattr(threads, "SHOWN", 0.0)
    slept: list[float] = []
    monkeypatch.setattr(threads.time, "sleep", slept.append)
    way = RightOfWay()
    way.take()
    way.give()
    assert not slept


# --- heaps of the C library ----------------------------------------------------------------------
THREADS = 16
PROGRAM = f"""
import ctypes, tempfile, threading
from attn_gui.engine.evaluation.threads import share_heaps

share_heaps()
together = threading.Barrier({THREADS})

def work():
    together.wait()
    kept = [bytes(600) for _ in range(2_000)]
    together.wait()

threads = [threading.Thread(target=work) for _ in range({THREADS})]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
if hasattr(libc, "malloc_info"):
    with tempfile.NamedTemporaryFile() as told:
        libc.fopen.restype = ctypes.c_void_p
        file = ctypes.c_void_p(libc.fopen(told.name.encode(), b"w"))
        libc.malloc_info(0, file)
        libc.fclose(file)
        print(open(told.name).read().count("<heap "))
else:
    print(0)
"""


def test_many_threads_share_two_heaps():
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert int(found.stdout) <= 2


FREED = """
import numpy as np
from attn_gui.engine.evaluation.threads import give_back

def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

large = np.ones(2**22 - 2**16)  # once one as large is freed, glibc takes those that are smaller from its heap
del large
before, arrays = resident(), [np.ones(2**20) for _ in range(20)]
above = [np.ones(10) for _ in range(2**16)]
del arrays
give_back()
print(resident() - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="another C library than glibc")
def test_what_was_freed_goes_back_to_the_system():
    """160 MB below 5 MB that stay."""
    found = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    assert float(found.stdout) < 50
