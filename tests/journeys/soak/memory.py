"""Memory of this process: what is resident, its highest mark, and what the C library has handed out or keeps back."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import NamedTuple

MB = 2**20


PARTS = "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"


class _Mallinfo(ctypes.Structure):
    """The answer of mallinfo2(3) of the GNU C library."""

    _fields_ = [(part, ctypes.c_size_t) for part in PARTS]


class Weight(NamedTuple):
    """Megabytes: pages that are there; of what the C library has taken, the part in use and the part kept for later."""

    resident: float
    used: float
    kept: float


def weight() -> Weight:
    """The memory now; NaN for what a system does not say."""
    used = kept = float("nan")
    with suppress(AttributeError, OSError):
        mallinfo = ctypes.CDLL(None).mallinfo2
        mallinfo.restype = _Mallinfo
        found = mallinfo()
        used, kept = (found.uordblks + found.hblkhd) / MB, found.fordblks / MB
    return Weight(_status("VmRSS"), used, kept)


def forget_highest() -> None:
    """Begin the highest mark anew."""
    with suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def highest() -> float:
    """Megabytes that were resident at the most since then."""
    return _status("VmHWM")


def _status(name: str) -> float:
    with suppress(OSError, StopIteration), open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024
    return float("nan")
