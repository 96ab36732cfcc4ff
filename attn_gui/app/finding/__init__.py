"""Finding numbers and tokens in tables and maps, and going to a cell."""
