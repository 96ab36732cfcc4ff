"""The explanation of a cell: place, sentence, formula, terms, links. Imports engine, figure and views."""
