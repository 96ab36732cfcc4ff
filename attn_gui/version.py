"""Version of the program, for whoever may not import the package that shows it."""

VERSION = "0.1.0"
