"""Usual mistakes in computing attention, and the grading that names them. Imports the engine."""

from .catalog import MISTAKES

__all__ = ["MISTAKES"]
