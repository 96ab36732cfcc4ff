"""Cost of edits of the streaming evaluation, without a window; d_k = d_v = 64, 8 heads, float32."""

import time
from statistics import median

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.threads import one_blas_thread
from attn_gui.engine.graph import indices

HEADS, WIDTH = 8, 64
LETTERS = {"query": "Q", "key": "K", "value": "V"}
EDITS = 15
# the most that an edit in Q, K, V may cost, in products Q·Kᵀ of one head on one thread
MOST = {1024: (0.40, 0.60, 0.40), 2048: (0.15, 0.25, 0.15), 4096: (0.05, 0.15, 0.05)}


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


@pytest.mark.parametrize("n", MOST)
def bench_engine_edit(benchmark, figures, n):
    bench = Bench(n)
    for (field, letter), most in zip(LETTERS.items(), MOST[n], strict=True):
        bench.edit(field)
        pairs = [(bench.product(), bench.edit(field)) for _ in range(EDITS)]
        ratio = median(edit for _, edit in pairs) / median(product for product, _ in pairs)
        figures.add(f"engine: {letter} edit ÷ QKᵀ of a head", n, ratio, most)
    benchmark.pedantic(bench.edit, ("key",), rounds=EDITS)
