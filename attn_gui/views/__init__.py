"""Widgets: they show, they signal, they decide nothing. Imports engine to figure, never document.document."""
