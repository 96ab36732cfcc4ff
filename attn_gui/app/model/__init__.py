"""Controllers of a model on the table: which layer and text, what it predicts, what is changed in it."""
