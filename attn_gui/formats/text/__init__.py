"""Tables that are text: dialects, headings, numbers, and what programs print. Imports NumPy only."""
