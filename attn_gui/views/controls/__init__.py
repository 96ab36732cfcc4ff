"""Boxes and panels that set sizes, numbers, masks and interventions. Imports engine to figure and the root of views.

`count_box` · `typed_field` boxes of numbers · `popup_frame` what panels open in · `mask_panel` ·
`shape_panel` · `intervention_panel` panels that set a part of the problem · `tool_bar_controls`.
"""
