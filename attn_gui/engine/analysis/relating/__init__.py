"""Relations between tokens: the largest weights, and how alike tokens are. Imports engine, NumPy."""
