"""Derivatives as maps, and by computing twice, the check beside every exact gradient. Imports engine, NumPy."""
