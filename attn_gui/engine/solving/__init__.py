"""Solvers for a target: one row of a map, exact systems, steps towards an output. Imports the engine and NumPy."""

WAYS = ("query", "key", "bias", "x")
"""What may be changed for a target."""
MAPS = ("scores", "scaled", "capped", "biased", "masked", "weights")
OUTPUTS = ("head_output", "concat", "output", "residual", "normalized", "block_output")
"""The stages of which a cell can be given a target."""
