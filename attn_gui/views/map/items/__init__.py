"""Items that a map paints: cells, marks, veil, and the outline of what was recomputed. Imports pictures and figure."""
