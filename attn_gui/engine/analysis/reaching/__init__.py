"""Reach of layers over one sequence: which input moves which output, and what it costs. Imports engine, NumPy."""
