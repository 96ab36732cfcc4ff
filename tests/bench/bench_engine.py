"""Cost of edits and full passes of the streaming evaluation, without a window; d_k = d_v = 64, 8 heads, float32."""

from __future__ import annotations

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
PASS = {256: 2.0, 1024: 1.7, 2048: 1.7, 4096: 1.5}


class Bench:
    def __init__(self, n):
        self.rng, self.n = np.random.default_rng(0), n
        shape = (n, HEADS * WIDTH)
        self.arrays = {name: self.rng.normal(size=shape).astype("float32") for name in ("query", "key", "value")}
        self.problem = Problem.over(self.arrays | {"num_heads": HEADS, "dtype": "float32"})
        self.evaluation = StreamingEvaluation(self.problem)
        self.evaluation.complete()
        self.scores = np.zeros((n, n), "float32")  # not touched before it is used

    def edit(self, field):
        cell = int(self.rng.integers(self.n)), int(self.rng.integers(WIDTH))
        self.arrays[field][cell] = self.rng.normal()
        start = time.perf_counter()
        self.evaluation.update(self.problem, {field: [indices.cell(cell)]})
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


@pytest.mark.parametrize("n", PASS)
def bench_full_pass(benchmark, figures, n):
    bench = made(n)
    bench.whole()
    ratio = median(bench.whole() / bench.products() for _ in range(ROUNDS))
    benchmark.pedantic(bench.whole, rounds=3)
    figures.add("engine: full pass ÷ its two products", n, ratio, PASS[n])
