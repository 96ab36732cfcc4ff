"""Arithmetic of a whole model in float32, layer by layer. Imports engine and NumPy."""
