"""Windows that ask before something is made or written. Imports engine to figure, views.controls and views.theme."""
