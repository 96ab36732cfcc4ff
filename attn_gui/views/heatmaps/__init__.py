"""Maps of matrices: one map class and the two pictures made of it. Imports engine, figure and views.theme, views.names."""
