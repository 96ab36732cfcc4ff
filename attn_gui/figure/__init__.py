"""Paints maps for files and colors them for the screen. Imports engine to document, QtGui and QtSvg; no widgets."""
