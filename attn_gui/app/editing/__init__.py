"""Controllers of what is changed in a problem but for its tables: shapes, variants, masks, heads, targets, cells
of maps."""
