"""Controllers of files: opening, saving, the journal and what it recovers, foreign arrays, exporting."""
