"""Windows that ask before something is made or written. Imports engine to figure, and views.

`asking` how a dialog is asked · `questions` small ones · `progress` lines of work under way · `form_fields` ·
`axes_fields` · `export_form` parts of forms · `new_dialog` · `tokens_dialog` · `target_dialog` · `arrays_dialog` ·
`readings` · `export_dialog` · `export_data_dialog` · `worksheet_dialog` · `card_dialog` · `action_search` ·
`help_window` one a task. But for `asking`, `progress` and `export_choice` all of them load when they are asked for.
"""
