"""The product picture: layout, operands, words. Imports `views.map`."""
