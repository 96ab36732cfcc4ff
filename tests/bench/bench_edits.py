"""Time from the press of Enter in a table to the last cell painted for it, against work of the same run."""

import pytest

SIZES = (16, 256, 1024, 2048, 4096)
STAGES = ("scores", "scaled", "weights", "head_output")
LEAST_MAP = 250
FIELDS = {"query": "Q", "key": "K", "value": "V"}

TO_REPAINT = {"query": 0.3, "key": 0.75, "value": 0.25}
MOST_MS = {"query": 16, "key": 24, "value": 16}
MODES = {"all": "all stages", "product": "product"}

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", SIZES)
def bench_edit(benchmark, desk, figures, n, mode):
    made = desk(n, mode)
    if mode == "all":
        assert min(min(made.map(stage).placement.cells.size().toTuple()) for stage in STAGES) >= LEAST_MAP
    edits = {field: made.edits(field) for field in FIELDS}
    made.rest()
    repaint = benchmark.pedantic(made.repaint, rounds=1)
    for field, letter in FIELDS.items():
        row = f"{MODES[mode]}: {letter} edit ÷ repaint of the window"
        figures.add(row, n, edits[field] / repaint, TO_REPAINT[field])
    for field, letter in FIELDS.items():
        figures.add(f"{MODES[mode]}: {letter} edit, ms", n, edits[field] * 1e3, MOST_MS[field])
    figures.add(f"{MODES[mode]}: repaint of the window, ms", n, repaint * 1e3)
    benchmark.extra_info |= {"edits": edits, "repaint": repaint}
