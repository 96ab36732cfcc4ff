"""The version of the program. It stands alone for modules that may not import the package that shows it."""

VERSION = "0.1.0"
