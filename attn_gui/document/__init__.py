"""The open document and its history. Imports engine, formats and QtCore/QtGui; no widgets."""
