"""Pages on one layer of attention as it is taught: what the root is for, what shapes there are, the code."""
