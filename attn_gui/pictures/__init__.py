"""Pictures of long maps, computed off the window's thread. Imports engine and QtCore."""
