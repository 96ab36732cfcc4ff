"""Commands of the command line, each loaded when it is asked for, and their ground. Imports all but the window."""
