"""Mistakes in the softmax, which makes shares of the scores. Imports the base of mistakes, the softmax."""
