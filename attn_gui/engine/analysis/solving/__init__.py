"""Solvers for a target: one row of a map, exact systems, steps towards an output. Imports the engine and NumPy."""

WAYS = ("query", "key", "bias", "x")
"""Fields that may be changed for a target."""
