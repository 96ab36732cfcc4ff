"""The part of a map in view: zoom, maps that share it, and the overview."""
