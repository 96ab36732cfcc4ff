"""Files that hold arrays by name, whatever the names: readers, and what the names mean."""
