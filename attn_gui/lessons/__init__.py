"""Lessons: the format of their files, their states, their live numbers. Imports engine, formats, nothing of Qt."""
