"""Score functions, by key: a new one is one file here and one entry. Imports the stage and NumPy."""

from __future__ import annotations

from .additive import Additive
from .average import Average
from .cosine import Cosine
from .dot import Dot
from .gaussian import Gaussian
from .score import Score, Setting

__all__ = ["SCORES", "Score", "Setting"]

SCORES: dict[str, Score] = {
    "dot": Dot(),
    "additive": Additive(),
    "cosine": Cosine(),
    "gaussian": Gaussian(),
    "average": Average(),
}
"""The one list that problems, files, menus and words are made from, each when it is asked."""
