"""Tables of numbers, one panel a matrix. Imports document.matrix_model, figure, views; never the document.

`inputs` all panels · `matrix_panel` one · `table_view` its table · `headers` · `delegate` its cells and typing.
"""
