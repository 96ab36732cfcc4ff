"""Edits of long problems: the rows they make stale, the keys they exchange, and what stood there before."""
