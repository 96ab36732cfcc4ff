"""Snapshots of a problem: states kept as a base and the cells that differ from it, and their place in a session."""
