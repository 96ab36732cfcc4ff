"""Windows that ask before something is made or written. Imports engine to figure, and views.

But for `dialog_base`, `progress` and `form_fields` they are loaded when asked for.
"""
