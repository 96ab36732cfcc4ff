"""Two states in figures: what is shown of them, and how."""
