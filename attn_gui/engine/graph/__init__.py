"""Notation of stages: index formulas, expressions, sums of products, and the sources of a problem."""
