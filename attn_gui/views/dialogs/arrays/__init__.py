"""The dialog in which arrays of a file become parts of a problem."""
