"""Help pages of the program. Imports figure.

`help_pages` the Markdown files with the names of actions filled in · `help_window` the window that shows them.
"""
