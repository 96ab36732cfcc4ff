"""Cost of edits and full passes of the streaming evaluation, without a window; d_k = d_v = 64, 8 heads, float32."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.threads import one_blas_thread, share
from attn_gui.engine.graph import indices

HEADS, WIDTH = 8, 64
LETTERS = {"query": "Q", "key": "K", "value": "V"}
EDITS, ROUNDS = 15, 5
# the most that an edit may cost, in products Q·Kᵀ of one head on one thread; and a pass, in its two products
MOST = {
    (1024, "query"): 0.40,
    (1024, "key"): 0.60,
    (1024, "value"): 0.40,
    (2048, "query"): 0.15,
    (2048, "key"): 0.25,
    (2048, "value"): 0.15,
    (4096, "query"): 0.05,
    (4096, "key"): 0.15,
    (4096, "value"): 0.05,
}
NUMBER_BY_HAND = 1.5  # edits in Q that a number of a row of weights by hand may cost
ROW_BY_HAND = {1024: 2.0, 4096: 0.25}  # and products Q·Kᵀ that the row itself may: the chain is laid out anew for it
PASS = {256: 2.0, 1024: 1.7, 2048: 1.7, 4096: 1.5}


class Bench:
    def __init__(self, n, dtype="float32", **more):
        self.rng, self.n = np.random.default_rng(0), n
        shape = (n, HEADS * WIDTH)
        self.arrays = {name: self.rng.normal(size=shape).astype(dtype) for name in ("query", "key", "value")}
        self.problem = Problem.over(self.arrays | {"num_heads": HEADS, "dtype": dtype} | more)
        self.evaluation = StreamingEvaluation(self.problem)
        self.evaluation.complete()
        self.scores = np.zeros((n, n), dtype)  # not touched before it is used

    def edit(self, field):
        cell = int(self.rng.integers(self.n)), int(self.rng.integers(WIDTH))
        self.arrays[field][cell] = self.rng.normal()
        start = time.perf_counter()
        self.evaluation.update(self.problem, {field: [indices.cell(cell)]})
        return time.perf_counter() - start

    def by_hand(self):
        """A row of weights set by hand, in place of the one that was set before: two rows are done again."""
        at = {"batch": 0, "head": int(self.rng.integers(HEADS)), "query": int(self.rng.integers(self.n))}
        self.numbers = np.full(self.n, 1 / self.n, np.float32)
        record = {"kind": "set", "stage": "weights", "at": at, "values": self.numbers}
        self.problem = Problem.over({**self.problem.fields(), "interventions": (record,)})
        start = time.perf_counter()
        self.evaluation.update(self.problem, {})
        return time.perf_counter() - start

    def number_by_hand(self):
        """Another number in the row that is set by hand."""
        cell = (int(self.rng.integers(self.n)),)
        self.numbers[cell] = self.rng.random()
        start = time.perf_counter()
        self.evaluation.update(self.problem, {"interventions.0.values": [indices.cell(cell)]})
        return time.perf_counter() - start

    def product(self):
        """Q·Kᵀ of one head."""
        with one_blas_thread():
            start = time.perf_counter()
            np.matmul(self.arrays["query"][:, :WIDTH], self.arrays["key"][:, :WIDTH].T, out=self.scores)
            return time.perf_counter() - start

    def products(self):
        """Q·Kᵀ and its product with V for every head, on the tiles of a pass."""
        query, key, value = (self._by_head(array) for array in self.arrays.values())
        tall, wide = 256, 1024

        def work(job):
            head, row = job
            room, total = np.empty((tall, wide), query.dtype), np.zeros((tall, WIDTH), query.dtype)
            for column in range(0, self.n, wide):
                scores = room[:, : min(wide, self.n - column)]
                np.matmul(query[head, row : row + tall], key[head, column : column + wide].T, out=scores)
                total += scores @ value[head, column : column + wide]

        start = time.perf_counter()
        share([(head, row) for head in range(HEADS) for row in range(0, self.n, tall)], work)
        return time.perf_counter() - start

    def _by_head(self, array):
        return np.ascontiguousarray(array.reshape(self.n, HEADS, WIDTH).swapaxes(0, 1))

    def whole(self):
        evaluation = StreamingEvaluation(self.problem)
        start = time.perf_counter()
        evaluation.complete()
        return time.perf_counter() - start


MADE: dict[int, Bench] = {}


def made(n):
    if n not in MADE:
        MADE.clear()
        MADE[n] = Bench(n)
    return MADE[n]


@pytest.mark.parametrize(("n", "field"), MOST)
def bench_engine_edit(benchmark, figures, n, field):
    bench = made(n)
    bench.edit(field)
    pairs = [(bench.product(), bench.edit(field)) for _ in range(EDITS)]
    ratio = median(edit for _, edit in pairs) / median(product for product, _ in pairs)
    benchmark.pedantic(bench.edit, (field,), rounds=EDITS)
    figures.add(f"engine: {LETTERS[field]} edit ÷ QKᵀ of a head", n, ratio, MOST[n, field])


@pytest.mark.parametrize("n", [1024, 4096])
def bench_intervention(benchmark, figures, n):
    """A row of weights by hand: a number of it edited, and the row set while another one is left as computed."""
    bench = Bench(n)
    bench.by_hand()
    rounds = [(bench.edit("query"), bench.number_by_hand(), bench.product()) for _ in range(EDITS)]
    edit, number, product = (median(times) for times in zip(*rounds, strict=True))
    row = median(benchmark.pedantic(lambda: [bench.by_hand() for _ in range(EDITS)], rounds=1))
    figures.add("engine: number of a row of weights by hand ÷ edit in Q", n, number / edit, NUMBER_BY_HAND)
    figures.add("engine: row of weights by hand ÷ QKᵀ of a head", n, row / product, ROW_BY_HAND[n])
    figures.add("engine: row of weights by hand, ms", n, row * 1e3)


@pytest.mark.parametrize("n", PASS)
def bench_full_pass(benchmark, figures, n):
    bench = made(n)
    bench.whole()
    ratio = median(bench.whole() / bench.products() for _ in range(ROUNDS))
    benchmark.pedantic(bench.whole, rounds=3)
    figures.add("engine: full pass ÷ its two products", n, ratio, PASS[n])


def bench_memory(benchmark, figures):
    """Peak of a process of its own above its imports, with pictures and a settled edit."""
    command = [sys.executable, __file__]
    ran = benchmark.pedantic(subprocess.run, (command,), {"capture_output": True, "check": True}, rounds=1)
    figures.add("engine: peak above the imports ÷ weights", 4096, float(ran.stdout) / (HEADS * 4096 * 4096 * 4), 0.4)


def peak_of_a_session():
    floor = high_water()
    bench = Bench(4096)
    for stage in ("scores", "weights"):
        bench.evaluation.pooled(stage, 0, 0, 500, 500)
    bench.edit("key")
    bench.evaluation.settle()
    return high_water() - floor


def high_water():
    """Bytes; getrusage would count what the parent held."""
    with open("/proc/self/status") as file:
        return next(1024.0 * int(line.split()[1]) for line in file if line.startswith("VmHWM"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("amplitude", [1.0, 10.0])
def bench_drift_of_ten_thousand_edits(benchmark, figures, dtype, amplitude):
    bench = Bench(256, dtype)
    rng, fields = bench.rng, list(bench.arrays)
    for _ in range(10_000):
        field, cell = fields[int(rng.integers(3))], (int(rng.integers(256)), int(rng.integers(HEADS * WIDTH)))
        bench.arrays[field][cell] = rng.normal() * (amplitude if rng.random() < 0.2 else 1)
        bench.evaluation.update(bench.problem, {field: [indices.cell(cell)]})
    exact_problem = Problem(**{name: array.astype(float) for name, array in bench.arrays.items()}, num_heads=HEADS)
    exact, fresh = StreamingEvaluation(exact_problem), StreamingEvaluation(bench.problem)
    box = indices.whole(fresh.shape("output"))
    if dtype == "float64":
        exact = reference(exact_problem)
    else:
        exact = exact.fetch("output", box)
    drift, error = (np.abs(one.fetch("output", box) - exact).max() for one in (bench.evaluation, fresh))
    benchmark.pedantic(bench.evaluation.settle, rounds=1)
    figures.add(f"engine: drift ÷ fresh error, {dtype}, × {amplitude:g}", 256, drift / error, 8)
    assert np.array_equal(bench.evaluation.fetch("output", box), fresh.fetch("output", box))


def reference(problem):
    """The output in extended precision."""
    query, key, value = (
        array.astype(np.longdouble).reshape(256, HEADS, WIDTH).swapaxes(0, 1)
        for array in (problem.query, problem.key, problem.value)
    )
    out = []
    for q, k, v in zip(query, key, value, strict=True):
        scores = q @ k.T * np.longdouble(WIDTH) ** -0.5
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        out.append(shares / shares.sum(axis=1, keepdims=True) @ v)
    return np.concatenate(out, axis=1)[None]


if __name__ == "__main__":
    print(peak_of_a_session())
