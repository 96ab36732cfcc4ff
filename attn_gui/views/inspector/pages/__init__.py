"""Pages beside the explanation."""
