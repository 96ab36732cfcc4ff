"""Mistakes with the mask. Imports the base of mistakes and the stage of the mask."""
