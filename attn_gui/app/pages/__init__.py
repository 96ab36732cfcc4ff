"""Controllers of the pages of the catalog."""
