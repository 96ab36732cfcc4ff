"""Pages of several states of a problem."""
