"""Controllers of the tables: typing, blocks, pasting, copying."""
