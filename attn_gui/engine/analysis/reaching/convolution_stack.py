"""A stack of convolutions with seeded weights, and how far each of its outputs depends on each input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array

WIDTH = 3
"""Tokens that one convolution looks at: the one before, the token, the one after."""


@dataclass(frozen=True, eq=False)
class Convolutions:
    """z_t = tanh(Σ_s z_{t+s−1} K_s) layer by layer, zeros beyond both ends; kernels (3, columns in, columns out).

    Source: Waibel et al., "Phoneme recognition using time-delay neural networks" (1989).
    """

    kernels: tuple[Array, ...]

    @classmethod
    def seeded(cls, inputs: int, channels: int, layers: int, seed: int) -> Convolutions:
        """Independent normal weights of variance 1 / (3 · columns in)."""
        draw, found = np.random.default_rng(seed).standard_normal, []
        for layer in range(layers):
            columns = inputs if layer == 0 else channels
            found.append(draw((WIDTH, columns, channels)) / np.sqrt(WIDTH * columns))
        return cls(tuple(found))

    def forward(self, x: Array) -> Array:
        """Outputs (n, channels) for (n, inputs)."""
        return self._states(x)[-1]

    def dependence(self, x: Array) -> Array:
        """‖∂z_i/∂x_j‖ (Frobenius) as (i, j): exact, by the chain rule from layer to layer; 0 beyond the reach."""
        slopes, n, layers = [1 - states**2 for states in self._states(x)], len(x), len(self.kernels)
        first = self._first()
        found = np.zeros((n, n))
        for j in range(n):
            near = slice(max(0, j - layers), min(n, j + layers + 1))
            moved = np.zeros((near.stop - near.start, *first.shape[1:]))
            for s in range(WIDTH):
                if near.start <= j - s + 1 < near.stop:
                    moved[j - s + 1 - near.start] = first[s]
            moved *= slopes[0][near][:, :, None]
            for kernel, slope in zip(self.kernels[1:], slopes[1:], strict=True):
                shifted = np.pad(moved, ((1, 1), (0, 0), (0, 0)))
                parts = (kernel[s].T @ shifted[s : s + len(moved)] for s in range(WIDTH))
                moved = slope[near][:, :, None] * sum(parts, np.zeros(()))
            found[near, j] = np.sqrt((moved**2).sum(axis=(1, 2)))
        return found

    def _first(self) -> Array:
        """The first kernels, turned (3, channels, columns), with no more columns than keep every length."""
        kernel = self.kernels[0]
        rows = np.swapaxes(kernel, 1, 2).reshape(-1, kernel.shape[1])
        short = np.asarray(np.linalg.qr(rows.T, mode="r")).T
        return np.asarray(short.reshape(WIDTH, kernel.shape[2], -1))

    def _states(self, x: Array) -> list[Array]:
        """The outputs of every layer."""
        found: list[Array] = []
        for kernel in self.kernels:
            padded = np.pad(found[-1] if found else x, ((1, 1), (0, 0)))
            found.append(np.tanh(sum((padded[s : s + len(x)] @ kernel[s] for s in range(WIDTH)), np.zeros(()))))
        return found
