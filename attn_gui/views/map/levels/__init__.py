"""The color bar of a map: levels, color maps, histogram."""
