"""Sweeps: one number of a problem runs between two values, and a reading of a row follows. Imports engine, NumPy."""
