"""How a target is reached: one row of a map, exact systems, steps towards an output. Imports the engine and NumPy."""
