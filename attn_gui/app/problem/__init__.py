"""Controllers of the problem: shapes, masks, variants, targets, and ways out of a clash."""
