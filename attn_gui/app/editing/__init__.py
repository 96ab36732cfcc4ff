"""Controllers of what is changed in a problem but for its tables: sizes, parts, variants, masks, heads, targets, cells
of maps."""
