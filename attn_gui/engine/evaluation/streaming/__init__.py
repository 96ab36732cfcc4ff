"""Evaluation of long sequences: rows of weights are summed up, never kept. Imports the engine and NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .evaluation import StreamingEvaluation

__all__ = ["StreamingEvaluation"]


def __getattr__(name: str) -> object:
    """A window that shows a small problem needs the threads alone."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import evaluation

    return evaluation.StreamingEvaluation
