"""Planes that maps show, in tiles where they are long, computed off the thread or at rest. Imports engine and QtCore."""
