"""Keys of what is shown of two states: the one now, the one before, their difference, both side by side."""

from __future__ import annotations

NOW, BEFORE, DIFFERENCE, SPLIT = "now", "before", "difference", "split"
MODES = (NOW, BEFORE, DIFFERENCE, SPLIT)
GRADIENT = "gradient"  # of one state: what maps show in place of its numbers
