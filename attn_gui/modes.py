"""Names of modes (product, all stages, model) and of compared states, as sessions, settings and lessons keep them.
Imports nothing."""

PRODUCT, ALL, MODEL = "product", "all", "model"
"""One stage with its operands, the maps of all stages, the heads of a model."""

OF_ANY = (PRODUCT, ALL)
"""Modes that every problem has: these are kept."""

ACTIONS = {PRODUCT: "product", ALL: "all_stages", MODEL: "model"}
"""Rows of the table of actions that choose them."""

NOW, BEFORE, DIFFERENCE, SIDE_BY_SIDE, WIPE = STATES = "now", "before", "difference", "side_by_side", "wipe"
"""What is shown of two states: the one now, the one before, their difference, both side by side, or both in one map
with a bar between them."""

COMPARED = (BEFORE, DIFFERENCE, SIDE_BY_SIDE, WIPE)
"""Those that show more than the state now, or another one."""

BOTH = (SIDE_BY_SIDE, WIPE)
"""Those that show numbers of either state. A figure, whose bar nobody could move, has both side by side."""


def state_key(given: str) -> str:
    """Return the key in STATES of what a script or a file names, which once called the wipe "split"."""
    return WIPE if given == "split" else given


GRADIENT = "gradient"
"""What maps of one state show in place of its numbers."""
