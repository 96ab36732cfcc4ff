"""Widgets: they show, they signal, they decide nothing. Imports engine to figure, never document.document.

`main_window` · `zones` the window and the order of its zones · `theme` their look · `widgets` · `text_views` what they
are made of · `names` · `stage_formulas` their words · `clipboard` what can be copied. A zone has a folder or a file:
`spine`, `tables`, `product` with `map` in it, `head_strip`, `inspector`, `pages`, `model`, `history_panel`,
`lesson_panel` with `question_view`, `banner`, `tool_lines`; `controls` and `dialogs` open over them.
"""
