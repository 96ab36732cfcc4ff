"""Windows that ask before something is made or written. Imports engine to figure, and views.

`dialog_base` how one is asked, and tips · `small_dialogs` · `progress` lines of work under way · `form_fields` ·
`axes_fields` · `export_form` parts of forms · `new_dialog` · `tokens_dialog` · `target_dialog` · `arrays_dialog` ·
`ambiguity_dialogs` · `export_dialog` · `worksheet_dialog` · `action_search` ·
`help_window` one a task. But for the first, `progress` and `form_fields` they load when asked for.
"""
