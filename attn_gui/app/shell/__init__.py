"""Start-up, actions and menus, and the program that wires all controllers."""
