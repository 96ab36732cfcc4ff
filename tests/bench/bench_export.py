"""The figure of one head of 65,536 tokens, in a process of its own: its time, and the peak of its memory."""

import subprocess
import sys
import time

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.formats import save

TOKENS, HEADS, WIDTH = 65_536, 8, 64
MOST_MB = 2500
MEASURED = """
import sys
from attn_gui.cli import main
code = main()
with open("/proc/self/status") as file:
    print(next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) * 1024)
sys.exit(code)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def bench_export(benchmark, figures, tmp_path):
    random = np.random.default_rng(6)
    arrays = {name: random.standard_normal((TOKENS, HEADS * WIDTH), np.float32) for name in ("query", "key", "value")}
    save(Problem(**arrays, num_heads=HEADS, dtype="float32"), tmp_path / "long.attn")
    start = time.perf_counter()
    peak = benchmark.pedantic(exported, args=(tmp_path,), rounds=1)
    figures.add("65,536 tokens, figure of a head, s", "", time.perf_counter() - start)
    figures.add("65,536 tokens, its figure, peak MB", "", peak / 1e6, MOST_MB)
    assert peak < MOST_MB * 1e6


def exported(folder) -> int:
    command = [sys.executable, "-c", MEASURED, "export", "long.attn", "-o", ".", "--heads", "5"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    *written, peak = done.stdout.split()
    assert written == ["long-weights-h5.png"]
    assert (folder / written[0]).stat().st_size > 10**6
    return int(peak)
