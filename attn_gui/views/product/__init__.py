"""The product picture and the tiles of all stages: layout, operands, words. Imports `views.map`."""
