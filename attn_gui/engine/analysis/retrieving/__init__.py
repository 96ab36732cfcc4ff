"""Attention as retrieval: one query's mixture of values, and other ways to pool them. Imports engine, NumPy."""
