"""The chooser of arrays whose names are foreign: what opens it, remembers and carries out what is chosen."""
