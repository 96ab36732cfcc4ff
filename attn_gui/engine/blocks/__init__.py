"""Kinds of blocks, norms and activations, by key: a new one is one entry here. Imports the stage and NumPy."""

from __future__ import annotations

from .block import ACTIVATIONS, CHOICES, NORMS, Block, Table
from .kinds import AFTER, BEFORE, BLOCKS

__all__ = ["ACTIVATIONS", "AFTER", "BEFORE", "BLOCKS", "CHOICES", "NORMS", "Block", "Table"]
