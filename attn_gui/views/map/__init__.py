"""Maps of matrices: one map class for every picture of the window. Imports engine to figure, and views."""
