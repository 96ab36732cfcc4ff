"""Passes that several threads carry out: told of in order, ended by Ctrl+C though a thread is just being started."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from attn_gui.engine.evaluation.threads import carry_out

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
