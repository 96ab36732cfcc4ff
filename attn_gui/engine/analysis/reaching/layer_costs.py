"""Costs of layers over a sequence: multiplications, steps that wait for one another, and the longest path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.analysis.reaching.convolution_stack import WIDTH
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import SCORES


@dataclass(frozen=True)
class Cost:
    """Numbers of one layer over n tokens, and the paper's orders of growth for the same three.

    `path` is the number of layers or steps that a signal passes between the two tokens farthest apart; None where it
    does not get there with fewer layers than `needed`, which is 0 where none are enough.
    Source: Vaswani et al., "Attention Is All You Need" (2017), table 1.
    """

    multiplications: int
    sequential: int
    path: int | None
    orders: tuple[str, str, str]
    needed: int = 1


def recurrent_cost(n: int, width: int) -> Cost:
    """The recurrent layer with as many channels as the input has columns: x W and h U in each step."""
    return Cost(2 * n * width * width, n, n, ("O(n·d²)", "O(n)", "O(n)"))


def convolution_cost(n: int, width: int, layers: int) -> Cost:
    """Cost of a stack of convolutions, each as wide as the input; the kernel's places beyond the ends are left out."""
    places = sum(min(t + WIDTH // 2, n - 1) - max(t - WIDTH // 2, 0) + 1 for t in range(n))
    needed = max(1, -(-(n - 1) // (WIDTH // 2)))
    count = layers * places * width * width
    orders = "O(k·n·d²)", "O(1)", "O(logₖ n)"
    return Cost(count, layers, layers if layers >= needed else None, orders, needed)


def attention_cost(problem: Problem) -> Cost:
    """Scores and mixture of all heads of one item, and how far its mask lets a signal get; projections and the tables
    of the score are counted by `projection_multiplications`."""
    products = SCORES[problem.score].multiplications(problem.score_params, problem.d_k)
    count = problem.num_heads * problem.n * problem.m * (products + problem.d_v)
    needed = _layers_to_first(problem)
    return Cost(count, 1, 1 if needed == 1 else None, ("O(n²·d)", "O(1)", "O(1)"), needed)


def _layers_to_first(problem: Problem) -> int:
    """The layers with the masks of a problem, of any of its heads, that join its last query to key 0; 0 if none do."""
    evaluation, whole = Evaluation(problem, keep=0), (slice(0, problem.n), slice(0, problem.m))
    opened = np.zeros((problem.n, problem.m), dtype=bool)
    for head in range(problem.num_heads):
        found = evaluation.allowed(0, head, *whole)
        opened |= True if found is None else found
    reached = opened[-1]
    for layers in range(1, problem.n + 1):
        if reached[0]:
            return layers
        reached = reached | opened[reached].any(axis=0)
    return 0


def projection_multiplications(problem: Problem) -> int:
    """Multiplications of W_Q, W_K, W_V, W_O and the tables that a score applies to each query and key, as far as there
    are such, which the paper's table leaves out."""
    rows = {"w_query": problem.n, "w_key": problem.m, "w_value": problem.m, "w_output": problem.n}
    score, arrays = SCORES[problem.score], problem.arrays()
    rows_by_letter = {
        score.widths["query"]: problem.n * problem.num_heads,
        score.widths["key"]: problem.m * problem.kv_heads,
    }
    for table, letters in score.tables.items():
        rows[f"score_params.{table}"] = rows_by_letter.get(letters[0], 0)
    return sum(count * int(arrays[name].size) for name, count in rows.items() if name in arrays)
