"""Mistakes in the factor of the scores. Imports the base of mistakes."""
