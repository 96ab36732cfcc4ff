"""Maps of matrices: one map class for every picture of the window. Imports engine, pictures, figure and views.words."""
