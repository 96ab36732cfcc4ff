"""Modes of the middle of the window and of maps, by their names in sessions, settings and lessons. Imports nothing."""

PRODUCT, ALL, MODEL = "product", "all", "model"
"""One stage with its operands, the maps of all stages, the heads of a model."""

OF_ANY = (PRODUCT, ALL)
"""Modes that every problem has: these are kept."""

ACTIONS = {PRODUCT: "product", ALL: "all_stages", MODEL: "model"}
"""Rows of the table of actions that choose them."""

NOW, BEFORE, DIFFERENCE, SPLIT = STATES = "now", "before", "difference", "split"
"""What is shown of two states: the one now, the one before, their difference, or both side by side."""

GRADIENT = "gradient"
"""What maps of one state show in place of its numbers."""
