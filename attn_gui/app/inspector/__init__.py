"""Controllers of the inspector and the history."""
