"""Evaluations of a problem, dense and streaming, and what is read from them. Imports problem, graph and stages."""
