"""Widgets: they show, they signal, they decide nothing. Imports engine to figure, never document.document.

`main_window` · `zones` the window and the order of its zones · `theme` their look · `widgets` · `text_views` what they
are made of · `names` · `spoken_formulas` their words · `copying` what can be copied. A zone has a folder or a file:
`spine`, `tables`, `product` with `map` in it, `head_strip`, `inspector`, `pages_panel` of `page_widget`s, each with a
`page_canvas` and a `live_plot` of pyqtgraph on it, `history_panel`, `lesson_panel` with `question_view`, `banner`,
`bars`, `model_view` with `token_row`, `head_grid` and `predictions` in it; `controls`
and `dialogs` open over them.
"""
