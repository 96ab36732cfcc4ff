"""Start-up, and the program that wires all controllers."""
