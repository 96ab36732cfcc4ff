"""Lessons in the window: where they are opened, the step on show, answers and progress."""
