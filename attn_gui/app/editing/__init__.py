"""A folder of modules."""
