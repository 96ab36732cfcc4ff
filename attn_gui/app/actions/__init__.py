"""The table of actions, and the menus and tool bar that are built from it. Imports the views."""
