"""The explanation of a cell: place, sentence, formula, terms, links. Imports engine, figure and views.

`inspector` the panel · `sentences` its words · `terms` its table · `names` how cells are called · `start_page`
what stands there before a cell is chosen.
"""
