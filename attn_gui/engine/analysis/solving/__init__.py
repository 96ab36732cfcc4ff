"""Solvers for a target: one row of a map, exact systems, steps towards an output. Imports the engine and NumPy."""

BIAS = "bias"
"""The way of a bias of the row's own, which is added to its logits."""

WAYS = ("query", "key", BIAS, "x")
"""Fields that may be changed for a target."""
