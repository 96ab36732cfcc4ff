"""The explanation of a cell: place, sentence, formula, terms, links. Imports engine, figure and views.

`inspector` the panel · `cell_sentences` its words · `terms` its table · `pages` beside it, the one before a cell is
chosen among them.
"""
