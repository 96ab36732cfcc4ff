"""Commands of the command line that are loaded when they are asked for. Imports everything but the window."""
