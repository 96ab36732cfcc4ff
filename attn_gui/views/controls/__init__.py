"""Boxes and panels that set sizes, numbers, masks and interventions. Imports engine to figure and the root of views."""
