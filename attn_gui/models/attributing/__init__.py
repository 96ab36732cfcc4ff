"""Questions to a run: what a prediction comes from, and what would change it. Imports engine and NumPy."""
