"""Gestures of a hand on a map: mouse, keys, and the line that is typed into a cell."""
