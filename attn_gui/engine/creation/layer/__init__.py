"""Parts of a transformer layer that are added and taken away. Imports the problem and NumPy."""
