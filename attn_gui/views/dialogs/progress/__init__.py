"""Lines in the status bar that say how far some work is."""
