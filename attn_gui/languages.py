"""Languages that the program speaks, the one of its source first. Imports nothing."""

LANGUAGES = ("en", "zh")
