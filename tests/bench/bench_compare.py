"""Cost of an edit here, against what people would do instead: compute everything anew in PyTorch, draw one map anew
in matplotlib. All in one run, so that the same machine at the same minute answers for all of them.

    python3 packaging/dev.py bench -k compare

Both are optional (`pip install -e ".[compare]"`); what is not installed is said and left out. One map against all that
the window shows, and eager code on all cores against one edit: both are at their best.
"""

import importlib
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attn_gui.engine.evaluation.trace import evaluation_of

SIZES = (16, 256, 1024, 4096)
FIELDS = {"query": "Q", "key": "K", "value": "V"}
ROUNDS = 9
INCHES, DPI = 6, 100

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.mark.parametrize("n", SIZES)
def bench_compare(benchmark, desk, figures, capsys, n):
    made = desk(n, "product")
    problem = made.program.document.problem
    times = {f"{letter} edit, all painted": made.edits(field) for field, letter in FIELDS.items()}
    times["everything computed anew"] = median_of(lambda: evaluation_of(problem).complete())
    others = {
        "PyTorch, everything computed anew": ("torch", eager),
        "matplotlib, one map drawn anew": ("matplotlib", redraw),
    }
    for name, (module, maker) in others.items():
        found = imported(module)
        if found is None:
            with capsys.disabled():
                print(f"\n{module} is not installed: left out of the comparison")
        else:
            times[name] = median_of(maker(found, problem))
    benchmark.pedantic(lambda: None, rounds=1)
    benchmark.extra_info |= times
    for name, seconds in times.items():
        figures.add(f"compare: {name}, ms", n, seconds * 1e3)
    if others.keys() <= times.keys():
        instead = sum(times[name] for name in others)
        for letter in FIELDS.values():
            figures.add(f"compare: both of these ÷ {letter} edit", n, instead / times[f"{letter} edit, all painted"])


def median_of(work: Callable[[], object]) -> float:
    """Seconds; the first time is not counted."""
    times = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def imported(name: str) -> Any:
    """A module, None where it is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it says while it loads is not ours
        try:
            return importlib.import_module(name)
        except ImportError:
            return None


def eager(torch: Any, problem: Any) -> Callable[[], object]:
    """Attention of all heads as everybody writes it, weights kept, on all cores."""

    def heads(name: str) -> Any:
        array = np.array(getattr(problem, name)).reshape(problem.n, problem.num_heads, -1)
        return torch.from_numpy(array).transpose(0, 1).contiguous()

    query, key, value = heads("query"), heads("key"), heads("value")

    def compute() -> object:
        with torch.inference_mode():
            weights = torch.softmax(query @ key.transpose(1, 2) * problem.d_k**-0.5, dim=-1)
            return weights, weights @ value

    return compute


def redraw(_matplotlib: Any, problem: Any) -> Callable[[], object]:
    """One map of weights with new numbers, as an image with a color bar."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    weights = evaluation_of(problem).block("weights", 0, 0, slice(0, problem.n), slice(0, problem.m))
    figure = Figure((INCHES, INCHES), dpi=DPI)
    canvas = FigureCanvasAgg(figure)
    image = figure.add_subplot().imshow(weights)
    figure.colorbar(image)

    def draw() -> None:
        image.set_data(weights)
        canvas.draw()

    return draw
