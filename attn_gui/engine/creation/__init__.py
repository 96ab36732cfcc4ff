"""New numbers for problems: made, weighed before that, and resized. Imports the problem."""
