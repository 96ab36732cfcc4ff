"""Commands of the command line, each loaded when it is asked for, and what they share. Imports all but the window."""
