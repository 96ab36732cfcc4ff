"""Two states at size: what it takes to pin one, to let it go, and to keep it as a snapshot, against a repaint."""

from __future__ import annotations

import statistics
import time

import pytest

N, ROUNDS = 4096, 9
MOST = 1.5

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def bench_states(benchmark, desk, figures):
    made = desk(N, "product")
    program = made.program
    repaint = benchmark.pedantic(made.repaint, rounds=1)
    times: dict[str, list[float]] = {"pin": [], "unpin": [], "snapshot": []}
    compare, snapshots = program.late.compare, program.late.snapshots
    acts = {"pin": compare.pin, "unpin": compare.unpin, "snapshot": snapshots.take}
    for _ in range(ROUNDS):
        for name, act in acts.items():
            start = time.perf_counter()
            act()
            times[name].append(time.perf_counter() - start)
            made.app.processEvents()
            program.baseline.finish()
            made.settle()
    for name, found in times.items():
        figures.add(f"{name} ÷ repaint of the window", N, statistics.median(found) / repaint, MOST)
    benchmark.extra_info |= {name: statistics.median(found) * 1e3 for name, found in times.items()} | {
        "repaint": repaint
    }
