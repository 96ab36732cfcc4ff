"""65,536 tokens × 8 heads × 64 in the window: how soon it is there, what an edit takes, how long the overview."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import pytest

N, HEADS, WIDTH = 65_536, 8, 64
FRAME_MS, FRAMES, PICTURE, GIGABYTES = 1000 / 60, 2.0, 2.0, 2.5


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def bench_long(benchmark, figures):
    ran = benchmark.pedantic(subprocess.run, ([sys.executable, __file__],), {"capture_output": True}, rounds=1)
    assert not ran.returncode, ran.stderr.decode()
    found = json.loads(ran.stdout.splitlines()[-1])
    figures.add("long: Q edit to painted, in frames", N, found["edit"] * 1e3 / FRAME_MS, FRAMES)
    figures.add("long: pan to painted, in frames", N, found["pan"] * 1e3 / FRAME_MS, FRAMES)
    figures.add("long: overview ÷ its three products", N, found["overview"] / found["products"], PICTURE)
    figures.add("long: peak of the process, GB", N, found["peak"] / 1e9, GIGABYTES)
    figures.add("long: document open to tables painted, ms", N, found["tables"] * 1e3)
    figures.add("long: overview, s", N, found["overview"])
    benchmark.extra_info |= found


def session() -> dict[str, float]:
    from PySide6.QtCore import QEventLoop, QSettings
    from PySide6.QtWidgets import QApplication

    from attn_gui.app.program import Program
    from attn_gui.document.edits import Label, SetCells
    from attn_gui.engine import Problem
    from attn_gui.figure.text.fonts import load_fonts

    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, tempfile.mkdtemp())
    app = QApplication([])
    load_fonts()
    program = Program(app, lang="en")
    program.begin(None)
    program.window.resize(1440, 900)
    program.window.show()
    app.processEvents()
    random = np.random.default_rng(N)
    arrays = {name: random.standard_normal((N, HEADS * WIDTH), dtype=np.float32) for name in ("query", "key", "value")}
    found = {}
    start = time.perf_counter()
    program.document.open(Problem.over(arrays | {"num_heads": HEADS, "dtype": "float32"}))
    app.processEvents()
    found["tables"] = time.perf_counter() - start
    while program.computation.pending:
        app.processEvents()
    begun = time.perf_counter()
    heatmap = program.window.product.maps.map("weights")
    tile_cache = program.computation.tiles
    assert tile_cache is not None
    while (sheet := tile_cache.overview(heatmap.plane)) is None or not sheet.done:  # type: ignore[arg-type]
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)  # not to take a core from the threads
    found["overview"] = time.perf_counter() - begun
    tile_cache.stop()  # the other heads would take as long each

    def quiet(seconds: float) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            app.processEvents()

    def painted(step: object) -> float:
        begun = time.perf_counter()
        step()
        app.processEvents()
        return time.perf_counter() - begun

    def edit() -> None:
        row = int(random.integers(N))
        box = (slice(row, row + 1), slice(5, 6))
        program.document.apply(SetCells("query", box, random.standard_normal((1, 1), dtype=np.float32), Label("x")))

    def pan() -> None:
        top, bottom, left, right = heatmap.box.in_view
        step = (bottom - top) / 7
        heatmap.box.set_window((top + step, bottom + step, left + step, right + step))

    times = []
    for _ in range(13):
        times.append(painted(edit))
        quiet(0.2)
    found["edit"] = float(np.median(times[1:]))
    heatmap.box.set_window((100.0, 800.0, 200.0, 900.0))
    quiet(0.5)
    times = []
    for _ in range(13):
        times.append(painted(pan))
        quiet(0.1)
    found["pan"] = float(np.median(times[1:]))
    program.end()
    found["products"] = products(arrays)
    found["peak"] = high_water()
    return found


def products(arrays: dict[str, np.ndarray]) -> float:
    """Q·Kᵀ for the weights, their product with V, and Q·Kᵀ for the picture: of one head, on the tiles of a pass."""
    from attn_gui.engine.evaluation.threads import share

    query, key, value = (np.ascontiguousarray(array[:, :WIDTH]) for array in arrays.values())
    tall, wide, rows = 64, 4096, 4096  # a sixteenth of it will do

    def work(low: int) -> None:
        room, total = np.empty((tall, wide), np.float32), np.zeros((tall, WIDTH), np.float32)
        for column in range(0, N, wide):
            np.matmul(query[low : low + tall], key[column : column + wide].T, out=room)
            total += room @ value[column : column + wide]
            np.matmul(query[low : low + tall], key[column : column + wide].T, out=room)

    begun = time.perf_counter()
    share(range(0, rows, tall), work)
    return (time.perf_counter() - begun) * N / rows


def high_water() -> float:
    with open("/proc/self/status") as file:
        return next(1024.0 * int(line.split()[1]) for line in file if line.startswith("VmHWM"))


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    print(json.dumps(session()))
