"""Evaluation of long sequences: rows of weights are summed up, never kept. Imports the engine and NumPy."""

from .evaluation import StreamingEvaluation

__all__ = ["StreamingEvaluation"]
