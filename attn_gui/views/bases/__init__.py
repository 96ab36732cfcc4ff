"""Bases that widgets of every zone are made of."""
