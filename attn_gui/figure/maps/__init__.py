"""Figures of maps: from cells to a page."""
