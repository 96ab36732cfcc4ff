"""Costs of layers over a sequence: multiplications, steps that wait for one another, and the longest path."""

from __future__ import annotations

from dataclasses import dataclass

from attn_gui.engine.analysis.reaching.convolution_stack import WIDTH
from attn_gui.engine.problem.problem import Problem


@dataclass(frozen=True)
class Cost:
    """Numbers of one layer over n tokens, and the paper's orders of growth for the same three.

    `path` is the number of layers or steps that a signal passes between the two tokens farthest apart; None where it
    does not get there with fewer layers than `needed`.
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
    """Scores and mixture of all heads of one item; projections are counted by `projection_multiplications`."""
    n, m, heads = problem.n, problem.m, problem.num_heads
    return Cost(heads * n * m * (problem.d_k + problem.d_v), 1, 1, ("O(n²·d)", "O(1)", "O(1)"))


def projection_multiplications(problem: Problem) -> int:
    """Multiplications of W_Q, W_K, W_V and W_O, as far as there are such, which the paper's table leaves out."""
    rows = {"w_query": problem.n, "w_key": problem.m, "w_value": problem.m, "w_output": problem.n}
    arrays = problem.arrays()
    return sum(count * int(arrays[name].size) for name, count in rows.items() if name in arrays)
