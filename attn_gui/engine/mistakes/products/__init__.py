"""Mistakes in products: wrong rows, columns or heads multiplied. Imports the base of mistakes."""
