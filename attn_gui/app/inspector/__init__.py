"""Controllers of the inspector: the explanation, its other pages, the history and snapshots."""
