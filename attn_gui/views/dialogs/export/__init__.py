"""Dialogs that export figures and numbers."""
