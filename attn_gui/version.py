"""Version of the program, for modules that may not import the package that shows it."""

VERSION = "0.1.0"
