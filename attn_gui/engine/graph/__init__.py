"""Notation of stages: index formulas, expressions, nodes, and the sources of a problem."""
