"""The list of mask layers and the editors of their parameters."""
