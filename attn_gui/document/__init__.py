"""What is open and its history. Imports engine, formats and QtCore/QtGui; no widgets."""
