"""Controllers of the maps: marks, keys, reach, status and progress."""
