"""Pictures of long maps and means of their rows, computed off the thread or at rest. Imports engine and QtCore."""
