"""How a target is reached: one row of a map, exact systems, steps towards an output. Imports the engine and NumPy."""

MAPS = ("scores", "scaled", "capped", "biased", "masked", "weights")
OUTPUTS = ("head_output", "concat", "output", "residual", "normalized", "block_output")
"""The stages of which a cell can be given a target."""
