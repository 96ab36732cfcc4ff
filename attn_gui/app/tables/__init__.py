"""Controllers of the tables: contents, typing, blocks, copying, finding."""
