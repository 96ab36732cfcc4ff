"""Heaps of the C library: what one thread frees is there for the others."""

from __future__ import annotations

import subprocess
import sys

THREADS = 16
PROGRAM = f"""
import ctypes, tempfile, threading
from attn_gui.engine.evaluation.streaming.threads import share_heaps

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
