"""Shapes of a problem: whether fields fit together, and what would make them fit. Imports the fields and NumPy."""
