"""Planes that maps show, in tiles where they are long, drawn off the window's thread. Imports engine and QtCore."""
