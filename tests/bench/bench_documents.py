"""From one document to another: the longest time that the thread of the window is held."""

from __future__ import annotations

import itertools
import statistics

import pytest

from attn_gui.app.files.examples import EXAMPLES

ROUNDS = 3
"""Times that each example is opened after the one before it in the list; the first is not counted."""

MS = 50
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def bench_documents(benchmark, desk, figures):
    made = desk(16, "product")
    keys = [example.key for example in EXAMPLES]
    turns = benchmark.pedantic(lambda: {key: [] for key in keys}, rounds=1)
    for _, key in itertools.product(range(ROUNDS + 1), keys):
        turns[key].append(max(made.turns(lambda key=key: made.program.files.open_example(key))))
    held = {key: statistics.median(found[1:]) for key, found in turns.items()}
    for key, seconds in held.items():
        figures.add("another document: longest turn of the GUI thread, ms", key, seconds * 1e3, MS)
    benchmark.extra_info |= held
