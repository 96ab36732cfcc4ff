"""Pages of a model at work: what it predicts, by which heads and layers, and what a change moved."""
