"""Boxes and panels that set sizes, numbers and masks. Imports engine to figure, views.theme and views.icons."""
