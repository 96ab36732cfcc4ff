"""Controllers of files: opening, saving, exporting."""
