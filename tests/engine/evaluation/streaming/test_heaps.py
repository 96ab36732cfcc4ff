"""Heaps of the C library: what one thread frees is there for the others."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

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
