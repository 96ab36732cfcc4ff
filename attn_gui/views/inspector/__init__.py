"""The explanation of a cell: place, sentence, formula, terms, links, history. Imports engine, figure and views.

`inspector` the panel · `sentences` its words · `terms` its table · `names` how cells are called · `start_page`
what stands there before a cell is chosen · `history` the list of steps below it.
"""
