"""Maps of matrices: one map class, two pictures made of it. Imports engine, figure, views.theme and views.names."""
