"""Expressions: the formula of one cell as a tree, its leaves, operators and signs. Imports engine.arrays and NumPy."""
