"""The table of actions, the menus, tool bar and context menus built from it, commands and tips."""
