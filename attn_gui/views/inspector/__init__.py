"""The explanation of a cell: place, sentence, formula, terms, links. Imports engine, figure and views.

`inspector` the panel · `cell_relations` what its cell reads and reaches · `cell_sentences` its words · `cell_links`
the way to other cells · `terms` its table · `inspector_tabs` beside it, the one before a cell is chosen among them.
"""
