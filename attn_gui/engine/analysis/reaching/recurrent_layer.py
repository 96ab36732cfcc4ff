"""A small recurrent layer with seeded weights, and how far each of its outputs depends on each input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array


@dataclass(frozen=True, eq=False)
class Recurrent:
    """h_t = tanh(x_t W + h_{t−1} U), h_{−1} = 0, with W (inputs, channels) and U (channels, channels).

    Source: Elman, "Finding structure in time" (1990).
    """

    w: Array
    u: Array

    @classmethod
    def seeded(cls, inputs: int, channels: int, seed: int) -> Recurrent:
        """Independent normal weights of variance 1 / rows, so that neither sums nor powers of U grow with the width."""
        draw = np.random.default_rng(seed).standard_normal
        return cls(draw((inputs, channels)) / np.sqrt(inputs), draw((channels, channels)) / np.sqrt(channels))

    def forward(self, x: Array) -> Array:
        """Outputs (n, channels) for (n, inputs)."""
        state, found = np.zeros(len(self.u)), []
        for row in x:
            state = np.tanh(row @ self.w + state @ self.u)
            found.append(state)
        return np.array(found)

    def dependence(self, x: Array) -> Array:
        """‖∂h_i/∂x_j‖ (Frobenius) as (i, j): exact, by the chain rule from step to step."""
        slopes, n = 1 - self.forward(x) ** 2, len(x)
        found, first = (
            np.zeros((n, n)),
            np.asarray(np.linalg.qr(self.w, mode="r")).T,
        )  # as long as w.T, and no wider than itself
        for j in range(n):
            moved = slopes[j][:, None] * first
            found[j, j] = np.linalg.norm(moved)
            for i in range(j + 1, n):
                moved = slopes[i][:, None] * (self.u.T @ moved)
                found[i, j] = np.linalg.norm(moved)
        return found
